// Strategy `pairwise`: point to point in conflict-free rounds, receives posted before what is sent is
// computed, so that nothing that comes early must be kept elsewhere. Shimizu's communication scheduling and `precv`.
#include "exchange/messages.hpp"

namespace weft::detail {

namespace {

class Pairwise final : public MessageExchange {
 public:
  explicit Pairwise(const ExchangeContext& context)
      : MessageExchange(context), messages_(context, block_messages(plan())) {}

  void acquire(Index tile) override { messages_.receive(tile, context_.workspace); }
  void start(Index tile) override { messages_.send(tile, context_.workspace); }
  void test() override { messages_.test(); }
  void finish(Index tile) override { messages_.finish(tile); }

 private:
  Messages messages_;
};

}  // namespace

Strategy pairwise_strategy() {
  return {
      "pairwise",
      "messages between pairs in conflict-free rounds",
      {.overlaps_from = 1, .posts_early = true},
      [](const ExchangeContext& context) -> std::unique_ptr<Exchange> { return std::make_unique<Pairwise>(context); }};
}

}  // namespace weft::detail
