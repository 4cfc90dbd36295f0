// How far apart the cores of two threads of execution are.
#pragma once

#include <atomic>
#include <optional>

#include "base/buffer.hpp"
#include "weft/index.hpp"

namespace weft::detail {

/// A word of this one, which the other reads, and a word of the other; each has a cache line of its own. One of the two
/// leads.
struct Meeting {
  std::atomic_ref<Index> mine, theirs;
  bool leads;
};

/// A word in a cache line of its own.
struct alignas(cache_line) Word {
  Index value = 0;
  std::atomic_ref<Index> shared() { return std::atomic_ref(value); }
};

/// Of `size` ranks the one that is half of them away; none for the last of an odd number. Neighbours in number are
/// neighbours on the processor.
inline std::optional<int> partner_of(int rank, int size) {
  const int half = size / 2;
  if (rank >= 2 * half) return std::nullopt;
  return rank < half ? rank + half : rank - half;
}

/// Seconds that a cache line takes to the other and back, the least of some; nothing if the other has not answered
/// after some microseconds. Both ask at about the same time, with the same `number`, which is 1 at first and larger
/// each time.
std::optional<double> round_trip(const Meeting& meeting, Index number);

}  // namespace weft::detail
