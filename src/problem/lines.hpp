// What a one-dimensional transform is, and which of them a kind of problem is made of: said here and nowhere else.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "weft/index.hpp"
#include "weft/problem.hpp"

namespace weft::detail {

enum class LineType { c2c, r2c, c2r };
enum class Number : unsigned char { real, complex };

/// A transform between n points in space and its spectrum.
struct LineTraits {
  const char* name;
  Number in, out;                   ///< the numbers at either end
  bool to_space;                    ///< the n points are at the output, the spectrum at the input
  LineType inverse;                 ///< what undoes it
  int sign;                         ///< of the exponent that its kernels have; 0: either
  Index (*spectrum_points)(Index);  ///< numbers of the spectrum of n points
  double (*flops)(Index);           ///< of a line of n points
  double (*factor)(Index);          ///< there and back multiplies by it

  /// Numbers at either end of n points.
  Index in_points(Index n) const { return to_space ? spectrum_points(n) : n; }
  Index out_points(Index n) const { return to_space ? n : spectrum_points(n); }
  /// The n points, from the numbers at both ends: a spectrum never has more, and fewer where modes are left out.
  static Index points(Index in_numbers, Index out_numbers) { return std::max(in_numbers, out_numbers); }
};
const LineTraits& traits_of(LineType type);

/// Which numbers of a line's spectrum are kept where fewer modes are than the line has points: 0 to m/2, and then, of
/// whole spectra, the negative ones to -1. With an even m the number m/2 stands for m/2 and -m/2.
struct KeptModes {
  Index points = 1, modes = 1;
  Index leading() const { return modes / 2 + 1; }
  Index trailing() const { return modes - leading(); }
  bool shared() const { return modes % 2 == 0; }
};

/// The transforms along each axis in the forward direction. Axis 2 is the first from space and the last to it.
struct KindTraits {
  Kind kind;
  const char* name;
  std::array<LineType, 3> lines;
  bool to_space() const { return traits_of(lines[2]).to_space; }
  Number input() const { return traits_of(lines[to_space() ? 0 : 2]).in; }
  Number output() const { return traits_of(lines[to_space() ? 2 : 0]).out; }
};
const KindTraits& traits_of(Kind kind);
std::span<const KindTraits> all_kinds();

/// How the fields of a batch lie: so many arrays one after the other, whose points are so many numbers side by side.
inline Index arrays_of(const Problem& problem) { return problem.interleaved ? 1 : problem.howmany; }
inline Index numbers_of_point(const Problem& problem) { return problem.interleaved ? problem.howmany : 1; }

/// Bytes of a number.
inline int bytes_of(Number number, Precision precision) {
  return (precision == Precision::double_ ? 8 : 4) * (number == Number::real ? 1 : 2);
}

/// The factor of a direction, where both together multiply by `factor` without one.
double scale_of(Normalization normalization, Direction direction, double factor);
double scale_of(const Problem& problem, Direction direction);

}  // namespace weft::detail
