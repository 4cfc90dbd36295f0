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

class Layout;
namespace detail {
/// Rows of ranks split axis 0; along axis 2, run i of points, [first[i], first[i + 1]), belongs to a column of ranks.
/// rank = row * columns + column. Ranks hold a box for each of their runs.
struct Runs {
  int rows = 1, columns = 1;
  std::vector<Index> first;  ///< of each run, and the end
  std::vector<int> column;   ///< of each run
};
/// Of a grid of one point along axis 1.
Layout layout_of_runs(const Shape& shape, Runs runs);
}  // namespace detail

/// Which box of the global grid each rank holds, or which boxes. A box may be empty; boxes never overlap and together
/// cover the grid. A rank's part is stored in C order of its box. A grid may be without points, with an extent of 0: a
/// part of the ranks may hold no part of a field, and yet take part in its redistributions.
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
  /// Any boxes, `owners[i]` being the rank that holds box i: codes with adaptive meshes have many a rank. A rank's
  /// array holds its boxes one after the other, in the order in which they are given. Error as for bricks.
  static Layout patches(const Shape& shape, int ranks, const std::vector<Box>& boxes, const std::vector<int>& owners);

  const Shape& shape() const { return shape_; }
  int ranks() const { return ranks_; }
  /// Of a layout in which no rank has several; else an Error.
  Box box(int rank) const;
  /// The boxes of a rank, in the order of its array. Without patches it is one, which may be empty.
  std::vector<Box> boxes(int rank) const;
  /// Whether some rank has several.
  bool has_several() const {
    return std::holds_alternative<Patches>(holder_) || std::holds_alternative<detail::Runs>(holder_);
  }
  /// Number of parts along each axis of a regular grid; nothing for bricks and patches.
  std::optional<std::array<int, 3>> parts() const;

  /// A box of the grid with the rank that holds it.
  struct Overlap {
    int rank;
    Box box;
  };
  /// The parts of `box`, by ascending rank, those of a rank in the order of its boxes; what has no part is left out.
  /// Costs about the number of results for regular grids, and the number of boxes for bricks and patches.
  std::vector<Overlap> overlaps(const Box& box) const;
  /// Only their ranks, each once: quicker, where many are asked for.
  std::vector<int> overlapping(const Box& box) const;

  /// "slab along axis 0", "pencil 2 x 4, axis 2 local", "grid 2 x 2 x 2", "4 bricks", "9 patches of 4 ranks", "one
  /// rank": told by counting the axes that are split.
  std::string describe() const;

  friend bool operator==(const Layout& a, const Layout& b);
  friend Layout detail::layout_of_runs(const Shape& shape, detail::Runs runs);

 private:
  struct Grid {
    std::array<int, 3> parts;
  };
  struct Patches {
    std::vector<Box> boxes;  ///< by ascending rank
    std::vector<int> ranks;  ///< of each
  };
  /// Calls `use(rank, common)` for all bricks, patches or runs that the box meets. False, and nothing, of a regular
  /// grid.
  template <class Use>
  bool for_each_listed(const Box& box, const Use& use) const;
  /// Places of the parts of a regular grid that a box meets: first and last along each axis.
  std::array<Range, 3> places(const Box& box) const;
  Shape shape_{0, 0, 0};
  int ranks_ = 0;
  std::variant<Grid, std::vector<Box>, Patches, detail::Runs> holder_;
};

/// Points that a rank's part has besides those of its boxes: so many below and above each of them along each axis.
struct Ghosts {
  Shape below{0, 0, 0}, above{0, 0, 0};
  /// Along these axes the grid begins again where it ends. Along others there is nothing beyond it, and numbers there
  /// are neither written nor read.
  std::array<bool, 3> periodic{true, true, true};

  bool none() const { return below == Shape{} && above == Shape{}; }
  friend bool operator==(const Ghosts&, const Ghosts&) = default;
  /// A box with its ghosts, whose indices may lie outside of the grid; an empty box has none.
  Box around(const Box& box) const;
  std::vector<Box> around(std::vector<Box> boxes) const;
};

}  // namespace weft
