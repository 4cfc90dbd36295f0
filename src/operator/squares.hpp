// The squares of wave numbers, as differences have them.
#pragma once

#include <array>
#include <vector>

#include "weft/operator.hpp"

namespace weft::detail {

class SquareOf {
 public:
  SquareOf(const Problem& problem, Stencil stencil);
  /// Of a wave number along an axis.
  double operator()(std::size_t axis, double k) const;

 private:
  std::array<double, 3> distance_{};
  Stencil stencil_;
};

/// The squares at each place of the spectrum along an axis.
std::vector<double> squares_of(const Problem& problem, std::size_t axis, Stencil stencil);

}  // namespace weft::detail
