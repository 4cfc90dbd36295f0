// Strategy `alltoallv-init`: one persistent MPI_Alltoallv_init a tile, planned once by the MPI library. Of MPI 4.
#include "base/text.hpp"
#include "exchange/message_buffers.hpp"

namespace weft::detail {

#ifdef WEFT_HAVE_ALLTOALLV_INIT

namespace {

class AlltoallvInit final : public MessageExchange {
 public:
  explicit AlltoallvInit(const ExchangeContext& context)
      : MessageExchange(context), requests_(plan().tiles.size(), comm()) {
    for (Index tile = 0; tile < static_cast<Index>(plan().tiles.size()); ++tile) {
      arguments_.emplace_back(plan().tiles[static_cast<std::size_t>(tile)], context);
      WEFT_MPI(comm(), arguments_.back().persistent(send_buffer(tile), recv_buffer(tile), comm(), &requests_[tile]));
    }
  }

  ~AlltoallvInit() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    for (MPI_Request& request : requests_.all()) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }
  AlltoallvInit(const AlltoallvInit&) = delete;
  AlltoallvInit& operator=(const AlltoallvInit&) = delete;

  void start(Index tile) override {
    WEFT_MPI(comm(), MPI_Start(&requests_[tile]));
    requests_.started(tile);
  }
  void test() override { requests_.test(); }
  void finish(Index tile) override { requests_.wait(tile); }

 private:
  std::vector<AlltoallArguments> arguments_;
  TileRequests requests_;
};

std::unique_ptr<Exchange> make(const ExchangeContext& context) { return std::make_unique<AlltoallvInit>(context); }
std::string persistence_obstacle(MPI_Comm) { return {}; }

}  // namespace

#else

namespace {

std::unique_ptr<Exchange> make(const ExchangeContext&) { return nullptr; }  // never called, since it cannot be used
std::string persistence_obstacle(MPI_Comm) {
  return concat("needs MPI_Alltoallv_init, which is of MPI 4; this library has none and says that it is MPI ",
                MPI_VERSION, '.', MPI_SUBVERSION);
}

}  // namespace

#endif

Strategy alltoallv_init_strategy() {
  return {"alltoallv-init",
          "one persistent MPI_Alltoallv a tile (MPI 4)",
          {.overlaps_from = 1, .collective = true},
          make,
          persistence_obstacle};
}

}  // namespace weft::detail
