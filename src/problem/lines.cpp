#include "problem/lines.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "problem/real_lines.hpp"

namespace weft {

namespace detail {

namespace {

Index all_points(Index n) { return n; }
Index half_of_points(Index n) { return n / 2 + 1; }
double complex_flops(Index n) { return 5 * static_cast<double>(n) * std::log2(static_cast<double>(n)); }
double real_flops(Index n) { return complex_flops(n) / 2; }
double times_points(Index n) { return static_cast<double>(n); }
double times_twice(Index n) { return 2 * static_cast<double>(n); }
double times_intervals(Index n) { return 2 * static_cast<double>(n - 1); }
double times_more(Index n) { return 2 * static_cast<double>(n + 1); }

constexpr Number real = Number::real, complex = Number::complex;

double periodic_wave(Index n, Index i) { return static_cast<double>(2 * i <= n ? i : i - n); }
double size_of_wave(Index n, Index i) { return std::abs(periodic_wave(n, i)); }
double whole_waves(Index, Index i) { return static_cast<double>(i) / 2; }
double waves_from_one(Index, Index i) { return static_cast<double>(i + 1) / 2; }
double waves_between(Index, Index i) { return (static_cast<double>(i) + 0.5) / 2; }
double no_wave(Index, Index) { return 0; }
double once(Index) { return 1; }
long double as_it_is(Index, Index out, Index in) { return out == in ? 1 : 0; }
double inner_spacings(Index n) { return static_cast<double>(n - 1); }
double outer_spacings(Index n) { return static_cast<double>(n + 1); }

/// Of a line between real numbers: what tells it from the others.
struct Real {
  LineType inverse;
  double (*factor)(Index);
  long double (*coefficient)(Index, Index, Index);
  double (*wave)(Index, Index);
  double (*spacings)(Index) = times_points;
  double before_first = 0;
  Index fewest = 1;
};
constexpr LineTraits between_reals(const char* name, const Real& line) {
  return {name,          real,
          real,          false,
          line.inverse,  0,
          all_points,    real_flops,
          line.factor,   line.coefficient,
          line.fewest,   line.wave,
          line.spacings, line.before_first};
}
constexpr LineTraits fourier(const char* name, Number in, Number out, bool to_space, LineType inverse, int sign) {
  const bool half = in != out;
  return {name,
          in,
          out,
          to_space,
          inverse,
          sign,
          half ? half_of_points : all_points,
          half ? real_flops : complex_flops,
          times_points,
          nullptr,
          1,
          periodic_wave,
          times_points};
}

/// In the order of LineType.
constexpr std::array line_types{
    fourier("c2c", complex, complex, false, LineType::c2c, 0),
    fourier("r2c", real, complex, false, LineType::c2r, -1),
    fourier("c2r", complex, real, true, LineType::r2c, +1),
    between_reals("dct1", {LineType::dct1, times_intervals, dct1, whole_waves, inner_spacings, 0, 2}),
    between_reals("dct2", {LineType::dct3, times_twice, dct2, whole_waves, times_points, 0.5}),
    between_reals("dct3", {LineType::dct2, times_twice, dct3, waves_between}),
    between_reals("dct4", {LineType::dct4, times_twice, dct4, waves_between, times_points, 0.5}),
    between_reals("dst1", {LineType::dst1, times_more, dst1, waves_from_one, outer_spacings, 1}),
    between_reals("dst2", {LineType::dst3, times_twice, dst2, waves_from_one, times_points, 0.5}),
    between_reals("dst3", {LineType::dst2, times_twice, dst3, waves_between, times_points, 1}),
    between_reals("dst4", {LineType::dst4, times_twice, dst4, waves_between, times_points, 0.5}),
    between_reals("r2hc", {LineType::hc2r, times_points, r2hc, size_of_wave}),
    between_reals("hc2r", {LineType::r2hc, times_points, hc2r, nullptr}),
    between_reals("dht", {LineType::dht, times_points, dht, size_of_wave}),
    between_reals("none", {LineType::none, once, as_it_is, no_wave}),
};

/// In the order of Line: what leads to the spectrum.
constexpr std::array to_spectrum{LineType::none, LineType::c2c,  LineType::r2c,  LineType::dct1, LineType::dct2,
                                 LineType::dct3, LineType::dct4, LineType::dst1, LineType::dst2, LineType::dst3,
                                 LineType::dst4, LineType::r2hc, LineType::hc2r, LineType::dht};

bool has(const Kind& kind, Line line) {
  return std::count(kind.lines.begin(), kind.lines.end(), line) > 0 ||
         std::count(kind.more.begin(), kind.more.begin() + kind.told, line) > 0;
}

}  // namespace

const LineTraits& traits_of(LineType type) { return line_types[static_cast<std::size_t>(type)]; }

LineType type_of(Line line, Way way) {
  const LineType type = to_spectrum[static_cast<std::size_t>(line)];
  return way == Way::to_spectrum ? type : traits_of(type).inverse;
}

double spacing_of(Line line, Index n, double length) {
  return length / traits_of(type_of(line, Way::to_spectrum)).spacings(n);
}

std::vector<InnerAxis> inner_axes(const Problem& problem, bool pads) {
  if (problem.shape.rank() == 3) return {};
  std::vector<InnerAxis> axes;
  for (std::size_t axis = 2; axis < problem.shape.size(); ++axis) {
    const Line line = problem.line(axis);
    const Index n = problem.shape[axis], spectrum = traits_of(type_of(line, Way::to_spectrum)).spectrum_points(n);
    axes.push_back({line, n, line == Line::half_dft && pads ? 2 * spectrum : n, spectrum});
  }
  if (problem.interleaved) axes.push_back({Line::none, problem.batch, problem.batch, problem.batch});
  return axes;
}

PointNumbers numbers_of_point(const Problem& problem, bool pads) {
  PointNumbers numbers;
  const std::vector<InnerAxis> axes = inner_axes(problem, pads);
  if (axes.empty() && problem.interleaved) return {problem.batch, problem.batch};
  for (std::size_t i = 1; i < axes.size(); ++i) {
    numbers.in_space = multiply(numbers.in_space, axes[i].in_space, "the elements of a point of the first three axes");
    numbers.in_spectrum *= axes[i].in_spectrum;
  }
  return numbers;
}

std::array<Line, 3> divided_lines(const Problem& problem) {
  std::array<Line, 3> lines{problem.line(0), problem.line(1), problem.line(2)};
  for (std::size_t axis = 3; axis < problem.shape.size(); ++axis) {
    const Line line = problem.line(axis);
    if (line == Line::half_dft || lines[2] == Line::none) lines[2] = line;
  }
  // What stays complex is as complex as what is transformed so.
  const bool is_complex = space_number(problem.kind) == Number::complex;
  if (problem.shape.rank() > 3 && lines[2] != Line::none && is_complex) lines[2] = Line::dft;
  return lines;
}

Number space_number(const Kind& kind) { return has(kind, Line::dft) && !has(kind, Line::half_dft) ? complex : real; }
Number spectrum_number(const Kind& kind) { return has(kind, Line::dft) || has(kind, Line::half_dft) ? complex : real; }

double scale_of(Normalization normalization, Direction direction, double factor) {
  switch (normalization) {
    case Normalization::none: return 1;
    case Normalization::forward: return direction == Direction::forward ? 1 / factor : 1;
    case Normalization::backward: return direction == Direction::backward ? 1 / factor : 1;
    case Normalization::ortho: return 1 / std::sqrt(factor);
  }
  return 1;
}

double scale_of(const Problem& problem, Direction direction) {
  return scale_of(problem.normalization, direction, problem.factor());
}

}  // namespace detail

double Problem::factor() const {
  double factor = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    factor *= detail::traits_of(detail::type_of(line(axis), detail::Way::to_spectrum)).factor(shape[axis]);
  }
  return factor;
}

