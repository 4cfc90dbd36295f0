#include "execute/communicators.hpp"

#include <algorithm>

#include "exchange/nodes.hpp"
#include "plan/flow.hpp"

namespace weft::detail {

void Communicators::find_nodes(Options& options) {
  nodes_ = detail::find_nodes(all(), options.nodes, options.node_size);
  options.nodes = nodes_.node;
}

const PassingOn& Communicators::passing_on() {
  if (!passing_on_) passing_on_ = how_to_pass_on(node());
  return *passing_on_;
}

MPI_Comm Communicators::of(const ExchangePlan& plan) {
  // Exchanges among all ranks, which all ranks see alike, need no communicator of their own.
  if (static_cast<int>(plan.peers.size()) == plan.from.ranks()) return all();
  for (const Entry& entry : entries_) {
    if ((entry.a == plan.from && entry.b == plan.to) || (entry.a == plan.to && entry.b == plan.from)) {
      return entry.comm;
    }
  }
  // An MPI has some thousand communicators in all, and spheres that share theirs have layouts of their own.
  std::vector<int> first(static_cast<std::size_t>(size()));
  for (const std::vector<int>& ranks : components(plan.from, plan.to)) {
    for (const int member : ranks) first[static_cast<std::size_t>(member)] = ranks.front();
  }
  auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.first == first; });
  if (group == groups_.end()) {
    Communicator comm = Communicator::split(all(), first[static_cast<std::size_t>(rank())]);
    group = groups_.insert(groups_.end(), Group{std::move(first), std::move(comm)});
  }
  entries_.push_back({plan.from, plan.to, group->comm.get()});
  return group->comm.get();
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
