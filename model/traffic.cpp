#include "traffic.hpp"

#include <algorithm>
#include <set>

namespace weft::model {

namespace {

using detail::Block;
using detail::ExchangePlan;
using detail::Run;
using detail::Tile;

/// One side of a tile.
TileTraffic count(const ExchangePlan& exchange, const detail::StrategyTraits& traits, const Tile& tile,
                  const std::vector<Block>& blocks, const std::vector<Run>& runs, Index nodes) {
  const auto node_of = [&](int peer) { return exchange.nodes[static_cast<std::size_t>(peer)]; };
  TileTraffic found;
  const auto add = [&](int peer, Index elements) {
    const bool inside = node_of(peer) == node_of(exchange.me);
    ++(inside ? found.node_messages : found.network_messages);
    (inside ? found.node_bytes : found.network_bytes) += elements * exchange.element_bytes;
  };
  if (!traits.node_runs) {
    for (const Run& run : runs) add(run.peer, run.count);
  }
  for (const Block& block : blocks) {
    if (block.shared) found.shared_bytes += block.count * exchange.element_bytes;
    if (block.shared || traits.gathers || traits.padded) continue;
    add(block.peer, block.count);
  }
  if (traits.node_runs) found.network_messages = nodes - 1;
  if (traits.collective) {
    // Collectives send something to everybody, if only an empty message.
    found.node_messages = found.network_messages = 0;
    for (int peer = 0; peer < static_cast<int>(exchange.peers.size()); ++peer) {
      if (peer != exchange.me && (tile.padded > 0 || !traits.padded)) add(peer, tile.padded);
    }
  }
  found.kept_bytes = tile.kept_count * exchange.element_bytes;
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
  const int mine = exchange.nodes[static_cast<std::size_t>(exchange.me)];
  found.node_peers = std::count(exchange.nodes.begin(), exchange.nodes.end(), mine);
  const auto nodes = static_cast<Index>(std::set<int>(exchange.nodes.begin(), exchange.nodes.end()).size());
  for (const Tile& tile : exchange.tiles) {
    TileTraffic traffic = count(exchange, found.traits, tile, tile.send, tile.send_runs, nodes);
    if (busiest) {
      const TileTraffic received = count(exchange, found.traits, tile, tile.recv, tile.recv_runs, nodes);
      for (const auto part : {&TileTraffic::node_messages, &TileTraffic::node_bytes, &TileTraffic::network_messages,
                              &TileTraffic::network_bytes, &TileTraffic::shared_bytes}) {
        traffic.*part = std::max(traffic.*part, received.*part);
      }
    }
    found.tiles.push_back(traffic);
  }
  return found;
}

bool LinkTraffic::blocks() const {
  return traits.gathers || (traits.collective && (traits.padded ? window == 1 : !traits.overlaps));
}

double LinkTraffic::from_neighbours() const {
  Index shared = 0, moved = 0;
  for (const TileTraffic& tile : tiles) {
    shared += tile.shared_bytes;
    moved += tile.node_bytes + tile.network_bytes + tile.kept_bytes;
  }
  return shared == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(shared + moved);
}

}  // namespace weft::model
