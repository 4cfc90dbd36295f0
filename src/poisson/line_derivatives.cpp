#include "poisson/line_derivatives.hpp"

#include <algorithm>
#include <complex>
#include <numbers>
#include <span>

#include "poisson/derivatives.hpp"

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
  if (cells && (low == Side::even || low == Side::odd)) add(image(low, 0, 0, x[0], 0));
  values.first = values.all.size();
  for (Index j = 0; j <= last; ++j) add({.x = x[static_cast<std::size_t>(j)], .at = j});
  if (high == Side::periodic) add({.x = x[0] + length, .at = 0});
  if (cells && (high == Side::even || high == Side::odd)) add(image(high, 1, length, x.back(), last));
  return values;
}

}  // namespace

template <class Real>
LineDerivatives<Real>::LineDerivatives(const PoissonProblem& problem, std::size_t axis, const Options& options)
    : axis_(axis), n_(problem.shape[axis]) {
  if (problem.stencil == Stencil::second_order || !problem.spacings[axis].empty()) {
    find_rows(problem, axis);
  } else {
    find_images(problem, axis);
    make_kernels(problem, axis, options);
  }
}

template <class Real>
void LineDerivatives<Real>::find_rows(const PoissonProblem& problem, std::size_t axis) {
  const std::vector<double> x = coordinates(problem, axis);
  const LineValues values = values_along(problem, axis, x);
  for (std::size_t j = 0; j < x.size(); ++j) {
    Row& row = rows_.emplace_back();
    const std::size_t here = values.first + j, end = values.all.size();
    const bool low = here == 0, high = here + 1 == end;  // nodes on walls, and points beside open sides
    const std::size_t side = low ? 0 : 1;
    if ((low || high) && problem.sides[axis][side] == Side::even) {
      of_walls_[side] = 1;  // the derivative is what the wall says
      continue;
    }
    const std::size_t count = std::min<std::size_t>(3, end);
    if (count < 2) continue;
    const std::span<const Neighbour> near(values.all.data() + (low ? 0 : high ? end - count : here - 1), count);
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
void LineDerivatives<Real>::find_images(const PoissonProblem& problem, std::size_t axis) {
  for (Index j = 0; j < n_; ++j) images_.push_back({j, Real(1)});
  const auto [low, high] = problem.sides[axis];
  if (low == Side::periodic) return;
  const bool nodes = problem.points[axis] == Points::nodes;
  const Real sign = high == Side::odd ? Real(-1) : Real(1);
  // The image of what is on the low wall is the next period's.
  for (Index j = nodes ? n_ - 2 : n_ - 1; j >= (nodes ? 1 : 0); --j) images_.push_back({j, sign});
  if (low == high) return;
  // Two images later all is as it was, with the other sign.
  const std::size_t half = images_.size();
  for (std::size_t i = 0; i < half; ++i) images_.push_back({images_[i].at, -images_[i].sign});
}

template <class Real>
void LineDerivatives<Real>::make_kernels(const PoissonProblem& problem, std::size_t axis, const Options& options) {
  const auto period = static_cast<Index>(images_.size());
  if (period < 2) return;
  const bool on_walls = problem.points[axis] == Points::nodes && problem.sides[axis][0] != Side::periodic;
  const double spacing = problem.lengths[axis] / static_cast<double>(n_ - (on_walls ? 1 : 0));
  for (Index k = 0; k <= period / 2; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(period);
    const bool signless = 2 * k == period;
    symbols_.push_back(signless ? Real(0)
                                : static_cast<Real>(derivative_symbol(angle, problem.stencil) / spacing /
                                                    static_cast<double>(period)));
  }
  apart_ = padded(period, sizeof(Real));
  waves_apart_ = padded(period / 2 + 1, 2 * sizeof(Real));
  lines_ = Buffer::zeroed(together * apart_ * static_cast<Index>(sizeof(Real)));
  waves_ = Buffer::zeroed(together * waves_apart_ * static_cast<Index>(2 * sizeof(Real)));
  LineBatch batch;
  batch.type = LineType::r2c;
  batch.n = period;
  batch.count = together;
  batch.in_distance = apart_;
  batch.out_distance = waves_apart_;
  const Precision precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  const Backend& backend = find_backend(options.backend);
  to_waves_ = backend.make(batch, precision, options.effort);
  batch.type = LineType::c2r;
  batch.sign = +1;
  std::swap(batch.in_distance, batch.out_distance);
  from_waves_ = backend.make(batch, precision, options.effort);
}

template <class Real>
void LineDerivatives<Real>::transform(Index lines, const std::array<const Real*, together>& from,
                                      const std::array<Real*, together>& to, Index stride) {
  auto* const in_space = reinterpret_cast<Real*>(lines_.data());
  auto* const in_waves = reinterpret_cast<std::complex<Real>*>(waves_.data());
  // Lines side by side: what is read together lies together.
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const Image image = images_[i];
    for (Index l = 0; l < lines; ++l) {
      in_space[l * apart_ + static_cast<Index>(i)] = image.sign * from[static_cast<std::size_t>(l)][image.at * stride];
    }
  }
  to_waves_->run(in_space, in_waves);
  for (Index l = 0; l < lines; ++l) {
    std::complex<Real>* const line = in_waves + l * waves_apart_;
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      line[k] = {-symbols_[k] * line[k].imag(), symbols_[k] * line[k].real()};
    }
  }
  from_waves_->run(in_waves, in_space);
  for (Index j = 0; j < n_; ++j) {
    for (Index l = 0; l < lines; ++l) to[static_cast<std::size_t>(l)][j * stride] = in_space[l * apart_ + j];
  }
}

template <class Real>
void LineDerivatives<Real>::run(const Box& box, const Real* from, Real* to) {
  if (box.empty()) return;
  Index outer = 1, inner = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis < axis_) outer *= box.extent(static_cast<int>(axis));
    if (axis > axis_) inner *= box.extent(static_cast<int>(axis));
  }
  if (differences()) {
    for (Index o = 0; o < outer; ++o) {
      for (Index j = 0; j < n_; ++j) {
        const Row& row = rows_[static_cast<std::size_t>(j)];
        const auto line = [&](std::size_t i) { return from + (o * n_ + row.at[i]) * inner; };
        const Real *const a = line(0), *const b = line(1), *const c = line(2);
        Real* const here = to + (o * n_ + j) * inner;
        for (Index i = 0; i < inner; ++i) here[i] = row.by[0] * a[i] + row.by[1] * b[i] + row.by[2] * c[i];
      }
    }
    return;
  }
  if (images_.size() < 2) {
    std::fill_n(to, box.count(), Real(0));
    return;
  }
  for (Index first = 0; first < outer * inner; first += together) {
    const Index lines = std::min(together, outer * inner - first);
    std::array<const Real*, together> of{};
    std::array<Real*, together> there{};
    for (Index l = 0; l < lines; ++l) {
      const Index line = first + l, at = line / inner * n_ * inner + line % inner;
      of[static_cast<std::size_t>(l)] = from + at;
      there[static_cast<std::size_t>(l)] = to + at;
    }
    transform(lines, of, there, inner);
  }
}

template class LineDerivatives<float>;
template class LineDerivatives<double>;

}  // namespace weft::detail
