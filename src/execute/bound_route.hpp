// A route bound to a communicator and memory. The loop over the schedule is here.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/node_memory.hpp"
#include "execute/communicators.hpp"
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
  /// The pass and both of its ends as its runner sees them: numbers of a point, or rows, may be one row.
  const Pass& as_seen(const Pass& planned, View& in, View& out);
  /// Begins at the time `begin`; returns that of its end, which is the next action's beginning.
  double compute(const Action& action, int tests, double begin, Statistics& statistics, const Observers& observers);
  void test(double begin, Statistics& statistics, const Observers& observers);
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
  Turns turns_;
  Index items_ = 0;                                   ///< of the batch, in the walk
  std::size_t step_ = 0;                              ///< of the schedule, where the walk has come to
  std::vector<std::unique_ptr<Exchange>> exchanges_;  ///< by link; none for arrays
  std::vector<Pass> seen_;                            ///< passes that are not seen as they were planned
  std::vector<std::unique_ptr<PassRunner>> passes_;
  std::vector<Flight> flights_;                       ///< by link
  Index on_their_way_ = 0;                            ///< tiles of all exchanges
  std::unique_ptr<std::atomic<double>> worst_error_;  ///< of what has been encoded in the walk, if that is measured
};

/// Bytes of the flags of a route whose exchanges use shared memory.
Index flag_bytes(const Route& route);

}  // namespace weft::detail
