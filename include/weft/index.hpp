// Points of the global grid: counts, extents, boxes and ranges. Integers only, no MPI.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace weft {

/// All extents, counts and offsets are signed 64-bit.
using Index = std::int64_t;

/// Extents of the three axes. Memory order is C order: axis 2 is the fastest.
using Shape = std::array<Index, 3>;

/// The shape of a two-dimensional grid: n0 x 1 x n1. Nothing is done along an axis of one point, and such a grid is
/// dealt by slabs along its first axis and, transposed, along its last.
constexpr Shape plane(Index n0, Index n1) { return {n0, 1, n1}; }

/// A half-open box lo <= i < hi of the global grid.
struct Box {
  Shape lo{0, 0, 0};
  Shape hi{0, 0, 0};

  Index extent(int axis) const { return hi[axis] - lo[axis]; }
  Shape extents() const { return {extent(0), extent(1), extent(2)}; }
  bool empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
  Index count() const { return empty() ? 0 : extent(0) * extent(1) * extent(2); }
  friend bool operator==(const Box&, const Box&) = default;
};

/// The common part of two boxes (empty if there is none).
Box intersect(const Box& a, const Box& b);

/// "[0:4, 0:8, 2:6]"
std::string to_string(const Box& box);
/// "128 x 128 x 65"
std::string to_string(const Shape& shape);

/// Part `part` of `parts` of 0 <= i < n: the first n mod parts parts have one point more than the others.
struct Range {
  Index lo, hi;
};
Range split(Index n, Index parts, Index part);

}  // namespace weft
