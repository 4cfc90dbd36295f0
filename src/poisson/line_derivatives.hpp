// First derivatives along one axis, from lines that are whole: between walls a derivative has other waves than the
// field.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "fft/serial.hpp"
#include "weft/poisson.hpp"

namespace weft::detail {

/// Of second order, and where points lie unevenly: the derivative at a point is that of the parabola through it and its
/// neighbours, of which the one beyond a wall is a mirror image; on an odd wall and beside an open side through the two
/// next points.
///
/// Otherwise as the stencil's symbol says, by a Fourier transform of lines that their mirror images make periodic.
template <class Real>
class LineDerivatives {
 public:
  /// `options` say by which backend. The problem has been checked, and has its lengths.
  LineDerivatives(const PoissonProblem& problem, std::size_t axis, const Options& options);

  /// Along all lines of a box, from one array to another.
  void run(const Box& box, const Real* from, Real* to);
  /// What a value of 1 of the low (0) or the high (1) wall adds to the derivative at the stored point next to it. What
  /// is stored on the wall itself counts already.
  double of_wall(int end) const { return of_walls_[static_cast<std::size_t>(end)]; }
  bool differences() const { return !rows_.empty(); }

 private:
  /// The derivative at a point: three points of its line, each times a number.
  struct Row {
    std::array<Index, 3> at{};
    std::array<Real, 3> by{};
  };
  /// A point of the periodic line.
  struct Image {
    Index at;
    Real sign;
  };
  /// Lines that are transformed at once.
  static constexpr Index together = 8;

  void find_rows(const PoissonProblem& problem, std::size_t axis);
  void find_images(const PoissonProblem& problem, std::size_t axis);
  void make_kernels(const PoissonProblem& problem, std::size_t axis, const Options& options);
  void transform(Index lines, const std::array<const Real*, together>& from, const std::array<Real*, together>& to,
                 Index stride);

  std::size_t axis_;
  Index n_;
  std::vector<Row> rows_;
  std::array<double, 2> of_walls_{};
  std::vector<Image> images_;
  std::vector<Real> symbols_;  ///< what is beside i, with the factor of a round trip
  std::unique_ptr<LineKernel> to_waves_, from_waves_;
  Index apart_ = 0, waves_apart_ = 0;  ///< numbers from one line to the next, in either scratch
  Buffer lines_, waves_;
};

}  // namespace weft::detail
