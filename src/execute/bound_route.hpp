// A route bound to a communicator and memory. The loop over the schedule is here.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/node_memory.hpp"
#include "execute/communicators.hpp"
#include "execute/core_watch.hpp"
#include "execute/pass.hpp"
#include "execute/turns.hpp"
#include "execute/watchers.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

/// Routes that are walked at once, most often one alone.
struct NamedRoutes {
  std::string name;  ///< "forward"
  std::vector<std::shared_ptr<const Route>> routes;
};

/// What a route is bound to, besides communicators.
struct RoutePlace {
  std::byte* workspace = nullptr;    ///< this rank's, for the route
  Index workspace_offset = 0;        ///< of it from the start of the rank's memory
  const NodeMemory* node = nullptr;  ///< if the node shares it
  Index flags_offset = 0;            ///< of the route's flags
  MPI_Win window = MPI_WIN_NULL;     ///< if others can put into it
  int first_link = 0, links = 0;     ///< of those of all routes that are walked at once
};

/// A route, ready to run.
class BoundRoute {
 public:
  /// Collective. `communicators`, and what is at the place, outlive it.
  BoundRoute(std::shared_ptr<const Route> bound, const RoutePlace& place, const Problem& problem,
             const Options& options, Communicators& communicators);

  /// Its number among those that are watched.
  int number() const { return number_; }
  void set_number(int number) { number_ = number; }

  int threads() const { return threads_; }
  /// Of a thread.
  Index scratch_bytes() const;
  void use_scratch(std::byte* scratch, Index of_thread);
  /// Adds this route's exchanges to statistics that nothing has been counted in, and will count in them.
  void announce_exchanges(Statistics& statistics);
  /// A walk of the schedule begins.
  void begin(const UserArrays& arrays);
  /// Walks on through the next start or finish of a tile, which all ranks come to in the same order; from the time
  /// `before` to the one it returns. Nothing once the walk is over.
  std::optional<double> advance(int tests, double before, Statistics& statistics, const Observers& observers);
  /// Events that an execution may have at most.
  std::size_t most_events(int tests) const;

 private:
  /// What all passes of a route have in common.
  struct Making {
    const Problem& problem;
    const Options& options;
    Index batch;
    CacheLimits limits;
    bool threads_past_caches;  ///< also where the ways are those of ranks
  };
  /// What a pass of one way may have otherwise than the same pass of the other way.
  struct Way {
    bool far;
    Store store;
    friend bool operator==(const Way&, const Way&) = default;
  };
  /// Makes the passes that pass blocks on so; those that are as in the `other` way, which was made before, are the
  /// same.
  std::vector<Way> make_passes(bool past_caches, const Making& with, const std::vector<Way>& other);
  /// Begins at the time `begin`; returns that of its end, which is the next action's beginning.
  double compute(const Action& action, int tests, double begin, Statistics& statistics, const Observers& observers);
  void test(double begin, Statistics& statistics, const Observers& observers);
  /// Watches this rank's core and its partner's, which meet after an exchange.
  void watch_ranks(const PassingOn& found, const Communicators& communicators, Index flag);
  /// Watches the cores of two threads, which meet when they end the first unit.
  void watch_threads(const PassingOn& found);
  bool meets_after(const Action& action) const {
    return cores_ && words_ == nullptr && cores_->should_meet() &&
           static_cast<std::size_t>(action.stage) == meets_after_ &&
           action.index + 1 == static_cast<Index>(route_->links[meets_after_].exchange.tiles.size());
  }
  /// Counts an action on a tile.
  void count(const Action& action, double begin, double end, Statistics& statistics);
  void record(Recorder* recorder, Event::What what, int stage, Index index, double begin, double end) const {
    if (recorder != nullptr) recorder->add({what, number_, stage, index, begin, end});
  }

  /// Computes the chunks of a unit on several threads; the first of them makes MPI progress.
  MemoryTraffic compute_on_threads(const Action& action, int tests, Statistics& statistics, const Observers& observers);

  /// Tiles of an exchange that are on their way.
  struct Flight {
    Index tiles = 0;
    double since = 0;          ///< when the first of them was started while no other one was
    std::size_t exchange = 0;  ///< the exchange's place in the statistics
  };
  std::shared_ptr<const Route> route_;
  int number_ = 0;
  int threads_ = 1;
  RoutePlace place_;
  Turns turns_;
  Index items_ = 0;                                   ///< of the batch, in the walk
  std::size_t step_ = 0;                              ///< of the schedule, where the walk has come to
  std::vector<std::unique_ptr<Exchange>> exchanges_;  ///< by link; none for arrays
  std::deque<Pass> seen_;                             ///< passes that are not seen as they were planned
  std::vector<std::unique_ptr<PassRunner>> runners_;
  /// By stage, and by whether data is passed on past the caches: to ranks of this node, or of a rank that shares with
  /// none to its threads. There may be one way only.
  std::array<std::vector<PassRunner*>, 2> passes_;
  bool past_caches_ = false;  ///< in this walk
  bool changed_ = false;      ///< since the last one
  bool walked_ = false;
  std::optional<CoreWatch> cores_;              ///< of two ranks, or, where there are words for them, of two threads
  std::size_t meets_after_ = 0;                 ///< the last tile of this link
  std::unique_ptr<std::array<Word, 2>> words_;  ///< of two threads
  std::vector<Flight> flights_;                 ///< by link
  Index on_their_way_ = 0;                      ///< tiles of all exchanges
  std::unique_ptr<std::atomic<double>> worst_error_;  ///< of what has been encoded in the walk, if that is measured
};

/// Bytes of the flags of a route whose exchanges use shared memory.
Index flag_bytes(const Route& route);

}  // namespace weft::detail
