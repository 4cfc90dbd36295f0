// What an exchange moves, as far as its cost depends on it.
#pragma once

#include <vector>

#include "exchange/strategy.hpp"
#include "plan/stages.hpp"

namespace weft::model {

/// One tile: what this rank sends to ranks of its node and to others, and what others of its node read from it. Where
/// leaders send for all of a node: this rank's part of the bytes, and all messages of the node, since who leads depends
/// on the pair of nodes.
struct TileTraffic {
  Index node_messages = 0, node_bytes = 0;
  Index network_messages = 0, network_bytes = 0;
  Index shared_bytes = 0, kept_bytes = 0;
};

/// An exchange; `peers` is 1 for links without one.
struct LinkTraffic {
  detail::StrategyTraits traits;
  Index peers = 1, node_peers = 1;
  int window = 1, leaders = 1;
  std::vector<TileTraffic> tiles;

  /// Whether starting a tile is waiting for it.
  bool waits() const { return traits.waits(window); }
  /// The part of what is exchanged that ranks read where their neighbours have written it.
  double from_neighbours() const;
};

/// `busiest`: as much as this rank sends or receives, whichever is more, where ranks do not do alike.
LinkTraffic traffic_of(const detail::Link& link, bool busiest = false);
std::vector<LinkTraffic> links_of(const detail::Route& route, bool busiest = false);

}  // namespace weft::model
