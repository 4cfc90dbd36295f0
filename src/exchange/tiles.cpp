#include "exchange/tiles.hpp"

#include <algorithm>
#include <numeric>

#include "base/buffer.hpp"

namespace weft::detail {

Index elements_of(const std::vector<Block>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), Index{0},
                         [](Index sum, const Block& block) { return sum + block.count; });
}

namespace {

Strides strides_of(const ExchangePlan& plan, const Block& block) {
  return block.aligned ? aligned_strides(block.box, plan.order, plan.local_bytes)
                       : block_strides(block.box, plan.order);
}

}  // namespace

Index elements_of_lines(int element_bytes) { return cache_line / std::gcd(cache_line, Index{element_bytes}); }

Index aligned_row(Index elements, int element_bytes) {
  const Index room = round_up(elements, elements_of_lines(element_bytes));
  return 8 * (room - elements) <= elements ? room : elements;
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

Strides aligned_strides(const Box& box, const std::array<int, 3>& order, int element_bytes) {
  Strides strides;
  const auto at = [&](int i) -> Index& {
    return strides.axis[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
  };
  const auto extent = [&](int i) { return box.extent(order[static_cast<std::size_t>(i)]); };
  at(2) = 1;
  at(1) = aligned_row(extent(2), element_bytes);
  at(0) = at(1) * extent(1);
  // Rows of all planes are written in turns. A row and a line more from plane to plane puts neither their first lines
  // nor whole rows into the same sets.
  constexpr Index colliding = 8 * cache_line;
  if (extent(0) > 1 && extent(1) >= 8 && at(0) * element_bytes % colliding == 0) {
    at(0) += at(1) + elements_of_lines(element_bytes);
  }
  strides.item = at(0) * extent(0);
  return strides;
}

Strides sent_strides(const ExchangePlan& plan, const Tile& tile, const Block& block) {
  return plan.arrays ? tile.send_strides : strides_of(plan, block);
}

Strides received_strides(const ExchangePlan& plan, const Tile& tile, const Block& block) {
  return plan.arrays ? tile.recv_strides : strides_of(plan, block);
}

Strides kept_strides(const ExchangePlan& plan, const Tile& tile, const Block& block) {
  return plan.kept == ExchangePlan::Kept::work ? sent_strides(plan, tile, block) : plan.kept_strides;
}

Box cut(Box box, int axis, Index parts, Index k) {
  const auto a = static_cast<std::size_t>(axis);
  const Range range = split(std::max<Index>(box.extent(axis), 0), parts, k);
  const Index lo = box.lo[a];
  box.lo[a] = lo + range.lo;
  box.hi[a] = lo + range.hi;
  return box;
}

Box box_around(const Layout& layout, int rank) {
  if (!layout.has_several()) return layout.box(rank);
  Box around;
  for (const Box& box : layout.boxes(rank)) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      around.lo[axis] = around.empty() ? box.lo[axis] : std::min(around.lo[axis], box.lo[axis]);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) around.hi[axis] = std::max(around.hi[axis], box.hi[axis]);
  }
  return around;
}

Range tile_range(const ExchangePlan& plan, int rank, Index k) {
  const auto axis = static_cast<std::size_t>(plan.tile_axis);
  const Box part = cut(box_around(plan.from, rank), plan.tile_axis, plan.tiles_per_group, k);
  return {part.lo[axis], part.hi[axis]};
}

Box in_tile(const ExchangePlan& plan, Box box, const Range& range) {
  const auto axis = static_cast<std::size_t>(plan.tile_axis);
  box.lo[axis] = std::max(box.lo[axis], range.lo);
  box.hi[axis] = std::max(box.lo[axis], std::min(box.hi[axis], range.hi));
  return box;
}

std::vector<Box> tile_parts(const ExchangePlan& plan, int rank, Index k) {
  std::vector<Box> parts = plan.from.boxes(rank);
  const Range range = tile_range(plan, rank, k);
  for (Box& part : parts) part = in_tile(plan, part, range);
  return parts;
}

}  // namespace weft::detail
