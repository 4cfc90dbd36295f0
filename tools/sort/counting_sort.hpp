// Sorting bytes: their number of values is so small that counting them is all there is to do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace weft::sort {

template <class Key>
void counting_sort(Key* data, std::size_t n) {
  static_assert(sizeof(Key) == 1);
  std::array<std::size_t, 256> counts{};
  for (std::size_t i = 0; i < n; ++i) ++counts[static_cast<std::uint8_t>(data[i])];
  for (int value = std::numeric_limits<Key>::min(); value <= std::numeric_limits<Key>::max(); ++value) {
    const std::size_t count = counts[static_cast<std::uint8_t>(value)];
    for (std::size_t i = 0; i < count; ++i) *data++ = static_cast<Key>(value);
  }
}

}  // namespace weft::sort
