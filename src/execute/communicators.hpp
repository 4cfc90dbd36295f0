// The ranks of a transform, and their communicators.
#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/mpi.hpp"
#include "base/nodes.hpp"
#include "exchange/tiles.hpp"
#include "execute/caches.hpp"
#include "weft/layout.hpp"
#include "weft/options.hpp"

namespace weft::detail {

/// What all routes of a transform share: the communicator of all ranks, that of this rank's node, and those of
/// exchanges, of which the ones among the same ranks share one.
class Communicators {
 public:
  /// Takes over `all`.
  explicit Communicators(Communicator all) : all_(std::move(all)) {}
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  /// Finds out which ranks share a node, or pretends what the options ask for; they get the node of each rank.
  /// Collective; comes before everything that has to do with nodes.
  void find_nodes(Options& options);

  MPI_Comm all() const { return all_.get(); }
  int rank() const { return all_.rank(); }
  int size() const { return all_.size(); }
  MPI_Comm node() const { return nodes_.mine.get(); }
  int node_rank() const { return nodes_.mine.rank(); }
  int node_size() const { return nodes_.mine.size(); }
  const Nodes& nodes() const { return nodes_; }
  /// See `how_to_pass_on`, which is asked once. Collective over the node's ranks.
  const PassingOn& passing_on();
  /// The communicator of the peers of `plan`. Collective over all ranks.
  MPI_Comm of(const ExchangePlan& plan);
  /// Of those, the ones on this rank's node, and the lowest of each node (MPI_COMM_NULL for others).
  struct OfNodes {
    MPI_Comm peers;
    Communicator node, leaders;
  };
  const OfNodes& of_nodes(const ExchangePlan& plan);

 private:
  /// Layouts between which ranks exchange in the same groups as between others.
  struct Entry {
    Layout a, b;
    MPI_Comm comm;
  };
  struct Group {
    std::vector<int> first;  ///< the lowest rank of each rank's
    Communicator comm;       ///< of this rank's
  };
  Communicator all_;
  Nodes nodes_;
  std::optional<PassingOn> passing_on_;
  std::vector<Entry> entries_;
  std::deque<Group> groups_;
  std::deque<OfNodes> of_nodes_;
};

}  // namespace weft::detail
