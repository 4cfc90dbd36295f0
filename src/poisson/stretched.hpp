// An axis whose points lie unevenly: no waves, but equations between neighbours.
#pragma once

#include <memory>

#include "weft/poisson.hpp"

namespace weft::detail {

/// The second difference of finite volumes at each unknown point: to_low u_{j-1} + own u_j + to_high u_{j+1}.
struct UnevenAxis {
  std::size_t axis = 0;
  std::vector<double> to_low, own, to_high;
  std::vector<double> volumes;       ///< lengths of the volumes around the points
  std::array<double, 2> of_walls{};  ///< what the low and the high wall's value adds to f beside it, of a value of 1
  bool constant = false;             ///< a constant has the difference 0
};

/// Of an axis that has spacings, in a problem that has been checked.
UnevenAxis uneven_axis(const PoissonProblem& problem, std::size_t axis);

/// Solves along each line of an axis what is left of the equation at a wave number of the others. `transforms` has no
/// transform along the axis. Where nothing but the difference is left and a constant has none, the lines are taken less
/// their means. (Gauss's elimination without pivots, as L. H. Thomas has it: safe, since the matrix is dominated by its
/// diagonal with a shift of at least 0.)
template <class Real>
PointFunction<Real> solve_lines(const Problem& transforms, Stencil stencil, std::shared_ptr<const UnevenAxis> uneven,
                                double shift);

}  // namespace weft::detail
