// Sorting on one core: integers with Google Highway's vqsort where it was found, else with std::sort.
#include "leaf_sort.hpp"

#ifdef WEFT_HAVE_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/clock.hpp"
#include "charge.hpp"
#include "counting_sort.hpp"

namespace weft::sort {

template <class Key>
void leaf_sort(Key* data, std::size_t n) {
  charge_sort(n);
  if constexpr (sizeof(Key) == 1) {
    counting_sort(data, n);
  } else {
#ifdef WEFT_HAVE_HIGHWAY
    const hwy::Sorter sorter;
    sorter(data, n, hwy::SortAscending());
#else
    std::sort(data, data + n);
#endif
  }
}

template void leaf_sort(std::int8_t*, std::size_t);
template void leaf_sort(std::uint8_t*, std::size_t);
template void leaf_sort(std::int16_t*, std::size_t);
template void leaf_sort(std::uint16_t*, std::size_t);
template void leaf_sort(std::int32_t*, std::size_t);
template void leaf_sort(std::uint32_t*, std::size_t);
template void leaf_sort(std::int64_t*, std::size_t);
template void leaf_sort(std::uint64_t*, std::size_t);

#ifdef WEFT_HAVE_HIGHWAY

namespace {

/// Seconds for some numbers, the least of a few times.
double trial_seconds() {
  constexpr std::size_t size = 1 << 15;
  std::vector<std::uint32_t> data(size);
  double least = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < 5; ++trial) {
    std::uint32_t state = 1;
    for (auto& value : data) value = state = state * 1664525u + 1013904223u;
    const double begin = detail::now();
    leaf_sort(data.data(), size);
    least = std::min(least, detail::now() - begin);
  }
  return least;
}

}  // namespace

std::string choose_leaf_sort() {
  // The widest vectors are not always the fastest: on a Zen 4 vqsort's compressed stores make AVX-512 five times slower
  // than AVX2.
  const std::int64_t usable = hwy::SupportedTargets();
  const std::int64_t without_512 = usable & ~((HWY_AVX2 - 1) & ~std::int64_t{63});
  const auto use = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return trial_seconds();
  };
  const auto name = [](std::int64_t targets) { return std::string(hwy::TargetName(targets & -targets)); };
  const std::string widest = name(usable);
  const double seconds = use(usable);
  if (without_512 != usable && without_512 != 0 && use(without_512) < seconds) return "vqsort, " + name(without_512);
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return "vqsort, " + widest;
}

#else

std::string choose_leaf_sort() { return "std::sort"; }

#endif

}  // namespace weft::sort
