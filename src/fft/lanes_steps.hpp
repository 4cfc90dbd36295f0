// What the parts of a column transform tell each other. Plain data: it goes between files compiled for different
// processors.
#pragma once

#include <cstdint>

#include "fft/ahead.hpp"

namespace weft::detail {

using Index = std::int64_t;

/// One step of the transforms of a group of columns, or of lines that are contiguous, one a lane.
template <class T>
struct LanesStep {
  const T* const* in;  ///< rows of columns, read by the first step
  T* const* out;       ///< rows of columns, written by the last step
  const T* lines_in;   ///< instead of columns: the first line of the group; null for columns
  T* lines_out;
  Index in_distance, out_distance;  ///< numbers between lines
  const std::int32_t* order;        ///< which row point i of the result goes to
  Index at_in, at_out;              ///< numbers from the start of a row to the group
  int columns;                      ///< of the group, or lines; fewer than lanes at the end
  T* from;                          ///< scratch
  T* to;
  const T* twiddles;         ///< (radix - 1) pairs (cos, sin) for each of the m butterflies
  Index m, l;                ///< remaining length, product of the radices before
  T scale, scale_of_second;  ///< of the result, and of the second half of its points
  bool streamed;
  bool negative;  ///< the second half of the rows that are read has the other sign
  /// Bytes by which the cache is asked ahead of time for what is read and for where is written; 0: not at all.
  Index ahead_in, ahead_out;
  Ahead* ahead;  ///< what else the cache is asked for; may be null
};

/// Two real lines as one complex line z = x + i y, and back; their spectra have points / 2 + 1 numbers.
template <class T>
struct RealPairs {
  void (*join)(const T* x, const T* y, Index points, T* z) = nullptr;
  void (*part)(const T* z, Index points, T* x, T* y) = nullptr;
  void (*join_spectra)(const T* x, const T* y, Index points, T* z) = nullptr;
  void (*part_spectra)(const T* z, Index points, T* x, T* y) = nullptr;
};

/// Rows of pairs (pairs.hpp): of `count` real columns, two of which are the real and the imaginary part of a complex
/// one. `matrix` is p, q, r, s.
template <class T>
struct PairRows {
  /// Of rows of a DFT. They are read to the next whole vector. `streamed`: a and b, which begin with cache lines, are
  /// written past the cache.
  void (*from_dft)(const T* low, const T* high, Index count, const T* matrix, bool streamed, T* a, T* b) = nullptr;
  /// The way back. Rows of the DFT are written to the next whole vector, with zeros.
  void (*to_dft)(const T* a, const T* b, Index count, const T* matrix, T* low, T* high) = nullptr;
  /// A row times a factor; `streamed` as above.
  void (*move)(const T* from, Index count, T factor, bool streamed, T* to) = nullptr;
};

/// Two rows of `count` real columns, x and y, as one row of complex ones, times c - i s; and back, where y may get the
/// other sign. Where the complex columns lie in a row is the same for both. `streamed` as above.
template <class T>
struct QuarterRows {
  void (*join)(const T* x, const T* y, Index count, T c, T s, T* z) = nullptr;
  void (*part)(const T* z, Index count, T c, T s, T sign_of_y, bool streamed, T* x, T* y) = nullptr;
};

/// The steps that one instruction set has, by radix; null where there is none.
template <class T>
struct LanesCode {
  static constexpr int most = 16;  ///< largest radix
  using Step = void (*)(const LanesStep<T>&);
  const char* name = nullptr;
  int width = 0;  ///< lanes
  /// Of two steps, the first is the smaller one.
  bool smaller_step_first = false;
  Step first[most + 1] = {}, middle[most + 1] = {}, last[most + 1] = {}, only[most + 1] = {};
  /// Between a line of `points` complex numbers and the half of a spectrum that has one more, in place
  /// (real_lines.cpp). `re` and `im` are the factors of the first half of the points: (re, re) and (-im, im) of each.
  void (*twist)(T* line, Index points, const T* re, const T* im, T half) = nullptr;
  RealPairs<T> pairs;
  PairRows<T> pair_rows;
  QuarterRows<T> quarter_rows;
  /// For convolutions, on m points of scratch (lanes_convolution.cpp). Point i is row (or number of a line) order[i] in
  /// `take` and `give`, and point l order[i] of more scratch in `gather` and `scatter`; where order[i] is negative,
  /// what is taken or gathered is zero. `scatter` also multiplies as a step of radix m does, of which the last point is
  /// number 0. `multiply` and `centre` change `to`: the latter takes the mean of an even number of points, which is
  /// their sum times `scale`, from all of them and leaves it in `from`.
  Step take = nullptr, gather = nullptr, centre = nullptr, multiply = nullptr, scatter = nullptr, give = nullptr;
};

/// The widest that this processor runs.
template <class T>
LanesCode<T> best_lanes();

}  // namespace weft::detail
