#include "base/buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.hpp"
#include "weft/error.hpp"
#include "weft/memory.hpp"

namespace weft::detail {

namespace {

/// Begins with a multiple of `least` bytes, or, where it is large, a huge page. Nothing if it cannot be had.
std::byte* aligned_memory(std::int64_t bytes, std::int64_t least) {
  const bool huge = bytes >= 2 * huge_page_bytes;
  const std::int64_t alignment = huge ? huge_page_bytes : least;
  const std::int64_t rounded = round_up(bytes, alignment);
  void* const memory = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded));
  // Strided passes touch a page a row: without huge pages the address translation costs as much as the copy.
  if (huge && memory != nullptr) madvise(memory, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

}  // namespace

Buffer::Buffer(std::int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  data_ = aligned_memory(bytes, page_bytes);
  if (data_ == nullptr) throw Error(concat("out of memory: ", bytes, " bytes of workspace could not be allocated"));
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

void* field_memory(std::size_t bytes) noexcept {
  // As much as there can be, so that rounding up is safe. Of nothing there is a line: an address that is not null.
  if (bytes >= std::size_t{1} << 62) return nullptr;
  const auto wanted = std::max<std::int64_t>(static_cast<std::int64_t>(bytes), 1);
  return aligned_memory(wanted, wanted < page_bytes ? cache_line : page_bytes);
}

}  // namespace weft::detail

namespace weft {

void* allocate_field(std::size_t bytes) {
  void* const memory = detail::field_memory(bytes);
  if (memory == nullptr)
    throw Error(detail::concat("out of memory: ", bytes, " bytes of a field could not be allocated"));
  return memory;
}

void free_field(void* memory) noexcept { std::free(memory); }

}  // namespace weft
