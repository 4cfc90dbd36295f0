// Vectors of real numbers by the extension of GCC and Clang, which any processor's compiler has: numbers go in and out,
// change places, and are added and multiplied by operators. Each set of instructions has a header beside this one,
// which adds what the set does in a way of its own. All have the same names:
//
//   Simd<T>::W                            numbers of a vector
//   load, store, stream                   a vector; `stream` goes past the cache where that can be, to an aligned place
//                                         (two side by side: `stream_pair` below)
//   load_part, store_part                 the first numbers of one (a multiple of 2), none, or all
//   gather, scatter                       complex numbers that lie `distance` numbers apart
//   apart, together                       from complex numbers to real and imaginary parts, and back
//   swapped, reversed, conjugating        of complex numbers as they lie in memory
//
// Code for one processor must not be called on another: everything here and there is inlined, or of a type of the set's
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#define WEFT_SIMD_INLINE [[gnu::always_inline]] static inline

namespace weft::detail::simd {

/// Vectors of W numbers; `Loose` may lie anywhere in memory.
template <class T, int bytes>
struct Vector {
  static constexpr int W = bytes / static_cast<int>(sizeof(T));
  typedef T V __attribute__((vector_size(bytes)));
  typedef T Loose __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));

  struct Pair {
    V a, b;
  };

  WEFT_SIMD_INLINE V load(const T* from) { return *reinterpret_cast<const Loose*>(from); }
  WEFT_SIMD_INLINE void store(T* to, V v) { *reinterpret_cast<Loose*>(to) = v; }

  /// Real and imaginary parts are pulled apart within each 16 bytes of two vectors: one instruction a vector in every
  /// set. Complex numbers then are in a different order, which the way back undoes.
  WEFT_SIMD_INLINE Pair apart(V a, V b) { return apart(a, b, Places{}); }
  WEFT_SIMD_INLINE Pair together(V re, V im) { return together(re, im, Places{}); }
  /// Real and imaginary parts in each other's place.
  WEFT_SIMD_INLINE V swapped(V v) { return swapped(v, Places{}); }
  /// The complex numbers of a vector in reverse.
  WEFT_SIMD_INLINE V reversed(V v) { return reversed(v, Places{}); }
  /// Times which complex numbers are their conjugates.
  WEFT_SIMD_INLINE V conjugating() { return conjugating(Places{}); }

 private:
  using Places = std::make_index_sequence<static_cast<std::size_t>(W)>;

  /// Numbers of two vectors, by their places in the one followed by the other.
  template <int... places>
  WEFT_SIMD_INLINE V shuffled(V a, V b) {
#if __has_builtin(__builtin_shufflevector)
    return __builtin_shufflevector(a, b, places...);
#else  // GCC before 12; a comparison of vectors has integers of the same width
    return __builtin_shuffle(a, b, decltype(a < b){places...});
#endif
  }

  template <std::size_t... I>
  WEFT_SIMD_INLINE Pair apart(V a, V b, std::index_sequence<I...>) {
    if constexpr (sizeof(T) == 8) {
      return {shuffled<static_cast<int>(I % 2 == 0 ? I : W + I - 1)...>(a, b),
              shuffled<static_cast<int>(I % 2 == 0 ? I + 1 : W + I)...>(a, b)};
    } else {
      return {shuffled<static_cast<int>((I % 4 < 2 ? 0 : W) + I / 4 * 4 + I % 2 * 2)...>(a, b),
              shuffled<static_cast<int>((I % 4 < 2 ? 0 : W) + I / 4 * 4 + I % 2 * 2 + 1)...>(a, b)};
    }
  }
  template <std::size_t... I>
  WEFT_SIMD_INLINE Pair together(V re, V im, std::index_sequence<I...>) {
    if constexpr (sizeof(T) == 8) {
      return {shuffled<static_cast<int>(I % 2 == 0 ? I : W + I - 1)...>(re, im),
              shuffled<static_cast<int>(I % 2 == 0 ? I + 1 : W + I)...>(re, im)};
    } else {
      return {shuffled<static_cast<int>(I / 4 * 4 + I % 4 / 2 + (I % 2 == 0 ? 0 : W))...>(re, im),
              shuffled<static_cast<int>(I / 4 * 4 + 2 + I % 4 / 2 + (I % 2 == 0 ? 0 : W))...>(re, im)};
    }
  }
  template <std::size_t... I>
  WEFT_SIMD_INLINE V swapped(V v, std::index_sequence<I...>) {
    return shuffled<static_cast<int>(I ^ 1)...>(v, v);
  }
  template <std::size_t... I>
  WEFT_SIMD_INLINE V reversed(V v, std::index_sequence<I...>) {
    return shuffled<static_cast<int>(I % 2 == 0 ? sizeof...(I) - 2 - I : sizeof...(I) - I)...>(v, v);
  }
  template <std::size_t... I>
  WEFT_SIMD_INLINE V conjugating(std::index_sequence<I...>) {
    return V{(I % 2 == 0 ? T{1} : T{-1})...};
  }
};

/// Two vectors side by side past the cache: a set may have an instruction for both (Arm: stnp, for no single one).
template <class Set, class T, class V>
[[gnu::always_inline]] inline void stream_pair(T* to, V a, V b) {
  if constexpr (requires { Set::stream_both(to, a, b); }) {
    Set::stream_both(to, a, b);
  } else {
    Set::stream(to, a);
    Set::stream(to + Set::W, b);
  }
}

}  // namespace weft::detail::simd
