#include "exchange/messages.hpp"

#include <algorithm>

#include "exchange/rounds.hpp"

namespace weft::detail {

namespace {

/// Repetitions that follow each other without a gap are one; single ones are none.
std::vector<Repeat> simplified(const std::vector<Repeat>& pattern) {
  std::vector<Repeat> simple;
  for (std::size_t i = pattern.size(); i-- > 0;) {
    const Repeat& outer = pattern[i];
    if (outer.count == 1) continue;
    if (!simple.empty() && outer.stride == simple.back().count * simple.back().stride) {
      simple.back().count *= outer.count;
    } else {
      simple.push_back(outer);
    }
  }
  std::reverse(simple.begin(), simple.end());
  if (simple.empty()) simple.push_back({1, 1});
  return simple;
}

/// A block's elements in the order of the plan, which is the same on both sides.
std::vector<Repeat> pattern_of(const ExchangePlan& plan, const Block& block, const Strides& strides,
                               const Items& items) {
  if (!plan.arrays) return {{block.count, 1}};
  std::vector<Repeat> pattern{{items.count(), strides.item}};
  for (int axis : plan.order) pattern.push_back({block.box.extent(axis), strides.axis[static_cast<std::size_t>(axis)]});
  return simplified(pattern);
}

}  // namespace

std::vector<TileMessages> block_messages(const ExchangePlan& plan) {
  std::vector<TileMessages> all;
  for (const Tile& tile : plan.tiles) {
    TileMessages messages;
    for (const Block& block : tile.send) {
      if (block.shared || block.holder >= 0) continue;
      messages.send.push_back({block.peer, tile.send_offset_bytes + block.offset * plan.element_bytes,
                               pattern_of(plan, block, sent_strides(plan, tile, block), tile.items)});
    }
    for (const Block& block : tile.recv) {
      if (block.shared || block.holder >= 0) continue;
      messages.recv.push_back({block.peer, tile.recv_offset_bytes + block.offset * plan.element_bytes,
                               pattern_of(plan, block, received_strides(plan, tile, block), tile.items)});
    }
    all.push_back(std::move(messages));
  }
  return all;
}

std::vector<TileMessages> run_messages(const ExchangePlan& plan) {
  std::vector<TileMessages> all;
  for (const Tile& tile : plan.tiles) {
    const auto messages = [&](const std::vector<Run>& runs, Index start) {
      std::vector<Message> some;
      for (const Run& run : runs) {
        some.push_back({run.peer, start + run.offset * plan.element_bytes, {{run.count, 1}}});
      }
      return some;
    };
    all.push_back({messages(tile.send_runs, tile.send_offset_bytes), messages(tile.recv_runs, tile.recv_offset_bytes)});
  }
  return all;
}

Messages::Messages(const ExchangeContext& context, const std::vector<TileMessages>& messages)
    : comm_(context.comm),
      element_bytes_(context.plan->element_bytes),
      limit_(context.count_limit),
      element_(Datatype::element(element_bytes_)) {
  const ExchangePlan& plan = *context.plan;
  const int peers = static_cast<int>(plan.peers.size());
  // Round in which this rank sends to, and receives from, each peer.
  std::vector<int> send_round(plan.peers.size()), recv_round(plan.peers.size());
  const int node_size = common_node_size(plan.nodes);
  const auto rounds =
      node_size > 0 ? node_aware_rounds(peers, plan.me, node_size) : conflict_free_rounds(peers, plan.me);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    send_round[static_cast<std::size_t>(rounds[round].to)] = static_cast<int>(round);
    recv_round[static_cast<std::size_t>(rounds[round].from)] = static_cast<int>(round);
  }
  const auto postings = [&](const std::vector<Message>& list, const std::vector<int>& round) {
    std::vector<Posting> sorted;
    for (const Message& message : list) sorted.push_back(posting_of(message));
    std::sort(sorted.begin(), sorted.end(), [&](const Posting& a, const Posting& b) {
      return round[static_cast<std::size_t>(a.peer)] < round[static_cast<std::size_t>(b.peer)];
    });
    return sorted;
  };
  for (const TileMessages& tile : messages) {
    Postings mine;
    mine.tag = context.tag(static_cast<Index>(tiles_.size()));
    mine.send = postings(tile.send, send_round);
    mine.recv = postings(tile.recv, recv_round);
    mine.requests.assign(mine.send.size() + mine.recv.size(), MPI_REQUEST_NULL);
    tiles_.push_back(std::move(mine));
  }
}

Messages::Posting Messages::posting_of(const Message& message) {
  const auto& pattern = message.pattern;
  if (pattern.size() == 1 && pattern[0].count <= limit_ && (pattern[0].stride == 1 || pattern[0].count == 1)) {
    return {message.peer, message.offset, static_cast<int>(pattern[0].count), element_.get()};
  }
  auto at = patterns_.find(pattern);
  if (at == patterns_.end()) {
    at = patterns_.emplace(pattern, Datatype::strided(pattern, element_bytes_, limit_)).first;
  }
  return {message.peer, message.offset, 1, at->second.get()};
}

void Messages::receive(Index tile, std::byte* base) {
  Postings& mine = tiles_[static_cast<std::size_t>(tile)];
  for (std::size_t i = 0; i < mine.recv.size(); ++i) {
    const Posting& message = mine.recv[i];
    WEFT_MPI(comm_, MPI_Irecv(base + message.offset, message.count, message.type, message.peer, mine.tag, comm_,
                              &mine.requests[i]));
  }
}

void Messages::send(Index tile, const std::byte* base) {
  Postings& mine = tiles_[static_cast<std::size_t>(tile)];
  for (std::size_t i = 0; i < mine.send.size(); ++i) {
    const Posting& message = mine.send[i];
    WEFT_MPI(comm_, MPI_Isend(base + message.offset, message.count, message.type, message.peer, mine.tag, comm_,
                              &mine.requests[mine.recv.size() + i]));
  }
  newest_ = tile;
}

bool Messages::done(Index tile) {
  Postings& mine = tiles_[static_cast<std::size_t>(tile)];
  int done = 0;
  WEFT_MPI(comm_,
           MPI_Testall(static_cast<int>(mine.requests.size()), mine.requests.data(), &done, MPI_STATUSES_IGNORE));
  return done != 0;
}

void Messages::test() {
  for (Index tile = oldest_; tile <= newest_; ++tile) {
    if (!done(tile)) return;
  }
}

void Messages::finish(Index tile) {
  Postings& mine = tiles_[static_cast<std::size_t>(tile)];
  WEFT_MPI(comm_, MPI_Waitall(static_cast<int>(mine.requests.size()), mine.requests.data(), MPI_STATUSES_IGNORE));
  oldest_ = tile + 1;
  if (oldest_ == static_cast<Index>(tiles_.size())) {
    oldest_ = 0;
    newest_ = -1;
  }
}

}  // namespace weft::detail
