// Strategy `alltoallv`: one blocking MPI_Alltoallv a tile. The traditional parallel FFT of Hoefler & Zerah, and the
// original transposition of Bethune's GWW.
#include "exchange/message_buffers.hpp"

namespace weft::detail {

namespace {

class Alltoallv final : public MessageExchange {
 public:
  explicit Alltoallv(const ExchangeContext& context) : MessageExchange(context) {
    for (const Tile& tile : plan().tiles) arguments_.emplace_back(tile, context);
  }

  void start(Index tile) override {
    WEFT_MPI(comm(), arguments_[static_cast<std::size_t>(tile)].blocking(send_buffer(tile), recv_buffer(tile), comm()));
  }
  void finish(Index) override {}

 private:
  std::vector<AlltoallArguments> arguments_;
};

}  // namespace

Strategy alltoallv_strategy() {
  return {
      "alltoallv",
      "one blocking MPI_Alltoallv a tile",
      {.collective = true},
      [](const ExchangeContext& context) -> std::unique_ptr<Exchange> { return std::make_unique<Alltoallv>(context); }};
}

}  // namespace weft::detail
