#include "operator/octant.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include "base/factors.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "operator/integrated_kernel.hpp"
#include "operator/truncated_kernel.hpp"
#include "weft/error.hpp"

namespace weft {

namespace detail {

namespace {

using Numbers = Octant::Numbers;
using Axes = std::array<FreeAxis, 3>;

/// The next even number without prime factors above 7.
Index good_period(Index n) {
  for (n += n % 2; without_factors(n, {2, 3, 5, 7}) != 1;) n += 2;
  return n;
}

/// By axis and index.
using Places = std::array<std::vector<double>, 3>;

double at(const Places& places, std::size_t axis, Index i) { return places[axis][static_cast<std::size_t>(i)]; }

/// What gives planes by `value({i, j, k})`.
template <class Value>
auto planes_of(const Octant& octant, Value value) {
  return [rows = octant.numbers[1].large, columns = octant.numbers[2].large, value](Index i, std::span<double> plane) {
    auto to = plane.begin();
    for (Index j = 0; j < rows; ++j) {
      for (Index k = 0; k < columns; ++k) *to++ = value(Shape{i, j, k});
    }
  };
}

/// The wave numbers of closed axes, squared and summed, and the shift.
double closed_squares(const Axes& axes, const Places& squares, const Shape& i, double shift) {
  for (std::size_t a = 0; a < 3; ++a) shift += axes[a].open ? 0 : at(squares, a, i[a]);
  return shift;
}

int open_axes(const Axes& axes) {
  return static_cast<int>(std::ranges::count_if(axes, [](const FreeAxis& axis) { return axis.open; }));
}

/// The only closed axis of three.
std::size_t closed_axis(const Axes& axes) {
  return static_cast<std::size_t>(std::ranges::find_if(axes, [](const FreeAxis& axis) { return !axis.open; }) -
                                  axes.begin());
}

/// exp(-x) times the first order/2 terms of exp(x), x = (width k)^2 / 2: the spectrum of a source that is not a point.
double regularizer(int order, double x) {
  double sum = 0, term = 1;
  for (int n = 0; n < order / 2; ++n) {
    sum += term;
    term *= x / (n + 1);
  }
  return std::exp(-x) * sum;
}

double width_of(const Axes& axes, const Green& green) {
  if (green.kind != Green::Kind::regularized) return 0;
  double width = green.width;
  if (width > 0) return width;
  for (const FreeAxis& axis : axes) width = std::max(width, axis.open ? 2 * axis.spacing : 0.0);
  return width;
}

/// The spectrum of the kernel that is cut off at a distance of more than the box, on a period in which it does not meet
/// its images.
void make_spectrum(Octant& octant, const Axes& axes, const Green& green, double shift) {
  const int dimensions = open_axes(axes);
  double radius = 0;
  for (const FreeAxis& axis : axes) {
    if (axis.open) radius += std::pow(static_cast<double>(axis.reach) * axis.spacing, 2);
  }
  // A source that is not a point blurs the edge.
  const double width = width_of(axes, green), blur = 10 * width;
  radius = std::sqrt(radius) + blur;
  Places squares;  // of wave numbers
  double scale = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const FreeAxis& axis = axes[a];
    if (!axis.open) {
      squares[a] = axis.squares;
      continue;
    }
    Numbers& n = octant.numbers[a];
    const Index period = good_period(static_cast<Index>(std::ceil((radius + blur) / axis.spacing)) + axis.reach);
    n.large = period / 2 + 1;
    scale /= static_cast<double>(period);
    const double length = static_cast<double>(period) * axis.spacing;
    for (Index i = 0; i < n.large; ++i) {
      squares[a].push_back(std::pow(2 * std::numbers::pi * static_cast<double>(i) / length, 2));
    }
  }
  // Kernels differ by the wave numbers along the closed axes; they cost most where two axes are open.
  const std::size_t closed = closed_axis(axes);
  std::vector<TruncatedKernel> kernels;
  if (dimensions == 2) {
    for (const double square : squares[closed]) kernels.emplace_back(2, radius, std::sqrt(square + shift));
  }
  octant.plane = planes_of(octant, [=, order = green.order](const Shape& i) {
    const double others = closed_squares(axes, squares, i, shift);
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) square += axes[a].open ? at(squares, a, i[a]) : 0;
    const double s = std::sqrt(square);
    const double kernel = dimensions == 2 ? kernels[static_cast<std::size_t>(i[closed])](s)
                                          : TruncatedKernel(dimensions, radius, std::sqrt(others))(s);
    return scale * kernel * (width == 0 ? 1 : regularizer(order, width * width / 2 * (square + others - shift)));
  });
}

/// Distances along open axes, and by `of_square` what closed ones have.
template <class OfSquare>
Places in_space(Octant& octant, const Axes& axes, const OfSquare& of_square) {
  Places places;
  octant.in_space = true;
  for (std::size_t a = 0; a < 3; ++a) {
    if (!axes[a].open) {
      std::ranges::transform(axes[a].squares, std::back_inserter(places[a]), of_square);
      continue;
    }
    for (Index i = 0; i < octant.numbers[a].cut; ++i) places[a].push_back(static_cast<double>(i) * axes[a].spacing);
  }
  return places;
}

double cell_of(const Axes& axes) {
  double volume = 1;
  for (const FreeAxis& axis : axes) volume *= axis.open ? axis.spacing : 1;
  return volume;
}

void make_integrated(Octant& octant, const Axes& axes, double shift) {
  const Places places = in_space(octant, axes, [](double square) { return square; });
  std::vector<double> cell;
  for (const FreeAxis& axis : axes) {
    if (axis.open) cell.push_back(axis.spacing);
  }
  octant.plane = planes_of(octant, [=, volume = cell_of(axes)](const Shape& i) {
    std::array<double, 3> distance{};
    std::size_t count = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (axes[a].open) distance[count++] = at(places, a, i[a]);
    }
    const IntegratedKernel kernel(cell, std::sqrt(closed_squares(axes, places, i, shift)));
    return volume * kernel(std::span(distance).first(count));
  });
}

