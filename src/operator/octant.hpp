// A kernel as a table in free space begins with it: its values, or its spectrum, for distances and wave numbers from 0
// on. All kernels are even.
#pragma once

#include <array>
#include <functional>
#include <span>

#include "operator/free_axis.hpp"
#include "weft/green.hpp"
#include "weft/operator.hpp"

namespace weft::detail {

struct Octant {
  /// Numbers of an axis in the octant. Of an open one also those of half of the table's period, to which it is cut.
  struct Numbers {
    Index large = 1, cut = 1;
  };
  std::array<Numbers, 3> numbers;
  /// Whether open axes have distances, in whole spacings; else wave numbers of the period.
  bool in_space = false;
  /// Gives the values with the index i along axis 0, in C order.
  std::function<void(Index i, std::span<double> plane)> plane;
};

/// Of the equation laplacian u - shift u = f; `extents` are those of the table's axes.
Octant octant_of(const std::array<FreeAxis, 3>& axes, const Shape& extents, const Green& green, double shift);

/// Values of the caller's own kernel for points in C order. Error if one is not finite.
void own_values(const Green& green, const std::array<std::span<const double>, 3>& at, std::span<double> values);

}  // namespace weft::detail
