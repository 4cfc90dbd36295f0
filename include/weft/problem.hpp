// What to transform. No MPI.
#pragma once

#include <array>
#include <compare>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "weft/error.hpp"
#include "weft/index.hpp"

namespace weft {

/// The transform of the lines along one axis, from physical space to the spectrum; all are unnormalised, and those of
/// real numbers are FFTW's. With complex fields these transform the real and the imaginary parts.
/// * none: the axis is not transformed.
/// * dft: y[k] = sum of x[j] exp(-2 pi i j k / n).
/// * half_dft: the same of real numbers, of which the modes 0 to n/2 are kept. Only along the last axis.
/// * dct1 to dct4: the cosine transforms REDFT00, REDFT10, REDFT01 and REDFT11, dct1 of at least two points.
/// * dst1 to dst4: the sine transforms RODFT00, RODFT10, RODFT01 and RODFT11.
/// * r2hc, hc2r: the dft of real numbers as real numbers, r0 r1 ... r(n/2) i((n+1)/2-1) ... i1, and what undoes it.
/// * dht: the Hartley transform, y[k] = sum of x[j] (cos + sin)(2 pi j k / n).
/// To space each has its inverse (dct2 and dct3 are each other's, as dst2 and dst3), which brings back the line times n
/// (dft, half_dft, r2hc, hc2r, dht), 2 n (dct2 to dct4, dst2 to dst4), 2 (n - 1) (dct1) or 2 (n + 1) (dst1).
enum class Line : unsigned char {
  none,
  dft,
  half_dft,
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
  dht
};

/// The lines along each axis. Fields in space are complex where there is a dft and no half_dft; spectra where there is
/// either. Three kinds have names:
/// * c2c: forward and backward take complex to complex.
/// * r2c: forward takes a real field to its half spectrum (the last axis has n/2+1 points), backward takes it back.
/// * c2r: forward (exponent -1) takes a half spectrum with Hermitian symmetry to a real field, backward (+1) takes it
///   back: the pair that NumPy calls hfft and ihfft.
struct Kind {
  std::array<Line, 3> lines{Line::dft, Line::dft, Line::dft};
  bool to_space = false;  ///< forward leads to space, backward to the spectrum
  /// Lines of the axes after the third: so many are told. The others are as the axis before; but where axis 2 is the
  /// last that is told, its half_dft is that of the last axis, and those between are dft.
  int told = 0;
  std::array<Line, Extents::most_axes - 3> more{};

  static const Kind c2c, r2c, c2r;
  friend bool operator==(const Kind&, const Kind&) = default;
  friend auto operator<=>(const Kind&, const Kind&) = default;
};
inline constexpr Kind Kind::c2c{};
inline constexpr Kind Kind::r2c{{Line::dft, Line::dft, Line::half_dft}};
inline constexpr Kind Kind::c2r{{Line::dft, Line::dft, Line::half_dft}, true};

enum class Precision { single_, double_ };

/// Where the factor 1/N is put, N being the product of the shape, or of what lines that are no dft multiply by (see
/// Line); the names are NumPy's, `none` (FFTW's habit) is the default.
/// * none: backward(forward(x)) = N x
/// * forward / backward: 1/N on that direction
/// * ortho: 1/sqrt(N) on both
enum class Normalization { none, forward, backward, ortho };

/// The axes of an array in memory, from the slowest to the fastest: {0, 1, 2} is C order, {1, 0, 2} has planes of fixed
/// axis 1 one after the other. "012", "102" in text.
using MemoryOrder = std::array<int, 3>;

/// The sign of the exponent, as everywhere in the field.
enum class Direction : int { forward = -1, backward = +1 };

/// Of all axes.
constexpr std::array<double, Extents::most_axes> equal_lengths(double length) {
  std::array<double, Extents::most_axes> all{};
  all.fill(length);
  return all;
}

/// What to transform, or what an operator transforms (operator.hpp).
struct Problem {
  /// Global extents of the real-space grid; each at least 1. Of more than three axes: all modes and all points of the
  /// third and those after it; each point of the first three is what layouts divide, and what an order in memory moves.
  Extents shape{1, 1, 1};
  Kind kind{};
  Precision precision = Precision::double_;
  /// Modes of each axis that spectra keep, those of the smallest |wave number|: spectra are those of a grid of so many
  /// points, in the order of its FFT. 0: all. Forward of c2c and r2c leaves the others out, backward takes them for
  /// zero; they are not stored or sent, and lines that have nothing else are not computed. An even number of modes that
  /// are not all has a last one, m/2, that stands for both m/2 and -m/2: their sum from space, half of it for each to
  /// space.
  Shape modes{0, 0, 0};
  /// The first points of each axis that fields in space hold, of lines other than none. 0: all. The others are
  /// zero on the way to the spectrum and left out on the way to space; they are not stored or sent, and
  /// lines that have nothing else are not computed. So a spectrum of the double grid, by which fields without periodic
  /// neighbours are convolved, costs no field that is doubled. Of an axis modes or points are left out, not both.
  Shape points{0, 0, 0};
  /// Number of fields transformed by one call; of an operator, its applications in one call, each with its own fields.
  /// Fields lie one after the other, each a whole local array, unless they are `interleaved`.
  Index batch = 1;
  /// Of an operator: that of the spectrum which the function, or the user, sees. The function that changes nothing
  /// gives the fields back as they were: `none` is the same as `backward`, with 1/N on the way to space.
  Normalization normalization = Normalization::none;
  /// Lengths of the box along each axis, which an operator's function needs: wave numbers are 2 pi i / length, and what
  /// `wavenumbers` says along lines between walls. Those of axes that the shape does not have mean nothing.
  std::array<double, Extents::most_axes> lengths = equal_lengths(2 * std::numbers::pi);
  /// The numbers that the fields have at a point lie side by side: the field's index is the fastest of all. (In FFTW's
  /// words: stride = howmany, dist = 1.)
  bool interleaved = false;
  /// How the axes of this rank's part of forward's input and output (backward's output and input) lie in memory. The
  /// layouts, and the meaning of the axes, are not changed by it.
  MemoryOrder input_order{0, 1, 2}, output_order{0, 1, 2};
  /// Rows of a real field whose rank holds whole rows are padded to 2*(n/2+1) numbers out of place, too, n being the
  /// last extent. Of more than three axes, those along half_dft.
  bool padded_rows = false;
  /// The grid, n0 x 1 x n1, is one line of n = n0 n1 points: see `line_problem`. Only with c2c, r2c and c2r.
  /// * c2c: point (j0, 0, j1) is number j0 n1 + j1, and mode (k0, 0, k1) is number k0 + n0 k1. With the order 210 a
  ///   rank's modes lie one after the other; spectra are dealt along axis 2 then, unless the output is `transposed`:
  ///   along axis 0, as the last transform leaves them, with an exchange less.
  /// * r2c, c2r: point (j0, 0, j1) is number j0 + n0 j1; with the order 210 in space a rank's points lie one after the
  ///   other. Spectra are the modes 0 to n/2 in order, dealt evenly, as a grid of 1 x 1 x (n/2 + 1); or, `transposed`,
  ///   as the last transform leaves them, with an exchange less: of n0 x 1 x (n1/2 + 1), where (k0, 0, k1) is mode
  ///   k0 n1 + k1 (beyond n/2 that is the conjugate of mode n - k0 n1 - k1), dealt along axis 2.
  bool one_line = false;
  /// Nothing of that: fields lie one after the other, in C order, and rows out of place without gaps.
  bool plain_arrays() const;

