#include "rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/clock.hpp"
#include "charge.hpp"
#include "leaf_sort.hpp"
#include "merge.hpp"

namespace weft::sort {

Rates measure_rates() {
  constexpr std::size_t size = 12'500;
  constexpr int trials = 50;
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<std::int32_t> a(size), b(size), out(2 * size);
  Rates least{never, never};
  std::uint32_t state = 1;
  for (int trial = 0; trial < trials; ++trial) {
    for (auto* run : {&a, &b}) {
      for (auto& value : *run) value = static_cast<std::int32_t>(state = state * 1664525u + 1013904223u);
      const double begin = detail::now();
      leaf_sort(run->data(), size);
      least.sort = std::min(least.sort, detail::now() - begin);
    }
    const double begin = detail::now();
    const Taken taken = merge_known(a.data(), size, b.data(), size, out.data(), out.size());
    charge_merge(taken.both());
    least.merge = std::min(least.merge, (detail::now() - begin) / static_cast<double>(taken.both()));
  }
  least.sort /= static_cast<double>(size) * std::log2(static_cast<double>(size));
  return least;
}

}  // namespace weft::sort
