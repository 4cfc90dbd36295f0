#include "exchange/node_exchange.hpp"

#include <utility>

#include "base/wait.hpp"

namespace weft::detail {

NodeExchange::NodeExchange(const ExchangeContext& context)
    : MessageExchange(context), rounds_(plan().tiles.size(), 0), last_(static_cast<std::size_t>(plan().ring), -1) {
  for (int rank : plan().peers) node_rank_.push_back(context.nodes->rank_within(rank));
  // Where the blocks for each peer lie in this rank's memory, by tile, told to the peer.
  const std::size_t tiles = plan().tiles.size();
  const auto at = [&](const Block& block, std::size_t tile) {
    return static_cast<std::size_t>(block.peer) * tiles + tile;
  };
  std::vector<Index> mine(plan().peers.size() * tiles), theirs(mine.size());
  for (std::size_t t = 0; t < tiles; ++t) {
    const Tile& tile = plan().tiles[t];
    for (const Block& block : tile.send) {
      mine[at(block, t)] = context.workspace_offset + tile.send_offset_bytes + block.offset * plan().element_bytes;
    }
  }
  const auto count = static_cast<int>(tiles);
  WEFT_MPI(comm(), MPI_Alltoall(mine.data(), count, MPI_INT64_T, theirs.data(), count, MPI_INT64_T, comm()));
  for (std::size_t t = 0; t < tiles; ++t) {
    std::vector<const std::byte*> places;
    for (const Block& block : plan().tiles[t].recv) {
      places.push_back(block.shared ? memory_of(block.peer) + theirs[at(block, t)] : nullptr);
    }
    places_.push_back(std::move(places));
  }
}

const std::byte* NodeExchange::recv_block(Index tile, std::size_t block) {
  const std::byte* place = places_[static_cast<std::size_t>(tile)][block];
  return place != nullptr ? place : MessageExchange::recv_block(tile, block);
}

void NodeExchange::acquire(Index tile) {
  const Index before = std::exchange(last_[static_cast<std::size_t>(tile % plan().ring)], tile);
  if (before >= 0) {
    wait_for_sharers(plan().tiles[static_cast<std::size_t>(before)].send, Flag::read, before, round(before));
  }
  ++rounds_[static_cast<std::size_t>(tile)];
}

void NodeExchange::release(Index tile) { raise(Flag::read, tile); }

void NodeExchange::raise(Flag flag, Index tile) {
  context_.memory->flag(node_rank(plan().me), offset_of(flag, tile)).store(round(tile), std::memory_order_release);
}

bool NodeExchange::has_raised(int peer, Flag flag, Index tile, Index round) const {
  return context_.memory->flag(node_rank(peer), offset_of(flag, tile)).load(std::memory_order_acquire) >= round;
}

void NodeExchange::wait_for(int peer, Flag flag, Index tile, Index round) {
  wait_until([&] { return has_raised(peer, flag, tile, round); }, [&] { progress(); });
}

void NodeExchange::wait_for_sharers(const std::vector<Block>& blocks, Flag flag, Index tile, Index round) {
  for (const Block& block : blocks) {
    if (block.shared) wait_for(block.peer, flag, tile, round);
  }
}

}  // namespace weft::detail
