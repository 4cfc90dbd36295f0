#include "poisson/sides.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "base/words.hpp"
#include "operator/mehrstellen.hpp"
#include "operator/squares.hpp"

namespace weft {

namespace detail {

namespace {

/// Whether points lie on both sides of an axis.
bool on_sides(const PoissonProblem& problem, std::size_t axis) {
  return problem.points[axis] == Points::nodes && problem.sides[axis][0] != Side::periodic;
}
/// Distances of neighbours in the length of an axis.
double spacings_of(const PoissonProblem& problem, std::size_t axis) {
  return static_cast<double>(problem.shape[axis] - (on_sides(problem, axis) ? 1 : 0));
}

bool fourier(const std::array<Side, 2>& sides) {
  return sides[0] == Side::periodic || (sides[0] == Side::open && sides[1] == Side::open);
}

}  // namespace

Line line_between(Side low, Side high, Points points) {
  const bool cells = points == Points::cells;
  if (low == Side::even && high == Side::odd) return cells ? Line::dct4 : Line::dct3;
  if (low == Side::odd && high == Side::even) return cells ? Line::dst4 : Line::dst3;
  if (low == Side::even) return cells ? Line::dct2 : Line::dct1;
  return cells ? Line::dst2 : Line::dst1;
}

namespace {

/// What differences find beyond a wall: at an odd one u mirrored about the wall's value, at an even one u that goes on
/// by twice the derivative times the distance.
double of_wall(const SidesOfAxis& of, Side side, bool nodes, int end) {
  const double h = of.spacing;
  if (side == Side::even) return (end == 0 ? 1 : -1) * (nodes ? 2 : 1) / h;
  // A lone node's neighbour on the other side is its mirror image.
  const bool lone = of.unknowns == 1 && (of.line == Line::dct3 || of.line == Line::dst3);
  return -(nodes && !lone ? 1 : 2) / (h * h);
}

SidesOfAxis sides_of(const PoissonProblem& problem, std::size_t axis, Line of_fourier) {
  const Points points = problem.points[axis];
  auto [low, high] = problem.sides[axis];
  SidesOfAxis of;
  of.stored = of.unknowns = problem.shape[axis];
  of.spacing = problem.lengths[axis] / spacings_of(problem, axis);
  of.flipped = low == Side::open && high != Side::open;
  if (of.flipped) std::swap(low, high);
  of.line = fourier({low, high}) ? of_fourier : line_between(low, high, points);
  if (points == Points::nodes && low == Side::odd) {
    of.first = 1;
    --of.unknowns;
  }
  if (points == Points::nodes && high == Side::odd) --of.unknowns;
  of.grid = of.unknowns;
  of.length = problem.lengths[axis];
  if (!problem.spacings[axis].empty()) {
    of.uneven = std::make_shared<const UnevenAxis>(uneven_axis(problem, axis));
    of.line = Line::none;
    of.spacing = 0;
    of.volumes = of.uneven->volumes;
    of.of_walls = of.uneven->of_walls;
    return of;
  }
  of.volumes.assign(static_cast<std::size_t>(of.unknowns), 1);
  if (of.line == Line::dct1) of.volumes.front() = of.volumes.back() = 0.5;
  for (const int end : {0, 1}) {
    const auto side = static_cast<std::size_t>(end);
    of.of_walls[side] = of_wall(of, problem.sides[axis][side], points == Points::nodes, end);
  }
  if (high == Side::open) {
    of.free.open = true;
    of.free.spacing = of.spacing;
    of.free.reach = low == Side::open ? of.stored : 2 * of.stored;
    of.free.period = 2 * of.free.reach;
    of.free.first = low == Side::odd ? 1 : 0;
    of.length = 2 * static_cast<double>(of.stored) * of.spacing;
    of.grid = 2 * of.stored;
    if (of.line == Line::dct1) of.grid = 2 * of.stored + 1;
    if (of.line == Line::dst1) of.grid = 2 * of.stored - 1;
  }
  return of;
}

/// A box with the ranges that `of(axis, lo, hi)` gives; without points if any has none.
template <class Of>
Box mapped(const Box& box, const Of& of) {
  if (box.empty()) return {};
  Box there;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::array<Index, 2> range = of(axis, box.lo[axis], box.hi[axis]);
    if (range[0] >= range[1]) return {};
    there.lo[axis] = range[0];
    there.hi[axis] = range[1];
  }
  return there;
}

template <class Of>
Layout mapped(const Layout& layout, const Shape& shape, const Of& of) {
  std::vector<Box> boxes;
  for (int rank = 0; rank < layout.ranks(); ++rank) boxes.push_back(of(layout.box(rank)));
  return Layout::bricks(shape, std::move(boxes));
}

Shape shape_of(const std::array<SidesOfAxis, 3>& axes, Index SidesOfAxis::*extent) {
  return {axes[0].*extent, axes[1].*extent, axes[2].*extent};
}

}  // namespace

bool copies(const std::array<SidesOfAxis, 3>& axes) {
  return std::any_of(axes.begin(), axes.end(),
                     [](const SidesOfAxis& axis) { return axis.flipped || axis.unknowns != axis.stored; });
}

std::array<SidesOfAxis, 3> sides_of(const PoissonProblem& problem) {
  // Where axis 2 has Fourier's lines of real numbers, spectra are complex, and so are lines along other axes. But rows
  // of an open axis grow on their way there: if what comes before are real lines, they do that last. Derivatives at
  // wave numbers need complex ones.
  const bool complex = fourier(problem.sides[2]), open = problem.sides[2][1] == Side::open;
  const bool derivatives = problem.result != Result::solution && !problem.derivatives_in_space();
  const Line other = complex ? Line::dft : Line::r2hc;
  std::array<SidesOfAxis, 3> axes{sides_of(problem, 0, other),
                                  sides_of(problem, 1, open && !derivatives ? Line::r2hc : other),
                                  sides_of(problem, 2, Line::half_dft)};
  const Problem transforms = operator_of(problem, axes);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!axes[axis].free.open) axes[axis].free.squares = squares_of(transforms, axis, problem.stencil);
  }
  return axes;
}

