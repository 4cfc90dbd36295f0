// Uninitialised memory for exchange buffers and scratch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::detail {

constexpr std::int64_t cache_line = 64, page_bytes = 4096, huge_page_bytes = std::int64_t{2} << 20;

/// The smallest multiple of `unit` that is not less than `bytes`.
constexpr std::int64_t round_up(std::int64_t bytes, std::int64_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Distance of at least `numbers` numbers that is an odd number of cache lines: lines at powers of two would share the
/// few places that a cache has for their address bits (256-point columns: 25 GF/s at distance 256, 34 at 260).
constexpr std::int64_t padded(std::int64_t numbers, std::int64_t bytes) {
  return (round_up(numbers * bytes, cache_line) / cache_line | 1) * cache_line / bytes;
}

/// Whether two ranges of memory have a byte in common.
inline bool overlap(const void* a, std::int64_t a_bytes, const void* b, std::int64_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes > 0 && b_bytes > 0 && x < y + static_cast<std::uintptr_t>(b_bytes) &&
         y < x + static_cast<std::uintptr_t>(a_bytes);
}

/// What `allocate_field` gives; null if there is not enough memory.
void* field_memory(std::size_t bytes) noexcept;

/// Memory aligned to cache lines, in huge pages where it is large enough to profit. Not initialised.
class Buffer {
 public:
  Buffer() = default;
  /// Error naming the size if it cannot be had.
  explicit Buffer(std::int64_t bytes);
  /// Filled with zeros.
  static Buffer zeroed(std::int64_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }
  /// Room for so many numbers at least; what was there may be lost.
  template <class T>
  T* room_for(std::int64_t numbers) {
    const std::int64_t needed = numbers * static_cast<std::int64_t>(sizeof(T));
    if (bytes_ < needed) *this = Buffer(needed);
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace weft::detail
