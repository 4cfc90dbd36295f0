// Strategy `shared`: inside a node nothing is sent. Blocks are written to memory that the node shares, and consume gathers
// them straight from there. Ranks of other nodes get messages. (The shared-memory transposition of Bethune's SHM, without
// its copies.)
#include "base/node_memory.hpp"
#include "base/wait.hpp"
#include "exchange/messages.hpp"

namespace weft::detail {

namespace {

/// Each rank has two counters a tile: how often it has written it, and how often it has read it. A tile may be written
/// for the n-th time when all who read from it have read it n - 1 times, and read when all who write to it have written
/// it n times.
class Shared final : public MessageExchange {
 public:
  explicit Shared(const ExchangeContext& context)
      : MessageExchange(context), messages_(context), rounds_(plan().tiles.size(), 0) {
    for (int rank : plan().peers) node_rank_.push_back((*context.node_rank)[static_cast<std::size_t>(rank)]);
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
        places.push_back(block.shared ? context.memory->workspace(node_rank_[peer]) + theirs[peer] : nullptr);
      }
      places_.push_back(std::move(places));
    }
  }

  const std::byte* recv_block(Index tile, std::size_t block) override {
    const std::byte* place = places_[static_cast<std::size_t>(tile)][block];
    return place != nullptr ? place : MessageExchange::recv_block(tile, block);
  }

  void acquire(Index tile) override {
    const Index round = rounds_[static_cast<std::size_t>(tile)]++;
    wait_for(plan().tiles[static_cast<std::size_t>(tile)].send, read_flag(tile), round);
  }

  void start(Index tile) override {
    raise(written_flag(tile), tile);
    messages_.receive(tile, *this);
    messages_.send(tile, *this);
  }

  void test() override { messages_.test(); }

  void finish(Index tile) override {
    wait_for(plan().tiles[static_cast<std::size_t>(tile)].recv, written_flag(tile),
             rounds_[static_cast<std::size_t>(tile)]);
    messages_.finish(tile);
  }

  void release(Index tile) override { raise(read_flag(tile), tile); }

 private:
  Index written_flag(Index tile) const { return context_.flags_offset + 2 * tile * NodeMemory::flag_bytes; }
  Index read_flag(Index tile) const { return written_flag(tile) + NodeMemory::flag_bytes; }

  void raise(Index flag, Index tile) {
    const int me = node_rank_[static_cast<std::size_t>(plan().me)];
    context_.memory->flag(me, flag).store(rounds_[static_cast<std::size_t>(tile)], std::memory_order_release);
  }

  /// Waits until the flag of every rank that shares one of the blocks has reached `round`.
  void wait_for(const std::vector<Block>& blocks, Index flag, Index round) {
    for (const Block& block : blocks) {
      if (!block.shared) continue;
      const auto counter = context_.memory->flag(node_rank_[static_cast<std::size_t>(block.peer)], flag);
      wait_until([&] { return counter.load(std::memory_order_acquire) >= round; }, [&] { messages_.test(); });
    }
  }

  Messages messages_;
  std::vector<int> node_rank_;  ///< of each peer; -1 on other nodes
  std::vector<Index> rounds_;   ///< times that each tile has been written
  std::vector<std::vector<const std::byte*>> places_;  ///< of shared blocks, by tile
};

}  // namespace

Strategy shared_strategy() {
  return {"shared", "read from the neighbours' memory inside a node, messages between nodes",
          {.overlaps = true, .shared_memory = true},
          [](const ExchangeContext& context) -> std::unique_ptr<Exchange> {
            return std::make_unique<Shared>(context);
          }};
}

}  // namespace weft::detail
