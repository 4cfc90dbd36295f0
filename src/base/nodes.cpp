#include "base/nodes.hpp"

#include <algorithm>

namespace weft::detail {

int Nodes::rank_within(int rank) const {
  const auto at = std::lower_bound(members.begin(), members.end(), rank);
  return at != members.end() && *at == rank ? static_cast<int>(at - members.begin()) : -1;
}

Nodes find_nodes(MPI_Comm comm, const std::vector<int>& pretended, int size) {
  int rank = 0, ranks = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  WEFT_MPI(comm, MPI_Comm_size(comm, &ranks));
  MPI_Comm shared = MPI_COMM_NULL;
  check_made(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared), "MPI_Comm_split_type",
             comm);
  const Communicator real = Communicator::adopt(shared);
  // Pretended nodes are parts of real ones, or no memory could be shared in them.
  const auto all = static_cast<std::size_t>(ranks);
  const int part = pretended.size() == all ? pretended[static_cast<std::size_t>(rank)] : size > 0 ? rank / size : 0;
  Nodes nodes;
  nodes.mine = Communicator::split(real.get(), part, rank);
  int name = rank;
  WEFT_MPI(nodes.mine.get(), MPI_Bcast(&name, 1, MPI_INT, 0, nodes.mine.get()));
  nodes.node.resize(all);
  WEFT_MPI(comm, MPI_Allgather(&name, 1, MPI_INT, nodes.node.data(), 1, MPI_INT, comm));
  for (int other = 0; other < ranks; ++other) {
    if (nodes.node[static_cast<std::size_t>(other)] == name) nodes.members.push_back(other);
  }
  return nodes;
}

}  // namespace weft::detail
