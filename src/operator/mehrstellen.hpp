// Mehrstellen: compact differences of the fourth and the sixth order, of neighbours along all axes together.
//
// Their equation is L u = R f. Of a wave both are numbers, of the squares that second differences of neighbours make of
// it along the axes, s = (2 sin(k h / 2) / h)^2 (L. Collatz, The Numerical Treatment of Differential Equations, 1960;
// of the sixth order, with one spacing h: W. F. Spotz, G. F. Carey, A high-order compact formulation for the 3D Poisson
// equation, Numer. Methods Partial Differ. Equ. 12, 1996).
#pragma once

#include <array>

#include "weft/operator.hpp"

namespace weft::detail {

bool is_mehrstellen(Stencil stencil);

class Mehrstellen {
 public:
  /// Throws Error where axes are more than three, or, of the sixth order, spacings differ.
  Mehrstellen(const Problem& problem, Stencil stencil);
  /// L less `shift` times R, of waves with these squares; -L is positive but for a constant, R at least 0.
  double left(const std::array<double, 3>& s, double shift) const {
    const double sum = s[0] + s[1] + s[2];
    const double pairs = pairs_[0] * s[1] * s[2] + pairs_[1] * s[2] * s[0] + pairs_[2] * s[0] * s[1];
    return pairs - sum - triple_ * s[0] * s[1] * s[2] - shift * right(s);
  }
  double right(const std::array<double, 3>& s) const {
    const double squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], sum = s[0] + s[1] + s[2];
    return 1 - singles_[0] * s[0] - singles_[1] * s[1] - singles_[2] * s[2] - square_ * squares +
           product_ / 2 * (sum * sum - squares);
  }
  /// Throws Error if `left` of some wave is 0, to rounding, with a shift that is not 0.
  void require_solvable(const Problem& problem, double shift) const;

 private:
  std::array<double, 3> pairs_{}, singles_{};  ///< of the axes other than one; of one
  double triple_ = 0, square_ = 0, product_ = 0;
};

}  // namespace weft::detail
