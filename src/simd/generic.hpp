// Any processor: vectors of 16 bytes, in whatever instructions its compiler has for them (Arm: NEON).
#pragma once

#include "simd/vector.hpp"

namespace weft::detail::simd::generic {

template <class T>
struct Simd : Vector<T, 16> {
  using Base = Vector<T, 16>;
  using typename Base::V;
  static constexpr bool smaller_step_first = false;

  WEFT_SIMD_INLINE void stream(T* to, V v) { Base::store(to, v); }
#ifdef __aarch64__
  WEFT_SIMD_INLINE void stream_both(T* to, V a, V b) {
    auto* const both = reinterpret_cast<std::byte(*)[2 * sizeof(V)]>(to);
    asm("stnp %q1, %q2, %0" : "=Q"(*both) : "w"(a), "w"(b));
  }
#endif

  WEFT_SIMD_INLINE V load_part(const T* from, int numbers) {
    if (numbers >= Base::W) return Base::load(from);
    V v = {};
    if (numbers > 0) __builtin_memcpy(&v, from, 2 * sizeof(T));  // one complex float
    return v;
  }
  WEFT_SIMD_INLINE void store_part(T* to, int numbers, V v) {
    if (numbers >= Base::W) {
      Base::store(to, v);
    } else if (numbers > 0) {
      __builtin_memcpy(to, &v, 2 * sizeof(T));
    }
  }

  WEFT_SIMD_INLINE V gather(const T* from, std::int64_t distance) {
    V v;
    for (int i = 0; i < Base::W; ++i) v[i] = from[i / 2 * distance + i % 2];
    return v;
  }
  WEFT_SIMD_INLINE void scatter(T* to, std::int64_t distance, V v) {
    for (int i = 0; i < Base::W; ++i) to[i / 2 * distance + i % 2] = v[i];
  }
};

}  // namespace weft::detail::simd::generic
