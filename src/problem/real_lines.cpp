#include "problem/real_lines.hpp"

#include <cmath>
#include <numbers>

namespace weft::detail {

namespace {

/// cos and sin of 2 pi a b / n.
long double cosine(Index a, Index b, Index n) {
  return std::cos(2 * std::numbers::pi_v<long double> * static_cast<long double>(a * b % n) /
                  static_cast<long double>(n));
}
long double sine(Index a, Index b, Index n) {
  return std::sin(2 * std::numbers::pi_v<long double> * static_cast<long double>(a * b % n) /
                  static_cast<long double>(n));
}
long double sign_of(Index k) { return k % 2 == 0 ? 1 : -1; }

}  // namespace

long double dct1(Index n, Index out, Index in) {
  if (in == 0) return 1;
  return in == n - 1 ? sign_of(out) : 2 * cosine(in, out, 2 * (n - 1));
}
long double dct2(Index n, Index out, Index in) { return 2 * cosine(2 * in + 1, out, 4 * n); }
long double dct3(Index n, Index out, Index in) { return in == 0 ? 1 : 2 * cosine(in, 2 * out + 1, 4 * n); }
long double dct4(Index n, Index out, Index in) { return 2 * cosine(2 * in + 1, 2 * out + 1, 8 * n); }

long double dst1(Index n, Index out, Index in) { return 2 * sine(in + 1, out + 1, 2 * (n + 1)); }
long double dst2(Index n, Index out, Index in) { return 2 * sine(2 * in + 1, out + 1, 4 * n); }
long double dst3(Index n, Index out, Index in) {
  return in == n - 1 ? sign_of(out) : 2 * sine(in + 1, 2 * out + 1, 4 * n);
}
long double dst4(Index n, Index out, Index in) { return 2 * sine(2 * in + 1, 2 * out + 1, 8 * n); }

long double r2hc(Index n, Index out, Index in) { return 2 * out <= n ? cosine(in, out, n) : -sine(in, n - out, n); }
long double hc2r(Index n, Index out, Index in) {
  if (in == 0) return 1;
  if (2 * in == n) return sign_of(out);
  return 2 * in < n ? 2 * cosine(in, out, n) : -2 * sine(n - in, out, n);
}
long double dht(Index n, Index out, Index in) { return cosine(in, out, n) + sine(in, out, n); }

}  // namespace weft::detail
