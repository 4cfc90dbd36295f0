// Which ranks of a communicator share a node.
#pragma once

#include <vector>

#include "base/mpi.hpp"

namespace weft::detail {

struct Nodes {
  Communicator mine;             ///< the ranks of this node
  std::vector<int> node;         ///< of each rank, named by its lowest rank
  std::vector<int> rank_within;  ///< this node: of each rank, or -1
};

/// Asks MPI. `pretended` (the node of each rank; if it is empty, `size` consecutive ranks; if that is 0, nothing)
/// splits real nodes into parts. Collective.
Nodes find_nodes(MPI_Comm comm, const std::vector<int>& pretended, int size);

}  // namespace weft::detail
