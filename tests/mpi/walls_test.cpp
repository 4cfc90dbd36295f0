// Operators on fields between walls: cosines and sines of every type, mixed with periodic axes. What a wave is, and
// where its points are, is written here once more.
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "problem/lines.hpp"
#include "support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 6});

using namespace weft;
using namespace weft::test;

/// A wave along an axis: its number, and its value at each point.
struct Wave {
  double number = 0, spacing = 1;
  std::vector<double> values;
};

Wave wave_along(Line line, Index n, double length, Index order, double phase) {
  const double pi = std::numbers::pi, h_of_cells = length / static_cast<double>(n);
  const auto count = static_cast<double>(order);
  Wave wave;
  wave.spacing = h_of_cells;
  double first = 0, number = 0;
  bool sine = false;
  switch (line) {
    case Line::none: wave.values.assign(static_cast<std::size_t>(n), 1.0); return wave;
    case Line::dct1:
      wave.spacing = length / static_cast<double>(n - 1);
      number = count;
      break;
    case Line::dct2:
      first = 0.5;
      number = count;
      break;
    case Line::dct3: number = count + 0.5; break;
    case Line::dct4:
      first = 0.5;
      number = count + 0.5;
      break;
    case Line::dst1:
      wave.spacing = length / static_cast<double>(n + 1);
      first = 1;
      number = count + 1;
      sine = true;
      break;
    case Line::dst2:
      first = 0.5;
      number = count + 1;
      sine = true;
      break;
    case Line::dst3:
      first = 1;
      number = count + 0.5;
      sine = true;
      break;
    case Line::dst4:
      first = 0.5;
      number = count + 0.5;
      sine = true;
      break;
    case Line::dft:
    case Line::half_dft:
    case Line::r2hc:
    case Line::hc2r:
    case Line::dht: {
      // As many whole waves as the points can tell from fewer.
      wave.number = 2 * pi / length * static_cast<double>(order % ((n + 1) / 2));
      for (Index i = 0; i < n; ++i) {
        wave.values.push_back(std::cos(wave.number * static_cast<double>(i) * wave.spacing + phase));
      }
      return wave;
    }
  }
  wave.number = pi / length * number;
  for (Index i = 0; i < n; ++i) {
    const double angle = wave.number * (static_cast<double>(i) + first) * wave.spacing;
    wave.values.push_back(sine ? std::sin(angle) : std::cos(angle));
  }
  return wave;
}

template <class Number>
std::vector<Number> field_of(const Box& box, const std::array<Wave, 3>& waves, const std::vector<Number>& factors) {
  std::vector<Number> all;
  for (const Number& factor : factors) {
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
          const double value = waves[0].values[static_cast<std::size_t>(i)] *
                               waves[1].values[static_cast<std::size_t>(j)] *
                               waves[2].values[static_cast<std::size_t>(k)];
          all.push_back(factor * static_cast<typename detail::NumberOf<Number>::Real>(value));
        }
      }
    }
  }
  return all;
}

