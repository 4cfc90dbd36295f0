// Strategy `rma`: every rank puts its blocks straight into the others' receive buffers (MPI_Put, passive target).
#include "exchange/message_buffers.hpp"

namespace weft::detail {

namespace {

class Rma final : public MessageExchange {
 public:
  explicit Rma(const ExchangeContext& context) : MessageExchange(context) {
    // Where each peer wants the block from this rank, told by the peer.
    const std::size_t peers = plan().peers.size();
    for (const Tile& tile : plan().tiles) {
      std::vector<Index> mine(peers, 0), theirs(peers, 0);
      for (const Block& block : tile.recv) {
        mine[static_cast<std::size_t>(block.peer)] = tile.recv_offset_bytes + block.offset * plan().element_bytes;
      }
      WEFT_MPI(comm(), MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, comm()));
      std::vector<Put> puts;
      for (const Block& block : tile.send) {
        puts.push_back({Datatype::block(block.count, plan().element_bytes, 0, context.count_limit),
                        static_cast<MPI_Aint>(theirs[static_cast<std::size_t>(block.peer)])});
      }
      puts_.push_back(std::move(puts));
    }
  }

  void start(Index tile) override {
    // Once all are here, all receive buffers of this tile are free.
    WEFT_MPI(comm(), MPI_Barrier(comm()));
    const auto k = static_cast<std::size_t>(tile);
    for (std::size_t b = 0; b < puts_[k].size(); ++b) {
      const MPI_Datatype type = puts_[k][b].type.get();
      const int peer = plan().peers[static_cast<std::size_t>(plan().tiles[k].send[b].peer)];
      WEFT_MPI(comm(), MPI_Put(send_block(tile, b), 1, type, peer, puts_[k][b].place, 1, type, context_.window));
    }
  }

  void finish(Index) override {
    WEFT_MPI(comm(), MPI_Win_flush_all(context_.window));
    WEFT_MPI(comm(), MPI_Barrier(comm()));
    WEFT_MPI(comm(), MPI_Win_sync(context_.window));
  }

 private:
  struct Put {
    Datatype type;
    MPI_Aint place;
  };
  std::vector<std::vector<Put>> puts_;  ///< by tile and block
};

}  // namespace

Strategy rma_strategy() {
  return {"rma", "MPI_Put into the others' receive buffers", {.window = true},
          [](const ExchangeContext& context) -> std::unique_ptr<Exchange> { return std::make_unique<Rma>(context); }};
}

}  // namespace weft::detail
