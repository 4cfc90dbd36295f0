// Routes bound to communicators and memory: what transforms, redistributions and spheres run on.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execute/bound_route.hpp"
#include "execute/communicators.hpp"
#include "execute/route_memory.hpp"
#include "execute/watchers.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

/// Runs, ready to be executed one after the other. Not a template: the precision is a matter of the passes.
class Engine {
 public:
  /// Of the problem only what the passes ask for. `communicators`, which may be those of a part of the ranks, and
  /// `watchers` outlive it. Engines with the same pool take turns on memory. Collective over the communicators.
  Engine(const std::vector<NamedRoutes>& runs, const Problem& problem, const Options& options,
         Communicators& communicators, Watchers& watchers, PartOfRanks ranks = {}, MemoryPool&& pool = {})
      : Engine(runs, problem, options, communicators, watchers, ranks, pool) {}
  Engine(const std::vector<NamedRoutes>& runs, const Problem& problem, const Options& options,
         Communicators& communicators, Watchers& watchers, PartOfRanks ranks, MemoryPool& pool);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  /// A run's number among what is watched.
  int number(std::size_t run) const { return runs_[run].routes.front().number(); }
  /// Walks the routes of a run, each with its arrays: a step of each in turns, so that what one has started is on its
  /// way while the others go on. Arguments are not checked.
  void execute(std::size_t run, std::span<const UserArrays> arrays);
  void execute(std::size_t run, const UserArrays& arrays) { execute(run, {&arrays, 1}); }

  Statistics& statistics() { return statistics_; }
  /// Counts anew.
  void reset_statistics();
  Index workspace_bytes() const { return memory_.bytes(); }
  /// Lets its end wait for no other rank.
  void leave() { memory_.leave(); }

 private:
  struct BoundRun {
    std::vector<BoundRoute> routes;
    std::size_t most_events = 0;  ///< of an execution
  };
  Watchers& watchers_;
  RouteMemory memory_;
  std::shared_ptr<MemoryBlock> scratch_;
  int tests_;
  bool progress_;
  std::vector<BoundRun> runs_;
  Statistics statistics_;
};

}  // namespace weft::detail
