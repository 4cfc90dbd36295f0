// A line of its own for each axis: cosines, sines, Hartley transforms, half spectra, complex ones and none, mixed,
// against the sums that they are.
#include <cmath>
#include <limits>
#include <random>

#include "problem/lines.hpp"
#include "support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 6, 9});

using namespace weft;
using namespace weft::test;
using detail::LineType;
using detail::Way;

using Number = std::complex<long double>;

/// A field on the whole grid, the same on all ranks.
struct Grid {
  Shape shape;
  std::vector<Number> values;

  std::size_t at(const Shape& point) const {
    return static_cast<std::size_t>((point[0] * shape[1] + point[1]) * shape[2] + point[2]);
  }
};

/// What point `in` of a line of n points adds to number `out` of its spectrum.
Number coefficient(LineType type, int sign, Index n, Index out, Index in) {
  if (detail::traits_of(type).between_reals()) return detail::traits_of(type).coefficient(n, out, in);
  const long double angle = 2 * 3.14159265358979323846264338327950288L * static_cast<long double>(in * out % n) / n;
  return {std::cos(angle), sign * std::sin(angle)};
}

/// The spectrum of a field in space, one axis after the other; half_dft first where the field is real.
Grid spectrum_of(Grid grid, const Problem& problem) {
  for (const int axis : {0, 1, 2}) {
    const auto a = static_cast<std::size_t>(axis);
    const Line line = problem.kind.lines[a];
    if (line == Line::none) continue;
    const LineType type = detail::type_of(line, Way::to_spectrum);
    Grid next{grid.shape, {}};
    next.shape[a] = detail::traits_of(type).spectrum_points(grid.shape[a]);
    next.values.resize(static_cast<std::size_t>(next.shape[0] * next.shape[1] * next.shape[2]));
    verify::for_points({{0, 0, 0}, next.shape}, [&](const Shape& point) {
      Shape from = point;
      Number sum = 0;
      for (Index i = 0; i < grid.shape[a]; ++i) {
        from[a] = i;
        sum +=
            coefficient(type, problem.kind.to_space ? +1 : -1, grid.shape[a], point[a], i) * grid.values[grid.at(from)];
      }
      next.values[next.at(point)] = sum;
    });
    grid = std::move(next);
  }
  return grid;
}

template <class T>
T number_of(const Number& value) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return static_cast<T>(value.real());
  } else {
    return T(value);
  }
}

/// This rank's part of the fields, as one end of the plan has them: field f is the grid times f + 1. What is no point
/// is not a number.
template <class T>
std::vector<T> part_of(const Grid& grid, const Box& box, Index size, const Plan::Strides& strides, Index fields) {
  std::vector<T> part(static_cast<std::size_t>(size), T(NAN));
  for (Index field = 0; field < fields; ++field) {
    verify::for_points(box, [&](const Shape& point) {
      Index at = field * strides.field;
      for (std::size_t axis = 0; axis < 3; ++axis) at += (point[axis] - box.lo[axis]) * strides.axis[axis];
      part[static_cast<std::size_t>(at)] =
          number_of<T>(grid.values[grid.at(point)] * static_cast<long double>(field + 1));
    });
  }
  return part;
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b, double times) {
  double largest = 0, size = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::complex<double> found(a[i]), wanted = std::complex<double>(b[i]) * times;
    if (std::isnan(wanted.real())) continue;
    largest = std::max(largest, std::abs(found - wanted));
    size = std::max(size, std::abs(wanted));
  }
  return largest / size;
}

template <class Real, class In, class Out>
void check(const Problem& problem, const Options& options, const Grid& in, const Grid& out) {
  Transform<Real> fft(problem, MPI_COMM_WORLD, options);
  const Plan& plan = fft.plan();
  const Index fields = problem.batch;
  const auto given = part_of<In>(in, fft.input_box(), plan.input_size(), plan.input_strides(), fields);
  const auto wanted = part_of<Out>(out, fft.output_box(), plan.output_size(), plan.output_strides(), fields);
  const double limit = 40 * std::numeric_limits<Real>::epsilon();
  std::vector<In> x = given;
  std::vector<Out> y(wanted.size());
  if (plan.options().in_place) {
    std::vector<std::complex<Real>> data(
        static_cast<std::size_t>(std::max(plan.input_bytes(), plan.output_bytes())) / sizeof(std::complex<Real>) + 1);
    std::copy(x.begin(), x.end(), reinterpret_cast<In*>(data.data()));
    fft.forward(data.data());
    std::copy_n(reinterpret_cast<const Out*>(data.data()), y.size(), y.begin());
    EXPECT_LT(largest_difference(y, wanted, 1), limit);
    fft.backward(data.data());
    std::copy_n(reinterpret_cast<const In*>(data.data()), x.size(), x.begin());
  } else {
    fft.forward(x, y);
    EXPECT_LT(largest_difference(y, wanted, 1), limit);
    EXPECT_EQ(x, given) << "forward has changed its input";
    fft.backward(y, x);
  }
  EXPECT_LT(largest_difference(x, given, problem.factor()), limit);
}

