// Strategy `alltoallv-init`: one persistent MPI_Alltoallv_init a tile, planned once by the MPI library. Needs MPI 4.
#include "exchange/message_buffers.hpp"

namespace weft::detail {

#if MPI_VERSION >= 4

namespace {

class AlltoallvInit final : public MessageExchange {
 public:
  explicit AlltoallvInit(const ExchangeContext& context)
      : MessageExchange(context), requests_(plan().tiles.size(), MPI_REQUEST_NULL) {
    for (std::size_t k = 0; k < plan().tiles.size(); ++k) {
      const auto tile = static_cast<Index>(k);
      arguments_.emplace_back(plan().tiles[k], context);
      WEFT_MPI(comm(), arguments_.back().persistent(send_buffer(tile), recv_buffer(tile), comm(), &requests_[k]));
    }
  }

  ~AlltoallvInit() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }
  AlltoallvInit(const AlltoallvInit&) = delete;
  AlltoallvInit& operator=(const AlltoallvInit&) = delete;

  void start(Index tile) override {
    WEFT_MPI(comm(), MPI_Start(&requests_[static_cast<std::size_t>(tile)]));
    started_ = static_cast<std::size_t>(tile) + 1;
  }

  void test() override {
    if (finished_ == started_) return;
    int done = 0;
    WEFT_MPI(comm(), MPI_Test(&requests_[finished_], &done, MPI_STATUS_IGNORE));
  }

  void finish(Index tile) override {
    WEFT_MPI(comm(), MPI_Wait(&requests_[static_cast<std::size_t>(tile)], MPI_STATUS_IGNORE));
    finished_ = static_cast<std::size_t>(tile) + 1;
    if (finished_ == requests_.size()) finished_ = started_ = 0;
  }

 private:
  std::vector<AlltoallArguments> arguments_;
  std::vector<MPI_Request> requests_;
  std::size_t started_ = 0, finished_ = 0;  ///< tiles [finished_, started_) are on their way
};

}  // namespace

Strategy alltoallv_init_strategy() {
  return {"alltoallv-init", "one persistent MPI_Alltoallv a tile (MPI 4)", {.overlaps = true},
          [](const ExchangeContext& context) -> std::unique_ptr<Exchange> {
            return std::make_unique<AlltoallvInit>(context);
          }};
}

#endif

}  // namespace weft::detail
