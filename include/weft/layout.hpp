// Who holds what: the distribution of the global grid over ranks. Integers only, no MPI.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weft/error.hpp"
#include "weft/index.hpp"

namespace weft {

/// Which box of the global grid each rank holds. A box may be empty; boxes never overlap and together cover the grid.
/// A rank's part is stored in C order of its box. A grid may be without points, with an extent of 0: a part of the
/// ranks may hold no part of a field, and yet take part in its redistributions.
class Layout {
 public:
  /// An empty grid on no ranks.
  Layout() = default;

  /// A regular grid of parts[0] x parts[1] x parts[2] boxes; rank = (i0 * parts[1] + i1) * parts[2] + i2.
  static Layout grid(const Shape& shape, const std::array<int, 3>& parts);
  /// One axis split over all ranks.
  static Layout slab(const Shape& shape, int ranks, int axis);
  /// The two axes other than `local_axis` split over rows x columns ranks (the earlier axis over the rows);
  /// rank = row * columns + column.
  static Layout pencil(const Shape& shape, int rows, int columns, int local_axis);
  /// Any boxes, one a rank. Error if they overlap, leave the grid or do not cover it.
  static Layout bricks(const Shape& shape, std::vector<Box> boxes);

  const Shape& shape() const { return shape_; }
  int ranks() const { return ranks_; }
  Box box(int rank) const;
  /// Number of parts along each axis of a regular grid; nothing for bricks.
  std::optional<std::array<int, 3>> parts() const;

  /// A box of the grid with the rank that holds it.
  struct Overlap {
    int rank;
    Box box;
  };
  /// The parts of `box`, by ascending rank; ranks without a part are left out. Costs about the number of results for
  /// regular grids, and the number of ranks for bricks.
  std::vector<Overlap> overlaps(const Box& box) const;
  /// Only their ranks: quicker, where many are asked for.
  std::vector<int> overlapping(const Box& box) const;

  /// "slab along axis 0", "pencil 2 x 4, axis 2 local", "grid 2 x 2 x 2", "bricks", "one rank": told by counting
  /// the axes that are split.
  std::string describe() const;

  friend bool operator==(const Layout& a, const Layout& b);

 private:
  struct Grid {
    std::array<int, 3> parts;
  };
  /// Places of the parts of a regular grid that a box meets: first and last along each axis.
  std::array<Range, 3> places(const Box& box) const;
  Shape shape_{0, 0, 0};
  int ranks_ = 0;
  std::variant<Grid, std::vector<Box>> holder_;
};

}  // namespace weft
