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
      : exchange_(exchange), traits_(traits), peers_(peers), nodes_(nodes), map_(nodes) {}

  void count(int k) {
    std::map<std::pair<int, int>, Index> between;  // nodes
    std::vector<Index> gathered(peers_.size()), scattered(peers_.size());
    const Index slot = traits_.padded ? largest_block(exchange_, k) : 0;
    for (std::size_t from = 0; from < peers_.size(); ++from) {
      std::vector<Index> points(peers_.size());
      for (const auto& overlap : exchange_.to.overlaps(tile_part(exchange_, peers_[from], k))) {
        points[static_cast<std::size_t>(
            std::lower_bound(peers_.begin(), peers_.end(), overlap.rank) - peers_.begin())] = overlap.box.count();
      }
      for (std::size_t to = 0; to < peers_.size(); ++to) {
        if (to == from) continue;
        const bool inside = nodes_[from] == nodes_[to];
        if (traits_.gathers || traits_.node_runs) {
          if (!inside && points[to] > 0) between[{node(from), node(to)}] += points[to];
          gathered[from] += points[to];
          scattered[to] += points[to];
        } else if (traits_.padded) {
          if (slot > 0) add(inside, slot, points[to] > 0);
        } else if (points[to] > 0 ? !(inside && traits_.shared_memory) : traits_.collective) {
          add(inside, points[to], points[to] > 0);
        }
      }
    }
    for (const auto& run : between) add(false, run.second, true);
    if (!traits_.gathers) return;
    const Index nodes = map_.count(), empty = nodes * (nodes - 1) - static_cast<Index>(between.size());
    for (Index i = 0; i < empty; ++i) add(false, 0, false);
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      if (map_.members(node(peer)).front() == static_cast<int>(peer)) continue;
      add(true, gathered[peer], gathered[peer] > 0);
      add(true, scattered[peer], scattered[peer] > 0);
    }
  }

  Count all, network;

 private:
  int node(std::size_t peer) const { return map_.node(static_cast<int>(peer)); }

  void add(bool inside, Index points, bool with_data) {
    for (Count* count : {&all, &network}) {
      if (count == &network && inside) continue;
      count->messages += 1;
      count->with_data += with_data ? 1 : 0;
      count->points += points;
    }
  }

  const ExchangePlan& exchange_;
  const StrategyTraits& traits_;
  const std::vector<int>&peers_, &nodes_;
  NodeMap map_;
};

}  // namespace

Plan::Traffic route_traffic(const Route& route, const Options& options, int ranks) {
  Plan::Traffic traffic;
  for (const Link& link : route.links) {
    if (!link.is_exchange) continue;
    const ExchangePlan& exchange = link.exchange;
    for (const Tile& tile : exchange.tiles) {
      traffic.messages += tile.sent.messages;
      traffic.data_messages += tile.sent.with_data;
      traffic.bytes += tile.sent.elements * exchange.element_bytes;
    }
    std::vector<char> seen(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      if (seen[static_cast<std::size_t>(rank)] != 0) continue;
      const std::vector<int> peers = component(exchange.from, exchange.to, rank);
      std::vector<int> nodes;
      for (int peer : peers) {
        seen[static_cast<std::size_t>(peer)] = 1;
        nodes.push_back(node_of(options, peer));
      }
      if (peers.size() == 1) continue;
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

}  // namespace weft::detail