void make_own(Octant& octant, const Axes& axes, const Green& green) {
  const Places places = in_space(octant, axes, [](double square) { return std::sqrt(square); });
  octant.plane = [=, volume = cell_of(axes)](Index plane, std::span<double> values) {
    const std::span<const double> along(places[0]);
    own_values(green, {along.subspan(static_cast<std::size_t>(plane), 1), places[1], places[2]}, values);
    for (double& value : values) value *= volume;
  };
}

}  // namespace

void own_values(const Green& green, const std::array<std::span<const double>, 3>& at, std::span<double> values) {
  (*green.values)(at, values);
  const auto bad = std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
  if (bad == values.end()) return;
  auto place = static_cast<std::size_t>(bad - values.begin());
  const std::size_t c = place % at[2].size();
  place /= at[2].size();
  const std::size_t b = place % at[1].size(), a = place / at[1].size();
  throw Error(text("the kernel is %g at %g, %g, %g; finite numbers are needed", *bad, at[0][a], at[1][b], at[2][c]));
}

Octant octant_of(const std::array<FreeAxis, 3>& axes, const Shape& extents, const Green& green, double shift) {
  Octant octant;
  for (std::size_t a = 0; a < 3; ++a) {
    Numbers& n = octant.numbers[a];
    n.large = n.cut = axes[a].open ? axes[a].period / 2 + 1 : extents[a];
  }
  switch (green.kind) {
    case Green::Kind::integrated: make_integrated(octant, axes, shift); break;
    case Green::Kind::own: make_own(octant, axes, green); break;
    case Green::Kind::automatic:
    case Green::Kind::regularized: make_spectrum(octant, axes, green, shift); break;
  }
  return octant;
}

}  // namespace detail

std::string to_string(Green::Kind kind) {
  switch (kind) {
    case Green::Kind::automatic: return "automatic";
    case Green::Kind::regularized: return "regularized";
    case Green::Kind::integrated: return "integrated";
    case Green::Kind::own: return "own";
  }
  return "?";
}

Green::Kind parse_green(std::string_view text, std::string_view argument) {
  using enum Green::Kind;
  return detail::word<Green::Kind>(text, argument, {automatic, regularized, integrated, own});
}

}  // namespace weft
