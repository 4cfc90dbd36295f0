// AVX2 with FMA: vectors of 32 bytes.
#pragma once

#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile with -mavx2 -mfma"
#endif

#include "simd/sse2.hpp"

namespace weft::detail::simd::avx2 {

template <class T>
struct Simd : Vector<T, 32> {
  using Base = Vector<T, 32>;
  using typename Base::V;
  static constexpr bool smaller_step_first = false;

  WEFT_SIMD_INLINE void stream(T* to, V v) {
    _mm256_stream_pd(reinterpret_cast<double*>(to), reinterpret_cast<__m256d>(v));
  }

  WEFT_SIMD_INLINE V load_part(const T* from, int numbers) {
    const __m256i complex = _mm256_set_epi64x(3, 2, 1, 0);
    // Complex floats are as wide as doubles.
    const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(sizeof(T) == 8 ? numbers : numbers / 2), complex);
    return reinterpret_cast<V>(_mm256_maskload_pd(reinterpret_cast<const double*>(from), mask));
  }
  /// In parts of known sizes: stores with masks take an AMD processor twenty times as long.
  WEFT_SIMD_INLINE void store_part(T* to, int numbers, V v) {
    auto* at = reinterpret_cast<double*>(to);
    int doubles = sizeof(T) == 8 ? numbers : numbers / 2;
    __m128d part = _mm256_castpd256_pd128(reinterpret_cast<__m256d>(v));
    if (doubles >= 4) return _mm256_storeu_pd(at, reinterpret_cast<__m256d>(v));
    if (doubles >= 2) {
      _mm_storeu_pd(at, part);
      part = _mm256_extractf128_pd(reinterpret_cast<__m256d>(v), 1);
      at += 2;
      doubles -= 2;
    }
    if (doubles == 1) store_eight(at, part[0]);
  }

  WEFT_SIMD_INLINE V gather(const T* from, std::int64_t distance) {
    const std::int64_t next = unit_step<T>(distance);
    return reinterpret_cast<V>(
        _mm256_insertf128_pd(_mm256_castpd128_pd256(unit(from, distance)), unit(from + next, distance), 1));
  }
  WEFT_SIMD_INLINE void scatter(T* to, std::int64_t distance, V v) {
    const std::int64_t next = unit_step<T>(distance);
    const auto z = reinterpret_cast<__m256d>(v);
    put_unit(to, distance, _mm256_castpd256_pd128(z));
    put_unit(to + next, distance, _mm256_extractf128_pd(z, 1));
  }
};

}  // namespace weft::detail::simd::avx2
