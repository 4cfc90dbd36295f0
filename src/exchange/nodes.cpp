#include "exchange/nodes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace weft::detail {

NodeMap::NodeMap(const std::vector<int>& nodes) {
  std::map<int, int> number;
  for (std::size_t peer = 0; peer < nodes.size(); ++peer) {
    const auto [at, is_new] = number.emplace(nodes[peer], count());
    if (is_new) members_.emplace_back();
    node_.push_back(at->second);
    members_[static_cast<std::size_t>(at->second)].push_back(static_cast<int>(peer));
  }
}

int NodeMap::leader(int node, int other, int leaders) const {
  const auto& here = members(node);
  return here[static_cast<std::size_t>((node + other) % leaders) % here.size()];
}

NodeRuns node_runs(const ExchangePlan& plan, const NodeMap& map, int node, Index k) {
  const auto rank_of = [&](int peer) { return plan.peers[static_cast<std::size_t>(peer)]; };
  const auto peer_of = [&](int rank) {
    return static_cast<int>(std::lower_bound(plan.peers.begin(), plan.peers.end(), rank) - plan.peers.begin());
  };
  std::map<int, NodeRun> out, in;  // by other node
  const auto add = [](NodeRun& run, int from, int to, const Box& box) {
    if (box.empty() || from == to) return;
    run.parts.push_back({from, to, box.count()});
    run.points += box.count();
  };
  for (const int member : map.members(node)) {
    for (const Box& part : tile_parts(plan, rank_of(member), k)) {
      for (const auto& [rank, box] : plan.to.overlaps(part)) {
        const int peer = peer_of(rank);
        add(out[map.node(peer)], member, peer, box);
      }
    }
    for (const Box& wanted : plan.to.boxes(rank_of(member))) {
      for (const auto& [rank, box] : plan.from.overlaps(wanted)) {
        const int peer = peer_of(rank);
        add(in[map.node(peer)], peer, member, in_tile(plan, box, tile_range(plan, rank, k)));
      }
    }
  }
  NodeRuns runs;
  for (auto& [other, run] : out) {
    run.from = node;
    run.to = other;
    if (!run.parts.empty()) runs.out.push_back(std::move(run));
  }
  for (auto& [other, run] : in) {
    run.from = other;
    run.to = node;
    std::sort(run.parts.begin(), run.parts.end(), [](const NodeRun::Part& a, const NodeRun::Part& b) {
      return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    });
    if (!run.parts.empty()) runs.in.push_back(std::move(run));
  }
  return runs;
}

}  // namespace weft::detail
