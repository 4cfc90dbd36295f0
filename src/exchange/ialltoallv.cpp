// Strategy `ialltoallv`: one MPI_Ialltoallv a tile, several on their way at once. The non-blocking collectives of
// Hoefler & Zerah: tile factor, window and MPI_Test interval are options of the plan.
#include "exchange/message_buffers.hpp"

namespace weft::detail {

namespace {

class Ialltoallv final : public MessageExchange {
 public:
  explicit Ialltoallv(const ExchangeContext& context)
      : MessageExchange(context), requests_(plan().tiles.size(), comm()) {
    for (const Tile& tile : plan().tiles) arguments_.emplace_back(tile, context);
  }

  void start(Index tile) override {
    const AlltoallArguments& arguments = arguments_[static_cast<std::size_t>(tile)];
    WEFT_MPI(comm(), arguments.nonblocking(send_buffer(tile), recv_buffer(tile), comm(), &requests_[tile]));
    requests_.started(tile);
  }
  void test() override { requests_.test(); }
  void finish(Index tile) override { requests_.wait(tile); }

 private:
  std::vector<AlltoallArguments> arguments_;
  TileRequests requests_;
};

}  // namespace

Strategy ialltoallv_strategy() {
  return {"ialltoallv",
          "one MPI_Ialltoallv a tile, a window of them on their way",
          {.overlaps_from = 1, .collective = true},
          [](const ExchangeContext& context) -> std::unique_ptr<Exchange> {
            return std::make_unique<Ialltoallv>(context);
          }};
}

}  // namespace weft::detail
