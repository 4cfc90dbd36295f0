// What sorting and merging take of a simulated machine: the work of the formulas of weft.place, at the machine's rates.
#pragma once

#include <cmath>
#include <cstddef>

#include "base/simulation.hpp"

namespace weft::sort {

inline void charge_sort([[maybe_unused]] std::size_t n) {
  if constexpr (detail::simulated) {
    const auto elements = static_cast<double>(n);
    if (n > 1) detail::charge("sort", elements * std::log2(elements));
  }
}

inline void charge_merge([[maybe_unused]] std::size_t n) {
  if constexpr (detail::simulated) detail::charge("merge", static_cast<double>(n));
}

/// Elements that are copied as they are.
inline void charge_copy([[maybe_unused]] std::size_t bytes) {
  if constexpr (detail::simulated) detail::charge(detail::Work{0, 2 * static_cast<double>(bytes)});
}

}  // namespace weft::sort
