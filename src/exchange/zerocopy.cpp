// Strategy `zerocopy`: nothing is packed. Blocks are described to MPI as parts of arrays: of the array that the pass
// before writes (or the user's input), and of the one that the pass after reads (or the user's output). The sends and
// prepared receives of Shimizu; Hoefler's transfer without copies.
#include "exchange/messages.hpp"

namespace weft::detail {

namespace {

// Point to point: Open MPI 4.1 aborts in MPI_Alltoallw with such datatypes when processes cannot read each other's
// memory.
class ZeroCopy final : public Exchange {
 public:
  explicit ZeroCopy(const ExchangeContext& context)
      : plan_(*context.plan),
        from_(context.workspace),
        to_(context.workspace),
        messages_(context, block_messages(plan_)) {}

  void begin(const std::byte* input, std::byte* output) override {
    if (plan_.from_input) from_ = input;
    if (plan_.into_output) to_ = output;
  }

  std::byte* send_block(Index tile, std::size_t block) override {
    const Tile& t = plan_.tiles[static_cast<std::size_t>(tile)];
    // The workspace; the user's input is never written.
    return const_cast<std::byte*>(from_) + t.send_offset_bytes + t.send[block].offset * plan_.element_bytes;
  }
  const std::byte* recv_block(Index tile, std::size_t block) override {
    const Tile& t = plan_.tiles[static_cast<std::size_t>(tile)];
    return to_ + t.recv_offset_bytes + t.recv[block].offset * plan_.element_bytes;
  }

  void start(Index tile) override {
    messages_.receive(tile, to_);
    messages_.send(tile, from_);
  }
  void test() override { messages_.test(); }
  void finish(Index tile) override { messages_.finish(tile); }

 private:
  const ExchangePlan& plan_;
  const std::byte* from_;
  std::byte* to_;
  Messages messages_;
};

}  // namespace

Strategy zerocopy_strategy() {
  return {
      "zerocopy",
      "messages from array to array by MPI datatypes, nothing packed",
      {.overlaps_from = 1, .arrays = true},
      [](const ExchangeContext& context) -> std::unique_ptr<Exchange> { return std::make_unique<ZeroCopy>(context); }};
}

}  // namespace weft::detail
