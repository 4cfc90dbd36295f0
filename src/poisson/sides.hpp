// What the sides of a box make of an axis: its line, its unknown points, and where these are among the stored ones.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "operator/free_space.hpp"
#include "poisson/stretched.hpp"
#include "weft/poisson.hpp"

namespace weft::detail {

struct SidesOfAxis {
  Line line = Line::dft;
  Index stored = 1, unknowns = 1;
  Index first = 0;       ///< stored point of the first unknown, counted from the side at which the line begins
  bool flipped = false;  ///< the line begins at the high side
  Index grid = 1;        ///< points of the line: more than the unknowns where a side is open
  double length = 1;     ///< of the line
  double spacing = 1;    ///< of neighbours
  FreeAxis free{};
  std::shared_ptr<const UnevenAxis> uneven{};  ///< where points lie unevenly
  std::vector<double> volumes;                 ///< of the unknowns, in any unit: half of the others' where a side is
  std::array<double, 2> of_walls{};            ///< what a value of 1 at the low and the high wall adds to f beside it

  /// The stored point that an unknown one is.
  Index place(Index unknown) const { return flipped ? stored - 1 - first - unknown : first + unknown; }
  /// The unknown point next to the low (0) or the high side (1).
  Index beside(int end) const { return (end == 0) != flipped ? 0 : unknowns - 1; }
};
inline bool is_wall(Side side) { return side == Side::even || side == Side::odd; }
/// The line between two walls, or from a wall to where nothing is.
Line line_between(Side low, Side high, Points points);
/// Of a problem that has been checked.
std::array<SidesOfAxis, 3> sides_of(const PoissonProblem& problem);
Problem operator_of(const PoissonProblem& problem, const std::array<SidesOfAxis, 3>& axes);
bool has_open_sides(const PoissonProblem& problem);
/// The axis that has spacings; 3 if none has.
std::size_t stretched_axis(const PoissonProblem& problem);
/// The problem, once it has been checked, with the length that such an axis has by its spacings.
PoissonProblem with_lengths(PoissonProblem problem);
/// Whether unknowns are others than the stored points, or in another order.
bool copies(const std::array<SidesOfAxis, 3>& axes);

/// The unknowns of a box of stored points, and the box of stored points whose unknowns they are, with the walls beside
/// them.
Box unknowns_of(const std::array<SidesOfAxis, 3>& axes, const Box& stored);
Box stored_of(const std::array<SidesOfAxis, 3>& axes, const Box& unknowns);
/// The same of layouts.
Layout unknowns_of(const std::array<SidesOfAxis, 3>& axes, const Layout& stored);
Layout stored_of(const std::array<SidesOfAxis, 3>& axes, const Layout& unknowns);

}  // namespace weft::detail
