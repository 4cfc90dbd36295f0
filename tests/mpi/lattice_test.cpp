// Differences where some sides are open: inside the box they are f, and the size of the box does not matter.
#include <cmath>
#include <numbers>
#include <optional>
#include <random>

#include "operator/lattice_kernel.hpp"
#include "poisson_support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4});

using namespace weft;
using namespace weft::test;
using verify::for_points;
using Pair = std::array<Side, 2>;
constexpr Side periodic = Side::periodic, even = Side::even, odd = Side::odd, open = Side::open;

/// Weights of the neighbours, of the point itself first (B. Fornberg 1988, table 1).
std::vector<double> weights_of(Stencil stencil) {
  switch (stencil) {
    case Stencil::second_order: return {-2, 1};
    case Stencil::fourth_order: return {-5.0 / 2, 4.0 / 3, -1.0 / 12};
    case Stencil::sixth_order: return {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90};
    default: return {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  }
}

/// The second difference along an axis of cells between walls that have a value; nothing where it reaches beyond an
/// open side.
std::optional<double> difference(const PoissonProblem& problem, const std::vector<double>& u, Shape i, std::size_t axis,
                                 double value) {
  const std::vector<double> weights = weights_of(problem.stencil);
  const Index n = problem.shape[axis], point = i[axis];
  const double h = problem.lengths[axis] / static_cast<double>(n);
  double sum = 0;
  for (Index step = 1 - static_cast<Index>(weights.size()); step < static_cast<Index>(weights.size()); ++step) {
    Index there = point + step;
    double sign = 1, more = 0;
    while (there < 0 || there >= n) {
      const Side side = problem.sides[axis][there < 0 ? 0 : 1];
      if (side == open) return std::nullopt;
      if (side == periodic) {
        there = (there + n) % n;
        continue;
      }
      more += side == odd ? 2 * value : there < 0 ? -value * h : value * h;
      there = there < 0 ? -1 - there : 2 * n - 1 - there;
      if (side == odd) sign = -sign;
    }
    i[axis] = there;
    sum += weights[static_cast<std::size_t>(std::abs(step))] * (more + sign * u[at(problem.shape, i)]);
  }
  return sum / (h * h);
}

std::vector<double> any_field(const PoissonProblem& problem) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> f(static_cast<std::size_t>(problem.shape[0] * problem.shape[1] * problem.shape[2]));
  for (double& value : f) value = any(random);
  return f;
}

double largest_of(const std::vector<double>& u) {
  double largest = 0;
  for (const double value : u) largest = std::max(largest, std::abs(value));
  return largest;
}

void check_inside(const PoissonProblem& problem, const std::vector<double>& f, const std::vector<double>& u,
                  double value = 0, double limit = 0) {
  // u is as exact as its largest number; differences divide by the square of a spacing.
  if (limit == 0) limit = 1e-11 * (1 + largest_of(u) * 2000);
  int inside = 0;
  for_points({{0, 0, 0}, problem.shape}, [&](const Shape& i) {
    double sum = -problem.shift * u[at(problem.shape, i)];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::optional<double> along = difference(problem, u, i, axis, value);
      if (!along) return;
      sum += *along;
    }
    ++inside;
    EXPECT_NEAR(sum, f[at(problem.shape, i)], limit);
  });
  EXPECT_GT(inside, 0);
}

void check(const PoissonProblem& problem) {
  SCOPED_TRACE(testing::Message() << to_string(problem.stencil) << " shift " << problem.shift);
  const std::vector<double> f = any_field(problem), u = solved(problem, f);
  check_inside(problem, f, u);

  // A larger box of the same spacings, in which f is zero beyond.
  PoissonProblem larger = problem;
  Shape first{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] = problem.sides[axis];
    if (low != open && high != open) continue;
    const Index more = 3 + static_cast<Index>(axis);
    if (low == open) first[axis] = high == open ? 2 : more;
    larger.shape[axis] += more;
    larger.lengths[axis] *= static_cast<double>(larger.shape[axis]) / static_cast<double>(problem.shape[axis]);
  }
  std::vector<double> beyond(static_cast<std::size_t>(larger.shape[0] * larger.shape[1] * larger.shape[2]));
  const auto moved = [&](const Shape& i) { return Shape{i[0] + first[0], i[1] + first[1], i[2] + first[2]}; };
  const Box box{{0, 0, 0}, problem.shape};
  for_points(box, [&](const Shape& i) { beyond[at(larger.shape, moved(i))] = f[at(problem.shape, i)]; });
  const std::vector<double> same = solved(larger, beyond);
  for_points(box, [&](const Shape& i) {
    EXPECT_NEAR(same[at(larger.shape, moved(i))], u[at(problem.shape, i)], 1e-11 * (1 + largest_of(u)));
  });
}

