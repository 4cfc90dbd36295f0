// Memory on which engines that never run at the same time take turns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/node_memory.hpp"
#include "base/window_memory.hpp"
#include "exchange/strategy.hpp"
#include "execute/communicators.hpp"

namespace weft::detail {

/// Memory of this rank in the kind that a strategy needs: of this process alone, seen by its node, or in a window.
struct MemoryBlock {
  Index bytes = 0;
  Buffer buffer;
  std::optional<NodeMemory> node;
  std::optional<WindowMemory> window;
  const void* last = nullptr;  ///< who used it last

  std::byte* data(int node_rank) const {
    return node ? node->workspace(node_rank) : window ? window->data() : buffer.data();
  }
  /// Lets its end wait for no other rank.
  void leave() {
    if (node) node->leave();
    if (window) window->leave();
  }
};

/// Each engine takes a block by its name: engines of one name, number of ranks and kind of memory have the same block,
/// as long as it is large enough on all ranks. A larger one has room to spare, so that engines of almost one size end
/// with one block. Blocks end with the last engine that has them.
class MemoryPool {
 public:
  /// `bytes` of this rank, and so many for flags, should the block be new and its node see it. `is_new` says so.
  /// Collective; the same Error on all ranks if the memory cannot be had.
  std::shared_ptr<MemoryBlock> take(const std::string& name, Index bytes, Index flags, const Strategy& strategy,
                                    const Communicators& communicators, bool& is_new);
  /// Zeroes at first. The same.
  std::shared_ptr<MemoryBlock> take_scratch(Index bytes, const Communicators& communicators);

 private:
  /// An earlier block with that key, if it is large enough on all ranks; then `bytes` may grow.
  std::shared_ptr<MemoryBlock> find(const std::string& key, Index& bytes, const Communicators& communicators) const;
  void keep(const std::string& key, const std::shared_ptr<MemoryBlock>& block);

  struct Entry {
    std::string key;
    std::weak_ptr<MemoryBlock> block;
  };
  std::vector<Entry> entries_;  ///< the newest of each key
};

}  // namespace weft::detail
