#include "poisson/line_derivatives.hpp"

#include <algorithm>
#include <numbers>
#include <span>

#include "execute/copy.hpp"
#include "fft/transpose.hpp"
#include "poisson/derivatives.hpp"
#include "poisson/sides.hpp"

namespace weft::detail {

namespace {

/// A value of a line: that of a stored point, or of the mirror image of one.
struct Neighbour {
  double x = 0;
  Index at = 0;
  double sign = 1;
  std::size_t wall = 0;   ///< 0: the low one, 1: the high one
  double times_wall = 0;  ///< what of the wall's value is added
};

/// The derivative at x of the parabola through three points.
std::array<double, 3> parabola(double x, double a, double b, double c) {
  return {(2 * x - b - c) / ((a - b) * (a - c)), (2 * x - a - c) / ((b - a) * (b - c)),
          (2 * x - a - b) / ((c - a) * (c - b))};
}

/// What lies beyond a side of cells: a mirror image, which the equation of the cell there has, too, about an odd wall's
/// value, and at an even one as far apart as its derivative says. (A parabola through an odd wall's value itself would
/// be of first order: the solution differs from it there by a multiple of the squared distance.)
Neighbour image(Side side, std::size_t end, double wall, double x, Index at) {
  const double beyond = 2 * wall - x;
  if (side == Side::odd) return {.x = beyond, .at = at, .sign = -1, .wall = end, .times_wall = 2};
  return {.x = beyond, .at = at, .wall = end, .times_wall = beyond - x};
}

/// The values of a line in their order: those of the points, with one before them and one after them where there is
/// one.
struct LineValues {
  std::vector<Neighbour> all;
  std::size_t first = 0;  ///< that of the first point
};
LineValues values_along(const PoissonProblem& problem, std::size_t axis, const std::vector<double>& x) {
  const double length = problem.lengths[axis];
  const auto [low, high] = problem.sides[axis];
  const auto last = static_cast<Index>(x.size()) - 1;
  const bool cells = problem.points[axis] == Points::cells;
  LineValues values;
  const auto add = [&](const Neighbour& one) { values.all.push_back(one); };
  if (low == Side::periodic) add({.x = x.back() - length, .at = last});
  if (cells && is_wall(low)) add(image(low, 0, 0, x[0], 0));
  values.first = values.all.size();
  for (Index j = 0; j <= last; ++j) add({.x = x[static_cast<std::size_t>(j)], .at = j});
  if (high == Side::periodic) add({.x = x[0] + length, .at = 0});
  if (cells && is_wall(high)) add(image(high, 1, length, x.back(), last));
  return values;
}

/// What the derivative of a field is at a side: of sines it is cosines, and of cosines sines.
Side of_derivative(Side side) { return side == Side::odd ? Side::even : Side::odd; }

}  // namespace

template <class Real>
LineDerivatives<Real>::LineDerivatives(const PoissonProblem& problem, std::size_t axis, const Options& options)
    : axis_(axis), n_(problem.shape[axis]) {
  if (problem.stencil == Stencil::second_order || !problem.spacings[axis].empty()) {
    find_rows(problem, axis);
  } else {
    find_waves(problem, axis, options);
  }
}

template <class Real>
void LineDerivatives<Real>::find_rows(const PoissonProblem& problem, std::size_t axis) {
  const std::vector<double> x = coordinates(problem, axis);
  const LineValues values = values_along(problem, axis, x);
  for (std::size_t j = 0; j < x.size(); ++j) {
    Row& row = rows_.emplace_back();
    row.at.fill(static_cast<Index>(j));  // what counts nothing is a number that is there
    const std::size_t here = values.first + j, end = values.all.size();
    const bool low = here == 0, high = here + 1 == end;  // nodes on walls, and points beside open sides
    const std::size_t side = low ? 0 : 1;
    if ((low || high) && problem.sides[axis][side] == Side::even) {
      of_walls_[side] = 1;  // the derivative is what the wall says
      continue;
    }
    const std::size_t count = low || high ? std::min<std::size_t>(3, x.size()) : 3;
    if (count < 2) continue;
    const std::size_t first = low ? here : high ? here + 1 - count : here - 1;
    const std::span<const Neighbour> near(values.all.data() + first, count);
    std::array<double, 3> by{1 / (near[0].x - near[1].x), 1 / (near[1].x - near[0].x), 0};
    if (count == 3) by = parabola(x[j], near[0].x, near[1].x, near[2].x);
    for (std::size_t i = 0; i < count; ++i) {
      const Neighbour& one = near[i];
      row.at[i] = one.at;
      row.by[i] = static_cast<Real>(by[i] * one.sign);
      of_walls_[one.wall] += by[i] * one.times_wall;
    }
  }
}

template <class Real>
void LineDerivatives<Real>::find_waves(const PoissonProblem& problem, std::size_t axis, const Options& options) {
  const auto [low, high] = problem.sides[axis];
  const bool periodic = low == Side::periodic, nodes = problem.points[axis] == Points::nodes && !periodic;
  const bool sines = low == Side::odd, same = low == high;
  // On odd walls of nodes the field is 0, on even ones the derivative.
  waves_.in_first = nodes && sines ? 1 : 0;
  waves_.in_points = n_ - waves_.in_first - (nodes && high == Side::odd ? 1 : 0);
  waves_.out_first = nodes && !sines ? 1 : 0;
  waves_.out_points = n_ - waves_.out_first - (nodes && high == Side::even ? 1 : 0);
  if (waves_.out_points == 0 || (periodic && n_ < 2)) {
    waves_.out_points = 0;
    return;
  }
  const double spaces = static_cast<double>(n_ - (nodes ? 1 : 0)), length = problem.lengths[axis];
  const double spacing = length / spaces, trip = periodic ? spaces : 2 * spaces;
  LineType there = LineType::r2hc, back = LineType::hc2r;
  if (!periodic) {
    const Points points = problem.points[axis];
    there = type_of(line_between(low, high, points), Way::to_spectrum);
    back = type_of(line_between(of_derivative(low), of_derivative(high), points), Way::to_space);
  }
  const LineTraits& traits = traits_of(there);
  for (Index k = 0; k < waves_.in_points; ++k) {
    const double angle = 2 * std::numbers::pi / spaces * traits.wave(waves_.in_points, k);
    double by = derivative_symbol(angle, problem.stencil) / spacing / trip;
    if (periodic && 2 * k == n_) by = 0;
    // The derivative of a cosine is a sine with the other sign. Of a periodic line real parts become imaginary ones,
    // and these real ones with the other sign.
    if (periodic ? 2 * k > n_ : !sines) by = -by;
    waves_.by.push_back(static_cast<Real>(by));
  }
  // Whole waves begin with 0 in cosines and with 1 in sines.
  const Index later = same ? (sines ? -1 : 1) : 0;
  for (Index k = 0; k < waves_.out_points; ++k) {
    Index from = periodic ? (n_ - k) % n_ : k + later;
    if (from < 0 || from >= waves_.in_points) from = -1;
    waves_.from.push_back(from);
  }
  const Precision precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const Backend& backend = find_backend(options.backend);
  const auto make = [&](LineType type, Index points) {
    return make_column_kernel(backend, type, Number::real, points, 0, precision, options.effort);
  };
  waves_.there = make(there, waves_.in_points);
  waves_.back = make(back, waves_.out_points);
  // Spectra, a row of zeros, and points.
  rows_memory_ = Buffer::zeroed((waves_.in_points + 1 + n_) * row_numbers * static_cast<Index>(sizeof(Real)));
  kernels_memory_ = Buffer(std::max(waves_.there->scratch_bytes(), waves_.back->scratch_bytes()));
  const Index rows = std::max(waves_.in_points, waves_.out_points);
  in_rows_.resize(static_cast<std::size_t>(rows));
  out_rows_.resize(static_cast<std::size_t>(rows));
}

template <class Real>
void LineDerivatives<Real>::transform_columns(Index columns) {
  ColumnRun run;
  run.in = in_rows_.data();
  run.out = out_rows_.data();
  run.columns = columns;
  for (Index j = 0; j < waves_.in_points; ++j) {
    in_rows_[static_cast<std::size_t>(j)] = point_row(waves_.in_first + j);
    out_rows_[static_cast<std::size_t>(j)] = scratch_row(j);
  }
  waves_.there->run(run, kernels_memory_.data());
  for (Index k = 0; k < waves_.in_points; ++k) {
    Real* const row = scratch_row(k);
    const Real by = waves_.by[static_cast<std::size_t>(k)];
    for (Index i = 0; i < columns; ++i) row[i] *= by;
  }
  for (Index j = 0; j < waves_.out_points; ++j) {
    const Index wave = waves_.from[static_cast<std::size_t>(j)];
    in_rows_[static_cast<std::size_t>(j)] = scratch_row(wave < 0 ? waves_.in_points : wave);
    out_rows_[static_cast<std::size_t>(j)] = point_row(waves_.out_first + j);
  }
  waves_.back->run(run, kernels_memory_.data());
  for (Index j = 0; j < n_; ++j) {
    if (j < waves_.out_first || j >= waves_.out_first + waves_.out_points) {
      std::fill_n(point_row(j), columns, Real(0));
    }
  }
}

template <class Real>
void LineDerivatives<Real>::transform(Index outer, Index inner, const Real* from, Real* to) {
  if (inner > 1) {
    for (Index o = 0; o < outer; ++o) {
      for (Index first = 0; first < inner; first += width) {
        const Index at = o * n_ * inner + first, columns = std::min(width, inner - first);
        for (Index j = 0; j < n_; ++j) std::copy_n(from + at + j * inner, columns, point_row(j));
        transform_columns(columns);
        copy_box(to + at, {0, inner, 1}, point_row(0), {0, row_numbers, 1}, {1, n_, columns}, Store::streamed);
      }
    }
    finish_streaming();
    return;
  }
  for (Index first = 0; first < outer; first += width) {
    const Index lines = std::min(width, outer - first);
    transpose(from + first * n_, n_, point_row(0), row_numbers, lines, n_);
    transform_columns(lines);
    transpose(point_row(0), row_numbers, to + first * n_, n_, n_, lines);
  }
}

template <class Real>
void LineDerivatives<Real>::take_parabolas(const Box& box, const Box& held, Index outer, Index inner, const Real* from,
                                           Real* to) const {
  const Index lo = box.lo[axis_], hi = box.hi[axis_], held_lo = held.lo[axis_], held_points = held.hi[axis_] - held_lo;
  const auto place = [&](Index at, Index j) {
    // Of a periodic axis the other end is next to this one.
    const Index away = held_lo == lo ? 0 : at - j > ghosts ? -n_ : at - j < -ghosts ? n_ : 0;
    return at + away - held_lo;
  };
  for (Index o = 0; o < outer; ++o) {
    const Real* const lines = from + o * held_points * inner;
    for (Index j = lo; j < hi; ++j) {
      const Row& row = rows_[static_cast<std::size_t>(j)];
      const auto line = [&](std::size_t i) { return lines + place(row.at[i], j) * inner; };
      const Real *const a = line(0), *const b = line(1), *const c = line(2);
      Real* const here = to + (o * (hi - lo) + j - lo) * inner;
      for (Index i = 0; i < inner; ++i) here[i] = row.by[0] * a[i] + row.by[1] * b[i] + row.by[2] * c[i];
    }
  }
}

template <class Real>
void LineDerivatives<Real>::run(const Box& box, const Box& held, const Real* from, Real* to) {
  if (box.empty()) return;
  Index outer = 1, inner = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis < axis_) outer *= box.extent(static_cast<int>(axis));
    if (axis > axis_) inner *= box.extent(static_cast<int>(axis));
  }
  if (parabolas()) return take_parabolas(box, held, outer, inner, from, to);
  if (waves_.out_points > 0) return transform(outer, inner, from, to);
  std::fill_n(to, box.count(), Real(0));
}

template class LineDerivatives<float>;
template class LineDerivatives<double>;

}  // namespace weft::detail
