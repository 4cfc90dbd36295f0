#include "operator/mehrstellen.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "operator/operator.hpp"
#include "operator/rows.hpp"
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
  double any = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    h[axis] = spacing_of(problem.line(axis), problem.shape[axis], problem.lengths[axis]);
    if (has_differences(problem, axis)) any = h[axis];
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double one = h[(axis + 1) % 3], other = h[(axis + 2) % 3];
    singles_[axis] = h[axis] * h[axis] / 12;
    pairs_[axis] = (one * one + other * other) / 12;
  }
  if (stencil == Stencil::mehrstellen_fourth_order) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!has_differences(problem, axis) || std::abs(h[axis] - any) <= 1e-9 * any) continue;
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
        throw Error(concat("shift is ", text("%.17g", shift),
                           ", which is an eigenvalue of the Laplacian: no field, or many, would do"));
      }
    }
  }
}

template <class Real>
PointFunction<Real> inverse_mehrstellen(const Problem& problem, Stencil stencil, double shift) {
  const Mehrstellen equation(problem, stencil);
  if (shift < 0) equation.require_solvable(problem, shift);
  const SquareOf square(problem, Stencil::second_order);
  return built_in<Real>("inverse_laplacian", 1, 1, [=](const auto& tile) {
    std::array<std::vector<double>, 3> squares;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (Index i = tile.box.lo[axis]; i < tile.box.hi[axis]; ++i)
        squares[axis].push_back(square(axis, at(tile.at[axis], i)));
    }
    for_each_row(tile, [&](Index i, Index j) {
      const double a = at(squares[0], i - tile.box.lo[0]), b = at(squares[1], j - tile.box.lo[1]);
      const auto* const in = tile.in(0, i, j);
      auto* const out = tile.out(0, i, j);
      for (Index k = 0; k < tile.box.extent(2); ++k) {
        const std::array<double, 3> s{a, b, squares[2][static_cast<std::size_t>(k)]};
        const double left = equation.left(s, shift);
        // Of a constant, without a shift.
        out[k] = in[k] * static_cast<Real>(left != 0 ? equation.right(s) / left : 0.0);
      }
    });
  });
}

template PointFunction<float> inverse_mehrstellen(const Problem&, Stencil, double);
template PointFunction<double> inverse_mehrstellen(const Problem&, Stencil, double);

}  // namespace weft::detail
