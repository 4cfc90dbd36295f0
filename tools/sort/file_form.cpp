#include "file_form.hpp"

#include <algorithm>
#include <cstring>

namespace weft::sort {

namespace {

std::size_t size(int bytes) { return static_cast<std::size_t>(bytes); }

/// Turns the bytes of all units around, if the file's are the other way round.
void swap_units(const ElementType& type, std::byte* data, std::size_t n) {
  if (!type.swapped) return;
  const std::size_t unit = size(type.unit);
  for (std::byte* end = data + n * size(type.file_bytes); data != end; data += unit) std::reverse(data, data + unit);
}

/// Where a character of a string lies in its words.
struct Place {
  std::size_t word;
  int shift;
};
Place place(const ElementType& type, std::size_t character) {
  const std::size_t each = sizeof(std::uint64_t) / size(type.unit);
  return {character / each, static_cast<int>(each - 1 - character % each) * 8 * type.unit};
}

/// The number of a character of one or four bytes.
std::uint64_t character(const std::byte* data, int unit) {
  if (unit == 1) return static_cast<std::uint8_t>(*data);
  std::uint32_t code = 0;
  std::memcpy(&code, data, sizeof code);
  return code;
}

}  // namespace

bool file_form_is_own(const ElementType& type) { return !type.swapped && type.order != Order::text; }

void from_file_form(const ElementType& type, const std::byte* file, std::size_t n, void* elements) {
  if (type.order != Order::text) {
    auto* out = static_cast<std::byte*>(elements);
    std::memcpy(out, file, n * size(type.file_bytes));
    swap_units(type, out, n);
    return;
  }
  const std::size_t words = size(type.bytes) / sizeof(std::uint64_t), characters = size(type.file_bytes / type.unit);
  auto* word = static_cast<std::uint64_t*>(elements);
  std::fill_n(word, n * words, 0);
  for (std::size_t i = 0; i < n; ++i, word += words) {
    for (std::size_t c = 0; c < characters; ++c, file += type.unit) {
      const Place to = place(type, c);
      std::uint64_t code = character(file, type.unit);
      if (type.swapped) code = __builtin_bswap32(static_cast<std::uint32_t>(code));
      word[to.word] |= code << to.shift;
    }
  }
}

void to_file_form(const ElementType& type, const void* elements, std::size_t n, std::byte* file) {
  if (type.order != Order::text) {
    std::memcpy(file, elements, n * size(type.file_bytes));
    swap_units(type, file, n);
    return;
  }
  const std::size_t words = size(type.bytes) / sizeof(std::uint64_t), characters = size(type.file_bytes / type.unit);
  const auto* word = static_cast<const std::uint64_t*>(elements);
  std::byte* out = file;
  for (std::size_t i = 0; i < n; ++i, word += words) {
    for (std::size_t c = 0; c < characters; ++c, out += type.unit) {
      const Place from = place(type, c);
      const auto code = static_cast<std::uint32_t>(word[from.word] >> from.shift);
      if (type.unit == 1) {
        *out = static_cast<std::byte>(code & 0xff);
      } else {
        std::memcpy(out, &code, sizeof code);
      }
    }
  }
  swap_units(type, file, n);
}

}  // namespace weft::sort
