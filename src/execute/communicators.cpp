#include "execute/communicators.hpp"

#include "exchange/nodes.hpp"
#include "execute/caches.hpp"

namespace weft::detail {

void Communicators::find_nodes(Options& options) {
  nodes_ = detail::find_nodes(all(), options.nodes, options.node_size);
  options.nodes = nodes_.node;
}

bool Communicators::past_caches() {
  if (!past_caches_) past_caches_ = pass_on_past_caches(node());
  return *past_caches_;
}

MPI_Comm Communicators::of(const ExchangePlan& plan) {
  // Exchanges among all ranks, which all ranks see alike, need no communicator of their own.
  if (static_cast<int>(plan.peers.size()) == plan.from.ranks()) return all();
  for (const Entry& entry : entries_) {
    if ((entry.a == plan.from && entry.b == plan.to) || (entry.a == plan.to && entry.b == plan.from)) {
      return entry.comm.get();
    }
  }
  entries_.push_back({plan.from, plan.to, Communicator::split(all(), plan.peers.front())});
  return entries_.back().comm.get();
}

const Communicators::OfNodes& Communicators::of_nodes(const ExchangePlan& plan) {
  const MPI_Comm peers = of(plan);
  for (const OfNodes& found : of_nodes_) {
    if (found.peers == peers) return found;
  }
  const NodeMap map(plan.nodes);
  const int node = map.node(plan.me);
  const bool leads = map.members(node).front() == plan.me;
  of_nodes_.push_back({peers, Communicator::split(peers, node), Communicator::split(peers, leads ? 0 : MPI_UNDEFINED)});
  return of_nodes_.back();
}

}  // namespace weft::detail
