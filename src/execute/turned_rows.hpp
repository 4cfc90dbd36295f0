// What one long line needs between its two transforms: the factors that turn a row (its "twiddles").
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "weft/index.hpp"

namespace weft::detail {

/// Of a line of n points: the factors exp(sign 2 pi i k j / n) of row k, j counting its numbers. Each is a product of
/// two that come from tables of about the square root of n, rounded once: no error grows along the row.
class TurnedRows {
 public:
  explicit TurnedRows(Index n)
      : n_(n), low_bits_(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)) + 1) / 2) {
    const Index low = Index{1} << low_bits_;
    for (Index j = 0; j < low; ++j) low_.push_back(turn(j));
    for (Index j = 0; j < n; j += low) high_.push_back(turn(j));
  }

  /// The row has the numbers of so many fields at each point.
  template <class Real>
  void operator()(std::complex<Real>* row, Index points, Index fields, Index k, int sign) const {
    // Neighbours are one factor of the block times one of its place in the block.
    std::complex<double> within[block], factors[block];
    for (Index j = 0; j < std::min(block, points); ++j) within[j] = factor(k, j, sign);
    for (Index first = 0; first < points; first += block) {
      const std::complex<double> of_block = factor(k, first, sign);
      const Index count = std::min(block, points - first);
      for (Index j = 0; j < count; ++j) factors[j] = product(of_block, within[j]);
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
  /// Without the care for infinities that the operator takes.
  static std::complex<double> product(std::complex<double> a, std::complex<double> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  static constexpr Index block = 64;

  std::complex<double> turn(Index j) const {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / static_cast<long double>(n_);
    return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
  }

  std::complex<double> factor(Index k, Index j, int sign) const {
    const auto t = static_cast<std::uint64_t>(k * j);  // below n, since rows and columns are
    const auto found = product(high_[t >> low_bits_], low_[t & ((std::uint64_t{1} << low_bits_) - 1)]);
    return sign < 0 ? std::conj(found) : found;
  }

  Index n_;
  int low_bits_;
  std::vector<std::complex<double>> low_, high_;
};

}  // namespace weft::detail
