// Moves boxes of numbers between strided arrays. What is written is contiguous along some axis, most often axis 2; what
// is read may be columns.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "exchange/tiles.hpp"

namespace weft::detail {

/// How a run is written.
enum class Store {
  cached,
  streamed  ///< past the cache: memory that is not read again soon is not fetched just to be overwritten
};

/// Makes streamed stores visible to other processes and devices.
inline void finish_streaming() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/// A number of `n` bytes of which only the size is known: eight bytes may be one double or two floats, which may lie at
/// half its alignment.
template <std::size_t n>
using Opaque = std::array<std::byte, n>;

namespace copying {

/// count numbers from[0], from[step], ... times factor, one by one.
template <class T, bool Scaled, class Factor>
inline void plain_run(T* __restrict to, const T* __restrict from, Index step, Index count,
                      [[maybe_unused]] Factor factor) {
  const auto value = [&](const T& x) {
    if constexpr (Scaled) {
      return x * factor;
    } else {
      return x;
    }
  };
  if (step == 1) {  // by itself, so that whole vectors can be used
    for (Index i = 0; i < count; ++i) to[i] = value(from[i]);
  } else {
    for (Index i = 0; i < count; ++i) to[i] = value(from[i * step]);
  }
}

#ifdef __SSE2__
/// Sixteen bytes of numbers, which a processor loads and stores as one. (Compilers move a std::complex in two halves,
/// and a load that gathers two recent stores stalls.)
template <class Real, bool Scaled>
struct Unit16 {
  static __m128d load(const void* from, Real factor) {
    if constexpr (!Scaled) {
      return _mm_loadu_pd(static_cast<const double*>(from));
    } else if constexpr (sizeof(Real) == 8) {
      return _mm_mul_pd(_mm_loadu_pd(static_cast<const double*>(from)), _mm_set1_pd(factor));
    } else {
      return _mm_castps_pd(_mm_mul_ps(_mm_loadu_ps(static_cast<const float*>(from)), _mm_set1_ps(factor)));
    }
  }
};

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <std::size_t n>
struct RealOf<Opaque<n>> {  // never scaled
  using type = float;
};

/// Runs in units of 16 bytes: contiguous ones, and strided ones of 16-byte numbers. Streamed ones write whole cache
/// lines past the cache; their ends, which share a line with others, go the usual way.
template <class T, bool Scaled, bool Streamed, class Factor>
inline void wide_run(T* __restrict to, const T* __restrict from, Index step, Index count, Factor factor) {
  using Real = typename RealOf<T>::type;
  using Unit = Unit16<Real, Scaled>;
  constexpr Index per_unit = 16 / sizeof(T), per_line = 64 / sizeof(T);
  const auto scale = static_cast<Real>(factor);
  Index i = 0;
  if constexpr (Streamed) {
    const auto beyond = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(T));
    const Index head = beyond == 0 ? 0 : std::min(count, per_line - beyond);
    plain_run<T, Scaled>(to, from, step, head, factor);
    for (i = head; i + per_line <= count; i += per_line) {
      const T* source = from + i * step;
      const Index unit = per_unit * step;
      const __m128d a = Unit::load(source, scale), b = Unit::load(source + unit, scale),
                    c = Unit::load(source + 2 * unit, scale), d = Unit::load(source + 3 * unit, scale);
      auto* line = reinterpret_cast<double*>(to + i);
      _mm_stream_pd(line, a);
      _mm_stream_pd(line + 2, b);
      _mm_stream_pd(line + 4, c);
      _mm_stream_pd(line + 6, d);
    }
  } else {
    for (; i + per_unit <= count; i += per_unit) {
      _mm_storeu_pd(reinterpret_cast<double*>(to + i), Unit::load(from + i * step, scale));
    }
  }
  plain_run<T, Scaled>(to + i, from + i * step, step, count - i, factor);
}
#endif

template <class T, bool Scaled, class Factor>
inline void run(T* to, const T* from, Index step, Index count, Factor factor, [[maybe_unused]] Store store) {
#ifdef __SSE2__
  if (step == 1 || sizeof(T) == 16) {
    if (store == Store::streamed && reinterpret_cast<std::uintptr_t>(to) % sizeof(T) == 0) {
      wide_run<T, Scaled, true>(to, from, step, count, factor);
      return;
    }
    if (step != 1) {
      wide_run<T, Scaled, false>(to, from, step, count, factor);
      return;
    }
  }
#endif
  // The library's copy is the fastest for long runs, and costs too much to call for short ones.
  constexpr Index long_run = 32;
  if (!Scaled && step == 1 && count >= long_run) {
    std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(T));
  } else {
    plain_run<T, Scaled>(to, from, step, count, factor);
  }
}

}  // namespace copying

/// Calls `run(to, from, step, count)` for every run of a box, as long as it can be: its first numbers' offsets, from
/// where `to_stride` leads and from where `from_stride` does, and how far apart neighbours are there. Here they lie
/// side by side: one of `to_stride` is 1.
template <class Run>
void for_runs(const Shape& to_stride, const Shape& from_stride, Shape extent, const Run& run) {
  if (extent[0] <= 0 || extent[1] <= 0 || extent[2] <= 0) return;
  Shape a = to_stride, b = from_stride;
  if (a[2] != 1 && extent[2] > 1) {
    // Rows are along the axis that is contiguous where they are written.
    const std::size_t rows = a[0] == 1 && (a[1] != 1 || extent[0] > 1) ? 0 : 1;
    std::swap(a[rows], a[2]);
    std::swap(b[rows], b[2]);
    std::swap(extent[rows], extent[2]);
  }
  // Rows that follow each other on both sides are one long row, and so are planes.
  if (a[1] == extent[2] && b[1] == extent[2] * b[2]) {
    extent[2] *= extent[1];
    extent[1] = 1;
    if (a[0] == extent[2] && b[0] == extent[2] * b[2]) {
      extent[2] *= extent[0];
      extent[0] = 1;
    }
  }
  for (Index i = 0; i < extent[0]; ++i) {
    for (Index j = 0; j < extent[1]; ++j) run(i * a[0] + j * a[1], i * b[0] + j * b[1], b[2], extent[2]);
  }
}

/// Copies a box of numbers. One of to_stride is 1; from_stride is anything.
template <class T, bool Scaled = false, class Factor = int>
void copy_box(T* to, const Shape& to_stride, const T* from, const Shape& from_stride, const Shape& extent,
              Store store = Store::cached, Factor factor = 1) {
  for_runs(to_stride, from_stride, extent, [&](Index there, Index here, Index step, Index count) {
    copying::run<T, Scaled>(to + there, from + here, step, count, factor, store);
  });
}

}  // namespace weft::detail
