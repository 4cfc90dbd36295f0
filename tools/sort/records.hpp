// Elements that no integer of the machine stands for: they are compared by what they mean. All are plain memory, so
// that every bit of them is kept.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::sort {

/// A long double as it lies in memory: copies of the number itself may lose the bits that fill it up.
struct LongReal {
  std::array<std::uint64_t, 2> bits;
};

inline float number(float value) { return value; }
inline double number(double value) { return value; }
inline long double number(const LongReal& real) {
  long double value = 0;
  std::memcpy(&value, &real, sizeof value < sizeof real ? sizeof value : sizeof real);
  return value;
}

/// NaNs come last, all alike.
inline bool operator<(const LongReal& a, const LongReal& b) {
  const long double x = number(a), y = number(b);
  return x < y || (std::isnan(y) && !std::isnan(x));
}

/// As NumPy compares them: by real, then by imaginary part; behind all numbers come those whose imaginary part is NaN,
/// then those whose real part is, then those of which both are. No integers stand for the parts, because zeros of
/// either sign, and all NaNs, must be equal for the imaginary part to decide.
template <class Part>
struct Complex {
  Part real, imaginary;
  friend bool operator<(const Complex& a, const Complex& b) {
    const auto ar = number(a.real), ai = number(a.imaginary), br = number(b.real), bi = number(b.imaginary);
    const int a_class = 2 * std::isnan(ar) + std::isnan(ai), b_class = 2 * std::isnan(br) + std::isnan(bi);
    if (a_class != b_class) return a_class < b_class;
    // Of NaNs, neither is less than the other.
    return ar < br || (!(br < ar) && ai < bi);
  }
};

/// Characters of a string, the first in the highest bits of the first word, zeros behind the last: as many in a word as
/// are compared at once.
template <std::size_t words>
struct Text {
  std::array<std::uint64_t, words> word;
  friend bool operator<(const Text& a, const Text& b) {
    for (std::size_t i = 0; i < words; ++i) {
      if (a.word[i] != b.word[i]) return a.word[i] < b.word[i];
    }
    return false;
  }
};

}  // namespace weft::sort
