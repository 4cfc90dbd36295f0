// Strategy `padded`: equal blocks through MPI_Alltoall, so that the MPI library's store-and-forward algorithm (Bruck)
// serves small messages; with a window of more than one, MPI_Ialltoall. Bethune's padded all-to-all.
#include "exchange/message_buffers.hpp"

namespace weft::detail {

namespace {

class Padded final : public MessageExchange {
 public:
  explicit Padded(const ExchangeContext& context) : MessageExchange(context), requests_(plan().tiles.size(), comm()) {
    // A slot is one element of a datatype as long as it, so that no count is ever narrowed.
    for (const Tile& tile : plan().tiles) {
      slots_.push_back(Datatype::block(tile.padded, plan().element_bytes, 0, context.count_limit));
    }
  }

  void start(Index tile) override {
    const auto k = static_cast<std::size_t>(tile);
    const MPI_Datatype slot = slots_[k].get();
    if (plan().tiles[k].padded == 0) return;  // nobody has anything to send
    if (plan().waits) {
      WEFT_MPI(comm(), MPI_Alltoall(send_buffer(tile), 1, slot, recv_buffer(tile), 1, slot, comm()));
    } else {
      WEFT_MPI(comm(), MPI_Ialltoall(send_buffer(tile), 1, slot, recv_buffer(tile), 1, slot, comm(), &requests_[tile]));
      requests_.started(tile);
    }
  }

  void test() override { requests_.test(); }
  void finish(Index tile) override { requests_.wait(tile); }

 private:
  std::vector<Datatype> slots_;
  TileRequests requests_;
};

}  // namespace

Strategy padded_strategy() {
  return {
      "padded",
      "blocks padded to equal size through MPI_Alltoall",
      {.overlaps_from = 2, .padded = true, .collective = true},
      [](const ExchangeContext& context) -> std::unique_ptr<Exchange> { return std::make_unique<Padded>(context); }};
}

}  // namespace weft::detail
