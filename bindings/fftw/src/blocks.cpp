#include "blocks.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

namespace weft::fftw {

namespace {

/// More than any memory holds, and still a count: programs take twice of it, and of that the bytes.
constexpr Index too_many = std::numeric_limits<Index>::max() / 64;

/// The product of counts; what is out of range becomes 0 or `too_many`, of which no array can be allocated.
Index numbers_of(std::initializer_list<Index> counts) {
  if (std::ranges::any_of(counts, [](Index count) { return count < 1; })) return 0;
  Index numbers = 1;
  for (const Index count : counts) {
    if (__builtin_mul_overflow(numbers, count, &numbers) || numbers > too_many) return too_many;
  }
  return numbers;
}

}  // namespace

Index blocks(Index n, Index size) { return n > 0 ? (n - 1) / size + 1 : 0; }

Index block_size(Index n, Index given, int ranks) {
  // One block of all is the largest that there is; of more than that, places would overflow.
  return std::min(std::max(n, Index{1}), given > 0 ? given : std::max(blocks(n, ranks), Index{1}));
}

Range block(Index n, Index size, int rank) {
  if (rank >= blocks(n, size)) return {0, 0};
  const Index lo = rank * size;
  return {lo, lo + std::min(size, n - lo)};
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

bool within_reach(std::span<const std::ptrdiff_t> n, Index howmany) {
  Index numbers = numbers_of({howmany});
  for (const Index extent : n) numbers = numbers_of({numbers, extent});
  return numbers > 0 && numbers < too_many;
}

LocalSize local_size(std::span<const std::ptrdiff_t> n, Index howmany, Index first_block,
                     std::optional<Index> second_block, int ranks, int rank) {
  LocalSize local{};
  local.first = block(n[0], block_size(n[0], first_block, ranks), rank);
  const Index mine = local.first.hi - local.first.lo;
  Index rest = 1;  // of the axes after the first two
  for (std::size_t axis = 2; axis < n.size(); ++axis) rest = numbers_of({rest, n[axis]});
  if (n.size() == 1) {
    local.second = local.first;
    local.numbers = mine;
  } else {
    local.numbers = numbers_of({mine, n[1], rest});
    if (second_block) {
      local.second = block(n[1], block_size(n[1], *second_block, ranks), rank);
      local.numbers = std::max(local.numbers, numbers_of({n[0], local.second.hi - local.second.lo, rest}));
    } else {
      local.second = {0, mine > 0 ? std::max(n[1], Index{0}) : 0};
    }
  }
  local.numbers = numbers_of({std::max(local.numbers, Index{1}), howmany});
  return local;
}

}  // namespace weft::fftw
