// What to transform. No MPI.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "weft/error.hpp"
#include "weft/index.hpp"

namespace weft {

/// What the two ends of a transform hold.
/// * c2c: forward and backward take complex to complex.
/// * r2c: forward takes a real field to its half spectrum (axis 2 has n/2+1 points), backward takes it back.
/// * c2r: forward (exponent -1) takes a half spectrum with Hermitian symmetry to a real field, backward (+1) takes it
///   back: the pair that NumPy calls hfft and ihfft.
enum class Kind { c2c, r2c, c2r };
enum class Precision { single_, double_ };

/// Where the factor 1/N (N = product of the shape) is put; the names are NumPy's, `none` (FFTW's habit) is the default.
/// * none: backward(forward(x)) = N x
/// * forward / backward: 1/N on that direction
/// * ortho: 1/sqrt(N) on both
enum class Normalization { none, forward, backward, ortho };

/// The axes of an array in memory, from the slowest to the fastest: {0, 1, 2} is C order, {1, 0, 2} has planes of fixed
/// axis 1 one after the other. "012", "102" in text.
using MemoryOrder = std::array<int, 3>;

/// The sign of the exponent, as everywhere in the field.
enum class Direction : int { forward = -1, backward = +1 };

/// What to transform.
struct Problem {
  /// Global extents of the real-space grid; each at least 1.
  Shape shape{1, 1, 1};
  Kind kind = Kind::c2c;
  Precision precision = Precision::double_;
  /// Modes of each axis that spectra keep, those of the smallest |wave number|: spectra are those of a grid of so many
  /// points, in the order of its FFT. 0: all. Forward of c2c and r2c leaves the others out, backward takes them for
  /// zero; they are not stored or sent, and lines that have nothing else are not computed. An even number of modes that
  /// are not all has a last one, m/2, that stands for both m/2 and -m/2: their sum from space, half of it for each to
  /// space.
  Shape modes{0, 0, 0};
  /// Number of fields transformed by one call. Fields lie one after the other, each a whole local array, unless they
  /// are `interleaved`.
  Index howmany = 1;
  Normalization normalization = Normalization::none;
  /// The numbers that the fields have at a point lie side by side: the field's index is the fastest of all. (In FFTW's
  /// words: stride = howmany, dist = 1.)
  bool interleaved = false;
  /// How the axes of this rank's part of forward's input and output (backward's output and input) lie in memory. The
  /// layouts, and the meaning of the axes, are not changed by it.
  MemoryOrder input_order{0, 1, 2}, output_order{0, 1, 2};
  /// Rows of a real field whose rank holds whole rows are padded to 2*(n2/2+1) numbers out of place, too.
  bool padded_rows = false;
  /// Nothing of that: fields lie one after the other, in C order, and rows out of place without gaps.
  bool plain_arrays() const;

  /// `modes`, or `shape` where they are 0.
  Shape kept_modes() const;
  /// The shape of spectra: kept_modes(), for r2c and c2r with the half of axis 2.
  Shape spectrum_shape() const;
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

/// The grid on which the product of two fields of so many modes aliases none of them (but m/2 of an even m): three
/// halves as many points along each axis, rounded up; 1 stays 1. Error for numbers that no grid has.
Shape three_halves(const Shape& modes);
/// The modes of a grid that the product of two fields of them does not alias: two thirds of its points, rounded down.
/// Error for numbers that no grid has.
Shape two_thirds(const Shape& shape);

/// Text forms: "c2c", "double", "none", ...; the parsers throw an Error that names `argument` and lists what is
/// allowed.
std::string to_string(Kind kind);
std::string to_string(Precision precision);
std::string to_string(Normalization normalization);
std::string to_string(const MemoryOrder& order);
Kind parse_kind(std::string_view text, std::string_view argument = "kind");
Precision parse_precision(std::string_view text, std::string_view argument = "precision");
Normalization parse_normalization(std::string_view text, std::string_view argument = "normalization");
MemoryOrder parse_order(std::string_view text, std::string_view argument = "output_order");

}  // namespace weft
