// A plan bound to a communicator and memory. The loop over the schedule is here.
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
#include "base/simulation.hpp"
#include "base/trace.hpp"
#include "base/watchdog.hpp"
#include "base/window_memory.hpp"
#include "execute/groups.hpp"
#include "execute/narrate.hpp"
#include "execute/pass.hpp"
#include "weft/weft.hpp"

namespace weft::detail {

/// Communicators of the exchanges of a transform: exchanges among the same ranks share one.
class ExchangeCommunicators {
 public:
  explicit ExchangeCommunicators(MPI_Comm all) : all_(all) {}
  /// The communicator of the peers of `plan`; MPI_COMM_NULL for a rank that has none. Collective over all ranks.
  MPI_Comm of(const ExchangePlan& plan);

 private:
  struct Entry {
    Layout a, b;
    Communicator comm;
  };
  MPI_Comm all_;
  std::vector<Entry> entries_;
};

/// Where the buffers of a route lie.
struct Memory {
  std::byte* workspace = nullptr;               ///< this rank's, for the route
  Index workspace_offset = 0;                   ///< of it from the start of the rank's memory
  const NodeMemory* node = nullptr;             ///< if the node shares it
  const std::vector<int>* node_rank = nullptr;  ///< rank within this node of each rank of the transform, or -1
  Index flags_offset = 0;                       ///< of the route's flags
  MPI_Win window = MPI_WIN_NULL;                ///< if others can put into it
};

/// Those who watch a route run or help it along, where the options ask for them.
struct Watchers {
  Recorder* recorder = nullptr;
  Watchdog* watchdog = nullptr;
  ProgressThread* progress = nullptr;
};

/// One direction, ready to run.
class BoundRoute {
 public:
  /// Collective. `workspace` holds at least route.workspace_bytes. `number` is the route's among those of the
  /// transform.
  BoundRoute(const Route& route, int number, const Problem& problem, const Options& options,
             ExchangeCommunicators& communicators, MPI_Comm all, const Memory& memory);

  int threads() const { return threads_; }
  /// Of a thread.
  Index scratch_bytes() const;
  void use_scratch(std::byte* scratch, Index of_thread);
  /// Adds this route's reshapes to statistics that nothing has been counted in, and will count in them.
  void announce_reshapes(Statistics& statistics);
  /// A walk of the schedule begins.
  void begin(const UserArrays& arrays);
  /// Walks on through the next start or finish of a tile, which all ranks come to in the same order; from the time
  /// `before` to the one it returns. Nothing once the walk is over.
  std::optional<double> advance(int tests, double before, Statistics& statistics, const Watchers& watchers);
  /// Which links are exchanges that block.
  std::vector<bool> blocks() const;
  /// Events that an execution may have at most.
  std::size_t most_events(int tests) const;

 private:
  /// Begins at the time `begin`; returns that of its end, which is the next action's beginning.
  double compute(const Action& action, Index items, int tests, double begin, Statistics& statistics,
                 const Watchers& watchers);
  void test(double begin, Statistics& statistics, const Watchers& watchers);
  /// Counts an action on a tile.
  void count(const Action& action, double begin, double end, Statistics& statistics);
  void record(Recorder* recorder, Event::What what, int stage, Index index, double begin, double end) const {
    if (recorder != nullptr) recorder->add({what, number_, stage, index, begin, end});
  }

  /// Computes the chunks of a unit on several threads; the first of them makes MPI progress.
  MemoryTraffic compute_on_threads(const Action& action, Index items, int tests, Statistics& statistics,
                                   const Watchers& watchers);

  /// Tiles of an exchange that are on their way.
  struct Flight {
    Index tiles = 0;
    double since = 0;         ///< when the first of them was started while no other one was
    std::size_t reshape = 0;  ///< the exchange's place in the statistics
    bool blocks = false;      ///< its tiles have come when they have been started
  };
  const Route* route_;
  int number_;
  int threads_ = 1;
  bool sizes_only_ = sizes_only();                    ///< passes are simulated, too
  Index items_ = 0;                                   ///< of the batch, in the walk
  std::size_t step_ = 0;                              ///< of the schedule, where the walk has come to
  std::vector<std::unique_ptr<Exchange>> exchanges_;  ///< by link; none for arrays
  std::vector<std::unique_ptr<PassRunner>> passes_;
  std::vector<Flight> flights_;  ///< by link
  Index on_their_way_ = 0;       ///< tiles of all exchanges
};

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
  /// Forgets the trace, and lets the end wait for no other rank.
  void drop_trace();
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
