// Memory in cache: distances that do not collide, and parts of a thread's scratch.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "base/buffer.hpp"
#include "weft/layout.hpp"

namespace weft::detail {

/// Distance of at least `numbers` numbers that is an odd number of cache lines: lines at powers of two would share the
/// few places that a cache has for their address bits (256-point columns: 25 GF/s at distance 256, 34 at 260).
inline Index padded(Index numbers, Index bytes) {
  return (round_up(numbers * bytes, cache_line) / cache_line | 1) * cache_line / bytes;
}

/// Hands out parts of a thread's scratch, aligned to cache lines; or, with no memory, counts what is needed.
class ScratchParts {
 public:
  explicit ScratchParts(std::byte* memory = nullptr) : memory_(memory) {}
  template <class T>
  T* take(Index count) {
    std::byte* const part = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += round_up(count * static_cast<Index>(sizeof(T)), cache_line);
    return reinterpret_cast<T*>(part);
  }
  Index used() const { return used_; }

 private:
  std::byte* memory_;
  Index used_ = 0;
};

}  // namespace weft::detail
