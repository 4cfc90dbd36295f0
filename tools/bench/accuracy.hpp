// How much kernels of one-dimensional lines round, by length, against lines transformed in long double.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "fft/serial.hpp"

namespace weft::tools {

/// Lines as passes have them. Columns have the exponent -1, complex rows +1.
enum class Lines { columns, rows, real_rows, real_rows_back };
inline constexpr std::array<Lines, 4> all_lines{Lines::columns, Lines::rows, Lines::real_rows, Lines::real_rows_back};
const char* to_string(Lines lines);

/// What lines hold: points are a constant, and something else at a few points.
enum class Signal { constant, wave, points, noise };
inline constexpr std::array<Signal, 4> all_signals{Signal::constant, Signal::wave, Signal::points, Signal::noise};
const char* to_string(Signal signal);

/// The error of the worst line of each signal, in the 2-norm, relative to its result.
struct LineErrors {
  std::array<double, all_signals.size()> of{};
  double worst() const;
};

double unit_of_rounding(Precision precision);
/// What a kernel's error may be where FFTW's is `fftws`: twice as much, or two units of rounding.
double error_limit(Precision precision, double fftws);
/// The largest part of its limit that any signal takes.
double worst_of_limit(Precision precision, const LineErrors& errors, const LineErrors& fftws);

/// Lines of one length, and what they should become.
class LineAccuracy {
 public:
  LineAccuracy(Lines lines, Index n, Precision precision);
  /// Of a backend's kernel, made without measuring.
  LineErrors errors(const detail::Backend& backend) const;

 private:
  using Long = std::complex<long double>;
  template <class Real>
  LineErrors errors_as(const detail::Backend& backend) const;

  Lines lines_;
  Index n_;
  Precision precision_;
  detail::LineType type_;
  std::vector<std::vector<std::complex<double>>> in_;  ///< of each signal all lines, exact in the precision
  std::vector<std::vector<Long>> exact_;
};

}  // namespace weft::tools
