#include "exchange/tiles.hpp"

#include <algorithm>
#include <numeric>

namespace weft::detail {

Index elements_of(const std::vector<Block>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), Index{0},
                         [](Index sum, const Block& block) { return sum + block.count; });
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

Strides sent_strides(const ExchangePlan& plan, const Tile& tile, const Block& block) {
  return plan.arrays ? tile.send_strides : block_strides(block.box, plan.order);
}

Strides received_strides(const ExchangePlan& plan, const Tile& tile, const Block& block) {
  return plan.arrays ? tile.recv_strides : block_strides(block.box, plan.order);
}

Box cut(Box box, int axis, Index parts, Index k) {
  const auto a = static_cast<std::size_t>(axis);
  const Range range = split(std::max<Index>(box.extent(axis), 0), parts, k);
  const Index lo = box.lo[a];
  box.lo[a] = lo + range.lo;
  box.hi[a] = lo + range.hi;
  return box;
}

Box tile_part(const ExchangePlan& plan, int rank, Index k) {
  return cut(plan.from.box(rank), plan.tile_axis, plan.tiles_per_group, k);
}

}  // namespace weft::detail
