// A plan bound to a communicator and memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "base/node_memory.hpp"
#include "base/progress.hpp"
#include "base/trace.hpp"
#include "base/watchdog.hpp"
#include "base/window_memory.hpp"
#include "execute/bound_route.hpp"
#include "execute/groups.hpp"
#include "execute/narrate.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

/// What Transform and Redistribution are made of. Not a template: the precision is a matter of the passes.
class Engine {
 public:
  /// Whether options may still be overridden by the environment: not those of a part of something larger.
  enum class Environment { applies, applied };
  /// A transform. Collective.
  Engine(Problem problem, MPI_Comm comm, Options options, Environment environment = Environment::applies);
  /// A redistribution. Collective.
  Engine(const Layout& from, const Layout& to, int element_bytes, MPI_Comm comm, Index howmany, Options options,
         Environment environment = Environment::applies);
  /// Any other single route, of a transform whose options, the environment's included, made it. Collective.
  Engine(const std::string& name, Route route, Precision precision, const std::string& what, MPI_Comm comm,
         Options options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  /// Collective where there is a trace to be written.
  ~Engine();

  const Plan& plan() const { return *plan_; }
  const Route& forward_route() const { return *forward_route_; }
  const Statistics& statistics() const { return statistics_; }
  /// Counts anew, and forgets the trace.
  void reset_statistics();
  /// Collective; Error if nothing is traced.
  void write_trace();
  /// Forgets the trace, and writes none at the end.
  void drop_trace() { recorder_.reset(); }
  MPI_Comm comm() const { return comm_.get(); }
  bool checks() const { return options_.check; }

  /// Numbers an overload was given for; checked against the kind.
  enum class Number { real, complex };
  void execute(Direction direction, const void* in, Number in_number, void* out, Number out_number);
  void execute_in_place(Direction direction, void* data);
  /// Runs the only route of a redistribution.
  void redistribute(const void* in, void* out);
  /// Without a check of the arguments.
  void run(Direction direction, const void* in, void* out);
  void run(Direction direction, const UserArrays& arrays);
  /// Runs the only routes of redistributions at once, a step of each in turns: what one has started is on its way while
  /// the others go on. Arrays as many as engines, which are the same, in the same order, on all ranks, and without
  /// progress threads of their own.
  static void run_together(std::span<Engine* const> engines, const std::vector<UserArrays>& arrays);
  void require_sizes(Direction direction, Index in, Index out);
  void raise_any(Direction direction, const std::string& message);

 private:
  /// Throws what `check` throws: on all ranks if the options ask for agreement.
  template <class Check>
  void agree(Direction direction, const Check& check);
  void bind(const Route* forward, const Route* backward, const Problem& problem);
  Watchers watchers();
  /// Tells the watchers that nothing is to be watched any more: at the end of something, which may be an Error.
  struct Rest {
    Engine* engine;
    ~Rest();
  };

  void find_nodes();
  /// Makes the watchers that the options ask for; `names` of the routes. Collective.
  void post_watchers(const std::vector<std::string>& names, const std::string& what);

  Communicator comm_, node_;
  std::vector<int> node_rank_;  ///< rank within this node of each rank, or -1
  Options options_;
  std::optional<Plan> plan_;    ///< of a transform
  std::optional<Route> route_;  ///< the only one
  const Route* forward_route_ = nullptr;
  std::optional<ExchangeCommunicators> communicators_;
  Buffer workspace_, scratch_;
  std::optional<NodeMemory> node_memory_;
  std::optional<WindowMemory> window_memory_;
  std::optional<BoundRoute> forward_, backward_;
  std::optional<Groups> groups_;  ///< instead of routes, where the options ask for several
  std::optional<ProgressThread> progress_;
  Statistics statistics_;
  Story story_;
  std::optional<Recorder> recorder_;
  double clock_offset_ = 0;           ///< of this rank's clock, for the trace
  std::optional<Watchdog> watchdog_;  ///< stops before anything else goes
};

}  // namespace weft::detail