  /// `modes`, or `shape` where they are 0.
  Shape kept_modes() const;
  /// `points`, or `shape` where they are 0: the shape of fields in space.
  Shape kept_points() const;
  /// The shape of spectra: kept_modes() and what follows, for r2c and c2r with the half of the last axis.
  Extents spectrum_shape() const;
  /// The line along any of the axes.
  Line line(std::size_t axis) const;
  /// What forward and backward together multiply by where nothing is normalised: the product of what the lines do.
  double factor() const;
  /// Bytes of one real number.
  int real_bytes() const { return precision == Precision::double_ ? 8 : 4; }
  /// Bytes of one number of forward's input, and of its output: real_bytes() where it is real, twice that otherwise.
  int input_bytes() const;
  int output_bytes() const;
  bool real_input() const { return input_bytes() == real_bytes(); }
  bool real_output() const { return output_bytes() == real_bytes(); }
  /// Throws Error unless the parts are such as some transform can have. Whoever plans it checks that, too.
  void check() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// The grid of one line of n points: n0 x 1 x n1, n0 the largest divisor of n that is not above its root. So many ranks
/// have a part of it. 1 x 1 x n if n is above 4096 and n0 were below a sixteenth of the root, as of a prime: such a
/// line is transformed as a part of a longer one, and each rank has neighbouring numbers of it.
Shape line_grid(Index n);
/// A problem of kind c2c, r2c or c2r as that of one line of n points: with its grid, and the memory orders in which the
/// points of a rank, and its modes, lie one after the other.
Problem line_problem(Index n, Problem of = {});

/// The grid on which the product of two fields of so many modes aliases none of them (but m/2 of an even m): three
/// halves as many points along each axis, rounded up; 1 stays 1. Error for numbers that no grid has.
Shape three_halves(const Shape& modes);
/// The modes of a grid that the product of two fields of them does not alias: two thirds of its points, rounded down.
/// Error for numbers that no grid has.
Shape two_thirds(const Shape& shape);

/// The kind whose axes have these lines, three to eight; or of a plane the lines of its two axes (the middle one is
/// `none`).
Kind kind_of(std::vector<Line> lines, bool to_space = false);

/// Text forms: "c2c", "double", "none", ...; the parsers throw an Error that names `argument` and lists what is
/// allowed.
std::string to_string(Line line);
/// Of a kind without a name: its lines, "dct2-none-r2c", in which half_dft is called r2c (or c2r where forward leads to
/// space).
std::string to_string(const Kind& kind);
std::string to_string(Precision precision);
std::string to_string(Normalization normalization);
std::string to_string(const MemoryOrder& order);
/// A name, a line for each of up to eight axes ("dct2-dct2-dft"), the lines of a plane's two axes ("dct2-dst1", the
/// middle one is `none`), or a line for all axes ("dct2").
Kind parse_kind(std::string_view text, std::string_view argument = "kind");
Precision parse_precision(std::string_view text, std::string_view argument = "precision");
Normalization parse_normalization(std::string_view text, std::string_view argument = "normalization");
MemoryOrder parse_order(std::string_view text, std::string_view argument = "output_order");

}  // namespace weft