Problem operator_of(const PoissonProblem& problem, const std::array<SidesOfAxis, 3>& axes) {
  Problem transforms;
  transforms.precision = problem.precision;
  transforms.batch = problem.batch;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    transforms.kind.lines[axis] = axes[axis].line;
    transforms.shape[axis] = axes[axis].grid;
    transforms.lengths[axis] = axes[axis].length;
    transforms.points[axis] = axes[axis].grid > axes[axis].unknowns ? axes[axis].unknowns : 0;
  }
  return transforms;
}

std::size_t stretched_axis(const PoissonProblem& problem) {
  const auto& all = problem.spacings;
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), [](const auto& axis) { return !axis.empty(); }) -
                                  all.begin());
}

PoissonProblem with_lengths(PoissonProblem problem) {
  if (const std::size_t axis = stretched_axis(problem); axis < 3) {
    const std::vector<double>& spacings = problem.spacings[axis];
    problem.lengths[axis] = std::accumulate(spacings.begin(), spacings.end(), 0.0);
  }
  return problem;
}

bool has_open_sides(const PoissonProblem& problem) {
  return std::any_of(problem.sides.begin(), problem.sides.end(),
                     [](const auto& sides) { return sides[0] == Side::open || sides[1] == Side::open; });
}

Box unknowns_of(const std::array<SidesOfAxis, 3>& axes, const Box& stored) {
  return mapped(stored, [&](std::size_t axis, Index lo, Index hi) -> std::array<Index, 2> {
    const SidesOfAxis& of = axes[axis];
    if (of.flipped) std::tie(lo, hi) = std::pair(of.stored - hi, of.stored - lo);
    return {std::clamp<Index>(lo - of.first, 0, of.unknowns), std::clamp<Index>(hi - of.first, 0, of.unknowns)};
  });
}

Box stored_of(const std::array<SidesOfAxis, 3>& axes, const Box& unknowns) {
  return mapped(unknowns, [&](std::size_t axis, Index lo, Index hi) -> std::array<Index, 2> {
    const SidesOfAxis& of = axes[axis];
    lo = lo == 0 ? 0 : lo + of.first;
    hi = hi == of.unknowns ? of.stored : hi + of.first;
    if (of.flipped) std::tie(lo, hi) = std::pair(of.stored - hi, of.stored - lo);
    return {lo, hi};
  });
}

Layout unknowns_of(const std::array<SidesOfAxis, 3>& axes, const Layout& stored) {
  if (!copies(axes)) return stored;
  return mapped(stored, shape_of(axes, &SidesOfAxis::unknowns), [&](const Box& box) { return unknowns_of(axes, box); });
}

Layout stored_of(const std::array<SidesOfAxis, 3>& axes, const Layout& unknowns) {
  if (!copies(axes)) return unknowns;
  return mapped(unknowns, shape_of(axes, &SidesOfAxis::stored), [&](const Box& box) { return stored_of(axes, box); });
}

}  // namespace detail

using detail::concat;

bool PoissonProblem::singular() const {
  return shift == 0 && green.kind != Green::Kind::own && std::all_of(sides.begin(), sides.end(), [](const auto& pair) {
           return std::all_of(pair.begin(), pair.end(),
                              [](Side side) { return side == Side::periodic || side == Side::even; });
         });
}

