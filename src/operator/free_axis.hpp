// What an axis is to the kernels of free space.
#pragma once

#include <algorithm>
#include <vector>

#include "weft/layout.hpp"

namespace weft::detail {

struct FreeAxis {
  bool open = false;
  /// Of an open one: distance of neighbours, and how far the points of a field are from each other (or from their
  /// mirror images at a wall) at most, in spacings, and one more.
  double spacing = 1;
  Index reach = 1;
  /// Of an open one: points of the period in which the table's wave numbers are, even; and how many of them, from which
  /// on, the line's spectrum has. Places beyond half of the period are their mirror images.
  Index period = 2, first = 0;
  /// Of the others: the squares of the wave numbers, by place in the spectrum.
  std::vector<double> squares{};

  /// The number in half of the period that a place of an open one has.
  Index number(Index place) const { return std::min(place + first, period - place - first); }
};

}  // namespace weft::detail
