#include "operator/squares.hpp"

#include <cmath>

#include "problem/lines.hpp"

namespace weft::detail {

SquareOf::SquareOf(const Problem& problem, Stencil stencil) : stencil_(stencil) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    distance_[axis] = spacing_of(problem.kind.lines[axis], problem.shape[axis], problem.lengths[axis]);
  }
}

double SquareOf::operator()(std::size_t axis, double k) const {
  const double h = distance_[axis], sine = std::sin(k * h / 2), x = sine * sine;
  switch (stencil_) {
    case Stencil::spectral: return k * k;
    case Stencil::second_order: return 4 * x / (h * h);
    case Stencil::fourth_order: return 4 * x * (1 + x / 3) / (h * h);
    case Stencil::sixth_order: return 4 * x * (1 + x * (1.0 / 3 + x * 8 / 45)) / (h * h);
  }
  return k * k;
}

std::vector<double> squares_of(const Problem& problem, std::size_t axis, Stencil stencil) {
  const SquareOf square(problem, stencil);
  std::vector<double> squares =
      wavenumbers(problem.kind.lines[axis], problem.kept_modes()[axis], problem.lengths[axis]);
  for (double& k : squares) k = square(axis, k);
  return squares;
}

}  // namespace weft::detail
