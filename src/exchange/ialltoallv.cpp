// Strategy `ialltoallv`: one MPI_Ialltoallv a tile, several on their way at once. The non-blocking collectives of
// Hoefler & Zerah: tile factor, window and MPI_Test interval are options of the plan.
#include "exchange/message_buffers.hpp"

namespace weft::detail {

namespace {

class Ialltoallv final : public MessageExchange {
 public:
  explicit Ialltoallv(const ExchangeContext& context)
      : MessageExchange(context), requests_(plan().tiles.size(), MPI_REQUEST_NULL) {
    for (const Tile& tile : plan().tiles) arguments_.emplace_back(tile, context);
  }

  void start(Index tile) override {
    const auto k = static_cast<std::size_t>(tile);
    WEFT_MPI(comm(), arguments_[k].nonblocking(send_buffer(tile), recv_buffer(tile), comm(), &requests_[k]));
    started_ = k + 1;
  }

  void test() override {
    // One test drives the whole MPI library; the oldest tile is the one that is needed next.
    if (finished_ == started_) return;
    int done = 0;
    WEFT_MPI(comm(), MPI_Test(&requests_[finished_], &done, MPI_STATUS_IGNORE));
  }

  void finish(Index tile) override {
    const auto k = static_cast<std::size_t>(tile);
    WEFT_MPI(comm(), MPI_Wait(&requests_[k], MPI_STATUS_IGNORE));
    finished_ = k + 1;
    if (finished_ == requests_.size()) finished_ = started_ = 0;
  }

 private:
  std::vector<AlltoallArguments> arguments_;
  std::vector<MPI_Request> requests_;
  std::size_t started_ = 0, finished_ = 0;  ///< tiles [finished_, started_) are on their way
};

}  // namespace

Strategy ialltoallv_strategy() {
  return {"ialltoallv", "one MPI_Ialltoallv a tile, a window of them on their way", {.overlaps = true},
          [](const ExchangeContext& context) -> std::unique_ptr<Exchange> {
            return std::make_unique<Ialltoallv>(context);
          }};
}

}  // namespace weft::detail
