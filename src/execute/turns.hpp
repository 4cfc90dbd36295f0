// Which thread computes which chunk.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "base/buffer.hpp"
#include "execute/pass.hpp"

namespace weft::detail {

/// Deals a unit's chunks out. Each thread has neighbouring ones: rows that do not begin with cache lines share lines
/// with the rows of the next chunk, and two threads that write such lines at once take them from each other all the
/// time. Whoever has done its own helps the others: chunks are few, and cores are not always alone.
class Turns {
 public:
  explicit Turns(int threads) : shares_(static_cast<std::size_t>(threads)) {}

  /// Deals out chunks of a unit, before the threads begin.
  void deal(Index chunks, int threads) {
    threads_ = threads;
    for (int thread = 0; thread < threads; ++thread) {
      Share& share = shares_[static_cast<std::size_t>(thread)];
      share.next = chunks * thread / threads;
      share.end = chunks * (thread + 1) / threads;
    }
  }

  /// The first turn of a thread. It takes the chunk that it will do next when it begins one, so that it knows what to
  /// ask the cache for.
  Turn first(int thread) {
    const Index chunk = take(thread);
    return {chunk, chunk < 0 ? -1 : take(thread)};
  }
  Turn after(Turn turn, int thread) { return {turn.next, turn.next < 0 ? -1 : take(thread)}; }

 private:
  struct alignas(cache_line) Share {
    std::atomic<Index> next{0};
    Index end = 0;
  };

  Index take(int thread) {
    for (int i = 0; i < threads_; ++i) {
      Share& share = shares_[static_cast<std::size_t>((thread + i) % threads_)];
      if (share.next.load(std::memory_order_relaxed) >= share.end) continue;
      const Index chunk = share.next++;
      if (chunk < share.end) return chunk;
    }
    return -1;
  }

  std::vector<Share> shares_;
  int threads_ = 1;
};

}  // namespace weft::detail
