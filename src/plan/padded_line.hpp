// One long line of a length without good divisors, as a part of a longer one.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "plan/stages.hpp"
#include "weft/problem.hpp"

namespace weft::detail {

/// A line as a convolution, on a grid of at least as many points as its numbers at both ends together (L. I. Bluestein,
/// A linear filtering approach to the computation of discrete Fourier transform, IEEE Trans. Audio Electroacoust. 18,
/// 1970): as j k = (j^2 + k^2 - (k - j)^2) / 2,
///
///   y[k] = w[k] sum of (w[j] x[j]) / w[k - j],   w[j] = exp(sign pi i j^2 / n).
///
/// Number j at an end is point (j0, 0, j1) of the grid, j = j0 + m0 j1, and ranks have whole columns of it: the numbers
/// of a rank are neighbours, at both ends in order.
class PaddedLine {
 public:
  PaddedLine(const Problem& problem, int ranks);

  /// Whether a transform is such: of one line that no grid deals, in layouts that Weft chooses, over several ranks or
  /// longer than what one rank has in its caches.
  static bool fits(const Problem& problem, const Options& options, int ranks);

  /// The problem of the grid whose fields are the numbers of forward's input (0), or of its output (1).
  Problem grid(std::size_t end) const;
  /// The same of all its points.
  Problem whole_grid() const;
  /// Those of the convolution, of a transform's.
  static Options options(Options of_transform);
  /// What the user's arrays hold.
  const Layout& numbers(std::size_t end) const { return ends_[end].numbers; }
  /// A rank's numbers at an end, and the points that its columns of the grid have for them: those behind are zero.
  Range of_rank(std::size_t end, int rank) const;
  Index points_of_rank(std::size_t end, int rank) const;
  /// Whether an end has the modes 0 to n/2 of real numbers.
  bool half(std::size_t end) const { return ends_[end].half; }

  /// w of numbers lo to hi - 1, with the sign of `direction`.
  std::vector<std::complex<double>> chirp(Range numbers, Direction direction) const;
  /// What forward convolves with, at points lo to hi - 1 of the grid in the order of their numbers: 1 / w[d] at point d
  /// for each d = k - j, or at point d + m0 m1 if d is negative. Else zero.
  std::vector<std::complex<double>> kernel(Range points) const;

  /// Of a rank, beside the workspace: the numbers on the grid, their factors, and the spectrum of the kernel.
  Index bytes(int rank) const;
  std::string text() const;
  Shape shape() const { return {m0_, 1, m1_}; }

 private:
  struct End {
    Index count = 0;    ///< numbers
    Index columns = 0;  ///< of the grid, which have them
    bool half = false;
    Layout columns_of_ranks, numbers;
  };
  Problem problem_;
  Index n_, m0_ = 0, m1_ = 0;
  std::array<End, 2> ends_;
};

}  // namespace weft::detail
