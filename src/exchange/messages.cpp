#include "exchange/messages.hpp"

#include <algorithm>

#include "exchange/rounds.hpp"

namespace weft::detail {

namespace {

/// Ranks of a node if the peers are nodes of equal size one after the other, and there are several; else 0.
int common_node_size(const ExchangeContext& context) {
  const auto& peers = context.plan->peers;
  const auto node = [&](std::size_t peer) { return (*context.nodes)[static_cast<std::size_t>(peers[peer])]; };
  std::size_t size = 1;
  while (size < peers.size() && node(size) == node(0)) ++size;
  if (size == 1 || size == peers.size() || peers.size() % size != 0) return 0;
  for (std::size_t peer = 0; peer < peers.size(); ++peer) {
    if (node(peer) != node(peer / size * size)) return 0;
    if (peer > 0 && peer % size == 0 && node(peer) == node(peer - 1)) return 0;
  }
  return static_cast<int>(size);
}

/// Tile numbers repeat long after the messages that had them are gone; every MPI allows tags up to this.
constexpr Index tags = 32767;

}  // namespace

Messages::Messages(const ExchangeContext& context)
    : comm_(context.comm), limit_(context.count_limit), element_(Datatype::element(context.plan->element_bytes)) {
  const ExchangePlan& plan = *context.plan;
  const int peers = static_cast<int>(plan.peers.size());
  // Round in which this rank sends to, and receives from, each peer.
  std::vector<int> send_round(plan.peers.size()), recv_round(plan.peers.size());
  const int node_size = common_node_size(context);
  const auto rounds =
      node_size > 0 ? node_aware_rounds(peers, plan.me, node_size) : conflict_free_rounds(peers, plan.me);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    send_round[static_cast<std::size_t>(rounds[round].to)] = static_cast<int>(round);
    recv_round[static_cast<std::size_t>(rounds[round].from)] = static_cast<int>(round);
  }
  const auto collect = [&](const std::vector<Block>& blocks, const std::vector<int>& round) {
    std::vector<Message> messages;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].shared) continue;
      messages.push_back({blocks[b].peer, b, blocks[b].count});
      if (blocks[b].count > limit_ && std::find(large_counts_.begin(), large_counts_.end(), blocks[b].count) ==
                                          large_counts_.end()) {
        large_counts_.push_back(blocks[b].count);
        large_.push_back(Datatype::block(blocks[b].count, plan.element_bytes, 0, limit_));
      }
    }
    std::sort(messages.begin(), messages.end(), [&](const Message& a, const Message& b) {
      return round[static_cast<std::size_t>(a.peer)] < round[static_cast<std::size_t>(b.peer)];
    });
    return messages;
  };
  for (const Tile& tile : plan.tiles) {
    TileMessages mine;
    mine.send = collect(tile.send, send_round);
    mine.recv = collect(tile.recv, recv_round);
    mine.requests.assign(mine.send.size() + mine.recv.size(), MPI_REQUEST_NULL);
    tiles_.push_back(std::move(mine));
  }
}

int Messages::count_of(const Message& message) const {
  return message.count > limit_ ? 1 : static_cast<int>(message.count);
}

MPI_Datatype Messages::type_of(const Message& message) const {
  if (message.count <= limit_) return element_.get();
  const auto at = std::find(large_counts_.begin(), large_counts_.end(), message.count) - large_counts_.begin();
  return large_[static_cast<std::size_t>(at)].get();
}

void Messages::receive(Index tile, Exchange& exchange) {
  TileMessages& mine = tiles_[static_cast<std::size_t>(tile)];
  for (std::size_t i = 0; i < mine.recv.size(); ++i) {
    const Message& message = mine.recv[i];
    auto* to = const_cast<std::byte*>(exchange.recv_block(tile, message.block));
    WEFT_MPI(comm_, MPI_Irecv(to, count_of(message), type_of(message), message.peer, static_cast<int>(tile % tags),
                              comm_, &mine.requests[i]));
  }
}

void Messages::send(Index tile, Exchange& exchange) {
  TileMessages& mine = tiles_[static_cast<std::size_t>(tile)];
  for (std::size_t i = 0; i < mine.send.size(); ++i) {
    const Message& message = mine.send[i];
    WEFT_MPI(comm_, MPI_Isend(exchange.send_block(tile, message.block), count_of(message), type_of(message),
                              message.peer, static_cast<int>(tile % tags), comm_,
                              &mine.requests[mine.recv.size() + i]));
  }
  newest_ = tile;
}

void Messages::test() {
  for (Index tile = oldest_; tile <= newest_; ++tile) {
    TileMessages& mine = tiles_[static_cast<std::size_t>(tile)];
    int done = 0;
    WEFT_MPI(comm_, MPI_Testall(static_cast<int>(mine.requests.size()), mine.requests.data(), &done,
                                MPI_STATUSES_IGNORE));
    if (!done) return;
  }
}

void Messages::finish(Index tile) {
  TileMessages& mine = tiles_[static_cast<std::size_t>(tile)];
  WEFT_MPI(comm_,
           MPI_Waitall(static_cast<int>(mine.requests.size()), mine.requests.data(), MPI_STATUSES_IGNORE));
  oldest_ = tile + 1;
  if (oldest_ == static_cast<Index>(tiles_.size())) {
    oldest_ = 0;
    newest_ = -1;
  }
}

}  // namespace weft::detail
