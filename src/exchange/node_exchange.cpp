#include "exchange/node_exchange.hpp"

#include "base/wait.hpp"

namespace weft::detail {

NodeExchange::NodeExchange(const ExchangeContext& context) : MessageExchange(context), rounds_(plan().tiles.size(), 0) {
  for (int rank : plan().peers) node_rank_.push_back(context.nodes->rank_within(rank));
  // Where the block for each peer lies in this rank's memory, told to the peer.
  const std::size_t peers = plan().peers.size();
  std::vector<Index> mine(peers), theirs(peers);
  for (const Tile& tile : plan().tiles) {
    for (const Block& block : tile.send) {
      mine[static_cast<std::size_t>(block.peer)] =
          context.workspace_offset + tile.send_offset_bytes + block.offset * plan().element_bytes;
    }
    WEFT_MPI(comm(), MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, comm()));
    std::vector<const std::byte*> places;
    for (const Block& block : tile.recv) {
      const auto peer = static_cast<std::size_t>(block.peer);
      places.push_back(block.shared ? memory_of(block.peer) + theirs[peer] : nullptr);
    }
    places_.push_back(std::move(places));
  }
}

const std::byte* NodeExchange::recv_block(Index tile, std::size_t block) {
  const std::byte* place = places_[static_cast<std::size_t>(tile)][block];
  return place != nullptr ? place : MessageExchange::recv_block(tile, block);
}

void NodeExchange::acquire(Index tile) {
  const Index before = rounds_[static_cast<std::size_t>(tile)]++;
  wait_for_sharers(plan().tiles[static_cast<std::size_t>(tile)].send, Flag::read, tile, before);
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
