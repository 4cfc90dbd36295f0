// SSE2, which every x86-64 processor has: vectors of 16 bytes.
#pragma once

#include <immintrin.h>

#include "simd/vector.hpp"

namespace weft::detail::simd {

// Eight bytes of any alignment: complex floats are often aligned by four only.
template <class T>
[[gnu::always_inline]] inline __m128d load_eight(const T* from) {
  double eight;
  __builtin_memcpy(&eight, from, sizeof eight);
  return _mm_set_sd(eight);
}
template <class T>
[[gnu::always_inline]] inline void store_eight(T* to, double eight) {
  __builtin_memcpy(to, &eight, sizeof eight);
}

/// Sixteen bytes: a complex double, or two complex floats that lie `distance` numbers apart. They are loaded and stored
/// as one, so that nothing but the last exchange of neighbours needs a shuffle.
template <class T>
[[gnu::always_inline]] inline __m128d unit(const T* from, [[maybe_unused]] std::int64_t distance) {
  if constexpr (sizeof(T) == 8) {
    return _mm_loadu_pd(from);
  } else {
    return _mm_loadh_pd(load_eight(from), reinterpret_cast<const double*>(from + distance));
  }
}
template <class T>
[[gnu::always_inline]] inline void put_unit(T* to, [[maybe_unused]] std::int64_t distance, __m128d v) {
  if constexpr (sizeof(T) == 8) {
    _mm_storeu_pd(to, v);
  } else {
    store_eight(to, v[0]);
    store_eight(to + distance, v[1]);
  }
}
/// From one unit to the next.
template <class T>
[[gnu::always_inline]] inline std::int64_t unit_step(std::int64_t distance) {
  return distance * (16 / (2 * static_cast<std::int64_t>(sizeof(T))));
}

}  // namespace weft::detail::simd

namespace weft::detail::simd::sse2 {

template <class T>
struct Simd : Vector<T, 16> {
  using Base = Vector<T, 16>;
  using typename Base::V;
  static constexpr bool smaller_step_first = false;

  WEFT_SIMD_INLINE void stream(T* to, V v) {
    _mm_stream_pd(reinterpret_cast<double*>(to), reinterpret_cast<__m128d>(v));
  }

  WEFT_SIMD_INLINE V load_part(const T* from, int numbers) {
    if (numbers >= Base::W) return Base::load(from);
    return reinterpret_cast<V>(numbers > 0 ? load_eight(from) : _mm_setzero_pd());
  }
  WEFT_SIMD_INLINE void store_part(T* to, int numbers, V v) {
    if (numbers >= Base::W) {
      Base::store(to, v);
    } else if (numbers > 0) {
      __builtin_memcpy(to, &v, 2 * sizeof(T));  // one complex float
    }
  }

  WEFT_SIMD_INLINE V gather(const T* from, std::int64_t distance) { return reinterpret_cast<V>(unit(from, distance)); }
  WEFT_SIMD_INLINE void scatter(T* to, std::int64_t distance, V v) {
    put_unit(to, distance, reinterpret_cast<__m128d>(v));
  }
};

}  // namespace weft::detail::simd::sse2
