// Roots of unity, as exact as their numbers, of orders whose table would be too long.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/complex.hpp"
#include "weft/index.hpp"

namespace weft::detail {

/// exp(2 pi i t / n) for t from 0 to n - 1: a product of two numbers from tables of about the square root of n, rounded
/// once.
class RootsOfUnity {
 public:
  explicit RootsOfUnity(Index n)
      : n_(n), low_bits_(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)) + 1) / 2) {
    const Index low = Index{1} << low_bits_;
    for (Index j = 0; j < low; ++j) low_.push_back(turn(j));
    for (Index j = 0; j < n; j += low) high_.push_back(turn(j));
  }

  std::complex<double> operator()(Index t) const {
    const auto at = static_cast<std::uint64_t>(t);
    return times(high_[at >> low_bits_], low_[at & ((std::uint64_t{1} << low_bits_) - 1)]);
  }

 private:
  std::complex<double> turn(Index j) const {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / static_cast<long double>(n_);
    return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
  }

  Index n_;
  int low_bits_;
  std::vector<std::complex<double>> low_, high_;
};

}  // namespace weft::detail
