// Memory for fields as transforms like it best.
//
//   weft::FieldVector<double> field(fft.input_size());
//
// Any memory will do. But what goes past the caches are whole lines of them, and arrays of malloc, of which those of
// std::vector are, begin 16 bytes behind one; and large arrays lie in small pages there, of which strided passes touch
// one a row. (c2c of 128^3 and 256^3 on two ranks: 1.2 to 1.35 times as long, docs/conventions.md.)
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace weft {

/// So many bytes, not initialised, that begin with a cache line, and lie in huge pages if they are many and the system
/// has such pages. Throws Error naming the size if there is not enough memory. Not collective.
void* allocate_field(std::size_t bytes);
/// Ends memory of `allocate_field`, or does nothing with a null pointer.
void free_field(void* memory) noexcept;

/// For std::vector and its like. Without state: memory may be freed by another one.
template <class T>
struct FieldAllocator {
  using value_type = T;

  FieldAllocator() = default;
  template <class Other>
  FieldAllocator(const FieldAllocator<Other>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_field(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t) noexcept { free_field(memory); }

  template <class Other>
  bool operator==(const FieldAllocator<Other>&) const noexcept {
    return true;
  }
};

template <class T>
using FieldVector = std::vector<T, FieldAllocator<T>>;

}  // namespace weft
