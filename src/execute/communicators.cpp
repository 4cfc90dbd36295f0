#include "execute/communicators.hpp"

namespace weft::detail {

MPI_Comm ExchangeCommunicators::of(const ExchangePlan& plan) {
  for (const Entry& entry : entries_) {
    if ((entry.a == plan.from && entry.b == plan.to) || (entry.a == plan.to && entry.b == plan.from)) {
      return entry.comm.get() == MPI_COMM_NULL ? all_ : entry.comm.get();
    }
  }
  // Exchanges among all ranks, which all ranks see alike, need no communicator of their own.
  if (static_cast<int>(plan.peers.size()) == plan.from.ranks()) return all_;
  entries_.push_back({plan.from, plan.to, Communicator::split(all_, plan.peers.front())});
  return entries_.back().comm.get();
}

}  // namespace weft::detail
