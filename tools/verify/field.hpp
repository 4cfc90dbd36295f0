// Test fields that any rank can evaluate at any global index: nobody needs to hold or send the whole field.
#pragma once

#include <array>
#include <complex>
#include <cstdint>

#include "weft/index.hpp"

namespace weft::verify {

/// complex: two independent numbers a point; real: the imaginary part is 0; hermitian: x(-i) = conj(x(i)), whose
/// transform is real.
enum class FieldType { complex, real, hermitian };

namespace detail {

/// The finaliser of the splitmix64 generator: every input bit changes every output bit.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Two numbers in [-1/2, 1/2). Multiples of 2^-20, so that they and their means are exact in single precision too:
/// what a test measures is then the transform's error alone.
inline std::complex<double> noise(std::uint64_t seed, Index field, const Extents& at) {
  std::uint64_t h = mix(seed);
  h = mix(h ^ static_cast<std::uint64_t>(field));
  for (const Index i : at) h = mix(h ^ static_cast<std::uint64_t>(i));
  const auto number = [](std::uint64_t bits) { return static_cast<double>(bits & 0xfffffu) / 1048576.0 - 0.5; };
  return {number(h), number(h >> 32)};
}

}  // namespace detail

/// A field of pseudo-random numbers over a periodic grid.
struct Field {
  FieldType type = FieldType::complex;
  std::uint64_t seed = 1;
  Index number = 0;  ///< which of a batch
  Extents shape{1, 1, 1};
  /// Of hermitian fields: the axes along which x(i) and x(-i) are conjugate, those of complex waves.
  std::array<bool, Extents::most_axes> mirrored{true, true, true, true, true, true, true, true};

  std::complex<double> operator()(const Extents& at) const {
    const std::complex<double> a = detail::noise(seed, number, at);
    if (type == FieldType::complex) return a;
    if (type == FieldType::real) return {a.real(), 0.0};
    Extents mirror = at;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      mirror[axis] = mirrored[axis] ? (shape[axis] - at[axis]) % shape[axis] : at[axis];
    }
    const std::complex<double> b = detail::noise(seed, number, mirror);
    return {(a.real() + b.real()) / 2, (a.imag() - b.imag()) / 2};
  }
};

/// Where a point lies in a grid in C order.
inline Index place(const Extents& shape, const Extents& at) {
  Index all = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) all = all * shape[axis] + at[axis];
  return all;
}

/// The next point of a grid in C order, from an axis on; false after the last, and the first one again.
inline bool step(Extents& at, const Extents& shape, std::size_t first = 0) {
  for (std::size_t axis = shape.size(); axis-- > first;) {
    if (++at[axis] < shape[axis]) return true;
    at[axis] = 0;
  }
  return false;
}

/// Calls work(point) for every point of a box, in C order.
template <class Work>
void for_points(const Box& box, const Work& work) {
  for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
      for (Index k = box.lo[2]; k < box.hi[2]; ++k) work(Shape{i, j, k});
    }
  }
}

}  // namespace weft::verify
