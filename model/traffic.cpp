#include "traffic.hpp"

#include <algorithm>

#include "exchange/message_count.hpp"

namespace weft::model {

namespace {

using detail::Block;
using detail::ExchangePlan;
using detail::Sent;

/// One side of a tile: its blocks, and the messages that carry them, in all and to or from other nodes.
TileTraffic traffic_of_side(const ExchangePlan& exchange, const detail::StrategyTraits& traits, const Sent& all,
                            const Sent& across, const std::vector<Block>& blocks, Index nodes) {
  const auto messages = traits.collective ? &Sent::messages : &Sent::with_data;
  TileTraffic found{.node_messages = all.*messages - across.*messages,
                    .node_bytes = (all.elements - across.elements) * exchange.element_bytes,
                    .network_messages = across.*messages,
                    .network_bytes = across.elements * exchange.element_bytes};
  if (traits.node_runs) {
    found.network_messages = nodes - 1;
    found.network_bytes = 0;
  }
  for (const Block& block : blocks) {
    if (block.shared || traits.node_runs) {
      (block.shared ? found.shared_bytes : found.network_bytes) +=
          block.count * (block.shared && !block.encoded ? exchange.local_bytes : exchange.element_bytes);
    }
  }
  return found;
}

}  // namespace

LinkTraffic traffic_of(const detail::Link& link, bool busiest) {
  LinkTraffic found;
  if (!link.is_exchange) return found;
  const ExchangePlan& exchange = link.exchange;
  found.traits = detail::find_strategy(exchange.strategy).traits;
  found.peers = static_cast<Index>(exchange.peers.size());
  found.window = exchange.window;
  found.leaders = exchange.leaders;
  const detail::NodeMap map(exchange.nodes);
  found.node_peers = static_cast<Index>(map.members(map.node(exchange.me)).size());
  const auto side = [&](const Sent& all, const Sent& across, const std::vector<Block>& blocks) {
    return traffic_of_side(exchange, found.traits, all, across, blocks, map.count());
  };
  for (const detail::Tile& tile : exchange.tiles) {
    TileTraffic traffic = side(tile.sent, tile.sent_across, tile.send);
    traffic.kept_bytes = detail::elements_of(tile.kept) * exchange.local_bytes;
    if (busiest) {
      // What comes is counted as if it were sent the other way.
      detail::MessageCount count(found.traits, map, exchange.leaders, tile.padded);
      for (const Block& block : tile.recv) count.add(exchange.me, block.peer, block.count);
      const TileTraffic received = side(count.sent(exchange.me), count.sent_across(exchange.me), tile.recv);
      for (const auto part : {&TileTraffic::node_messages, &TileTraffic::node_bytes, &TileTraffic::network_messages,
                              &TileTraffic::network_bytes, &TileTraffic::shared_bytes}) {
        traffic.*part = std::max(traffic.*part, received.*part);
      }
    }
    found.tiles.push_back(traffic);
  }
  return found;
}

double LinkTraffic::from_neighbours() const {
  Index shared = 0, moved = 0;
  for (const TileTraffic& tile : tiles) {
    shared += tile.shared_bytes;
    moved += tile.node_bytes + tile.network_bytes + tile.kept_bytes;
  }
  return shared == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(shared + moved);
}

std::vector<LinkTraffic> links_of(const detail::Route& route, bool busiest) {
  std::vector<LinkTraffic> links;
  for (const detail::Link& link : route.links) links.push_back(traffic_of(link, busiest));
  return links;
}

}  // namespace weft::model
