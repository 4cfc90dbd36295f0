// Strategy `shared`: inside a node nothing is sent. Blocks are written to memory that the node shares, and consume
// gathers them straight from there. Ranks of other nodes get messages. (The shared-memory transposition of Bethune's
// SHM, without its copies.)
#include "exchange/messages.hpp"
#include "exchange/node_exchange.hpp"

namespace weft::detail {

namespace {

class Shared final : public NodeExchange {
 public:
  explicit Shared(const ExchangeContext& context) : NodeExchange(context), messages_(context, block_messages(plan())) {}

  void start(Index tile) override {
    raise(Flag::written, tile);
    messages_.receive(tile, context_.workspace);
    messages_.send(tile, context_.workspace);
  }

  void test() override { messages_.test(); }

  void finish(Index tile) override {
    wait_for_sharers(plan().tiles[static_cast<std::size_t>(tile)].recv, Flag::written, tile, round(tile));
    messages_.finish(tile);
  }

 private:
  void progress() override { messages_.test(); }

  Messages messages_;
};

}  // namespace

Strategy shared_strategy() {
  return {
      "shared",
      "read from the neighbours' memory inside a node, messages between nodes",
      {.overlaps_from = 1, .shared_memory = true},
      [](const ExchangeContext& context) -> std::unique_ptr<Exchange> { return std::make_unique<Shared>(context); }};
}

}  // namespace weft::detail
