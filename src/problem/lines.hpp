// What a one-dimensional transform is, and which of them a kind of problem is made of: said here and nowhere else.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <span>
#include <vector>

#include "weft/index.hpp"
#include "weft/problem.hpp"

namespace weft::detail {

/// What kernels compute: a Line in one way. Those between real numbers have the names of their lines. `none` is what an
/// operator's function finds whole along an axis without a transform; no kernel has it.
enum class LineType : unsigned char {
  c2c,
  r2c,
  c2r,
  dct1,
  dct2,
  dct3,
  dct4,
  dst1,
  dst2,
  dst3,
  dst4,
  r2hc,
  hc2r,
  dht,
  none
};
enum class Number : unsigned char { real, complex };
/// Of a type that holds one.
template <class T>
struct NumberOf {
  using Real = T;
  static constexpr Number number = Number::real;
};
template <class T>
struct NumberOf<std::complex<T>> {
  using Real = T;
  static constexpr Number number = Number::complex;
};
/// Where a line transform leads. That is neither the direction of the whole, since forward takes a field of kind c2r to
/// space, nor the sign of an exponent, which not every transform has.
enum class Way : unsigned char { to_spectrum, to_space };
constexpr Way opposite(Way way) { return way == Way::to_space ? Way::to_spectrum : Way::to_space; }

/// A transform between n points in space and its spectrum.
struct LineTraits {
  const char* name;
  Number in, out;                   ///< the numbers at either end
  bool to_space;                    ///< the n points are at the output, the spectrum at the input
  LineType inverse;                 ///< what undoes it
  int sign;                         ///< of the exponent that its kernels have; 0: either
  Index (*spectrum_points)(Index);  ///< numbers of the spectrum of n points
  double (*flops)(Index);           ///< of a line of n points
  double (*factor)(Index);          ///< a round trip multiplies by it
  /// Of a transform between real numbers: what point `in` adds to point `out`. Null for the others.
  long double (*coefficient)(Index n, Index out, Index in) = nullptr;
  Index fewest_points = 1;
  /// The wave number of each place of the spectrum of n points, in units of 2 pi / length. Null where the spectrum is
  /// not that of a field.
  double (*wave)(Index n, Index place) = nullptr;
  /// Distances of neighbours in the length, which is from wall to wall or a period, and those before the first point.
  double (*spacings)(Index n) = nullptr;
  double before_first = 0;

  /// Numbers at either end of n points.
  Index in_points(Index n) const { return to_space ? spectrum_points(n) : n; }
  Index out_points(Index n) const { return to_space ? n : spectrum_points(n); }
  /// The n points, from the numbers at both ends: a spectrum never has more, and fewer where modes are left out.
  static Index points(Index in_numbers, Index out_numbers) { return std::max(in_numbers, out_numbers); }
  bool between_reals() const { return in == Number::real && out == Number::real; }
};
const LineTraits& traits_of(LineType type);
/// What kernels compute for a line.
LineType type_of(Line line, Way way);

/// Whether lines of so many points come out in other numbers: one point is its own transform. (A real one must become
/// complex, and others are scaled.)
inline bool changes(Line line, Index points) { return line != Line::none && (line != Line::dft || points > 1); }

/// An axis that layouts do not divide: the third, and those after it, where there are more than three.
struct InnerAxis {
  Line line = Line::none;
  Index points = 1;
  Index in_space = 1, in_spectrum = 1;  ///< places in memory, those that pad rows of real fields included
  friend bool operator==(const InnerAxis&, const InnerAxis&) = default;
};
/// From the third axis on, and then, if they are interleaved, the fields; nothing if there are three axes. `pads`:
/// whether rows of real fields are padded.
std::vector<InnerAxis> inner_axes(const Problem& problem, bool pads);

/// The lines along the three axes that layouts divide. That of axis 2 stands for all of the inner ones: a half_dft if
/// there is one, a dft if their numbers are complex, else any that there is.
std::array<Line, 3> divided_lines(const Problem& problem);

/// Whether an axis has several points and no transform.
inline bool untransformed(const Problem& problem, std::size_t axis) {
  return divided_lines(problem)[axis] == Line::none && problem.shape[axis] > 1;
}

/// Distance of neighbours among n points in a length.
double spacing_of(Line line, Index n, double length);

/// Which numbers of a line are kept at one end, where that has fewer than the line has points. Of its spectrum the
/// modes 0 to m/2 and then, of whole spectra, the negative ones to -1; with an even m the number m/2 stands for m/2 and
/// -m/2. In space the first points.
struct Kept {
  enum class Of : unsigned char { modes, points };
  Index points = 0;  ///< of the line; 0: nothing is left out
  Index numbers = 0;
  Of of = Of::modes;

  explicit operator bool() const { return points > 0; }
  Index leading() const { return of == Of::modes ? numbers / 2 + 1 : numbers; }
  Index trailing() const { return numbers - leading(); }
  bool shared() const { return of == Of::modes && numbers % 2 == 0; }
  /// Whether fewer numbers come in than the line has: what is left out is zero. Otherwise fewer go out.
  bool spreads(Way way) const { return points > 0 && (of == Of::modes) == (way == Way::to_space); }
};

/// What fields hold in space, and what spectra hold.
Number space_number(const Kind& kind);
Number spectrum_number(const Kind& kind);
inline Number input_number(const Kind& kind) { return kind.to_space ? spectrum_number(kind) : space_number(kind); }
inline Number output_number(const Kind& kind) { return kind.to_space ? space_number(kind) : spectrum_number(kind); }

/// How the fields of a batch lie: so many arrays one after the other.
inline Index arrays_of(const Problem& problem) { return problem.interleaved ? 1 : problem.batch; }

/// One long line of real numbers.
/// Lines of more points are transformed as a part of a longer one, where their divisors deal them to so few ranks as
/// `line_grid` says.
constexpr Index longest_short_line = 4096;

inline bool is_real_line(const Problem& problem) { return problem.one_line && problem.kind.lines[2] == Line::half_dft; }
/// Numbers that lie side by side at each point of the three axes that layouts divide: those of interleaved fields, and
/// of the axes after the third.
struct PointNumbers {
  Index in_space = 1, in_spectrum = 1;
};
PointNumbers numbers_of_point(const Problem& problem, bool pads);

/// Bytes of a number.
inline int bytes_of(Number number, Precision precision) {
  return (precision == Precision::double_ ? 8 : 4) * (number == Number::real ? 1 : 2);
}

/// The factor of a direction, where both together multiply by `factor` without one.
double scale_of(Normalization normalization, Direction direction, double factor);
double scale_of(const Problem& problem, Direction direction);

}  // namespace weft::detail
