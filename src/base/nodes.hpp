// Which ranks of a communicator share a node.
#pragma once

#include <vector>

#include "base/mpi.hpp"

namespace weft::detail {

struct Nodes {
  Communicator mine;         ///< the ranks of this node
  std::vector<int> members;  ///< the same, ascending
  std::vector<int> node;     ///< of each rank, named by its lowest rank

  /// Within this node; -1 of others.
  int rank_within(int rank) const;
};

/// Asks MPI. `pretended` (the node of each rank; if it is empty, `size` consecutive ranks; if that is 0, nothing)
/// splits real nodes into parts. Collective.
Nodes find_nodes(MPI_Comm comm, const std::vector<int>& pretended, int size);

}  // namespace weft::detail
