#include "exchange/tiles.hpp"

namespace weft::detail {

Index Tile::messages_sent() const {
  if (padded > 0) return peers - 1;
  Index messages = 0;
  for (const Block& block : send) messages += block.shared ? 0 : 1;
  return messages;
}

Index Tile::elements_sent() const {
  if (padded > 0) return (peers - 1) * padded;
  Index elements = 0;
  for (const Block& block : send) elements += block.shared ? 0 : block.count;
  return elements;
}

Index Tile::elements_padding() const {
  if (padded == 0) return 0;
  Index padding = elements_sent();
  for (const Block& block : send) padding -= block.count;
  return padding;
}

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
