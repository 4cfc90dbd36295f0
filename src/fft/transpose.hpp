// Turns small arrays of real numbers in cache.
#pragma once

#include <algorithm>

#include "simd/baseline.hpp"
#include "weft/index.hpp"

namespace weft::detail {

namespace transposing {

/// Numbers of the square that one step turns.
template <class Real>
constexpr Index square = 16 / static_cast<Index>(sizeof(Real));

inline void turn(const double* from, Index from_row, double* to, Index to_row) {
  using Simd = simd::baseline::Simd<double>;
  const auto rows = Simd::apart(Simd::load(from), Simd::load(from + from_row));
  Simd::store(to, rows.a);
  Simd::store(to + to_row, rows.b);
}
inline void turn(const float* from, Index from_row, float* to, Index to_row) {
  using Simd = simd::baseline::Simd<float>;
  // From each two rows their even columns, a, and their odd ones, b.
  const auto upper = Simd::apart(Simd::load(from), Simd::load(from + from_row));
  const auto lower = Simd::apart(Simd::load(from + 2 * from_row), Simd::load(from + 3 * from_row));
  const auto even = Simd::apart(upper.a, lower.a), odd = Simd::apart(upper.b, lower.b);
  Simd::store(to, even.a);
  Simd::store(to + to_row, odd.a);
  Simd::store(to + 2 * to_row, even.b);
  Simd::store(to + 3 * to_row, odd.b);
}

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
