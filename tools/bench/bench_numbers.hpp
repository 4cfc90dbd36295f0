// Random numbers to transform, and how far two arrays are apart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "array.hpp"

namespace weft::tools {

/// Uniform numbers in [-1/2, 1/2), different on every rank.
template <class Real>
void fill_random(Array<Real>& values, int rank) {
  std::uint64_t state = 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(rank + 1);
  for (Real& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<Real>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
}

/// Largest differences, several side by side so that compilers use the vector unit: this runs after each repetition.
template <class Real>
class LargestDifference {
 public:
  void add(const Real* got, const Real* was, Index count, Real scale) {
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (Index lane = 0; lane < lanes; ++lane) add(got[i + lane], was[i + lane], scale, lane);
    }
    for (; i < count; ++i) add(got[i], was[i], scale, 0);
  }
  /// Infinity if any number was none.
  double worst() const {
    const Real sum = std::accumulate(sums_.begin(), sums_.end(), Real());
    return std::isfinite(sum) ? *std::max_element(worst_.begin(), worst_.end()) : infinity;
  }
  double largest() const { return *std::max_element(largest_.begin(), largest_.end()); }

 private:
  static constexpr Index lanes = 16;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  void add(Real got, Real was, Real scale, Index lane) {
    const auto l = static_cast<std::size_t>(lane);
    const Real difference = std::abs(got * scale - was), size = std::abs(was);
    worst_[l] = difference > worst_[l] ? difference : worst_[l];
    largest_[l] = size > largest_[l] ? size : largest_[l];
    sums_[l] += difference;  // keeps what is not a number, which a comparison loses
  }
  std::array<Real, lanes> worst_{}, largest_{}, sums_{};
};

/// An error relative to the largest number; as it is where that is 0.
inline double over_largest(double error, double largest) { return largest > 0 ? error / largest : error; }

}  // namespace weft::tools
