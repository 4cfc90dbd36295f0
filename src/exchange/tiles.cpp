#include "exchange/tiles.hpp"

namespace weft::detail {

Strides block_strides(const Box& box, const std::array<int, 3>& order) {
  Strides strides;
  Index step = 1;
  for (int i = 2; i >= 0; --i) {
    const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    strides.axis[axis] = step;
    step *= box.extent(static_cast<int>(axis));
  }
  strides.item = step;
  return strides;
}

}  // namespace weft::detail
