// Strategy `rma`: every rank puts its blocks straight into the others' receive buffers, as soon as they have said that
// those are free, and tells them when all has arrived (MPI_Put, passive target).
#include <algorithm>

#include "base/text.hpp"
#include "exchange/message_buffers.hpp"

namespace weft::detail {

namespace {

/// "Free" and "arrived" are empty messages. Nothing waits for a barrier: each pair of ranks goes at its own pace.
class Rma final : public MessageExchange {
 public:
  explicit Rma(const ExchangeContext& context)
      : MessageExchange(context), element_(Datatype::element(plan().element_bytes)) {
    // Where each peer wants the block from this rank, told by the peer.
    const std::size_t peers = plan().peers.size();
    for (const Tile& tile : plan().tiles) {
      std::vector<Index> mine(peers, 0), theirs(peers, 0);
      for (const Block& block : tile.recv) {
        mine[static_cast<std::size_t>(block.peer)] =
            context.workspace_offset + tile.recv_offset_bytes + block.offset * plan().element_bytes;
      }
      WEFT_MPI(comm(), MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, comm()));
      Puts puts;
      for (const Block& block : tile.send) {
        const MPI_Aint place = theirs[static_cast<std::size_t>(block.peer)];
        if (block.count > context.count_limit) {
          large_.push_back(Datatype::block(block.count, plan().element_bytes, 0, context.count_limit));
          puts.list.push_back({place, 1, large_.back().get()});
        } else {
          puts.list.push_back({place, static_cast<int>(block.count), element_.get()});
        }
      }
      puts.free.assign(tile.send.size(), MPI_REQUEST_NULL);
      puts.arrived.assign(tile.recv.size(), MPI_REQUEST_NULL);
      puts.told.assign(tile.send.size() + tile.recv.size(), MPI_REQUEST_NULL);
      puts_.push_back(std::move(puts));
      most_ = std::max(most_, tile.send.size());
    }
    ready_.resize(most_);
  }

  void begin(const std::byte*, std::byte*) override {
    oldest_ = 0;
    newest_ = -1;
  }

  void start(Index tile) override {
    Puts& puts = puts_[static_cast<std::size_t>(tile)];
    const Tile& t = plan().tiles[static_cast<std::size_t>(tile)];
    for (std::size_t b = 0; b < t.recv.size(); ++b) {
      WEFT_MPI(comm(), MPI_Irecv(nullptr, 0, MPI_BYTE, t.recv[b].peer, arrived_tag(tile), comm(), &puts.arrived[b]));
      WEFT_MPI(comm(), MPI_Isend(nullptr, 0, MPI_BYTE, t.recv[b].peer, free_tag(tile), comm(), &puts.told[b]));
    }
    for (std::size_t b = 0; b < t.send.size(); ++b) {
      WEFT_MPI(comm(), MPI_Irecv(nullptr, 0, MPI_BYTE, t.send[b].peer, free_tag(tile), comm(), &puts.free[b]));
    }
    puts.left = t.send.size();
    newest_ = tile;
    test();
  }

  void test() override {
    for (Index tile = oldest_; tile <= newest_; ++tile) put(tile, MPI_Testsome);
  }

  void finish(Index tile) override {
    Puts& puts = puts_[static_cast<std::size_t>(tile)];
    while (puts.left > 0) put(tile, MPI_Waitsome);
    wait_all(puts.arrived);
    wait_all(puts.told);
    WEFT_MPI(comm(), MPI_Win_sync(context_.window));
    oldest_ = tile + 1;
  }

 private:
  struct Put {
    MPI_Aint place;
    int count;
    MPI_Datatype type;
  };
  struct Puts {
    std::vector<Put> list;                   ///< by block
    std::vector<MPI_Request> free, arrived;  ///< from those who get, from those who send
    std::vector<MPI_Request> told;           ///< the same messages to others
    std::size_t left = 0;                    ///< blocks still to be put
  };

  int free_tag(Index tile) const { return context_.tag(tile, 0, 2); }
  int arrived_tag(Index tile) const { return context_.tag(tile, 1, 2); }

  /// Puts what may be put, and tells of it. `some` is MPI_Testsome or MPI_Waitsome.
  template <class Some>
  void put(Index tile, const Some& some) {
    Puts& puts = puts_[static_cast<std::size_t>(tile)];
    if (puts.left == 0) return;
    const Tile& t = plan().tiles[static_cast<std::size_t>(tile)];
    int count = 0;
    WEFT_MPI(comm(),
             some(static_cast<int>(puts.free.size()), puts.free.data(), &count, ready_.data(), MPI_STATUSES_IGNORE));
    if (count == MPI_UNDEFINED) return;
    for (int i = 0; i < count; ++i) {
      const auto b = static_cast<std::size_t>(ready_[static_cast<std::size_t>(i)]);
      const Put& one = puts.list[b];
      WEFT_MPI(comm(), MPI_Put(send_block(tile, b), one.count, one.type, rank_of(t.send[b]), one.place, one.count,
                               one.type, context_.window));
    }
    for (int i = 0; i < count; ++i) {
      const auto b = static_cast<std::size_t>(ready_[static_cast<std::size_t>(i)]);
      WEFT_MPI(comm(), MPI_Win_flush(rank_of(t.send[b]), context_.window));
      WEFT_MPI(comm(), MPI_Isend(nullptr, 0, MPI_BYTE, t.send[b].peer, arrived_tag(tile), comm(),
                                 &puts.told[t.recv.size() + b]));
    }
    puts.left -= static_cast<std::size_t>(count);
  }

  /// The window is over all ranks of the transform.
  int rank_of(const Block& block) const { return plan().peers[static_cast<std::size_t>(block.peer)]; }

  void wait_all(std::vector<MPI_Request>& requests) {
    WEFT_MPI(comm(), MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

  Datatype element_;
  std::vector<Datatype> large_;
  std::vector<Puts> puts_;  ///< by tile
  std::size_t most_ = 0;    ///< blocks sent in one tile
  std::vector<int> ready_;
  Index oldest_ = 0, newest_ = -1;  ///< tiles that may be on their way
};

/// Open MPI 4.1 names the memory behind windows so that those of communicators without common ranks can get the same
/// name.
std::string rma_obstacle([[maybe_unused]] MPI_Comm comm) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  if (comm == MPI_COMM_NULL) return {};
  int result = MPI_UNEQUAL;
  WEFT_MPI(comm, MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
  if (result == MPI_UNEQUAL) {
    return concat("needs all ranks of MPI_COMM_WORLD under Open MPI before 5.0; this is Open MPI ", OMPI_MAJOR_VERSION,
                  '.', OMPI_MINOR_VERSION, " on a part of them");
  }
#endif
  return {};
}

}  // namespace

Strategy rma_strategy() {
  return {"rma",
          "MPI_Put into the others' receive buffers",
          {.overlaps_from = 1, .window = true},
          [](const ExchangeContext& context) -> std::unique_ptr<Exchange> { return std::make_unique<Rma>(context); },
          rma_obstacle};
}

}  // namespace weft::detail
