// What the strategies share that leave blocks in memory that the ranks of a node share.
#pragma once

#include <vector>

#include "base/node_memory.hpp"
#include "exchange/message_buffers.hpp"

namespace weft::detail {

/// Exchange whose blocks for ranks of the same node are read where they were written.
///
/// Each rank has flags for each tile, which count: how often it has written the tile, read it, and moved what it moves
/// of it for the whole node. A tile may be written when all who read what lay there before, of this tile or of one that
/// lies in the same place (ExchangePlan::ring), have read it; and read for the n-th time when all who write to it have
/// written it n times.
class NodeExchange : public MessageExchange {
 public:
  explicit NodeExchange(const ExchangeContext& context);

  const std::byte* recv_block(Index tile, std::size_t block) override;
  /// Begins a new round of the tile when the shared blocks that lie in its place have been read.
  void acquire(Index tile) override;
  /// Tells that the tile has been read.
  void release(Index tile) override;

 protected:
  enum class Flag : Index { written, read, moved };
  static_assert(static_cast<Index>(Flag::moved) < flags_per_tile);

  /// Which time it is that the tile is written.
  Index round(Index tile) const { return rounds_[static_cast<std::size_t>(tile)]; }
  void raise(Flag flag, Index tile);
  bool has_raised(int peer, Flag flag, Index tile, Index round) const;
  void wait_for(int peer, Flag flag, Index tile, Index round);
  /// Waits for those who share a block of the tile with this rank.
  void wait_for_sharers(const std::vector<Block>& blocks, Flag flag, Index tile, Index round);
  /// Memory of a peer of this node.
  std::byte* memory_of(int peer) const { return context_.memory->workspace(node_rank(peer)); }
  /// What must go on while this rank waits.
  virtual void progress() = 0;

 private:
  int node_rank(int peer) const { return node_rank_[static_cast<std::size_t>(peer)]; }
  Index offset_of(Flag flag, Index tile) const {
    return context_.flags_offset + (flags_per_tile * tile + static_cast<Index>(flag)) * NodeMemory::flag_bytes;
  }

  std::vector<int> node_rank_;  ///< of each peer; -1 on other nodes
  std::vector<Index> rounds_;
  std::vector<Index> last_;  ///< the tile that was last acquired of each place of the ring; -1: none
  std::vector<std::vector<const std::byte*>> places_;  ///< of shared blocks, by tile
};

}  // namespace weft::detail