/// Each function gives the wave back times a number that is known.
template <class Real, class Number>
void check(const Problem& problem, const Options& options, const std::array<Wave, 3>& waves) {
  double square = 0, second = 0, fourth = 0, sixth = 0;
  for (const Wave& wave : waves) {
    const double angle = wave.number * wave.spacing, h2 = wave.spacing * wave.spacing;
    square += wave.number * wave.number;
    // The weights of neighbours.
    second += (2 - 2 * std::cos(angle)) / h2;
    fourth += (5.0 / 2 - 8.0 / 3 * std::cos(angle) + std::cos(2 * angle) / 6) / h2;
    sixth += (49.0 / 18 - 3 * std::cos(angle) + 3.0 / 10 * std::cos(2 * angle) - std::cos(3 * angle) / 45) / h2;
  }
  std::vector<Number> factors;
  for (Index i = 0; i < problem.batch; ++i) factors.push_back(static_cast<Number>(1 + static_cast<Real>(i)));
  if constexpr (is_complex<Number>) factors.front() = Number(1, -2);
  const double largest = [&] {
    // Rounding is that of the shortest wave.
    double most = 0;
    for (const Wave& wave : waves) most += std::pow(std::numbers::pi / wave.spacing, 2);
    return std::max(1.0, most);
  }();
  const auto compare = [&](const PointFunction<Real>& function, double factor, double size) {
    Operator<Real> op(problem, function, MPI_COMM_WORLD, options);
    std::vector<Number> u = field_of<Number>(op.plan().input_box(), waves, factors);
    std::vector<Number> found(static_cast<std::size_t>(op.plan().output_size()));
    if (options.in_place) {
      op(u.data(), u.data());
      found = u;
    } else {
      op(u, found);
    }
    const auto wanted = field_of<Number>(op.plan().output_box(), waves, factors);
    ASSERT_EQ(found.size(), wanted.size());
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      worst = std::max(worst, static_cast<double>(std::abs(found[i] - static_cast<Real>(factor) * wanted[i])));
    }
    EXPECT_LT(worst, 100 * std::numeric_limits<Real>::epsilon() * size * static_cast<double>(problem.batch))
        << function.name;
  };
  compare(laplacian<Real>(problem), -square, largest);
  compare(laplacian<Real>(problem, Stencil::second_order), -second, largest);
  compare(laplacian<Real>(problem, Stencil::fourth_order), -fourth, largest);
  compare(laplacian<Real>(problem, Stencil::sixth_order), -sixth, largest);
  compare(inverse_laplacian<Real>(problem, Stencil::fourth_order, 1.5), -1 / (fourth + 1.5), 1);
  compare(heat<Real>(0.01), std::exp(-0.01 * square), 1);
  compare(derivative<Real>(2, 1), -waves[1].number * waves[1].number, largest);
  const double inverse = square > 1e-12 ? -1 / square : 0;
  compare(inverse_laplacian<Real>(problem), inverse, 10);
  std::array<std::vector<std::complex<Real>>, 3> ones;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Line line = problem.kind.lines[axis];
    ones[axis].assign(line == Line::none ? 1 : wavenumbers(line, problem.shape[axis], 1).size(), Real(2));
  }
  compare(multiply_separable<Real>({ones[0], ones[1], ones[2]}), 8, 8);
}

TEST(Walls, WavesAreEigenfunctions) {
  const auto strategies = strategies_on(MPI_COMM_WORLD);
  std::mt19937 random(3);
  const auto any = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (int number = 0; number < 40; ++number) {
    Problem problem;
    std::array<Wave, 3> waves;
    const bool periodic = any(0, 1) == 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Line& line = problem.kind.lines[axis];
      line = static_cast<Line>(any(static_cast<int>(Line::dct1), static_cast<int>(Line::dht)));
      if (line == Line::hc2r || (periodic && any(0, 2) == 0)) line = Line::dft;
      if (axis == 2 && any(0, 2) == 0) line = Line::half_dft;
      problem.shape[axis] = any(line == Line::dct1 ? 2 : 1, 9);
      if (axis == 1 && any(0, 5) == 0) {
        line = Line::none;
        problem.shape[axis] = 1;
      }
      problem.lengths[axis] = 1 + any(0, 4) / 2.0;
      waves[axis] = wave_along(line, problem.shape[axis], problem.lengths[axis],
                               any(0, static_cast<int>(problem.shape[axis]) - 1), any(1, 6));
    }
    // A wave of type 2 or 1 at its last place may be one that no point sees: dst2's is as high as all others.
    problem.batch = any(1, 2);
    Options options;
    options.effort = Effort::estimate;
    options.strategy = strategies[static_cast<std::size_t>(any(0, static_cast<int>(strategies.size()) - 1))];
    options.decomposition = std::array{Decomposition::automatic, Decomposition::slab,
                                       Decomposition::pencil}[static_cast<std::size_t>(any(0, 2))];
    options.in_place = any(0, 3) == 0;
    options.tile = any(0, 2);
    options.backend = std::array{"auto", "lanes", "fftw", "reference"}[static_cast<std::size_t>(any(0, 3))];
    const bool single = any(0, 2) == 0;
    const bool real = detail::space_number(problem.kind) == detail::Number::real;
    SCOPED_TRACE("number " + std::to_string(number) + ", " + to_string(problem.shape) + ", " + to_string(problem.kind) +
                 ", " + options.strategy + ", " + options.backend + ", batch " + std::to_string(problem.batch) +
                 (options.in_place ? ", in place" : "") + (single ? ", single" : ""));
    if (single) {
      real ? check<float, float>(problem, options, waves) : check<float, std::complex<float>>(problem, options, waves);
    } else {
      real ? check<double, double>(problem, options, waves)
           : check<double, std::complex<double>>(problem, options, waves);
    }
  }
}

