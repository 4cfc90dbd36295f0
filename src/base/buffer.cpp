#include "base/buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

Buffer::Buffer(std::int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  const bool huge = bytes >= 2 * huge_page_bytes;
  const std::int64_t alignment = huge ? huge_page_bytes : page_bytes;
  const std::int64_t rounded = round_up(bytes, alignment);
  data_ = static_cast<std::byte*>(
      std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded)));
  if (data_ == nullptr) throw Error(concat("out of memory: ", bytes, " bytes of workspace could not be allocated"));
  // Strided passes touch a page a row: without huge pages the address translation costs as much as the copy.
  if (huge) madvise(data_, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
}

Buffer Buffer::zeroed(std::int64_t bytes) {
  Buffer buffer(bytes);
  std::fill_n(buffer.data_, bytes, std::byte{0});
  return buffer;
}

Buffer::~Buffer() { std::free(data_); }

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace weft::detail
