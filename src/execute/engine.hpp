// A plan bound to a communicator and memory. The loop over the schedule is here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "base/node_memory.hpp"
#include "base/window_memory.hpp"
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
  std::byte* workspace = nullptr;           ///< this rank's, for the route
  Index workspace_offset = 0;               ///< of it from the start of the rank's memory
  const NodeMemory* node = nullptr;         ///< if the node shares it
  const std::vector<int>* node_rank = nullptr;  ///< rank within this node of each rank of the transform, or -1
  Index flags_offset = 0;                   ///< of the route's flags
  MPI_Win window = MPI_WIN_NULL;            ///< if others can put into it
};

/// One direction, ready to run.
class BoundRoute {
 public:
  /// Collective. `workspace` holds at least route.workspace_bytes.
  BoundRoute(const Route& route, const Problem& problem, const Options& options, ExchangeCommunicators& communicators,
             MPI_Comm all, const Memory& memory);

  int threads() const { return threads_; }
  /// Of a thread.
  Index scratch_bytes() const;
  void use_scratch(std::byte* scratch, Index of_thread);
  void run(const UserArrays& arrays, int tests, Statistics& statistics);

 private:
  void compute(std::size_t pass, Index unit, int tests, Statistics& statistics);
  void test(Statistics& statistics);

  /// Computes the chunks of a unit on several threads; the first of them makes MPI progress.
  MemoryTraffic compute_on_threads(PassRunner& pass, Index unit, Index chunks, Index interval, Statistics& statistics);

  const Route* route_;
  int threads_ = 1;
  std::vector<std::unique_ptr<Exchange>> exchanges_;  ///< by link; none for arrays
  std::vector<std::unique_ptr<PassRunner>> passes_;
  int on_their_way_ = 0;
};

/// What Transform and Redistribution are made of. Not a template: the precision is a matter of the passes.
class Engine {
 public:
  /// A transform. Collective.
  Engine(Problem problem, MPI_Comm comm, Options options);
  /// A redistribution. Collective.
  Engine(const Layout& from, const Layout& to, int element_bytes, MPI_Comm comm, Index howmany, Options options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Plan& plan() const { return *plan_; }
  const Route& forward_route() const { return *forward_route_; }
  Statistics& statistics() { return statistics_; }
  MPI_Comm comm() const { return comm_.get(); }
  bool checks() const { return options_.check; }

  /// Numbers an overload was given for; checked against the kind.
  enum class Number { real, complex };
  void execute(Direction direction, const void* in, Number in_number, void* out, Number out_number);
  void execute_in_place(Direction direction, void* data);
  /// Runs the only route of a redistribution.
  void redistribute(const void* in, void* out);
  void require_sizes(Direction direction, Index in, Index out);

 private:
  /// Throws what `check` throws: on all ranks if the options ask for agreement.
  template <class Check>
  void agree(const Check& check);
  void bind(const Route* forward, const Route* backward, const Problem& problem);
  void run(Direction direction, const void* in, void* out);

  void find_nodes();

  Communicator comm_, node_;
  std::vector<int> node_rank_;  ///< rank within this node of each rank, or -1
  Options options_;
  std::optional<Plan> plan_;         ///< of a transform
  std::optional<Route> route_;       ///< of a redistribution
  const Route* forward_route_ = nullptr;
  std::optional<ExchangeCommunicators> communicators_;
  Buffer workspace_, scratch_;
  std::optional<NodeMemory> node_memory_;
  std::optional<WindowMemory> window_memory_;
  std::optional<BoundRoute> forward_, backward_;
  Statistics statistics_;
};

}  // namespace weft::detail
