// The squares of wave numbers, as differences have them.
#pragma once

#include <array>
#include <vector>

#include "weft/operator.hpp"

namespace weft::detail {

/// A second difference, of neighbours at the distance 1, makes of exp(i theta) minus
/// 4 x (over0 + over1 x + ...) / (under0 + under1 x) times it, x being sin(theta / 2)^2.
struct Symbol {
  Stencil stencil;
  const char* name;
  std::array<double, 4> over;
  std::array<double, 2> under;
  double operator()(double x) const;
};
/// Of any stencil other than spectral.
const Symbol& symbol_of(Stencil stencil);

class SquareOf {
 public:
  SquareOf(const Problem& problem, Stencil stencil);
  /// Of a wave number along an axis.
  double operator()(std::size_t axis, double k) const;

 private:
  std::array<double, Extents::most_axes> distance_{};
  const Symbol* symbol_ = nullptr;  ///< none: spectral
};

/// Error for a shift with which no field, or many, would do.
[[noreturn]] void refuse_eigenvalue(double shift);

/// The squares at each place of the spectrum along an axis.
std::vector<double> squares_of(const Problem& problem, std::size_t axis, Stencil stencil);

}  // namespace weft::detail