Line Problem::line(std::size_t axis) const {
  if (shape.rank() == 3 || axis < 2) return kind.lines.at(axis);
  const auto told = static_cast<std::size_t>(kind.told);
  if (told > 0) return axis == 2 ? kind.lines[2] : kind.more.at(std::min(axis - 3, told - 1));
  const bool last = axis + 1 == shape.size();
  return kind.lines[2] == Line::half_dft && !last ? Line::dft : kind.lines[2];
}

namespace {

/// Those, or all where they are 0.
Shape or_all(const Shape& some, const Shape& all) {
  Shape kept = all;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (some[axis] > 0) kept[axis] = some[axis];
  }
  return kept;
}

}  // namespace

Shape Problem::kept_modes() const { return or_all(modes, shape); }
Shape Problem::kept_points() const { return or_all(points, shape); }

Extents Problem::spectrum_shape() const {
  Extents spectrum = shape.with_first(kept_modes());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const detail::LineTraits& traits = detail::traits_of(detail::type_of(line(axis), detail::Way::to_spectrum));
    spectrum[axis] = traits.spectrum_points(spectrum[axis]);
  }
  return spectrum;
}

namespace {

void require_extents(const Extents& extents, const char* name) {
  for (const Index n : extents) {
    if (n < 1) throw Error(detail::concat(name, " is ", to_string(extents), "; every extent must be at least 1"));
  }
}

}  // namespace

