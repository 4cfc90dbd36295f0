// Strategy `node-shm`: the blocks that a node has for another travel as one message. They are written straight into the
// send buffer of the node's leader, one after the other, and read straight from the receive buffer of the other's;
// inside a node they are read where they were written. Bethune's SHM.
#include <algorithm>

#include "base/wait.hpp"
#include "exchange/messages.hpp"
#include "exchange/node_exchange.hpp"
#include "exchange/nodes.hpp"

namespace weft::detail {

namespace {

/// A leader sends a tile when all ranks of its node have written it, and receives it when all have read what was there
/// before; it looks for that whenever it is called. Sends and receives each go in the order of the tiles.
class NodeShm final : public NodeExchange {
 public:
  explicit NodeShm(const ExchangeContext& context) : NodeExchange(context), messages_(context, run_messages(plan())) {
    const NodeMap map(plan().nodes);
    members_ = map.members(map.node(plan().me));
    // Where the tiles of this node's leaders lie in their memory.
    const std::size_t peers = plan().peers.size();
    std::vector<Index> place(2 * peers);
    for (const Tile& tile : plan().tiles) {
      const Index mine[2] = {context.workspace_offset + tile.send_offset_bytes,
                             context.workspace_offset + tile.recv_offset_bytes};
      WEFT_MPI(comm(), MPI_Allgather(mine, 2, MPI_INT64_T, place.data(), 2, MPI_INT64_T, comm()));
      TilePlaces places;
      collect(tile.send, place, 0, places.send, places.senders);
      collect(tile.recv, place, 1, places.recv, places.receivers);
      places_.push_back(std::move(places));
    }
  }

  std::byte* send_block(Index tile, std::size_t block) override {
    std::byte* place = places_[static_cast<std::size_t>(tile)].send[block];
    return place != nullptr ? place : NodeExchange::send_block(tile, block);
  }
  const std::byte* recv_block(Index tile, std::size_t block) override {
    const std::byte* place = places_[static_cast<std::size_t>(tile)].recv[block];
    return place != nullptr ? place : NodeExchange::recv_block(tile, block);
  }

  void begin(const std::byte*, std::byte*) override { started_ = sent_ = received_ = moved_ = 0; }

  void acquire(Index tile) override {
    NodeExchange::acquire(tile);
    wait_for_leaders(places_[static_cast<std::size_t>(tile)].senders, tile, round(tile) - 1);
  }

  void start(Index tile) override {
    raise(Flag::written, tile);
    started_ = tile + 1;
    progress();
  }

  void test() override { progress(); }

  void finish(Index tile) override {
    wait_until([&] { return moved_ > tile; }, [&] { progress(); });
    const auto k = static_cast<std::size_t>(tile);
    wait_for_sharers(plan().tiles[k].recv, Flag::written, tile, round(tile));
    wait_for_leaders(places_[k].receivers, tile, round(tile));
  }

 private:
  /// Blocks that lie with a leader, and those leaders.
  struct TilePlaces {
    std::vector<std::byte*> send, recv;
    std::vector<int> senders, receivers;
  };

  void collect(const std::vector<Block>& blocks, const std::vector<Index>& place, std::size_t side,
               std::vector<std::byte*>& places, std::vector<int>& leaders) const {
    for (const Block& block : blocks) {
      places.push_back(nullptr);
      if (block.holder < 0) continue;
      places.back() = memory_of(block.holder) + place[2 * static_cast<std::size_t>(block.holder) + side] +
                      block.offset * plan().element_bytes;
      if (std::find(leaders.begin(), leaders.end(), block.holder) == leaders.end()) leaders.push_back(block.holder);
    }
  }

  void wait_for_leaders(const std::vector<int>& leaders, Index tile, Index round) {
    for (int leader : leaders) wait_for(leader, Flag::moved, tile, round);
  }

  bool all_raised(Flag flag, Index tile, Index round) const {
    return std::all_of(members_.begin(), members_.end(),
                       [&](int member) { return has_raised(member, flag, tile, round); });
  }

  void progress() override {
    while (received_ < started_) {
      const bool mine = !plan().tiles[static_cast<std::size_t>(received_)].recv_runs.empty();
      if (mine && !all_raised(Flag::read, received_, round(received_) - 1)) break;
      messages_.receive(received_++, context_.workspace);
    }
    while (sent_ < started_) {
      const bool mine = !plan().tiles[static_cast<std::size_t>(sent_)].send_runs.empty();
      if (mine && !all_raised(Flag::written, sent_, round(sent_))) break;
      messages_.send(sent_++, context_.workspace);
    }
    while (moved_ < std::min(sent_, received_) && messages_.done(moved_)) raise(Flag::moved, moved_++);
  }

  Messages messages_;
  std::vector<int> members_;                                 ///< peers of this node
  std::vector<TilePlaces> places_;                           ///< by tile
  Index started_ = 0, sent_ = 0, received_ = 0, moved_ = 0;  ///< tiles before these are
};

}  // namespace

Strategy node_shm_strategy() {
  return {
      "node-shm",
      "one message from node to node, written and read in memory that the node shares",
      {.overlaps_from = 1, .shared_memory = true, .node_runs = true},
      [](const ExchangeContext& context) -> std::unique_ptr<Exchange> { return std::make_unique<NodeShm>(context); }};
}

}  // namespace weft::detail
