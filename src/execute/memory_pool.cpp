#include "execute/memory_pool.hpp"

#include <algorithm>

#include "base/host.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

std::shared_ptr<MemoryBlock> MemoryPool::find(const std::string& key, Index& bytes,
                                              const Communicators& communicators) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
  const std::shared_ptr<MemoryBlock> block = entry != entries_.end() ? entry->block.lock() : nullptr;
  if (!block) return nullptr;  // on all ranks: they make and end engines together
  int fits = bytes <= block->bytes ? 1 : 0;
  WEFT_MPI(communicators.all(), MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, communicators.all()));
  if (fits != 0) return block;
  bytes = std::max(bytes, block->bytes);
  bytes += bytes / 4;
  return nullptr;
}

void MemoryPool::keep(const std::string& key, const std::shared_ptr<MemoryBlock>& block) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key || entry.block.expired(); });
  entries_.push_back({key, block});
}

std::shared_ptr<MemoryBlock> MemoryPool::take(const std::string& name, Index bytes, Index flags,
                                              const Strategy& strategy, const Communicators& communicators,
                                              bool& is_new) {
  const StrategyTraits& traits = strategy.traits;
  const MPI_Comm all = communicators.all();
  all_or_none(all, [&] { require_strategy(strategy, all); });
  const std::string key = concat(name, ' ', communicators.size(), ' ', traits.shared_memory, ' ', traits.window);
  std::shared_ptr<MemoryBlock> block = find(key, bytes, communicators);
  is_new = block == nullptr;
  if (block) return block;
  const std::string lack = lack_of_memory(communicators.node(), bytes);
  const std::string of_windows = traits.window ? lack_of_window_memory(communicators.node(), bytes) : std::string();
  all_or_none(all, [&] {
    if (!lack.empty() || !of_windows.empty()) throw Error(lack.empty() ? of_windows : lack);
  });
  block = std::make_shared<MemoryBlock>();
  block->bytes = bytes;
  if (traits.shared_memory) {
    block->node.emplace(communicators.node(), all, flags, bytes);
  } else if (traits.window) {
    block->window.emplace(all, bytes);
  } else {
    all_or_none(all, [&] { block->buffer = Buffer(bytes); });
  }
  keep(key, block);
  return block;
}

std::shared_ptr<MemoryBlock> MemoryPool::take_scratch(Index bytes, const Communicators& communicators) {
  const std::string key = concat("scratch ", communicators.size());
  std::shared_ptr<MemoryBlock> block = find(key, bytes, communicators);
  if (block) return block;
  block = std::make_shared<MemoryBlock>();
  block->bytes = bytes;
  // Lanes between padded lines are never read as results, but they are transformed along: no stray NaNs, please.
  all_or_none(communicators.all(), [&] { block->buffer = Buffer::zeroed(bytes); });
  keep(key, block);
  return block;
}

}  // namespace weft::detail