Shape three_halves(const Shape& modes) {
  require_extents(modes, "modes");
  Shape shape = modes;
  for (Index& n : shape) {
    if (n > 1 && __builtin_add_overflow(n, n / 2 + n % 2, &n)) {
      throw Error(detail::concat("modes is ", to_string(modes), "; three halves of it overflow 64 bits"));
    }
  }
  return shape;
}

Shape two_thirds(const Shape& shape) {
  require_extents(shape, "shape");
  Shape modes = shape;
  for (Index& n : modes) n = n > 1 ? n - (n / 3 + (n % 3 != 0 ? 1 : 0)) : n;
  return modes;
}

void Problem::check() const {
  require_extents(shape, "shape");
  Index numbers = 2 * real_bytes();
  for (const Index n : shape) {
    // Rows of real fields may be padded.
    numbers = detail::multiply(numbers, std::min(n, INT64_MAX - 2) + 2, "the size of the field in bytes");
  }
  const std::array kept{std::pair{&modes, "modes"}, std::pair{&points, "points"}};
  for (const auto& [some, name] : kept) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if ((*some)[axis] >= 0 && (*some)[axis] <= shape[axis]) continue;
      throw Error(detail::concat(name, " is ", to_string(*some), "; along axis ", axis,
                                 " allowed are 1 to the shape's ", shape[axis], ", and 0 for all"));
    }
  }
  if (kind.told < 0 || kind.told > Extents::most_axes - 3 || kind.told + 3 > shape.rank()) {
    throw Error(detail::concat("kind is ", to_string(kind), "; shape is ", to_string(shape), ", which has ",
                               shape.rank(), " axes"));
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Line line = this->line(axis);
    if (line == Line::half_dft && axis + 1 < shape.size()) {
      throw Error(detail::concat("kind is ", to_string(kind), "; half_dft is allowed along the last axis only, axis ",
                                 shape.size() - 1));
    }
    const Index fewest = detail::traits_of(detail::type_of(line, detail::Way::to_spectrum)).fewest_points;
    if (shape[axis] < fewest) {
      throw Error(detail::concat("shape is ", to_string(shape), "; ", to_string(line), " along axis ", axis,
                                 " needs at least ", fewest, " points"));
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Line line = this->line(axis);
    const auto fewer = [&](const Shape& some) { return some[axis] > 0 && some[axis] < shape[axis]; };
    if (fewer(modes) && fewer(points)) {
      throw Error(detail::concat("points is ", to_string(points), " and modes is ", to_string(modes), "; along axis ",
                                 axis, " one of them must be 0"));
    }
    if (axis == 2 && shape.rank() > 3 && (fewer(modes) || fewer(points))) {
      throw Error(detail::concat(fewer(modes) ? "modes is " : "points is ", to_string(fewer(modes) ? modes : points),
                                 "; of more than three axes all ", shape[2], " along axis 2 are needed"));
    }
    if (line == Line::dft || line == Line::half_dft) continue;
    for (const auto& [some, name] : kept) {
      if (!fewer(*some) || (some == &points && line != Line::none)) continue;
      throw Error(detail::concat(name, " is ", to_string(*some), "; along axis ", axis, ", whose line is ",
                                 to_string(line), ", all of the ", shape[axis], " are needed"));
    }
  }
  if (one_line) {
    const auto refuse = [&](const std::string& what, const char* allowed) {
      throw Error(detail::concat(what, "; of one line only ", allowed, " is allowed"));
    };
    if (shape.rank() > 3 || shape[1] != 1) refuse("shape is " + to_string(shape), "n0 x 1 x n1");
    const auto dfts = std::count(kind.lines.begin(), kind.lines.end(), Line::dft);
    const bool reals = detail::is_real_line(*this);
    if (dfts + (reals ? 1 : 0) != 3 || kind.told != 0) refuse("kind is " + to_string(kind), "c2c, r2c or c2r");
    if (reals && padded_rows) refuse("padded_rows is true", "false");
    if (kept_modes() != Shape(shape)) refuse("modes is " + to_string(modes), "all");
    if (kept_points() != Shape(shape)) refuse("points is " + to_string(points), "all");
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (lengths[axis] > 0 && std::isfinite(lengths[axis])) continue;
    throw Error(
        detail::concat("lengths has ", detail::text("%g", lengths[axis]), "; lengths of a box are positive numbers"));
  }
  if (batch < 1) throw Error(detail::concat("batch is ", batch, "; at least 1 is needed"));
  detail::multiply(numbers, batch, "the size of the batch in bytes");
  for (const auto& [order, name] : {std::pair{&input_order, "input_order"}, std::pair{&output_order, "output_order"}}) {
    if (std::is_permutation(order->begin(), order->end(), Problem{}.input_order.begin())) continue;
    throw Error(detail::concat(name, " is {", (*order)[0], ", ", (*order)[1], ", ", (*order)[2],
                               "}; the axes 0, 1 and 2 are needed, each once"));
  }
}

Shape line_grid(Index n) {
  if (n < 1) throw Error(detail::concat("n is ", n, "; a line has at least 1 point"));
  auto rows = static_cast<Index>(std::sqrt(static_cast<long double>(n)));
  while (n % rows != 0) --rows;
  // Few ranks could have a part of it, and their rows would be almost as long.
  if (n > detail::longest_short_line && 256 * rows * rows < n) rows = 1;
  return plane(rows, n / rows);
}

Problem line_problem(Index n, Problem of) {
  of.shape = line_grid(n);
  of.one_line = true;
  of.input_order = {0, 1, 2};
  of.output_order = {2, 1, 0};
  // Of complex numbers those in space are in order by rows, and modes by columns; of real ones the other way round.
  if (detail::is_real_line(of) != of.kind.to_space) std::swap(of.input_order, of.output_order);
  return of;
}

bool Problem::plain_arrays() const {
  const Problem usual;
  return !interleaved && !padded_rows && input_order == usual.input_order && output_order == usual.output_order;
}

int Problem::input_bytes() const { return detail::bytes_of(detail::input_number(kind), precision); }
int Problem::output_bytes() const { return detail::bytes_of(detail::output_number(kind), precision); }

}  // namespace weft
