// Transforms of one length, made of steps in vector registers (lanes.hpp).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fft/lanes_steps.hpp"

namespace weft::detail {

/// All codes that this processor runs, the widest first.
template <class T>
std::vector<LanesCode<T>> all_lanes();

/// Transforms groups of as many columns, or lines, as there are lanes. Immutable.
template <class T>
class LanesPlan {
 public:
  explicit LanesPlan(int lanes) : width_(lanes) {}
  virtual ~LanesPlan() = default;
  LanesPlan(const LanesPlan&) = delete;
  LanesPlan& operator=(const LanesPlan&) = delete;
  Index width() const { return width_; }
  /// Needed by every run; aligned to cache lines.
  virtual Index scratch_bytes() const = 0;
  /// Of a group; after each the cache is asked for what is wanted next.
  virtual Index butterflies() const = 0;
  /// Whether it knows of rows with the other sign.
  virtual bool negates() const { return false; }
  /// Transforms a group. `s` says where it is read and written, for which points are rows in their usual order.
  virtual void run(LanesStep<T> s, void* scratch) const = 0;

 private:
  Index width_;
};

/// A step of radix r; l and m as in LanesStep.
template <class T>
struct RadixStep {
  std::size_t radix = 0;
  Index m = 1, l = 1;
  std::vector<T> twiddles;
};

/// Factors of n that there is code for, as few as possible; none if n has a prime factor without, or is 1.
template <class T>
std::vector<int> radices_of(Index n, const LanesCode<T>& code);

/// The steps of their product, exponent -1.
template <class T>
std::vector<RadixStep<T>> radix_steps(const std::vector<int>& radices);

/// Of all steps together.
template <class T>
Index butterflies_of(const std::vector<RadixStep<T>>& steps) {
  Index all = 0;
  for (const RadixStep<T>& step : steps) all += step.m * step.l;
  return all;
}

/// Bytes of an array of so many points, one in each lane.
template <class T>
Index bytes_of_points(Index points, const LanesCode<T>& code);

/// Null for one point, which needs none, and for lengths that are left to others.
template <class T>
std::unique_ptr<LanesPlan<T>> make_lanes_plan(Index n, int sign, const LanesCode<T>& code);

/// The same for lengths with long primes.
template <class T>
std::unique_ptr<LanesPlan<T>> make_convolution(Index n, int sign, const LanesCode<T>& code);

}  // namespace weft::detail
