// The ranks of an exchange by node, and what nodes send to each other. Integers only, no MPI.
#pragma once

#include <vector>

#include "exchange/tiles.hpp"

namespace weft::detail {

/// Peers of an exchange by node. Nodes are numbered as their lowest peers come.
class NodeMap {
 public:
  /// `nodes`: what names the node of each peer.
  explicit NodeMap(const std::vector<int>& nodes);

  int peers() const { return static_cast<int>(node_.size()); }
  int count() const { return static_cast<int>(members_.size()); }
  int node(int peer) const { return node_[static_cast<std::size_t>(peer)]; }
  /// Peers of a node, ascending.
  const std::vector<int>& members(int node) const { return members_[static_cast<std::size_t>(node)]; }
  /// The member of `node` that sends to and receives from `other` for all of it: pairs of nodes take turns on `leaders`
  /// members, so that each has about as many.
  int leader(int node, int other, int leaders) const;

 private:
  std::vector<int> node_;
  std::vector<std::vector<int>> members_;
};

/// What goes from one node to another in a tile of one field, ordered by sender, then by receiver.
struct NodeRun {
  struct Part {
    int from, to;  ///< peers
    Index points;
  };
  int from = 0, to = 0;  ///< nodes
  std::vector<Part> parts;
  Index points = 0;
};

/// The runs of one node in tile k of a field, by ascending other node. The one to itself is there, too, without what
/// ranks keep; empty ones are not.
struct NodeRuns {
  std::vector<NodeRun> out, in;
};
NodeRuns node_runs(const ExchangePlan& plan, const NodeMap& map, int node, Index k);

}  // namespace weft::detail