TEST(Lattice, InsideABoxWithOpenSidesDifferencesAreThoseOfF) {
  constexpr std::array<Pair, 6> all{
      {{open, open}, {odd, open}, {open, even}, {periodic, periodic}, {odd, odd}, {even, even}}};
  constexpr std::array stencils{Stencil::second_order, Stencil::fourth_order, Stencil::sixth_order,
                                Stencil::eighth_order};
  int number = 0;
  for (const Pair& a : all) {
    for (const Pair& b : all) {
      for (const Pair& c : all) {
        const auto is_open = [](const Pair& sides) { return sides[0] == open || sides[1] == open; };
        if (!is_open(a) && !is_open(b) && !is_open(c)) continue;
        ++number;
        if (size_of() > 1 && number % 7 != size_of()) continue;
        PoissonProblem problem;
        problem.sides = {a, b, c};
        problem.stencil = stencils[static_cast<std::size_t>(number) % stencils.size()];
        problem.shift = number % 3 == 0 ? 4 : 0;
        problem.lengths = {1, 1.2, 0.7};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          problem.shape[axis] = (is_open(problem.sides[axis]) ? 9 : 4) + static_cast<Index>(axis);
        }
        check(problem);
      }
    }
  }
}

TEST(Lattice, SpacingsAndShiftsOfAllSizes) {
  PoissonProblem problem;
  problem.stencil = Stencil::second_order;
  problem.shape = {7, 6, 5};
  for (const std::array<double, 3>& lengths :
       {std::array<double, 3>{1, 1, 1}, {1000, 1, 1e-3}, {1e-3, 1000, 1}, {1, 1e-3, 1000}}) {
    for (const double shift : {0.0, 1e-9, 1e6}) {
      for (const Pair& last : {Pair{open, open}, Pair{odd, odd}}) {
        problem.sides = {{{open, open}, {open, even}, last}};
        problem.lengths = lengths;
        problem.shift = shift;
        SCOPED_TRACE(testing::Message() << lengths[0] << ' ' << lengths[1] << " shift " << shift << to_string(last[0]));
        const std::vector<double> f = any_field(problem), u = solved(problem, f);
        // Of the size that the sum of all weights of a point has.
        double weights = shift;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          weights += 4 * std::pow(static_cast<double>(problem.shape[axis]) / lengths[axis], 2);
        }
        check_inside(problem, f, u, 0, 1e-13 * (1 + weights * largest_of(u)));
      }
    }
  }
}

TEST(Lattice, WallsBesideOpenSidesHaveValues) {
  for (const std::array<Pair, 3>& sides : {std::array<Pair, 3>{{{open, odd}, {even, open}, {periodic, periodic}}},
                                           {{{open, even}, {odd, open}, {open, odd}}},
                                           {{{periodic, periodic}, {odd, even}, {open, open}}}}) {
    PoissonProblem problem;
    problem.sides = sides;
    problem.shape = {6, 7, 8};
    problem.stencil = Stencil::second_order;
    const std::vector<double> f = any_field(problem);
    check_inside(problem, f, solved(problem, f, 0.7), 0.7);
  }
}

/// u of an f that is 1 at the first point and 0 elsewhere.
std::vector<double> of_one_point(PoissonProblem problem, Stencil stencil) {
  problem.stencil = stencil;
  problem.lengths = {static_cast<double>(problem.shape[0]), static_cast<double>(problem.shape[1]),
                     static_cast<double>(problem.shape[2])};
  std::vector<double> f(static_cast<std::size_t>(problem.shape[0] * problem.shape[1] * problem.shape[2]));
  f.front() = 1;
  return solved(problem, f);
}

