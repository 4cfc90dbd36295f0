#include "base/nodes.hpp"

namespace weft::detail {

Nodes find_nodes(MPI_Comm comm, const std::vector<int>& pretended, int size) {
  int rank = 0, ranks = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  WEFT_MPI(comm, MPI_Comm_size(comm, &ranks));
  MPI_Comm shared = MPI_COMM_NULL;
  WEFT_MPI(comm, MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared));
  const Communicator real = Communicator::adopt(shared);
  // Pretended nodes are parts of real ones, or no memory could be shared in them.
  const auto all = static_cast<std::size_t>(ranks);
  const int part = pretended.size() == all ? pretended[static_cast<std::size_t>(rank)] : size > 0 ? rank / size : 0;
  Nodes nodes;
  nodes.mine = Communicator::split(real.get(), part, rank);
  int name = rank;
  WEFT_MPI(nodes.mine.get(), MPI_Bcast(&name, 1, MPI_INT, 0, nodes.mine.get()));
  nodes.node.assign(all, 0);
  WEFT_MPI(comm, MPI_Allgather(&name, 1, MPI_INT, nodes.node.data(), 1, MPI_INT, comm));
  nodes.rank_within.assign(all, -1);
  int next = 0;
  for (std::size_t other = 0; other < all; ++other) {
    if (nodes.node[other] == name) nodes.rank_within[other] = next++;
  }
  return nodes;
}

}  // namespace weft::detail
