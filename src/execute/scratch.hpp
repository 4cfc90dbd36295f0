// Parts of a thread's scratch.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "base/buffer.hpp"
#include "weft/index.hpp"

namespace weft::detail {

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