namespace {

void check_spacings(const PoissonProblem& problem, std::size_t axis) {
  const std::vector<double>& spacings = problem.spacings[axis];
  if (spacings.empty()) return;
  const std::string where = concat("spacings of axis ", axis);
  const bool nodes = problem.points[axis] == Points::nodes;
  const Index wanted = problem.shape[axis] - (nodes ? 1 : 0);
  if (static_cast<Index>(spacings.size()) != wanted) {
    throw Error(concat(where, " are ", spacings.size(), "; of ", problem.shape[axis], nodes ? " nodes " : " cells ",
                       wanted, " are needed"));
  }
  for (const double spacing : spacings) {
    if (spacing > 0 && std::isfinite(spacing)) continue;
    throw Error(concat(where, " have ", detail::text("%g", spacing), "; they are positive numbers"));
  }
  for (std::size_t other = 0; other < 3; ++other) {
    for (const Side side : problem.sides[other]) {
      if (side == Side::open || (side == Side::periodic && other == axis)) {
        throw Error(concat(where, " are given, and a side of axis ", other, " is ", to_string(side),
                           "; its own must be even or odd, and none open"));
      }
    }
    if (other != axis && !problem.spacings[other].empty()) {
      throw Error(concat(where, " are given, and of axis ", other, "; one axis may have some"));
    }
  }
}

}  // namespace

namespace {

void check_stencil(const PoissonProblem& problem) {
  const bool open = detail::has_open_sides(problem), spacings = detail::stretched_axis(problem) < 3;
  if (!detail::is_mehrstellen(problem.stencil) || (!open && !spacings)) return;
  throw Error(concat("stencil is ", to_string(problem.stencil), "; with ", open ? "open sides" : "spacings",
                     " differences along each axis by itself are allowed"));
}

void check_green(const PoissonProblem& problem) {
  const Green& green = problem.green;
  if (green.order % 2 != 0 || green.order < 2 || green.order > 10) {
    throw Error(concat("green_order is ", green.order, "; allowed are 2, 4, 6, 8 and 10"));
  }
  const double longest = *std::max_element(problem.lengths.begin(), problem.lengths.end());
  if (!(green.width >= 0 && green.width <= longest)) {
    throw Error(concat("green_width is ", detail::text("%g", green.width), "; allowed are numbers up to the longest ",
                       "length, ", detail::text("%g", longest), ", and 0: twice the largest distance of neighbours"));
  }
  if (green.kind == Green::Kind::automatic) return;
  const std::string kind = concat("green is ", to_string(green.kind));
  if (green.kind == Green::Kind::own) {
    if (!green.values) throw Error(concat(kind, ", and there is no function of the kernel"));
    if (problem.shift != 0) {
      throw Error(concat(kind, " and shift ", detail::text("%g", problem.shift), "; the kernel is as it is, with 0"));
    }
    if (detail::stretched_axis(problem) < 3) {
      throw Error(concat(kind, ", and axis ", detail::stretched_axis(problem),
                         " has spacings; a kernel needs equal ones along all axes"));
    }
    return;
  }
  if (!detail::has_open_sides(problem)) throw Error(concat(kind, "; it is for open sides, and none is open"));
  if (green.kind == Green::Kind::regularized && problem.stencil != Stencil::spectral) {
    throw Error(concat(kind, " with the stencil ", to_string(problem.stencil), "; spectral is allowed"));
  }
}

void check_result(const PoissonProblem& problem) {
  if (problem.result == Result::solution) return;
  const std::string result = concat("result is ", to_string(problem.result));
  if (problem.derivatives_in_space()) {
    if (!detail::has_open_sides(problem) || problem.stencil == Stencil::second_order) return;
    throw Error(concat(result, " with the stencil ", to_string(problem.stencil),
                       "; where some sides are open and others walls, second_order is allowed"));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] = problem.sides[axis];
    if ((low == Side::periodic || low == Side::open) && low == high) continue;
    throw Error(concat(result, "; it needs sides that are periodic or open on both, and those of axis ", axis, " are ",
                       to_string(low), " and ", to_string(high)));
  }
  const bool exact = problem.stencil == Stencil::spectral || problem.stencil == Stencil::second_order;
  if (detail::has_open_sides(problem) && !exact) {
    throw Error(concat(result, " with the stencil ", to_string(problem.stencil),
                       "; with open sides spectral and second_order are allowed"));
  }
  if (problem.result == Result::velocity && problem.shape[1] == 1) {
    throw Error(
        concat(result, "; it needs three axes of more than one point along axis 1 (of a plane, take the gradient)"));
  }
}

}  // namespace