TEST(Lattice, FarFromAPointTheFieldIsThatOfFreeSpace) {
  constexpr double pi = std::numbers::pi;
  PoissonProblem problem;
  problem.sides = {{{open, open}, {open, open}, {open, open}}};
  problem.shape = {6, 5, 40};
  for (const Stencil stencil : {Stencil::second_order, Stencil::eighth_order, Stencil::compact_sixth_order}) {
    const std::vector<double> u = of_one_point(problem, stencil);
    const double limit = stencil == Stencil::second_order ? 1e-5 : 1e-8;
    EXPECT_NEAR(u[at(problem.shape, {0, 0, 39})], -1 / (4 * pi * 39), limit) << to_string(stencil);
    // G. N. Watson, Quart. J. Math. 10, 1939: 0.252731009858663 of the simple cubic lattice.
    if (stencil == Stencil::second_order) {
      EXPECT_NEAR(u.front(), -0.252731009858663, 1e-14);
    }
  }
  problem.sides[1] = {periodic, periodic};
  problem.shape = {50, 1, 50};
  for (const Stencil stencil : {Stencil::second_order, Stencil::fourth_order, Stencil::compact_fourth_order}) {
    const std::vector<double> u = of_one_point(problem, stencil);
    EXPECT_NEAR(u.back(), std::log(49 * std::sqrt(2.0)) / (2 * pi), 1e-4) << to_string(stencil);
    // On the diagonal of the square lattice, differences of second order: 1/4 from the point to its neighbours, and
    // (1 + 1/3 + ... + 1/(2m-1))/pi to the point (m, m) (e.g. F. Spitzer, Principles of Random Walk, section 15).
    if (stencil == Stencil::second_order) {
      EXPECT_NEAR(u[at(problem.shape, {1, 0, 1})] - u.front(), 1 / pi, 1e-13);
      EXPECT_NEAR(u[at(problem.shape, {3, 0, 3})] - u.front(), (1 + 1.0 / 3 + 1.0 / 5) / pi, 1e-13);
    }
  }
  problem.sides[2] = {periodic, periodic};
  problem.shape = {60, 1, 1};
  for (const Stencil stencil : {Stencil::second_order, Stencil::eighth_order, Stencil::compact_sixth_order}) {
    const std::vector<double> u = of_one_point(problem, stencil);
    EXPECT_NEAR(u.back(), 59.0 / 2, 1e-11) << to_string(stencil);
  }
}

/// How much smaller the error is on a grid of half the spacing.
double gain(Stencil stencil, const std::array<Pair, 3>& sides) {
  std::array<double, 2> errors{};
  for (const Index n : {32, 64}) {
    PoissonProblem problem;
    problem.sides = sides;
    problem.stencil = stencil;
    problem.shape = {n, 1, n};
    const std::vector<double> x = coordinates(problem, 0);
    const auto gauss = [](double r2) { return std::exp(-r2 / 0.01); };
    std::vector<double> f, wanted;
    for (const double a : x) {
      for (const double c : x) {
        // A periodic third axis, or an open one.
        const double w = 2 * std::numbers::pi, r = a - 0.48, s = c - 0.47;
        const bool wave = sides[2][0] == periodic;
        wanted.push_back(gauss(r * r) * (wave ? std::cos(w * c) : gauss(s * s)));
        const double across = (4 * r * r / 0.01 - 2) / 0.01, along = wave ? -w * w : (4 * s * s / 0.01 - 2) / 0.01;
        f.push_back((across + along) * wanted.back());
      }
    }
    const std::vector<double> u = solved(problem, f);
    for (std::size_t i = 0; i < u.size(); ++i) {
      double& error = errors[n == 32 ? 0 : 1];
      error = std::max(error, std::abs(u[i] - wanted[i]));
    }
  }
  return errors[0] / errors[1];
}

TEST(Lattice, ErrorsFallWithTheOrderOfTheDifferences) {
  for (const Pair& last : {Pair{open, open}, Pair{periodic, periodic}}) {
    const std::array<Pair, 3> sides{{{open, open}, {periodic, periodic}, last}};
    for (const auto& [stencil, order] : std::vector<std::pair<Stencil, int>>{{Stencil::second_order, 2},
                                                                             {Stencil::fourth_order, 4},
                                                                             {Stencil::sixth_order, 6},
                                                                             {Stencil::eighth_order, 8},
                                                                             {Stencil::compact_fourth_order, 4},
                                                                             {Stencil::compact_sixth_order, 6}}) {
      const double found = std::log2(gain(stencil, sides));
      EXPECT_GT(found, order - 0.7) << to_string(stencil);
      EXPECT_LT(found, order + 1.5) << to_string(stencil);
    }
  }
}

}  // namespace
