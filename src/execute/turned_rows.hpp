// What one long line needs between its two transforms: the factors that turn a row (its "twiddles").
#pragma once

#include <algorithm>
#include <complex>

#include "problem/roots.hpp"

namespace weft::detail {

/// Of a line of n points: the factors exp(sign 2 pi i k j / n) of row k, j counting its numbers. No error grows along
/// the row.
class TurnedRows {
 public:
  explicit TurnedRows(Index n) : roots_(n) {}

  /// The row has the numbers of so many fields at each point.
  template <class Real>
  void operator()(std::complex<Real>* row, Index points, Index fields, Index k, int sign) const {
    // Neighbours are one factor of the block times one of its place in the block.
    std::complex<double> within[block], factors[block];
    for (Index j = 0; j < std::min(block, points); ++j) within[j] = factor(k, j, sign);
    for (Index first = 0; first < points; first += block) {
      const std::complex<double> of_block = factor(k, first, sign);
      const Index count = std::min(block, points - first);
      for (Index j = 0; j < count; ++j) factors[j] = times(of_block, within[j]);
      auto* values = reinterpret_cast<Real*>(row + first * fields);
      for (Index j = 0; j < count; ++j) {
        const double re = factors[j].real(), im = factors[j].imag();
        for (Index field = 0; field < fields; ++field, values += 2) {
          const double x = static_cast<double>(values[0]), y = static_cast<double>(values[1]);
          values[0] = static_cast<Real>(x * re - y * im);
          values[1] = static_cast<Real>(x * im + y * re);
        }
      }
    }
  }

 private:
  static constexpr Index block = 64;

  std::complex<double> factor(Index k, Index j, int sign) const {
    const std::complex<double> found = roots_(k * j);  // below n, since rows and columns are
    return sign < 0 ? std::conj(found) : found;
  }

  RootsOfUnity roots_;
};

}  // namespace weft::detail
