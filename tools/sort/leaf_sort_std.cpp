// Sorting on one core where there is no Google Highway.
#include <algorithm>
#include <cstdint>

#include "counting_sort.hpp"
#include "leaf_sort.hpp"

namespace weft::sort {

template <class Key>
void leaf_sort(Key* data, std::size_t n) {
  if constexpr (sizeof(Key) == 1) {
    counting_sort(data, n);
  } else {
    std::sort(data, data + n);
  }
}

template void leaf_sort(std::int8_t*, std::size_t);
template void leaf_sort(std::uint8_t*, std::size_t);
template void leaf_sort(std::int16_t*, std::size_t);
template void leaf_sort(std::uint16_t*, std::size_t);
template void leaf_sort(std::int32_t*, std::size_t);
template void leaf_sort(std::uint32_t*, std::size_t);
template void leaf_sort(std::int64_t*, std::size_t);
template void leaf_sort(std::uint64_t*, std::size_t);

std::string choose_leaf_sort() { return "std::sort"; }

}  // namespace weft::sort
