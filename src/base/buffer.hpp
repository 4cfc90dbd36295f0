// Uninitialised memory for exchange buffers and scratch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::detail {

/// Memory aligned to cache lines, in huge pages where it is large enough to profit. Not initialised.
class Buffer {
 public:
  Buffer() = default;
  /// Error naming the size if it cannot be had.
  explicit Buffer(std::int64_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace weft::detail