TEST(Walls, PointsAreWhereTheWavesAre) {
  for (int type = static_cast<int>(Line::dft); type <= static_cast<int>(Line::dht); ++type) {
    const auto line = static_cast<Line>(type);
    if (line == Line::hc2r) continue;
    const Index n = 6;
    const auto x = coordinates(line, n, 3), k = wavenumbers(line, n, 3);
    const bool sine = line >= Line::dst1 && line <= Line::dst4, wall = line >= Line::dct1 && line <= Line::dst4;
    for (std::size_t order = 0; wall && order < k.size(); ++order) {
      const Wave wave = wave_along(line, n, 3, static_cast<Index>(order), 0);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(sine ? std::sin(k[order] * x[i]) : std::cos(k[order] * x[i]), wave.values[i], 1e-14)
            << to_string(line) << ' ' << order;
      }
    }
  }
}

TEST(Walls, AreRefusedWhereTheyCannotBe) {
  const auto make = [](const char* kind, PointFunction<double> function, const Shape& shape = {4, 4, 4}) {
    return [=] { Operator<double>({.shape = shape, .kind = parse_kind(kind)}, function, MPI_COMM_WORLD); };
  };
  const auto any = laplacian<double>({.shape = {4, 4, 4}});
  expect_common_error(make("dft-dct2-r2c", gradient<double>()), {"'gradient'", "odd order", "axis 1", "dft-dct2-r2c"});
  expect_common_error(make("dst1", derivative<double>(1, 0)), {"odd order", "axis 0"});
  expect_common_error(make("dct2-dct2-hc2r", any), {"kind is dct2-dct2-hc2r", "no wave numbers of hc2r", "axis 2"});
  expect_common_error(make("c2r", any), {"kind is c2r", "from space to the spectrum"});
  expect_common_error(make("dct2-dct2-r2c", products<double>(1)), {"at points allows c2c and r2c"});
  EXPECT_EQ(wavenumbers(Line::none, 3, 1), std::vector<double>(3, 0.0));
  // Of the box of 2 pi -9 is an eigenvalue, -10.5 is none.
  const Problem box{.shape = {8, 8, 8}, .kind = parse_kind("dct2")};
  EXPECT_THROW(inverse_laplacian<double>(box, Stencil::spectral, -9), Error);
  EXPECT_NO_THROW(inverse_laplacian<double>(box, Stencil::spectral, -10.6));
  EXPECT_THROW(inverse_laplacian<double>(box, Stencil::spectral, NAN), Error);
  EXPECT_THROW(truncate<double>({.shape = {4, 4, 4}, .kind = parse_kind("dct2")}, 2), Error);
  EXPECT_THROW(
      convolution<double>({.shape = {4, 4, 4}, .kind = parse_kind("dct2")}, std::vector<double>(64), MPI_COMM_WORLD),
      Error);
}

}  // namespace
