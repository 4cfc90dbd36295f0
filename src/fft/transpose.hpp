// Turns small arrays of real numbers in cache.
#pragma once

#include <algorithm>

#include "weft/index.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft::detail {

namespace transposing {

/// Numbers of the square that one step turns.
template <class Real>
constexpr Index square = 16 / static_cast<Index>(sizeof(Real));

#ifdef __SSE2__
inline void turn(const double* from, Index from_row, double* to, Index to_row) {
  const __m128d a = _mm_loadu_pd(from), b = _mm_loadu_pd(from + from_row);
  _mm_storeu_pd(to, _mm_unpacklo_pd(a, b));
  _mm_storeu_pd(to + to_row, _mm_unpackhi_pd(a, b));
}
inline void turn(const float* from, Index from_row, float* to, Index to_row) {
  __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + from_row), c = _mm_loadu_ps(from + 2 * from_row),
         d = _mm_loadu_ps(from + 3 * from_row);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps(to, a);
  _mm_storeu_ps(to + to_row, b);
  _mm_storeu_ps(to + 2 * to_row, c);
  _mm_storeu_ps(to + 3 * to_row, d);
}
#else
template <class Real>
inline void turn(const Real* from, Index from_row, Real* to, Index to_row) {
  for (Index i = 0; i < square<Real>; ++i) {
    for (Index j = 0; j < square<Real>; ++j) to[j * to_row + i] = from[i * from_row + j];
  }
}
#endif

}  // namespace transposing

/// to[j][i] = from[i][j] for `rows` rows i of `columns` numbers each.
template <class Real>
void transpose(const Real* from, Index from_row, Real* to, Index to_row, Index rows, Index columns) {
  using namespace transposing;
  constexpr Index q = square<Real>;
  const Index whole_rows = rows / q * q, whole_columns = columns / q * q;
  for (Index i = 0; i < whole_rows; i += q) {
    for (Index j = 0; j < whole_columns; j += q) turn(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
  }
  const auto rest = [&](Index first_row, Index last_row, Index first_column) {
    for (Index i = first_row; i < last_row; ++i) {
      for (Index j = first_column; j < columns; ++j) to[j * to_row + i] = from[i * from_row + j];
    }
  };
  rest(whole_rows, rows, 0);
  rest(0, whole_rows, whole_columns);
}

}  // namespace weft::detail
