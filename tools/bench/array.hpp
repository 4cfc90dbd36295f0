// Arrays of numbers as a benchmark wants them: aligned, on huge pages where the system grants them, not initialised.
#pragma once

#include <cstdlib>
#include <memory>

#include "weft/index.hpp"

namespace weft::tools {

/// At least `bytes` bytes; std::bad_alloc if there are none.
void* allocate(Index bytes);

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// `size` numbers of type T, which may be 0. What they are at first is undefined.
template <class T>
class Array {
 public:
  explicit Array(Index size) : data_(static_cast<T*>(allocate(size * static_cast<Index>(sizeof(T))))), size_(size) {}
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  Index size() const { return size_; }
  Index bytes() const { return size_ * static_cast<Index>(sizeof(T)); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

 private:
  std::unique_ptr<T, Free> data_;
  Index size_;
};

}  // namespace weft::tools
