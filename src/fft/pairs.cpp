#include "fft/pairs.hpp"

#include <cmath>
#include <numbers>

namespace weft::detail {

namespace {

/// The angle 2 pi a / b.
long double turn(Index a, Index b) {
  return 2 * std::numbers::pi_v<long double> * static_cast<long double>(a % b) / static_cast<long double>(b);
}

/// Points at even places in front and those at odd places behind them, backwards. With V their DFT, type 2 is
/// y_k = 2 Re W_k, y_{n-k} = -2 Im W_k of W_k = exp(-i pi k / 2n) V_k.
void make_second(Pairs& all) {
  const Index n = all.n;
  for (Index j = 0; j < n; ++j) all.place.push_back(j % 2 == 0 ? j / 2 : n - 1 - j / 2);
  for (Pairs::Pair& pair : all.pairs) {
    const long double angle = turn(pair.k, 4 * n);
    pair.p = static_cast<double>(std::cos(angle));
    pair.q = static_cast<double>(std::sin(angle));
    pair.r = pair.q;
    pair.s = -pair.p;
  }
}

/// Type 4 of an odd length. With p = 2j+1, extended as the cosines are (period 8n, even, and odd about 2n), the points
/// with p = 1 modulo 8 are all of them once. As 8 and n have no common divisor, exp(2 pi i pq / 8n) is an eighth of a
/// turn times exp(2 pi i pq b / n) with 8b = 1 modulo n.
void make_fourth(Pairs& all) {
  const Index n = all.n;
  all.place.resize(static_cast<std::size_t>(n));
  for (Index p = 1; p < 8 * n; p += 8) {
    Index folded = p > 4 * n ? 8 * n - p : p;
    const bool negative = folded > 2 * n;
    if (negative) folded = 4 * n - folded;
    const auto point = static_cast<std::size_t>((folded - 1) / 2);
    all.place[point] = p % n;
    all.negative[point] = negative;
  }
  // Of q = 2k+1, which is 8t modulo n.
  const auto odd = [&](Index t) { return 8 * t % n % 2 != 0 ? 8 * t % n : 8 * t % n + n; };
  for (Pairs::Pair& pair : all.pairs) {
    const auto use = [&](Index t, Index& at, double& of_sum, double& of_difference, int sign) {
      const Index q = odd(t);
      const long double angle = turn(q * (n % 8), 8);
      at = (q - 1) / 2;
      of_sum = static_cast<double>(std::cos(angle));
      of_difference = sign * static_cast<double>(std::sin(angle));
    };
    use(pair.k, pair.a, pair.p, pair.q, 1);
    if (pair.two()) use(pair.mirror, pair.b, pair.r, pair.s, -1);
  }
}

/// Sines of types 2 and 3: points have alternating signs, and results come backwards.
void make_sines(Pairs& all) {
  for (std::size_t j = 1; j < all.negative.size(); j += 2) all.negative[j] = true;
  for (Pairs::Pair& pair : all.pairs) {
    pair.a = all.n - 1 - pair.a;
    pair.b = all.n - 1 - pair.b;
  }
}

/// Sines of type 4: points come backwards, and results have alternating signs.
void make_fourth_sines(Pairs& all) {
  all.place = {all.place.rbegin(), all.place.rend()};
  all.negative = {all.negative.rbegin(), all.negative.rend()};
  for (Pairs::Pair& pair : all.pairs) {
    const double a = pair.a % 2 == 0 ? 1 : -1, b = pair.b % 2 == 0 ? 1 : -1;
    pair.p *= a;
    pair.q *= a;
    pair.r *= b;
    pair.s *= b;
  }
}

}  // namespace

bool has_pairs(LineType type, Index n) {
  if (n < 2) return false;
  switch (type) {
    case LineType::dct2:
    case LineType::dct3:
    case LineType::dst2:
    case LineType::dst3:
    case LineType::r2hc:
    case LineType::hc2r:
    case LineType::dht: return true;
    case LineType::dct4:
    case LineType::dst4: return n % 2 != 0;
    case LineType::none:
    case LineType::c2c:
    case LineType::r2c:
    case LineType::c2r:
    case LineType::dct1:
    case LineType::dst1: return false;
  }
  return false;
}

Pairs pairs_of(LineType type, Index n) {
  Pairs all;
  all.n = n;
  all.to_pairs = type != LineType::dct3 && type != LineType::dst3 && type != LineType::hc2r;
  all.negative.assign(static_cast<std::size_t>(n), false);
  for (Index k = 0; k <= n / 2; ++k) {
    Pairs::Pair& pair = all.pairs.emplace_back();
    pair.k = pair.a = k;
    pair.mirror = pair.b = k == 0 ? 0 : n - k;
  }
  const bool fourth = type == LineType::dct4 || type == LineType::dst4;
  const bool waves = type == LineType::r2hc || type == LineType::hc2r || type == LineType::dht;
  if (waves) {
    for (Index j = 0; j < n; ++j) all.place.push_back(j);
    for (Pairs::Pair& pair : all.pairs) {
      pair.s = 1;
      if (type == LineType::dht) {
        pair.q = -1;
        pair.r = 1;
      }
    }
    if (all.to_pairs) all.scale = 0.5;
  } else if (fourth) {
    make_fourth(all);
  } else {
    make_second(all);
  }
  if (type == LineType::dst2 || type == LineType::dst3) make_sines(all);
  if (type == LineType::dst4) make_fourth_sines(all);
  if (!all.to_pairs) {
    // Alone, the two are one.
    for (Pairs::Pair& pair : all.pairs) {
      if (pair.two()) continue;
      pair.p += pair.r;
      pair.q = pair.r = pair.s = 0;
      if (pair.k == 0) pair.p = 1;
    }
  }
  return all;
}

}  // namespace weft::detail
