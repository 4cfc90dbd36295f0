// Merging two sorted runs, as far as can be said when more of both may come.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace weft::sort {

/// What a merge has taken from each run; it has written as many as both together.
struct Taken {
  std::size_t a = 0, b = 0;
  std::size_t both() const { return a + b; }
};

/// Of the first `outputs` of the merge of two runs, those that come from a; equal ones come from a first.
template <class T>
std::size_t merge_path(const T* a, std::size_t na, const T* b, std::size_t nb, std::size_t outputs) {
  std::size_t lo = outputs > nb ? outputs - nb : 0, hi = std::min(outputs, na);
  while (lo < hi) {
    const std::size_t middle = lo + (hi - lo) / 2;
    if (b[outputs - 1 - middle] < a[middle]) {
      hi = middle;
    } else {
      lo = middle + 1;
    }
  }
  return lo;
}

/// Merges what of two runs is known to come before anything that may follow either, at most `room` elements. Neither
/// may be empty.
///
/// One merge is a chain in which each step waits for the one before. The merge path cuts it into chains of the same
/// length that do not depend on each other, and the processor works on all of them at once. None looks whether a run
/// has ended: what is merged ends with the last element of one run, so the other is not at its end either.
template <class T, std::size_t chains = 3>
Taken merge_known(const T* a, std::size_t na, const T* b, std::size_t nb, T* out, std::size_t room) {
  if (b[nb - 1] < a[na - 1]) {
    na = static_cast<std::size_t>(std::upper_bound(a, a + na, b[nb - 1]) - a);
  } else {
    nb = static_cast<std::size_t>(std::lower_bound(b, b + nb, a[na - 1]) - b);
  }
  const std::size_t length = std::min(na + nb, room), each = length / chains;
  std::array<const T*, chains> x, y;
  for (std::size_t c = 0; c < chains; ++c) {
    const std::size_t from_a = merge_path(a, na, b, nb, c * each);
    x[c] = a + from_a;
    y[c] = b + (c * each - from_a);
  }
  // Numbers are read before it is known which one is taken; of long records only that one.
  using Read = std::conditional_t<std::is_scalar_v<T>, const T, const T&>;
  T* to = out;
  for (std::size_t step = 0; step < each; ++step, ++to) {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < chains; ++c) {
      Read first = *x[c], second = *y[c];
      const bool take_second = second < first;
      to[c * each] = take_second ? second : first;
      x[c] += !take_second;
      y[c] += take_second;
    }
  }
  const T *p = x[chains - 1], *q = y[chains - 1];
  for (std::size_t done = each * chains; done < length; ++done) {
    const bool take_second = *q < *p;
    out[done] = take_second ? *q++ : *p++;
  }
  return {static_cast<std::size_t>(p - a), static_cast<std::size_t>(q - b)};
}

}  // namespace weft::sort
