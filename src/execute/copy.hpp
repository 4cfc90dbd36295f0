// Moves boxes of numbers between strided arrays whose rows (axis 2) are contiguous.
#pragma once

#include <cstring>

#include "exchange/tiles.hpp"

namespace weft::detail {

/// One contiguous run; `Scaled` multiplies on the way.
template <class T, bool Scaled, class Factor>
inline void copy_run(T* __restrict to, const T* __restrict from, Index count, [[maybe_unused]] Factor factor) {
  // The library's copy is the fastest for long runs, and costs too much to call for short ones.
  constexpr Index long_run = 32;
  if constexpr (!Scaled) {
    if (count >= long_run) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
      return;
    }
  }
  for (Index i = 0; i < count; ++i) {
    if constexpr (Scaled) {
      to[i] = from[i] * factor;
    } else {
      to[i] = from[i];
    }
  }
}

/// Copies extent[0] x extent[1] rows of extent[2] numbers; the strides of axis 2 are 1.
template <class T, bool Scaled = false, class Factor = int>
void copy_box(T* to, const Shape& to_stride, const T* from, const Shape& from_stride, Shape extent, Factor factor = 1) {
  if (extent[0] <= 0 || extent[1] <= 0 || extent[2] <= 0) return;
  Shape a = to_stride, b = from_stride;
  // Rows that follow each other on both sides are one long row, and so are planes.
  if (a[1] == extent[2] && b[1] == extent[2]) {
    extent[2] *= extent[1];
    extent[1] = 1;
    if (a[0] == extent[2] && b[0] == extent[2]) {
      extent[2] *= extent[0];
      extent[0] = 1;
    }
  }
  for (Index i = 0; i < extent[0]; ++i) {
    for (Index j = 0; j < extent[1]; ++j) {
      copy_run<T, Scaled>(to + i * a[0] + j * a[1], from + i * b[0] + j * b[1], extent[2], factor);
    }
  }
}

}  // namespace weft::detail