template <class Real>
void check(const Problem& problem, const Options& options, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  Grid space{problem.shape, {}};
  const bool real = detail::space_number(problem.kind) == detail::Number::real;
  for (Index i = 0; i < problem.shape[0] * problem.shape[1] * problem.shape[2]; ++i) {
    const double re = value(random), im = value(random);
    space.values.emplace_back(static_cast<Real>(re), static_cast<Real>(real ? 0 : im));
  }
  const Grid spectrum = spectrum_of(space, problem);
  // Spectra are rounded before they are given.
  const Grid &in = problem.kind.to_space ? spectrum : space, &out = problem.kind.to_space ? space : spectrum;
  Problem one_way = problem;
  using Complex = std::complex<Real>;
  if (problem.kind.to_space) {
    // Forward and backward together multiply by the factor: so the field that forward gives is that many times its own.
    Grid scaled = out;
    for (Number& number : scaled.values) number *= problem.factor();
    check<Real, Complex, Real>(one_way, options, in, scaled);
  } else if (real && detail::spectrum_number(problem.kind) == detail::Number::real) {
    check<Real, Real, Real>(one_way, options, in, out);
  } else if (real) {
    check<Real, Real, Complex>(one_way, options, in, out);
  } else {
    check<Real, Complex, Complex>(one_way, options, in, out);
  }
}

TEST(Lines, OfEachKindAlongEachAxisAreTheirSums) {
  const auto strategies = strategies_on(MPI_COMM_WORLD);
  std::mt19937 random(1);
  const auto any = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (int number = 0; number < 60; ++number) {
    Problem problem;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      problem.kind.lines[axis] = static_cast<Line>(any(0, static_cast<int>(Line::dht)));
      if (problem.kind.lines[axis] == Line::half_dft) problem.kind.lines[axis] = Line::dft;
      problem.shape[axis] = any(problem.kind.lines[axis] == Line::dct1 ? 2 : 1, 9);
    }
    if (any(0, 2) == 0) problem.kind.lines[2] = Line::half_dft;
    problem.kind.to_space = problem.kind.lines[2] == Line::half_dft && any(0, 1) == 1;
    problem.batch = any(1, 3);
    problem.interleaved = any(0, 3) == 0;
    Options options;
    options.effort = Effort::estimate;
    options.strategy = strategies[static_cast<std::size_t>(any(0, static_cast<int>(strategies.size()) - 1))];
    options.decomposition = std::array{Decomposition::automatic, Decomposition::slab,
                                       Decomposition::pencil}[static_cast<std::size_t>(any(0, 2))];
    options.transposed = any(0, 1) == 1;
    options.in_place = any(0, 3) == 0;
    options.tile = any(0, 2);
    options.backend = any(0, 4) == 0 ? "reference" : "auto";
    if (options.in_place) problem.interleaved = false;
    const bool single = any(0, 2) == 0;
    SCOPED_TRACE("number " + std::to_string(number) + ", " + to_string(problem.shape) + ", " + to_string(problem.kind) +
                 (problem.kind.to_space ? ", to space" : "") + ", " + options.strategy + ", batch " +
                 std::to_string(problem.batch) + (problem.interleaved ? " interleaved" : "") +
                 (options.in_place ? ", in place" : "") + (options.transposed ? ", transposed" : "") +
                 (single ? ", single" : ""));
    single ? check<float>(problem, options, random) : check<double>(problem, options, random);
  }
}

TEST(Lines, ThatAreNoneNeedNoExchangeWhereTheyAreLongEnough) {
  for (const Kind& kind : {parse_kind("none-dft-dft"), parse_kind("dct2-dst1-none"), parse_kind("dft-none-dct4")}) {
    const Plan plan({.shape = {12, 12, 12}, .kind = kind}, {}, size_of(), rank_of());
    EXPECT_EQ(plan.traffic(Direction::forward).all_bytes, 0) << to_string(kind);
    EXPECT_TRUE(plan.input() == plan.output()) << to_string(kind);
  }
}

TEST(Lines, AreRefusedWhereTheyCannotBe) {
  const auto make = [](const char* kind, const Shape& shape, const Shape& modes = {0, 0, 0}) {
    return [=] { Transform<double>({.shape = shape, .kind = parse_kind(kind), .modes = modes}, MPI_COMM_WORLD); };
  };
  expect_common_error(make("r2c-dct2-dct2", {4, 4, 4}), {"kind is r2c-dct2-dct2", "last axis only"});
  expect_common_error(make("dct1", {4, 1, 4}), {"shape is 4 x 1 x 4", "dct1 along axis 1", "at least 2"});
  expect_common_error(make("dct2-dft-dft", {4, 4, 4}, {2, 0, 0}), {"modes is 2 x 0 x 0", "axis 0", "dct2"});
  expect_common_error(make("dct5", {4, 4, 4}), {"kind is 'dct5'", "dct4", "c2c"});
  expect_common_error(make("dct2-dct2-dct2-dct2", {4, 4, 4}), {"dct2-dct2-dct2-dct2", "which has 3 axes"});
  const Kind mine = parse_kind(rank_of() == 1 ? "dct2" : "dct3");
  if (size_of() > 1) {
    expect_common_error([&] { Transform<double>({.shape = {4, 4, 4}, .kind = mine}, MPI_COMM_WORLD); },
                        {"kind=dct3-dct3-dct3", "kind=dct2-dct2-dct2"});
  }
}

TEST(Lines, HaveWords) {
  for (const char* text : {"c2c", "r2c", "c2r", "none-dct1-dst4", "r2hc-dht-r2c", "dct2-dft-c2r", "none-none-none"}) {
    EXPECT_EQ(to_string(parse_kind(text)), text);
  }
  EXPECT_EQ(parse_kind("dct2-dst3"), (Kind{{Line::dct2, Line::none, Line::dst3}}));
  EXPECT_EQ(parse_kind("dht"), (Kind{{Line::dht, Line::dht, Line::dht}}));
  EXPECT_EQ(parse_kind("dft-dft-r2c"), Kind::r2c);
  EXPECT_EQ(parse_kind("c2c-c2c-c2r"), Kind::c2r);
}

}  // namespace
