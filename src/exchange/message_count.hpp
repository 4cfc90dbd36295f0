// How many messages a strategy makes of what ranks have for each other. They are counted here and nowhere else.
#pragma once

#include <unordered_set>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/nodes.hpp"

namespace weft::detail {

/// The messages of one tile among the peers of an exchange.
class MessageCount {
 public:
  /// `slot`: elements of every message where all are padded to the same size.
  MessageCount(const StrategyTraits& traits, const NodeMap& map, int leaders, Index slot)
      : traits_(traits), map_(map), leaders_(leaders), slot_(slot), all_(peers()), across_(peers()) {}

  /// A peer has so many elements for another one. What a peer sends is known when all is added that it has for others;
  /// if it leads its node, all that its node has for others, and others for its node.
  void add(int from, int to, Index elements);

  /// What a peer sends, and what it sends to other nodes.
  Sent sent(int peer) const { return counted(all_, peer, false); }
  Sent sent_across(int peer) const { return counted(across_, peer, true); }

 private:
  std::size_t peers() const { return static_cast<std::size_t>(map_.peers()); }
  /// So many elements are part of the message from one peer to another.
  void send(int from, int to, Index elements);
  Sent counted(const std::vector<Sent>& sent, int peer, bool across) const;
  /// To how many a collective sends a message, if only an empty one.
  Index receivers(int peer, bool across) const;

  const StrategyTraits& traits_;
  const NodeMap& map_;
  int leaders_;
  Index slot_;
  std::vector<Sent> all_, across_;      ///< what has data, by peer
  std::unordered_set<Index> together_;  ///< messages of what several peers have for others, numbered by their ends
};

}  // namespace weft::detail
