// Points of the global grid: counts, extents, boxes and ranges. Integers only, no MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace weft {

/// All extents, counts and offsets are signed 64-bit.
using Index = std::int64_t;

/// Extents of the three axes along which grids are divided among ranks. Memory order is C order: axis 2 is the fastest.
using Shape = std::array<Index, 3>;

/// Extents of a grid of three to eight axes. The axes after the third are not divided: every point of the first three
/// has them whole, and their numbers lie side by side in memory, the last axis the fastest. So layouts and boxes speak
/// of the first three, and an Extents can be used as their Shape.
class Extents {
 public:
  static constexpr int most_axes = 8;

  constexpr Extents() = default;
  constexpr Extents(const Shape& shape) : n_{shape[0], shape[1], shape[2]} {}
  /// Three to eight extents; or those of a plane, n0 x n1, which is n0 x 1 x n1. Error for other numbers of them.
  constexpr Extents(std::initializer_list<Index> extents) : Extents(extents.begin(), extents.size()) {}
  constexpr Extents(const Index* extents, std::size_t axes) {
    if (axes == 2) {
      n_ = {extents[0], 1, extents[1]};
      return;
    }
    if (axes < 3 || axes > most_axes) refuse(axes);
    axes_ = static_cast<int>(axes);
    for (std::size_t axis = 0; axis < axes; ++axis) n_[axis] = extents[axis];
  }

  /// Axes.
  constexpr int rank() const { return axes_; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(axes_); }
  constexpr Index& operator[](std::size_t axis) { return n_[axis]; }
  constexpr const Index& operator[](std::size_t axis) const { return n_[axis]; }
  constexpr const Index* begin() const { return n_.data(); }
  constexpr const Index* end() const { return n_.data() + axes_; }
  constexpr Index* begin() { return n_.data(); }
  constexpr Index* end() { return n_.data() + axes_; }
  /// The first three.
  constexpr operator Shape() const { return {n_[0], n_[1], n_[2]}; }
  /// These, but for the first three.
  constexpr Extents with_first(const Shape& first) const {
    Extents all = *this;
    for (std::size_t axis = 0; axis < first.size(); ++axis) all.n_[axis] = first[axis];
    return all;
  }
  friend constexpr bool operator==(const Extents&, const Extents&) = default;

 private:
  [[noreturn]] static void refuse(std::size_t axes);
  std::array<Index, most_axes> n_{1, 1, 1};
  int axes_ = 3;
};

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
std::string to_string(const Extents& extents);

/// Part `part` of `parts` of 0 <= i < n: the first n mod parts parts have one point more than the others.
struct Range {
  Index lo, hi;
};
Range split(Index n, Index parts, Index part);

}  // namespace weft
