// First derivatives along one axis, of lines: between walls a derivative has other waves than the field.
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
/// Otherwise as the stencil's symbol says, from the waves of the field between its sides to those of its derivative.
template <class Real>
class LineDerivatives {
 public:
  /// `options` say by which backend. The problem has been checked, and has its lengths.
  LineDerivatives(const PoissonProblem& problem, std::size_t axis, const Options& options);

  /// Along all lines of a box, from one array to another. `held` is the box of `from`: the same, with lines that are
  /// whole; or, for parabolas, it has so many points more on either side along the axis.
  static constexpr Index ghosts = 2;
  void run(const Box& box, const Box& held, const Real* from, Real* to);
  /// What a value of 1 of the low (0) or the high (1) wall adds to the derivative at the stored point next to it. What
  /// is stored on the wall itself counts already.
  double of_wall(int end) const { return of_walls_[static_cast<std::size_t>(end)]; }
  bool parabolas() const { return !rows_.empty(); }

 private:
  /// The derivative at a point: three points of its line, each times a number.
  struct Row {
    std::array<Index, 3> at{};
    std::array<Real, 3> by{};
  };
  /// Transforms of some points of the lines, and from waves to some points; others are 0.
  struct Waves {
    Index in_first = 0, in_points = 0, out_first = 0, out_points = 0;
    std::vector<Index> from;  ///< for each wave of the derivative that of the field, or none: -1
    std::vector<Real> by;     ///< for each wave of the field: the symbol, with the factor of a round trip
    std::unique_ptr<ColumnKernel> there, back;
  };
  /// Lines side by side that are transformed at once, and numbers from one of their rows to the next.
  static constexpr Index width = 64, row_numbers = width + cache_line / static_cast<Index>(sizeof(Real));

  void find_rows(const PoissonProblem& problem, std::size_t axis);
  void find_waves(const PoissonProblem& problem, std::size_t axis, const Options& options);
  void take_parabolas(const Box& box, const Box& held, Index outer, Index inner, const Real* from, Real* to) const;
  void transform(Index outer, Index inner, const Real* from, Real* to);
  /// At most `width` lines, of the rows of points and back to them. (The field's own rows may lie so many bytes apart
  /// that they share few places of a cache.)
  void transform_columns(Index columns);
  Real* point_row(Index point) { return scratch_row(waves_.in_points + 1 + point); }
  Real* scratch_row(Index row) { return reinterpret_cast<Real*>(rows_memory_.data()) + row * row_numbers; }

  std::size_t axis_;
  Index n_;
  std::vector<Row> rows_;
  std::array<double, 2> of_walls_{};
  Waves waves_;
  Buffer rows_memory_, kernels_memory_;
  std::vector<const void*> in_rows_;
  std::vector<void*> out_rows_;
};

}  // namespace weft::detail
