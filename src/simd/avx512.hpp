// AVX-512: vectors of 64 bytes.
#pragma once

#if !defined(__AVX512F__) || !defined(__AVX512DQ__) || !defined(__AVX512VL__)
#error "compile with -mavx512f -mavx512dq -mavx512vl"
#endif

#include "simd/sse2.hpp"

namespace weft::detail::simd::avx512 {

template <class T>
struct Simd : Vector<T, 64> {
  using Base = Vector<T, 64>;
  using typename Base::V;
  static constexpr bool smaller_step_first = true;

  WEFT_SIMD_INLINE void stream(T* to, V v) {
    _mm512_stream_pd(reinterpret_cast<double*>(to), reinterpret_cast<__m512d>(v));
  }

  WEFT_SIMD_INLINE V load_part(const T* from, int numbers) {
    if constexpr (sizeof(T) == 8) {
      return reinterpret_cast<V>(_mm512_maskz_loadu_pd(static_cast<__mmask8>(mask(numbers)), from));
    } else {
      return reinterpret_cast<V>(_mm512_maskz_loadu_ps(static_cast<__mmask16>(mask(numbers)), from));
    }
  }
  WEFT_SIMD_INLINE void store_part(T* to, int numbers, V v) {
    if constexpr (sizeof(T) == 8) {
      _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask(numbers)), reinterpret_cast<__m512d>(v));
    } else {
      _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask(numbers)), reinterpret_cast<__m512>(v));
    }
  }

  WEFT_SIMD_INLINE V gather(const T* from, std::int64_t distance) {
    const std::int64_t next = unit_step<T>(distance);
    __m512d v = _mm512_castpd128_pd512(unit(from, distance));
    v = _mm512_insertf64x2(v, unit(from + next, distance), 1);
    v = _mm512_insertf64x2(v, unit(from + 2 * next, distance), 2);
    v = _mm512_insertf64x2(v, unit(from + 3 * next, distance), 3);
    return reinterpret_cast<V>(v);
  }
  WEFT_SIMD_INLINE void scatter(T* to, std::int64_t distance, V v) {
    const std::int64_t next = unit_step<T>(distance);
    const auto z = reinterpret_cast<__m512d>(v);
    put_unit(to, distance, _mm512_castpd512_pd128(z));
    put_unit(to + next, distance, _mm512_extractf64x2_pd(z, 1));
    put_unit(to + 2 * next, distance, _mm512_extractf64x2_pd(z, 2));
    put_unit(to + 3 * next, distance, _mm512_extractf64x2_pd(z, 3));
  }

 private:
  WEFT_SIMD_INLINE unsigned mask(int numbers) { return numbers <= 0 ? 0 : (1U << numbers) - 1; }
};

}  // namespace weft::detail::simd::avx512
