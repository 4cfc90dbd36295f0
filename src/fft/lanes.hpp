// Steps of FFTs in vector registers: each lane of a vector belongs to another column, so that no step ever mixes lanes.
//
// Included once per instruction set, after the header of its vectors (simd/), by a file that says what the set is
// called (WEFT_LANES_SET) and is compiled with its flags. Nothing here may be shared with code for other processors: no
// function of the standard library, everything in a namespace of the set's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "fft/lanes_steps.hpp"

namespace weft::detail::lanes {
// Reached by addresses in tables only: the names of its two thousand functions stay inside of the library.
namespace [[gnu::visibility("hidden")]] WEFT_LANES_SET {

using simd::WEFT_LANES_SET::Simd;

/// W complex numbers, one of each column.
template <class T>
struct Z {
  typename Simd<T>::V re, im;
};

template <class T>
[[gnu::always_inline]] inline Z<T> operator+(const Z<T>& a, const Z<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
[[gnu::always_inline]] inline Z<T> operator-(const Z<T>& a, const Z<T>& b) {
  return {a.re - b.re, a.im - b.im};
}

// ---- between complex numbers as they lie in memory and lanes

template <class T>
using Pair = typename Simd<T>::Pair;

template <class T>
[[gnu::always_inline]] inline Z<T> apart(typename Simd<T>::V a, typename Simd<T>::V b) {
  const Pair<T> parts = Simd<T>::apart(a, b);
  return {parts.a, parts.b};
}
template <class T>
[[gnu::always_inline]] inline Pair<T> together(const Z<T>& z) {
  return Simd<T>::together(z.re, z.im);
}

template <class T>
[[gnu::always_inline]] inline Z<T> load(const T* from) {
  return apart<T>(Simd<T>::load(from), Simd<T>::load(from + Simd<T>::W));
}
template <class T>
[[gnu::always_inline]] inline void store(T* to, const Z<T>& z) {
  const Pair<T> pair = together(z);
  Simd<T>::store(to, pair.a);
  Simd<T>::store(to + Simd<T>::W, pair.b);
}

/// Past the cache; `to` is aligned to whole vectors.
template <class T>
[[gnu::always_inline]] inline void stream(T* to, const Z<T>& z) {
  const Pair<T> pair = together(z);
  simd::stream_pair<Simd<T>>(to, pair.a, pair.b);
}

/// Of fewer columns than lanes.
template <class T>
[[gnu::always_inline]] inline Z<T> load_some(const T* from, int columns) {
  constexpr int W = Simd<T>::W;
  const int numbers = 2 * columns;
  return apart<T>(Simd<T>::load_part(from, numbers < W ? numbers : W), Simd<T>::load_part(from + W, numbers - W));
}
template <class T>
[[gnu::always_inline]] inline void store_some(T* to, const Z<T>& z, int columns) {
  constexpr int W = Simd<T>::W;
  const int numbers = 2 * columns;
  const Pair<T> pair = together(z);
  Simd<T>::store_part(to, numbers < W ? numbers : W, pair.a);
  Simd<T>::store_part(to + W, numbers - W, pair.b);
}

// ---- between lines and lanes: point i of W lines

template <class T>
[[gnu::always_inline]] inline Z<T> load_turned(const T* from, Index distance) {
  return apart<T>(Simd<T>::gather(from, distance), Simd<T>::gather(from + Simd<T>::W / 2 * distance, distance));
}
template <class T>
[[gnu::always_inline]] inline void store_turned(T* to, Index distance, const Z<T>& z) {
  const Pair<T> pair = together(z);
  Simd<T>::scatter(to, distance, pair.a);
  Simd<T>::scatter(to + Simd<T>::W / 2 * distance, distance, pair.b);
}

/// Of fewer lines than lanes.
template <class T>
[[gnu::always_inline]] inline Z<T> load_turned_some(const T* from, Index distance, int lines) {
  alignas(64) T some[2 * Simd<T>::W] = {};
  for (int i = 0; i < lines; ++i) __builtin_memcpy(some + 2 * i, from + i * distance, 2 * sizeof(T));
  return load(some);
}
template <class T>
[[gnu::always_inline]] inline void store_turned_some(T* to, Index distance, const Z<T>& z, int lines) {
  alignas(64) T some[2 * Simd<T>::W];
  store(some, z);
  for (int i = 0; i < lines; ++i) __builtin_memcpy(to + i * distance, some + 2 * i, 2 * sizeof(T));
}

// ---- butterflies: in-register DFTs with exponent -1

/// cos and sin of 2 pi k / n, at compile time.
struct Root {
  double re, im;
};
constexpr Root root(int k, int n) {
  k = ((k % n) + n) % n;
  if (8 * k > 4 * n) {  // second half: the conjugate
    const Root r = root(n - k, n);
    return {r.re, -r.im};
  }
  if (8 * k > 2 * n) {  // second quarter: turned by a quarter
    const Root r = root(4 * k - n, 4 * n);
    return {-r.im, r.re};
  }
  if (8 * k > n) {  // mirrored at an eighth
    const Root r = root(n - 4 * k, 4 * n);
    return {r.im, r.re};
  }
  const long double x = 2 * 3.14159265358979323846264338327950288L * k / n;
  long double c = 1, s = x, term_c = 1, term_s = x;
  for (int i = 1; i < 12; ++i) {
    term_c *= -x * x / ((2 * i - 1) * (2 * i));
    term_s *= -x * x / ((2 * i) * (2 * i + 1));
    c += term_c;
    s += term_s;
  }
  return {static_cast<double>(c), static_cast<double>(s)};
}

/// z times exp(-2 pi i k / n).
template <int k, int n, class T>
[[gnu::always_inline]] inline Z<T> turned(const Z<T>& z) {
  constexpr Root w = root(k, n);
  constexpr int at = ((k % n) + n) % n;
  constexpr T c = static_cast<T>(w.re), s = static_cast<T>(w.im);
  if constexpr (at == 0) {
    return z;
  } else if constexpr (4 * at == n) {
    return {z.im, -z.re};
  } else if constexpr (2 * at == n) {
    return {-z.re, -z.im};
  } else if constexpr (4 * at == 3 * n) {
    return {-z.im, z.re};
  } else if constexpr (8 * at == n) {
    return {(z.re + z.im) * c, (z.im - z.re) * c};
  } else if constexpr (8 * at == 3 * n) {
    return {(z.im - z.re) * s, -(z.re + z.im) * s};
  } else {
    return {z.re * c + z.im * s, z.im * c - z.re * s};
  }
}

template <int R>
struct Butterfly {
  /// Two factors that are done one after the other; R itself for a prime and for 4.
  static constexpr int outer = R % 4 == 0 && R != 4 ? 4 : R % 2 == 0 && R > 4 ? 2 : R % 3 == 0 && R != 3 ? 3 : R;

  template <class T>
  [[gnu::always_inline]] static inline void run(Z<T> (&x)[R]) {
    if constexpr (R == 2) {
      const Z<T> a = x[0], b = x[1];
      x[0] = a + b;
      x[1] = a - b;
    } else if constexpr (R == 4) {
      const Z<T> s = x[0] + x[2], d = x[0] - x[2], t = x[1] + x[3], e = x[1] - x[3];
      x[0] = s + t;
      x[2] = s - t;
      x[1] = {d.re + e.im, d.im - e.re};
      x[3] = {d.re - e.im, d.im + e.re};
    } else if constexpr (outer != R) {
      composite(x, std::make_integer_sequence<int, outer>{}, std::make_integer_sequence<int, R / outer>{});
    } else {
      prime(x, std::make_integer_sequence<int, R / 2>{});
    }
  }

 private:
  /// Cooley and Tukey: R = A B.
  template <class T, int... a, int... b>
  [[gnu::always_inline]] static inline void composite(Z<T> (&x)[R], std::integer_sequence<int, a...>,
                                                      std::integer_sequence<int, b...>) {
    constexpr int A = sizeof...(a), B = sizeof...(b);
    Z<T> y[A][B];
    // Columns of the A x B array: B-point transforms, turned.
    (inner<a, A, B>(x, y[a], std::integer_sequence<int, b...>{}), ...);
    (across<b, A, B>(y, x, std::integer_sequence<int, a...>{}), ...);
  }
  template <int a, int A, int B, class T, int... b>
  [[gnu::always_inline]] static inline void inner(const Z<T> (&x)[R], Z<T> (&y)[B], std::integer_sequence<int, b...>) {
    Z<T> t[B] = {x[a + A * b]...};
    Butterfly<B>::run(t);
    ((y[b] = turned<a * b, R>(t[b])), ...);
  }
  template <int b, int A, int B, class T, int... a>
  [[gnu::always_inline]] static inline void across(const Z<T> (&y)[A][B], Z<T> (&x)[R],
                                                   std::integer_sequence<int, a...>) {
    Z<T> t[A] = {y[a][b]...};
    Butterfly<A>::run(t);
    ((x[b + B * a] = t[a]), ...);
  }

  /// Odd primes: sums and differences of mirrored points halve the products.
  template <class T, int... i>
  [[gnu::always_inline]] static inline void prime(Z<T> (&x)[R], std::integer_sequence<int, i...>) {
    const Z<T> first = x[0];
    const Z<T> sum[] = {(x[i + 1] + x[R - 1 - i])...}, difference[] = {(x[i + 1] - x[R - 1 - i])...};
    Z<T> total = first;
    ((total = total + sum[i]), ...);
    x[0] = total;
    (pair<i + 1>(x, first, sum, difference, std::integer_sequence<int, i...>{}), ...);
  }
  template <int k, class T, int... i>
  [[gnu::always_inline]] static inline void pair(Z<T> (&x)[R], const Z<T>& first, const Z<T> (&sum)[R / 2],
                                                 const Z<T> (&difference)[R / 2], std::integer_sequence<int, i...>) {
    Z<T> even = first, odd = {first.re - first.re, first.re - first.re};
    (([&] {
       constexpr Root w = root(k * (i + 1), R);
       constexpr T c = static_cast<T>(w.re), s = static_cast<T>(w.im);
       even.re += sum[i].re * c;
       even.im += sum[i].im * c;
       odd.re += difference[i].re * s;
       odd.im += difference[i].im * s;
     }()),
     ...);
    x[k] = {even.re + odd.im, even.im - odd.re};
    x[R - k] = {even.re - odd.im, even.im + odd.re};
  }
};

// ---- steps

/// Point i of the scratch array.
template <class T>
[[gnu::always_inline]] inline Z<T>* lanes_at(T* scratch, Index i) {
  return reinterpret_cast<Z<T>*>(scratch) + i;
}

/// `negated`: the second half has the other sign; otherwise as the first three, whichever it is.
enum class Load { plain, fetched, some, negated, turned, turned_some };
enum class Put { plain, fetched, streamed, some, turned, turned_some };

template <Load how, class T>
[[gnu::always_inline]] inline Z<T> take(const LanesStep<T>& s, Index row) {
  if constexpr (how == Load::turned) {
    const T* const at = s.lines_in + 2 * row;
    constexpr Index in_line = 64 / (2 * static_cast<Index>(sizeof(T)));
    if (s.ahead_in > 0 && row % in_line == 0) {
      for (int i = 0; i < Simd<T>::W; ++i) {
        __builtin_prefetch(reinterpret_cast<const char*>(at + i * s.in_distance) + s.ahead_in);
      }
    }
    return load_turned(at, s.in_distance);
  }
  if constexpr (how == Load::turned_some) return load_turned_some(s.lines_in + 2 * row, s.in_distance, s.columns);
  const T* from = s.in[row] + s.at_in;
  if constexpr (how == Load::some) return load_some(from, s.columns);
  if (how == Load::negated && s.columns < Simd<T>::W) return load_some(from, s.columns);
  if (how == Load::fetched || (how == Load::negated && s.ahead_in > 0)) {
    const char* ahead = reinterpret_cast<const char*>(from) + s.ahead_in;
    __builtin_prefetch(ahead);
    if constexpr (sizeof(Z<T>) > 64) __builtin_prefetch(ahead + 64);
  }
  return load(from);
}

template <Put how, bool scaled, class T>
[[gnu::always_inline]] inline void give(const LanesStep<T>& s, Index i, Z<T> z, T scale) {
  if constexpr (how == Put::turned) return store_turned(s.lines_out + 2 * s.order[i], s.out_distance, z);
  if constexpr (how == Put::turned_some) {
    return store_turned_some(s.lines_out + 2 * s.order[i], s.out_distance, z, s.columns);
  }
  T* to = s.out[s.order[i]] + s.at_out;
  if constexpr (scaled) z = {z.re * scale, z.im * scale};
  if constexpr (how == Put::some) {
    store_some(to, z, s.columns);
  } else if constexpr (how == Put::streamed) {
    stream(to, z);
  } else {
    if constexpr (how == Put::fetched) {
      char* ahead = reinterpret_cast<char*>(to) + s.ahead_out;
      __builtin_prefetch(ahead, 1);
      if constexpr (sizeof(Z<T>) > 64) __builtin_prefetch(ahead + 64, 1);
    }
    store(to, z);
  }
}

/// Copies of the first run so many cache lines at most, or all of it; how many of them are left.
template <class T>
[[gnu::noinline]] inline Index copy_ahead(const Ahead& ahead, Index lines) {
  using Loose = typename Simd<T>::Loose;
  constexpr int bytes = sizeof(Loose);
  Ahead::Run& run = *ahead.next;
  const auto before = ahead.next[ahead.runs_before].end - run.end;
  for (; run.at + 64 <= run.end; run.at += 64, run.to += 64, --lines) {
    if (lines == 0) return 0;
    __builtin_prefetch(run.at + before, 0, 2);
    for (int i = 0; i < 64; i += bytes) {
      *reinterpret_cast<Loose*>(run.to + i) = *reinterpret_cast<const Loose*>(run.at + i);
    }
  }
  // Beside the lines of the cache a run ends in one more.
  __builtin_prefetch(run.end - 1 + before, 0, 2);
  // Rows of float may end with half of eight bytes; what lies behind is another row's.
  for (; run.at + 8 <= run.end; run.at += 8, run.to += 8) __builtin_memcpy(run.to, run.at, 8);
  for (; run.at < run.end; run.at += 4, run.to += 4) __builtin_memcpy(run.to, run.at, 4);
  return lines;
}

/// Some of what will be wanted next, for the second-level cache.
template <class T>
[[gnu::always_inline]] inline void ask_ahead(const LanesStep<T>& s) {
  if (s.ahead == nullptr) return;
  Ahead& ahead = *s.ahead;
  for (Index lines = ahead.lines; ahead.next != ahead.last && lines > 0;) {
    Ahead::Run& run = *ahead.next;
    if (run.to != nullptr) {
      lines = copy_ahead<T>(ahead, lines);
    } else {
      for (; run.at < run.end && lines > 0; run.at += 64, --lines) __builtin_prefetch(run.at, 0, 2);
    }
    if (run.at < run.end) return;
    ++ahead.next;
  }
}

/// Twiddled butterflies of a step that is not the last, written to scratch.
template <int R, class T, int... k>
[[gnu::always_inline]] inline void twiddle(Z<T> (&x)[R], const T* w, Z<T>* to, Index step,
                                           std::integer_sequence<int, k...>) {
  to[0] = x[0];
  ((to[(k + 1) * step] = {x[k + 1].re * w[2 * k] + x[k + 1].im * w[2 * k + 1],
                          x[k + 1].im * w[2 * k] - x[k + 1].re * w[2 * k + 1]}),
   ...);
}

template <bool negative, class T>
[[gnu::always_inline]] inline Z<T> with_sign(const Z<T>& z) {
  if constexpr (negative) return {-z.re, -z.im};
  return z;
}

template <int R, Load how, class T, int... j>
[[gnu::always_inline]] inline void first_step(const LanesStep<T>& s, std::integer_sequence<int, j...>) {
  for (Index p = 0; p < s.m; ++p) {
    Z<T> x[R] = {with_sign<(how == Load::negated && 2 * j >= R)>(take<how>(s, p + s.m * j))...};
    Butterfly<R>::run(x);
    twiddle<R>(x, s.twiddles + 2 * (R - 1) * p, lanes_at(s.to, R * p), 1, std::make_integer_sequence<int, R - 1>{});
    ask_ahead(s);
  }
}

template <int R, class T, int... j>
[[gnu::always_inline]] inline void middle_step(const LanesStep<T>& s, std::integer_sequence<int, j...>) {
  for (Index p = 0; p < s.m; ++p) {
    const T* const w = s.twiddles + 2 * (R - 1) * p;
    for (Index q = 0; q < s.l; ++q) {
      const Z<T>* const from = lanes_at(s.from, q + s.l * p);
      Z<T> x[R] = {from[s.l * s.m * j]...};
      Butterfly<R>::run(x);
      twiddle<R>(x, w, lanes_at(s.to, q + s.l * R * p), s.l, std::make_integer_sequence<int, R - 1>{});
      ask_ahead(s);
    }
  }
}

template <int R, Put how, bool scaled, class T, int... j>
[[gnu::always_inline]] inline void last_step(const LanesStep<T>& s, std::integer_sequence<int, j...>) {
  for (Index q = 0; q < s.l; ++q) {
    const Z<T>* const from = lanes_at(s.from, q);
    Z<T> x[R] = {from[s.l * j]...};
    Butterfly<R>::run(x);
    (give<how, scaled>(s, q + s.l * j, x[j], 2 * j >= R ? s.scale_of_second : s.scale), ...);
    ask_ahead(s);
  }
}

template <int R, Load load_how, Put put_how, bool scaled, class T, int... j>
[[gnu::always_inline]] inline void only_step(const LanesStep<T>& s, std::integer_sequence<int, j...>) {
  Z<T> x[R] = {take<load_how>(s, j)...};
  Butterfly<R>::run(x);
  (give<put_how, scaled>(s, j, x[j], s.scale), ...);
  ask_ahead(s);
}

/// How to load or put, as a type.
template <auto... how>
struct Way {};

template <class T, class Use>
[[gnu::always_inline]] inline void by_load(const LanesStep<T>& s, const Use& use) {
  if (s.lines_in != nullptr) {
    if (s.columns < Simd<T>::W) {
      use(Way<Load::turned_some>{});
    } else {
      use(Way<Load::turned>{});
    }
  } else if (s.columns < Simd<T>::W) {
    use(Way<Load::some>{});
  } else if (s.ahead_in > 0) {
    use(Way<Load::fetched>{});
  } else {
    use(Way<Load::plain>{});
  }
}

template <class T, class Use>
[[gnu::always_inline]] inline void by_put(const LanesStep<T>& s, const Use& use) {
  if (s.lines_out != nullptr) {
    if (s.columns < Simd<T>::W) {
      use(Way<Put::turned_some, false>{});
    } else {
      use(Way<Put::turned, false>{});
    }
  } else if (s.columns < Simd<T>::W) {
    use(Way<Put::some, true>{});
  } else if (s.streamed) {
    use(Way<Put::streamed, true>{});
  } else if (s.ahead_out > 0) {
    use(Way<Put::fetched, true>{});
  } else if (s.scale == 1 && s.scale_of_second == 1) {
    use(Way<Put::plain, false>{});
  } else {
    use(Way<Put::plain, true>{});
  }
}

template <int R>
struct Steps {
  using Points = std::make_integer_sequence<int, R>;

  template <class T>
  static void first(const LanesStep<T>& s) {
    if constexpr (R % 2 == 0) {
      if (s.negative) return first_step<R, Load::negated>(s, Points{});
    }
    by_load(s, [&]<Load how>(Way<how>) { first_step<R, how>(s, Points{}); });
  }
  template <class T>
  static void middle(const LanesStep<T>& s) {
    middle_step<R>(s, Points{});
  }
  template <class T>
  static void last(const LanesStep<T>& s) {
    by_put(s, [&]<Put how, bool scaled>(Way<how, scaled>) { last_step<R, how, scaled>(s, Points{}); });
  }
  template <class T>
  static void only(const LanesStep<T>& s) {
    if (s.lines_in != nullptr) {
      if (s.columns < Simd<T>::W) {
        only_step<R, Load::turned_some, Put::turned_some, false>(s, Points{});
      } else {
        only_step<R, Load::turned, Put::turned, false>(s, Points{});
      }
    } else if (s.columns < Simd<T>::W) {
      only_step<R, Load::some, Put::some, true>(s, Points{});
    } else if (s.streamed) {
      only_step<R, Load::fetched, Put::streamed, true>(s, Points{});
    } else {
      only_step<R, Load::fetched, Put::fetched, true>(s, Points{});
    }
  }
};

// ---- convolutions (lanes_convolution.cpp)

template <class T>
[[gnu::always_inline]] inline Z<T> times(const Z<T>& z, const T* w) {
  return {z.re * w[0] - z.im * w[1], z.im * w[0] + z.re * w[1]};
}

template <class T>
void take_points(const LanesStep<T>& s) {
  by_load(s, [&]<Load how>(Way<how>) {
    for (Index i = 0; i < s.m; ++i) *lanes_at(s.to, i) = s.order[i] < 0 ? Z<T>{} : take<how>(s, s.order[i]);
  });
}

template <class T>
void gather_points(const LanesStep<T>& s) {
  for (Index i = 0; i < s.m; ++i) {
    *lanes_at(s.to, i) = s.order[i] < 0 ? Z<T>{} : *lanes_at(s.from, s.l * s.order[i]);
  }
}

template <class T>
void centre_points(const LanesStep<T>& s) {
  Z<T> even{}, odd{};
  for (Index i = 0; i < s.m; i += 2) {
    even = even + *lanes_at(s.to, i);
    odd = odd + *lanes_at(s.to, i + 1);
  }
  const Z<T> sum = even + odd, mean = {sum.re * s.scale, sum.im * s.scale};
  for (Index i = 0; i < s.m; ++i) *lanes_at(s.to, i) = *lanes_at(s.to, i) - mean;
  *lanes_at(s.from, 0) = mean;
}

template <class T>
void multiply_points(const LanesStep<T>& s) {
  for (Index i = 0; i < s.m; ++i) *lanes_at(s.to, i) = times(*lanes_at(s.to, i), s.twiddles + 2 * i);
}

template <class T>
void scatter_points(const LanesStep<T>& s) {
  for (Index i = 0; i + 1 < s.m; ++i) {
    const Z<T> z = *lanes_at(s.from, i);
    const T* const w = s.twiddles + 2 * (s.order[i] - 1);
    *lanes_at(s.to, s.l * s.order[i]) = {z.re * w[0] + z.im * w[1], z.im * w[0] - z.re * w[1]};
  }
  *lanes_at(s.to, s.l * s.order[s.m - 1]) = *lanes_at(s.from, s.m - 1);
}

template <class T>
void give_points(const LanesStep<T>& s) {
  by_put(s, [&]<Put how, bool scaled>(Way<how, scaled>) {
    for (Index i = 0; i < s.m; ++i) give<how, scaled>(s, i, *lanes_at(s.from, i), s.scale);
  });
}

// ---- real lines: vectors along a line

/// Points k... of a line, and their mirrors, points - k downwards.
template <class T>
[[gnu::always_inline]] inline Pair<T> twisted(const T* line, Index points, const T* re, const T* im, T half, Index k) {
  using V = typename Simd<T>::V;
  using Loose = typename Simd<T>::Loose;
  constexpr int W = Simd<T>::W;
  const auto at = [](const T* from) -> V { return *reinterpret_cast<const Loose*>(from); };
  const V sign = Simd<T>::conjugating();
  const V low = at(line + 2 * k), high = Simd<T>::reversed(at(line + 2 * (points - k + 1) - W));
  const V sum = (low + high * sign) * half, difference = low - high * sign;
  const V turned = difference * at(re + 2 * k) + Simd<T>::swapped(difference) * at(im + 2 * k);
  return {sum + turned, Simd<T>::reversed((sum - turned) * sign)};
}

template <class T>
void twist(T* line, Index points, const T* re, const T* im, T half) {
  using Loose = typename Simd<T>::Loose;
  constexpr int W = Simd<T>::W;
  constexpr Index step = W / 2;
  const Index pairs = (points + 1) / 2;
  if (points % 2 == 0) {  // its own mirror
    line[points] *= 2 * half;
    line[points + 1] *= -2 * half;
  }
  if (pairs < step) {
    for (Index k = 0; k < pairs; ++k) {
      T *const low = line + 2 * k, *const high = line + 2 * (points - k);
      const T sum_re = (low[0] + high[0]) * half, sum_im = (low[1] - high[1]) * half;
      const T a = low[0] - high[0], b = low[1] + high[1];
      const T turned_re = a * re[2 * k] + b * im[2 * k], turned_im = b * re[2 * k + 1] + a * im[2 * k + 1];
      low[0] = sum_re + turned_re;
      low[1] = sum_im + turned_im;
      high[0] = sum_re - turned_re;
      high[1] = turned_im - sum_im;
    }
    return;
  }
  const auto put = [&](Index k, const Pair<T>& pair) {
    *reinterpret_cast<Loose*>(line + 2 * k) = pair.a;
    *reinterpret_cast<Loose*>(line + 2 * (points - k + 1) - W) = pair.b;
  };
  // The last vectors overlap those before: they are read before those are written.
  const Pair<T> last = twisted(line, points, re, im, half, pairs - step);
  for (Index k = 0; k + step < pairs; k += step) put(k, twisted(line, points, re, im, half, k));
  put(pairs - step, last);
}

// ---- pairs of rows

/// Calls `use` with the vectors of `count` numbers that begin at i: `load` and `store` keep to them in the last one.
template <class T, class Use>
[[gnu::always_inline]] inline void each_vector(Index count, const Use& use) {
  using V = typename Simd<T>::V;
  using Loose = typename Simd<T>::Loose;
  constexpr Index W = Simd<T>::W;
  const Index whole = count / W * W, rest = count - whole;
  const auto load = [](const T* from) -> V { return *reinterpret_cast<const Loose*>(from); };
  const auto store = [](T* to, V v) { *reinterpret_cast<Loose*>(to) = v; };
  for (Index i = 0; i < whole; i += W) use(i, load, store);
  if (rest == 0) return;
  use(
      whole,
      [rest](const T* from) -> V {
        V v = {};
        __builtin_memcpy(&v, from, static_cast<std::size_t>(rest) * sizeof(T));
        return v;
      },
      [rest](T* to, V v) { __builtin_memcpy(to, &v, static_cast<std::size_t>(rest) * sizeof(T)); });
}

template <class T>
void pairs_from_dft(const T* low, const T* high, Index count, const T* matrix, bool streamed, T* a, T* b) {
  using V = typename Simd<T>::V;
  using Loose = typename Simd<T>::Loose;
  const T p = matrix[0], q = matrix[1], r = matrix[2], s = matrix[3];
  const V sign = Simd<T>::conjugating();
  const auto pair_at = [&](Index i) __attribute__((always_inline)) {
    const V x = *reinterpret_cast<const Loose*>(low + i), y = *reinterpret_cast<const Loose*>(high + i);
    const V sum = x + y, difference = Simd<T>::swapped(x - y) * sign;
    return Pair<T>{sum * p + difference * q, sum * r + difference * s};
  };
  Index done = 0;
  for (; streamed && done + Simd<T>::W <= count; done += Simd<T>::W) {
    const Pair<T> pair = pair_at(done);
    Simd<T>::stream(a + done, pair.a);
    Simd<T>::stream(b + done, pair.b);
  }
  each_vector<T>(
      count - done, [&](Index i, const auto&, const auto& store) __attribute__((always_inline)) {
        const Pair<T> pair = pair_at(done + i);
        store(a + done + i, pair.a);
        store(b + done + i, pair.b);
      });
}

template <class T>
void pairs_to_dft(const T* a, const T* b, Index count, const T* matrix, T* low, T* high) {
  using V = typename Simd<T>::V;
  using Loose = typename Simd<T>::Loose;
  const T p = matrix[0], q = matrix[1], r = matrix[2], s = matrix[3];
  const V sign = Simd<T>::conjugating();
  each_vector<T>(
      count, [&](Index i, const auto& load, const auto&) __attribute__((always_inline)) {
        const V x = load(a + i), y = load(b + i);
        const V even = x * p + y * r, odd = Simd<T>::swapped(x * q + y * s) * sign;
        *reinterpret_cast<Loose*>(low + i) = even - odd;
        *reinterpret_cast<Loose*>(high + i) = even + odd;
      });
}

template <class T>
void move_row(const T* from, Index count, T factor, bool streamed, T* to) {
  using Loose = typename Simd<T>::Loose;
  Index done = 0;
  for (; streamed && done + Simd<T>::W <= count; done += Simd<T>::W) {
    Simd<T>::stream(to + done, *reinterpret_cast<const Loose*>(from + done) * factor);
  }
  each_vector<T>(
      count - done, [&](Index i, const auto& load, const auto& store)
                        __attribute__((always_inline)) { store(to + done + i, load(from + done + i) * factor); });
}

// ---- two rows as one of complex columns

template <class T>
void join_turned(const T* x, const T* y, Index count, T c, T s, T* z) {
  using V = typename Simd<T>::V;
  constexpr Index W = Simd<T>::W;
  Index i = 0;
  for (; i + W <= count; i += W) {
    const V a = Simd<T>::load(x + i), b = Simd<T>::load(y + i);
    const auto both = Simd<T>::together(a * c + b * s, b * c - a * s);
    Simd<T>::store(z + 2 * i, both.a);
    Simd<T>::store(z + 2 * i + W, both.b);
  }
  for (; i < count; ++i) {
    z[2 * i] = c * x[i] + s * y[i];
    z[2 * i + 1] = c * y[i] - s * x[i];
  }
}

template <class T>
void part_turned(const T* z, Index count, T c, T s, T sign_of_y, bool streamed, T* x, T* y) {
  using V = typename Simd<T>::V;
  constexpr Index W = Simd<T>::W;
  const T c_of_y = sign_of_y * c, s_of_y = sign_of_y * s;
  Index i = 0;
  for (; i + W <= count; i += W) {
    const auto parts = Simd<T>::apart(Simd<T>::load(z + 2 * i), Simd<T>::load(z + 2 * i + W));
    const V a = parts.a * c + parts.b * s, b = parts.b * c_of_y - parts.a * s_of_y;
    if (streamed) {
      Simd<T>::stream(x + i, a);
      Simd<T>::stream(y + i, b);
    } else {
      Simd<T>::store(x + i, a);
      Simd<T>::store(y + i, b);
    }
  }
  for (; i < count; ++i) {
    x[i] = c * z[2 * i] + s * z[2 * i + 1];
    y[i] = c_of_y * z[2 * i + 1] - s_of_y * z[2 * i];
  }
}

// ---- two real lines as one complex line

template <class T>
void join(const T* x, const T* y, Index points, T* z) {
  for (Index j = 0; j < points; ++j) {
    z[2 * j] = x[j];
    z[2 * j + 1] = y[j];
  }
}
template <class T>
void part(const T* z, Index points, T* x, T* y) {
  for (Index j = 0; j < points; ++j) {
    x[j] = z[2 * j];
    y[j] = z[2 * j + 1];
  }
}

/// Calls `use` with 1... as the first of so many numbers that a vector holds, up to `last`; the last vector overlaps
/// the one before. Only for `last` numbers at least that a vector holds.
template <class T, class Use>
[[gnu::always_inline]] inline void along(Index last, const Use& use) {
  constexpr Index step = Simd<T>::W / 2;
  for (Index k = 1; k + step <= last; k += step) use(k);
  use(last + 1 - step);
}

/// X and Y of Z = X + i Y, where X and Y have mirrored conjugates.
template <class T>
void part_spectra(const T* z, Index points, T* x, T* y) {
  using V = typename Simd<T>::V;
  using Loose = typename Simd<T>::Loose;
  constexpr int W = Simd<T>::W;
  const Index half = points / 2;
  x[0] = z[0];
  y[0] = z[1];
  x[1] = y[1] = 0;
  if (half < W / 2) {
    for (Index k = 1; k <= half; ++k) {
      const T *const low = z + 2 * k, *const high = z + 2 * (points - k);
      const T a = low[0], b = low[1], c = high[0], d = high[1];
      x[2 * k] = (a + c) * T(0.5);
      x[2 * k + 1] = (b - d) * T(0.5);
      y[2 * k] = (b + d) * T(0.5);
      y[2 * k + 1] = (c - a) * T(0.5);
    }
    return;
  }
  const V sign = Simd<T>::conjugating();
  along<T>(half, [&](Index k) {
    const V low = *reinterpret_cast<const Loose*>(z + 2 * k);
    const V high = Simd<T>::reversed(*reinterpret_cast<const Loose*>(z + 2 * (points - k + 1) - W)) * sign;
    *reinterpret_cast<Loose*>(x + 2 * k) = (low + high) * T(0.5);
    *reinterpret_cast<Loose*>(y + 2 * k) = Simd<T>::swapped((low - high) * T(0.5)) * sign;
  });
}

template <class T>
void join_spectra(const T* x, const T* y, Index points, T* z) {
  using V = typename Simd<T>::V;
  using Loose = typename Simd<T>::Loose;
  constexpr int W = Simd<T>::W;
  const Index half = points / 2;
  z[0] = x[0];
  z[1] = y[0];
  if (half < W / 2) {
    for (Index k = 1; k <= half; ++k) {
      T *const low = z + 2 * k, *const high = z + 2 * (points - k);
      const T a = x[2 * k], b = x[2 * k + 1], c = y[2 * k], d = y[2 * k + 1];
      high[0] = a + d;
      high[1] = c - b;
      low[0] = a - d;
      low[1] = b + c;
    }
  } else {
    const V sign = Simd<T>::conjugating();
    along<T>(half, [&](Index k) {
      const V a = *reinterpret_cast<const Loose*>(x + 2 * k);
      const V turned = Simd<T>::swapped(*reinterpret_cast<const Loose*>(y + 2 * k) * sign);
      *reinterpret_cast<Loose*>(z + 2 * (points - k + 1) - W) = Simd<T>::reversed((a - turned) * sign);
      *reinterpret_cast<Loose*>(z + 2 * k) = a + turned;
    });
  }
  if (points % 2 == 0) {  // real, whatever is there
    z[points] = x[points];
    z[points + 1] = y[points];
  }
}

template <class T, int... radix>
LanesCode<T> code_of(const char* name, std::integer_sequence<int, radix...>) {
  LanesCode<T> code;
  code.name = name;
  code.width = Simd<T>::W;
  code.smaller_step_first = Simd<T>::smaller_step_first;
  code.twist = &twist<T>;
  code.take = &take_points<T>;
  code.gather = &gather_points<T>;
  code.centre = &centre_points<T>;
  code.multiply = &multiply_points<T>;
  code.scatter = &scatter_points<T>;
  code.give = &give_points<T>;
  code.pairs = {&join<T>, &part<T>, &join_spectra<T>, &part_spectra<T>};
  code.pair_rows = {&pairs_from_dft<T>, &pairs_to_dft<T>, &move_row<T>};
  code.quarter_rows = {&join_turned<T>, &part_turned<T>};
  ((code.first[radix] = &Steps<radix>::template first<T>, code.middle[radix] = &Steps<radix>::template middle<T>,
    code.last[radix] = &Steps<radix>::template last<T>, code.only[radix] = &Steps<radix>::template only<T>),
   ...);
  return code;
}

template <class T>
LanesCode<T> code_of(const char* name) {
  return code_of<T>(name, std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16>{});
}

}  // namespace WEFT_LANES_SET
}  // namespace weft::detail::lanes
