// SVE of one width, which the compiler is told (-msve-vector-bits): vectors of 32 bytes (Neoverse V1) or 64 (A64FX).
// Where they have 16, as NEON's, NEON's instructions are as good.
#pragma once

#include "simd/vector.hpp"

#if !defined(__ARM_FEATURE_SVE_BITS) || (__ARM_FEATURE_SVE_BITS != 256 && __ARM_FEATURE_SVE_BITS != 512)
#error "compile with -march=armv8.2-a+sve and -msve-vector-bits=256 or 512"
#endif

#include <arm_sve.h>

#if __ARM_FEATURE_SVE_BITS == 256
namespace weft::detail::simd::sve256 {
#else
namespace weft::detail::simd::sve512 {
#endif

template <class T>
struct Simd : Vector<T, __ARM_FEATURE_SVE_BITS / 8> {
  using Base = Vector<T, __ARM_FEATURE_SVE_BITS / 8>;
  using typename Base::Pair;
  using typename Base::V;
  static constexpr bool smaller_step_first =
      true;  // as with AVX-512, whose 32 registers these are, too: never measured

  WEFT_SIMD_INLINE void stream(T* to, V v) {
    if constexpr (sizeof(T) == 8) {
      svstnt1_f64(svptrue_b64(), to, v);
    } else {
      svstnt1_f32(svptrue_b32(), to, v);
    }
  }

  WEFT_SIMD_INLINE V load_part(const T* from, int numbers) {
    if constexpr (sizeof(T) == 8) {
      return svld1_f64(svwhilelt_b64(0, numbers), from);
    } else {
      return svld1_f32(svwhilelt_b32(0, numbers), from);
    }
  }
  WEFT_SIMD_INLINE void store_part(T* to, int numbers, V v) {
    if constexpr (sizeof(T) == 8) {
      svst1_f64(svwhilelt_b64(0, numbers), to, v);
    } else {
      svst1_f32(svwhilelt_b32(0, numbers), to, v);
    }
  }

  WEFT_SIMD_INLINE V gather(const T* from, std::int64_t distance) {
    if constexpr (sizeof(T) == 8) {
      return svld1_gather_s64index_f64(svptrue_b64(), from, places(distance));
    } else {  // complex floats are as wide as doubles
      return svreinterpret_f32_f64(
          svld1_gather_s64offset_f64(svptrue_b64(), reinterpret_cast<const double*>(from), places(distance)));
    }
  }
  WEFT_SIMD_INLINE void scatter(T* to, std::int64_t distance, V v) {
    if constexpr (sizeof(T) == 8) {
      svst1_scatter_s64index_f64(svptrue_b64(), to, places(distance), v);
    } else {
      svst1_scatter_s64offset_f64(svptrue_b64(), reinterpret_cast<double*>(to), places(distance),
                                  svreinterpret_f64_f32(v));
    }
  }

  /// Of each pair of neighbours one goes into either vector. (What the other sets do is several instructions here.)
  WEFT_SIMD_INLINE Pair apart(V a, V b) {
    if constexpr (sizeof(T) == 8) {
      return {svtrn1_f64(a, b), svtrn2_f64(a, b)};
    } else {
      return {svtrn1_f32(a, b), svtrn2_f32(a, b)};
    }
  }
  WEFT_SIMD_INLINE Pair together(V re, V im) { return apart(re, im); }

 private:
  /// Where the numbers are (complex floats: at which byte) that lie `distance` numbers apart.
  WEFT_SIMD_INLINE svint64_t places(std::int64_t distance) {
    if constexpr (sizeof(T) == 8) {
      const svint64_t number = svindex_s64(0, 1);
      return svmla_n_s64_x(svptrue_b64(), svand_n_s64_x(svptrue_b64(), number, 1),
                           svasr_n_s64_x(svptrue_b64(), number, 1), distance);
    } else {
      return svindex_s64(0, distance * static_cast<std::int64_t>(sizeof(T)));
    }
  }
};

}  // namespace weft::detail::simd