void PoissonProblem::check() const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] = sides[axis];
    if ((low == Side::periodic) != (high == Side::periodic)) {
      throw Error(concat("sides are ", to_string(low), " and ", to_string(high), " along axis ", axis,
                         "; periodic is both or neither"));
    }
    const bool between = detail::on_sides(*this, axis);
    const Index fewest = !between ? 1 : low == Side::odd && high == Side::odd ? 3 : 2;
    if (shape[axis] < fewest) {
      throw Error(concat("shape is ", weft::to_string(shape), "; along axis ", axis, " at least ", fewest,
                         between ? " nodes are needed between its sides" : " point is needed"));
    }
    if (!(lengths[axis] > 0 && std::isfinite(lengths[axis]))) {
      throw Error(concat("lengths has ", detail::text("%g", lengths[axis]), "; lengths of a box are positive numbers"));
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) check_spacings(*this, axis);
  if (batch < 1) throw Error(concat("batch is ", batch, "; at least 1 is needed"));
  if (!std::isfinite(shift)) throw Error(concat("shift is ", detail::text("%g", shift), "; a finite number is needed"));
  if (detail::stretched_axis(*this) < 3 && shift < 0) {
    throw Error(concat("shift is ", detail::text("%g", shift), "; with spacings at least 0 is needed"));
  }
  check_stencil(*this);
  check_green(*this);
  check_result(*this);
  if (!detail::has_open_sides(*this)) return;
  if (shift < 0) throw Error(concat("shift is ", detail::text("%g", shift), "; with open sides at least 0 is needed"));
}

Problem PoissonProblem::transforms() const {
  check();
  const PoissonProblem whole = detail::with_lengths(*this);
  return detail::operator_of(whole, detail::sides_of(whole));
}

std::vector<double> coordinates(const PoissonProblem& problem, std::size_t axis) {
  if (axis > 2) throw Error(concat("axis is ", axis, "; allowed are 0, 1 and 2"));
  problem.check();
  const bool nodes = problem.points[axis] == Points::nodes;
  std::vector<double> all;
  if (const std::vector<double>& spacings = problem.spacings[axis]; !spacings.empty()) {
    double at = 0;  // the low end of a cell, or a node
    for (const double spacing : spacings) {
      all.push_back(nodes ? at : at + spacing / 2);
      at += spacing;
    }
    if (nodes) all.push_back(at);
    return all;
  }
  for (Index i = 0; i < problem.shape[axis]; ++i) {
    all.push_back(problem.lengths[axis] * (static_cast<double>(i) + (nodes ? 0 : 0.5)) /
                  detail::spacings_of(problem, axis));
  }
  return all;
}

std::string to_string(Side side) {
  switch (side) {
    case Side::periodic: return "periodic";
    case Side::even: return "even";
    case Side::odd: return "odd";
    case Side::open: return "open";
  }
  return "?";
}
std::string to_string(Points points) { return points == Points::cells ? "cells" : "nodes"; }
std::string to_string(Result result) {
  switch (result) {
    case Result::solution: return "solution";
    case Result::gradient: return "gradient";
    case Result::solution_and_gradient: return "solution_and_gradient";
    case Result::velocity: return "velocity";
  }
  return "?";
}
std::string to_string(Mean mean) { return mean == Mean::remove ? "remove" : "refuse"; }
Side parse_side(std::string_view text, std::string_view argument) {
  return detail::word<Side>(text, argument, {Side::periodic, Side::even, Side::odd, Side::open});
}
Points parse_points(std::string_view text, std::string_view argument) {
  return detail::word<Points>(text, argument, {Points::cells, Points::nodes});
}
Mean parse_mean(std::string_view text, std::string_view argument) {
  return detail::word<Mean>(text, argument, {Mean::remove, Mean::refuse});
}
Result parse_result(std::string_view text, std::string_view argument) {
  return detail::word<Result>(text, argument,
                              {Result::solution, Result::gradient, Result::solution_and_gradient, Result::velocity});
}

Index PoissonProblem::inputs() const { return result == Result::velocity ? 3 : 1; }
bool PoissonProblem::derivatives_in_space() const {
  if (result != Result::gradient && result != Result::solution_and_gradient) return false;
  return std::any_of(sides.begin(), sides.end(),
                     [](const auto& pair) { return std::any_of(pair.begin(), pair.end(), detail::is_wall); });
}
Index PoissonProblem::outputs() const {
  const Index axes = shape[1] == 1 ? 2 : 3;
  switch (result) {
    case Result::solution: return 1;
    case Result::gradient: return axes;
    case Result::solution_and_gradient: return axes + 1;
    case Result::velocity: return 3;
  }
  return 1;
}

}  // namespace weft
