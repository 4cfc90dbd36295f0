#include "blocks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::fftw {

Index blocks(Index n, Index size) { return (n + size - 1) / size; }

Index block_size(Index n, Index given, int ranks) { return given > 0 ? given : blocks(n, ranks); }

Range block(Index n, Index size, int rank) {
  const Index lo = rank * size;
  return lo < n ? Range{lo, std::min(n, lo + size)} : Range{0, 0};
}

Layout slabs(const Shape& shape, int axis, Index size, int ranks) {
  const auto along = static_cast<std::size_t>(axis);
  std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box{{0, 0, 0}, shape});
  for (int rank = 0; rank < ranks; ++rank) {
    Box& box = boxes[static_cast<std::size_t>(rank)];
    const Range mine = block(shape[along], size, rank);
    box.lo[along] = mine.lo;
    box.hi[along] = mine.hi;
  }
  const Layout dealt = Layout::bricks(shape, std::move(boxes)), even = Layout::slab(shape, ranks, axis);
  // A regular grid needs no search for who holds what.
  return dealt == even ? even : dealt;
}

LocalSize local_size(std::span<const std::ptrdiff_t> n, Index howmany, Index first_block,
                     std::optional<Index> second_block, int ranks, int rank) {
  LocalSize local{};
  local.first = block(n[0], block_size(n[0], first_block, ranks), rank);
  const Index mine = local.first.hi - local.first.lo;
  Index rest = 1;  // of the axes after the first two
  for (std::size_t axis = 2; axis < n.size(); ++axis) rest *= n[axis];
  if (n.size() == 1) {
    local.second = local.first;
    local.numbers = mine;
  } else if (second_block && *second_block < n[1]) {
    local.second = block(n[1], block_size(n[1], *second_block, ranks), rank);
    local.numbers = std::max(mine * n[1], (local.second.hi - local.second.lo) * n[0]) * rest;
  } else {
    local.second = {0, mine > 0 ? n[1] : 0};
    local.numbers = mine * n[1] * rest;
  }
  local.numbers = std::max(local.numbers, Index{1}) * howmany;
  return local;
}

}  // namespace weft::fftw
