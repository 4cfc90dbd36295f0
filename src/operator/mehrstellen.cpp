#include "operator/mehrstellen.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "operator/squares.hpp"
#include "problem/lines.hpp"

namespace weft::detail {

namespace {

/// Of others nothing is left, whatever they have for a spacing.
bool has_differences(const Problem& problem, std::size_t axis) {
  const std::vector<double> squares = squares_of(problem, axis, Stencil::second_order);
  return std::ranges::any_of(squares, [](double square) { return square > 0; });
}

}  // namespace

bool is_mehrstellen(Stencil stencil) {
  return stencil == Stencil::mehrstellen_fourth_order || stencil == Stencil::mehrstellen_sixth_order;
}

Mehrstellen::Mehrstellen(const Problem& problem, Stencil stencil) {
  if (problem.shape.size() > 3) {
    throw Error(concat("stencil is ", to_string(stencil), " and shape has ", problem.shape.size(),
                       " axes; allowed are up to 3"));
  }
  std::array<double, 3> h{};
  std::array<bool, 3> counts{};
  double any = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    h[axis] = spacing_of(problem.line(axis), problem.shape[axis], problem.lengths[axis]);
    counts[axis] = has_differences(problem, axis);
    if (counts[axis]) any = h[axis];
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double one = h[(axis + 1) % 3], other = h[(axis + 2) % 3];
    singles_[axis] = h[axis] * h[axis] / 12;
    pairs_[axis] = (one * one + other * other) / 12;
  }
  if (stencil == Stencil::mehrstellen_fourth_order) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!counts[axis] || std::abs(h[axis] - any) <= 1e-9 * any) continue;
    throw Error(concat("stencil is ", to_string(stencil), " and points are ", text("%g", h[axis]), " apart along axis ",
                       axis, " and ", text("%g", any), " along another; it needs the same spacing along all axes"));
  }
  const double fourth_power = any * any * any * any;
  triple_ = fourth_power / 30;
  square_ = fourth_power / 240;
  product_ = fourth_power / 90;
}

void Mehrstellen::require_solvable(const Problem& problem, double shift) const {
  std::array<std::vector<double>, 3> all;
  for (std::size_t axis = 0; axis < 3; ++axis) all[axis] = squares_of(problem, axis, Stencil::second_order);
  for (const double a : all[0]) {
    for (const double b : all[1]) {
      for (const double c : all[2]) {
        const std::array<double, 3> s{a, b, c};
        if (std::abs(left(s, shift)) > 1e-13 * std::abs(shift * right(s))) continue;
        refuse_eigenvalue(shift);
      }
    }
  }
}

}  // namespace weft::detail
