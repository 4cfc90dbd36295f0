// What a route sends, counted over all ranks from the layouts.
#include <algorithm>

#include "exchange/message_count.hpp"
#include "plan/flow.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

double wire_error(const Route& route) {
  double error = 0;
  for (const Link& link : route.links) {
    if (link.is_exchange) error += link.exchange.wire_error;
  }
  return error;
}

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
    const StrategyTraits& traits = find_strategy(exchange.strategy).traits;
    const bool among_all = static_cast<int>(exchange.peers.size()) == exchange.from.ranks();
    for (const std::vector<int>& peers :
         among_all ? std::vector<std::vector<int>>{exchange.peers} : components(exchange.from, exchange.to)) {
      if (peers.size() == 1) continue;
      std::vector<int> nodes;
      for (int peer : peers) nodes.push_back(node_of(options, peer));
      const NodeMap map(nodes);
      const bool exact = exchange.exact_inside && map.count() == 1;
      for (int k = 0; k < exchange.tiles_per_group; ++k) {
        MessageCount count(traits, map, exchange.leaders, traits.padded ? largest_block(exchange, k) : 0);
        for (int from = 0; from < map.peers(); ++from) {
          for (const Box& part : tile_parts(exchange, peers[static_cast<std::size_t>(from)], k)) {
            for (const auto& overlap : exchange.to.overlaps(part)) {
              const auto to = std::lower_bound(peers.begin(), peers.end(), overlap.rank) - peers.begin();
              count.add(from, static_cast<int>(to), overlap.box.count());
            }
          }
        }
        Sent all, across;
        for (int peer = 0; peer < map.peers(); ++peer) {
          all += count.sent(peer);
          across += count.sent_across(peer);
        }
        // Groups of fields differ only in how many fields they have.
        for (std::size_t t = static_cast<std::size_t>(k); t < exchange.tiles.size();
             t += static_cast<std::size_t>(exchange.tiles_per_group)) {
          const Index bytes = exchange.tiles[t].items.count() * (exact ? exchange.local_bytes : exchange.encoded_bytes);
          traffic.all_messages += all.messages;
          traffic.all_data_messages += all.with_data;
          traffic.all_bytes += all.elements * bytes;
          traffic.network_messages += across.messages;
          traffic.network_data_messages += across.with_data;
          traffic.network_bytes += across.elements * bytes;
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
      for (const Box& box : exchange.from.boxes(from)) {
        for (const auto& overlap : exchange.to.overlaps(box)) {
          const Index points = overlap.box.count();
          if (overlap.rank == from || points == 0) continue;
          flows.push_back({number, from, overlap.rank, points * fields * exchange.encoded_bytes});
        }
      }
    }
    ++number;
  }
  return flows;
}

}  // namespace weft::detail
