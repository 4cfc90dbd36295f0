// What a route sends, counted over all ranks from the layouts.
#include <algorithm>
#include <map>
#include <utility>

#include "exchange/exchange.hpp"
#include "exchange/nodes.hpp"
#include "plan/flow.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

namespace {

struct Count {
  Index messages = 0, with_data = 0, points = 0;
};

/// Counts the messages of one tile of one field among ranks that share a communicator.
class Counter {
 public:
  Counter(const ExchangePlan& exchange, const StrategyTraits& traits, const std::vector<int>& peers,
          const std::vector<int>& nodes)
      : exchange_(exchange), traits_(traits), peers_(peers), map_(nodes) {}

  void count(int k) {
    std::map<std::pair<int, int>, Index> between;  // nodes
    std::vector<Index> gathered(peers_.size()), scattered(peers_.size());
    const Index slot = traits_.padded ? largest_block(exchange_, k) : 0;
    for (int from = 0; from < static_cast<int>(peers_.size()); ++from) {
      const int from_rank = peers_[static_cast<std::size_t>(from)];
      for (const auto& overlap : exchange_.to.overlaps(tile_part(exchange_, from_rank, k))) {
        const int to = static_cast<int>(std::lower_bound(peers_.begin(), peers_.end(), overlap.rank) - peers_.begin());
        const Index points = overlap.box.count();
        if (to == from || points == 0) continue;
        const bool inside = map_.node(from) == map_.node(to);
        if (traits_.gathers || traits_.node_runs) {
          if (!inside) between[{map_.node(from), map_.node(to)}] += points;
          gathered[static_cast<std::size_t>(from)] += points;
          scattered[static_cast<std::size_t>(to)] += points;
        } else if (!(inside && traits_.shared_memory)) {
          add(inside, traits_.padded ? 0 : points);
        }
      }
    }
    for (const auto& run : between) add(false, run.second);
    if (traits_.gathers) {
      for (int peer = 0; peer < static_cast<int>(peers_.size()); ++peer) {
        if (map_.members(map_.node(peer)).front() == peer) continue;
        for (const auto* moved : {&gathered, &scattered}) {
          if ((*moved)[static_cast<std::size_t>(peer)] > 0) add(true, (*moved)[static_cast<std::size_t>(peer)]);
        }
      }
      const Index nodes = map_.count();
      network.messages = nodes * (nodes - 1);
      all.messages = network.messages + 2 * (static_cast<Index>(peers_.size()) - nodes);
    }
    if (traits_.collective && !(traits_.padded && slot == 0)) {
      const auto pairs = [](std::size_t ranks) { return static_cast<Index>(ranks) * (static_cast<Index>(ranks) - 1); };
      all.messages = network.messages = pairs(peers_.size());
      for (int node = 0; node < map_.count(); ++node) network.messages -= pairs(map_.members(node).size());
      all.points += slot * all.messages;
      network.points += slot * network.messages;
    }
  }

  Count all, network;

 private:
  /// A message with data.
  void add(bool inside, Index points) {
    for (Count* count : {&all, &network}) {
      if (count == &network && inside) continue;
      count->messages += 1;
      count->with_data += 1;
      count->points += points;
    }
  }

  const ExchangePlan& exchange_;
  const StrategyTraits& traits_;
  const std::vector<int>& peers_;
  NodeMap map_;
};

}  // namespace

Plan::Traffic route_traffic(const Route& route, const Options& options) {
  Plan::Traffic traffic;
  for (const Link& link : route.links) {
    if (!link.is_exchange) continue;
    const ExchangePlan& exchange = link.exchange;
    for (const Tile& tile : exchange.tiles) {
      traffic.messages += tile.sent.messages;
      traffic.data_messages += tile.sent.with_data;
      traffic.bytes += tile.sent.elements * exchange.element_bytes;
    }
    const bool among_all = static_cast<int>(exchange.peers.size()) == exchange.from.ranks();
    for (const std::vector<int>& peers :
         among_all ? std::vector<std::vector<int>>{exchange.peers} : components(exchange.from, exchange.to)) {
      if (peers.size() == 1) continue;
      std::vector<int> nodes;
      for (int peer : peers) nodes.push_back(node_of(options, peer));
      for (int k = 0; k < exchange.tiles_per_group; ++k) {
        Counter counter(exchange, find_strategy(exchange.strategy).traits, peers, nodes);
        counter.count(k);
        // Groups of fields differ only in how many fields they have.
        for (std::size_t t = static_cast<std::size_t>(k); t < exchange.tiles.size();
             t += static_cast<std::size_t>(exchange.tiles_per_group)) {
          const Index bytes = exchange.tiles[t].items.count() * exchange.element_bytes;
          traffic.all_messages += counter.all.messages;
          traffic.all_data_messages += counter.all.with_data;
          traffic.all_bytes += counter.all.points * bytes;
          traffic.network_messages += counter.network.messages;
          traffic.network_data_messages += counter.network.with_data;
          traffic.network_bytes += counter.network.points * bytes;
        }
      }
    }
  }
  return traffic;
}

std::vector<Plan::Flow> route_flows(const Route& route) {
  std::vector<Plan::Flow> flows;
  int number = 0;
  for (const Link& link : route.links) {
    if (!link.is_exchange) continue;
    const ExchangePlan& exchange = link.exchange;
    Index fields = 0;
    for (std::size_t t = 0; t < exchange.tiles.size(); t += static_cast<std::size_t>(exchange.tiles_per_group)) {
      fields += exchange.tiles[t].items.count();
    }
    for (int from = 0; from < exchange.from.ranks(); ++from) {
      for (const auto& overlap : exchange.to.overlaps(exchange.from.box(from))) {
        const Index points = overlap.box.count();
        if (overlap.rank == from || points == 0) continue;
        flows.push_back({number, from, overlap.rank, points * fields * exchange.element_bytes});
      }
    }
    ++number;
  }
  return flows;
}

}  // namespace weft::detail
