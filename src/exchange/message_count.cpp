#include "exchange/message_count.hpp"

namespace weft::detail {

void MessageCount::add(int from, int to, Index elements) {
  if (from == to || elements == 0) return;
  const int node = map_.node(from), other = map_.node(to);
  if (traits_.gathers) {
    const int leader = map_.leader(node, other, 1), its = map_.leader(other, node, 1);
    send(from, leader, elements);
    send(leader, its, elements);
    send(its, to, elements);
  } else if (traits_.node_runs) {
    if (node != other) send(map_.leader(node, other, leaders_), map_.leader(other, node, leaders_), elements);
  } else if (!traits_.shared_memory || node != other) {
    send(from, to, elements);
  }
}

void MessageCount::send(int from, int to, Index elements) {
  if (from == to) return;
  const bool common = traits_.gathers || traits_.node_runs;
  const bool joins = common && !together_.insert(Index{from} * map_.peers() + to).second;
  for (auto* counts : {&all_, &across_}) {
    if (counts == &across_ && map_.node(from) == map_.node(to)) continue;
    Sent& sent = (*counts)[static_cast<std::size_t>(from)];
    sent.with_data += joins ? 0 : 1;
    sent.elements += elements;
  }
}

Index MessageCount::receivers(int peer, bool across) const {
  const auto& members = map_.members(map_.node(peer));
  const auto neighbours = static_cast<Index>(members.size()) - 1;
  if (!traits_.gathers) return map_.peers() - 1 - (across ? neighbours : 0);
  if (peer != members.front()) return across ? 0 : 1;
  return map_.count() - 1 + (across ? 0 : neighbours);
}

Sent MessageCount::counted(const std::vector<Sent>& counts, int peer, bool across) const {
  if (traits_.padded && slot_ == 0) return {};  // nobody has anything to send
  Sent sent = counts[static_cast<std::size_t>(peer)];
  sent.messages = traits_.collective || traits_.gathers ? receivers(peer, across) : sent.with_data;
  if (traits_.padded) {
    sent.padding = slot_ * sent.messages - sent.elements;
    sent.elements += sent.padding;
  }
  return sent;
}

}  // namespace weft::detail
