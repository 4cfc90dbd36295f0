#include "problem/lines.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked.hpp"

namespace weft {

namespace detail {

namespace {

Index all_points(Index n) { return n; }
Index half_of_points(Index n) { return n / 2 + 1; }
double complex_flops(Index n) { return 5 * static_cast<double>(n) * std::log2(static_cast<double>(n)); }
double real_flops(Index n) { return complex_flops(n) / 2; }
double times_points(Index n) { return static_cast<double>(n); }

constexpr Number real = Number::real, complex = Number::complex;

/// In the order of LineType.
constexpr std::array<LineTraits, 3> line_types{{
    {"c2c", complex, complex, false, LineType::c2c, 0, all_points, complex_flops, times_points},
    {"r2c", real, complex, false, LineType::c2r, -1, half_of_points, real_flops, times_points},
    {"c2r", complex, real, true, LineType::r2c, +1, half_of_points, real_flops, times_points},
}};

/// In the order of Kind.
constexpr std::array<KindTraits, 3> kinds{{
    {Kind::c2c, "c2c", {LineType::c2c, LineType::c2c, LineType::c2c}},
    {Kind::r2c, "r2c", {LineType::c2c, LineType::c2c, LineType::r2c}},
    {Kind::c2r, "c2r", {LineType::c2c, LineType::c2c, LineType::c2r}},
}};

}  // namespace

const LineTraits& traits_of(LineType type) { return line_types[static_cast<std::size_t>(type)]; }
const KindTraits& traits_of(Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }
std::span<const KindTraits> all_kinds() { return kinds; }

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
  double factor = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    factor *= traits_of(traits_of(problem.kind).lines[axis]).factor(problem.shape[axis]);
  }
  return scale_of(problem.normalization, direction, factor);
}

}  // namespace detail

Shape Problem::kept_modes() const {
  Shape kept = shape;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (modes[axis] > 0) kept[axis] = modes[axis];
  }
  return kept;
}

Shape Problem::spectrum_shape() const {
  Shape spectrum = kept_modes();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    spectrum[axis] = detail::traits_of(detail::traits_of(kind).lines[axis]).spectrum_points(spectrum[axis]);
  }
  return spectrum;
}

namespace {

void require_extents(const Shape& extents, const char* name) {
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
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (modes[axis] >= 0 && modes[axis] <= shape[axis]) continue;
    throw Error(detail::concat("modes is ", to_string(modes), "; along axis ", axis, " allowed are 1 to the shape's ",
                               shape[axis], ", and 0 for all"));
  }
  if (howmany < 1) throw Error(detail::concat("howmany (the batch) is ", howmany, "; at least 1 is needed"));
  detail::multiply(numbers, howmany, "the size of the batch in bytes");
  for (const auto& [order, name] : {std::pair{&input_order, "input_order"}, std::pair{&output_order, "output_order"}}) {
    if (std::is_permutation(order->begin(), order->end(), Problem{}.input_order.begin())) continue;
    throw Error(detail::concat(name, " is {", (*order)[0], ", ", (*order)[1], ", ", (*order)[2],
                               "}; the axes 0, 1 and 2 are needed, each once"));
  }
}

bool Problem::plain_arrays() const {
  const Problem usual;
  return !interleaved && !padded_rows && input_order == usual.input_order && output_order == usual.output_order;
}

int Problem::input_bytes() const { return detail::bytes_of(detail::traits_of(kind).input(), precision); }
int Problem::output_bytes() const { return detail::bytes_of(detail::traits_of(kind).output(), precision); }

}  // namespace weft
