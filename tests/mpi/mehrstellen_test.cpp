// Mehrstellen: against their differences of u and of f, written here once more, and by the order of their errors.
#include <cmath>
#include <numbers>
#include <random>

#include "fields.hpp"
#include "support.hpp"
#include "weft/poisson.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4});

using namespace weft;
using namespace weft::test;

using Pair = std::array<Side, 2>;
constexpr Side periodic = Side::periodic, even = Side::even, odd = Side::odd;
constexpr std::array<Pair, 5> closed{{{periodic, periodic}, {even, even}, {odd, odd}, {even, odd}, {odd, even}}};
constexpr Stencil fourth = Stencil::mehrstellen_fourth_order, sixth = Stencil::mehrstellen_sixth_order;

/// A field of all points of a box, which goes on beyond its sides.
struct Field {
  const PoissonProblem& problem;
  std::vector<double> at_points;

  double operator()(Shape i) const {
    double sign = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index n = problem.shape[axis];
      while (i[axis] < 0 || i[axis] >= n) {
        const std::size_t end = i[axis] < 0 ? 0 : 1;
        if (problem.sides[axis][end] == periodic) {
          i[axis] += end == 0 ? n : -n;
          continue;
        }
        const Index image = problem.points[axis] == Points::nodes ? 0 : end == 0 ? -1 : 1;
        i[axis] = 2 * (end == 0 ? 0 : n - 1) - i[axis] + image;
        if (problem.sides[axis][end] == odd) sign = -sign;
      }
    }
    const Shape& n = problem.shape;
    return sign * at_points[static_cast<std::size_t>((i[0] * n[1] + i[1]) * n[2] + i[2])];
  }
};

using Function = std::function<double(const Shape&)>;
/// The second difference of neighbours along an axis.
Function difference(const Function& of, std::size_t axis, double h) {
  return [=](const Shape& i) {
    Shape below = i, above = i;
    --below[axis];
    ++above[axis];
    return (of(below) - 2 * of(i) + of(above)) / (h * h);
  };
}

/// L of a function at a point, or R, in the words of differences.
double left_of(const Function& u, const Shape& i, const std::array<double, 3>& h, Stencil stencil) {
  const double two = stencil == sixth ? 6 : 12;
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    sum += difference(u, a, h[a])(i);
    for (std::size_t b = 0; b < a; ++b) {
      const double by = stencil == sixth ? h[0] * h[0] / two : (h[a] * h[a] + h[b] * h[b]) / two;
      sum += by * difference(difference(u, a, h[a]), b, h[b])(i);
    }
  }
  if (stencil == fourth) return sum;
  return sum + std::pow(h[0], 4) / 30 * difference(difference(difference(u, 0, h[0]), 1, h[1]), 2, h[2])(i);
}
double right_of(const Function& f, const Shape& i, const std::array<double, 3>& h, Stencil stencil) {
  double sum = f(i);
  for (std::size_t a = 0; a < 3; ++a) {
    sum += h[a] * h[a] / 12 * difference(f, a, h[a])(i);
    if (stencil == fourth) continue;
    sum -= std::pow(h[0], 4) / 240 * difference(difference(f, a, h[a]), a, h[a])(i);
    for (std::size_t b = 0; b < a; ++b) {
      sum += std::pow(h[0], 4) / 90 * difference(difference(f, a, h[a]), b, h[b])(i);
    }
  }
  return sum;
}

PoissonProblem problem_of(const std::array<Pair, 3>& sides, int points, Stencil stencil) {
  PoissonProblem problem;
  problem.shape = {5, 4, 6};
  problem.lengths = {1, 1.3, 0.9};
  problem.sides = sides;
  problem.stencil = stencil;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.points[axis] = (points >> axis & 1) != 0 ? Points::nodes : Points::cells;
    const bool between = problem.points[axis] == Points::nodes && sides[axis][0] != periodic;
    if (stencil == sixth) problem.lengths[axis] = 0.2 * static_cast<double>(problem.shape[axis] - (between ? 1 : 0));
  }
  return problem;
}

std::array<double, 3> spacings_of(const PoissonProblem& problem) {
  std::array<double, 3> h{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool between = problem.points[axis] == Points::nodes && problem.sides[axis][0] != periodic;
    h[axis] = problem.lengths[axis] / static_cast<double>(problem.shape[axis] - (between ? 1 : 0));
  }
  return h;
}

// L u - shift R u = R f holds at every unknown point, for a random f.
TEST(Mehrstellen, SolutionsFulfilTheirEquation) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> any(-1, 1);
  int count = 0;
  for (const Stencil stencil : {fourth, sixth}) {
    for (const Pair& a : closed) {
      for (const Pair& b : closed) {
        for (int points = 0; points < 8; ++points) {
          const Pair& c = closed[static_cast<std::size_t>(count++) % 5];
          PoissonProblem problem = problem_of({a, b, c}, points, stencil);
          problem.shift = points % 2 == 0 ? 1.7 : 0;
          Options options;  // all on the first rank
          std::vector<Box> boxes(static_cast<std::size_t>(size_of()));
          boxes[0] = {{0, 0, 0}, problem.shape};
          options.input = options.output = Layout::bricks(problem.shape, boxes);
          Poisson<double> solver(problem, MPI_COMM_WORLD, options);
          std::vector<double> numbers(static_cast<std::size_t>(solver.input_size())), u = numbers;
          for (double& number : numbers) number = any(random);
          // On odd walls of nodes f counts as 0.
          const Box box = solver.input_box();
          std::size_t at = 0;
          const auto unknown = [&](const Shape& i) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
              if (problem.points[axis] != Points::nodes) continue;
              if (i[axis] == 0 && problem.sides[axis][0] == odd) return false;
              if (i[axis] == problem.shape[axis] - 1 && problem.sides[axis][1] == odd) return false;
            }
            return true;
          };
          verify::for_points(box, [&](const Shape& i) {
            if (!unknown(i)) numbers[at] = 0;
            ++at;
          });
          const double mean = solver.mean(numbers.data()).front();
          solver(numbers, u);
          if (box.empty()) continue;
          for (double& number : numbers) number -= mean;
          const Field f{problem, numbers}, found{problem, u};
          const std::array<double, 3> h = spacings_of(problem);
          double worst = 0;
          verify::for_points(box, [&](const Shape& i) {
            if (!unknown(i)) return;
            const double rest = left_of(found, i, h, stencil) - problem.shift * right_of(found, i, h, stencil) -
                                right_of(f, i, h, stencil);
            worst = std::max(worst, std::abs(rest));
          });
          EXPECT_LT(worst, 1e-11) << to_string(stencil) << ' ' << points << ' ' << count;
        }
      }
    }
  }
}

/// The error of a smooth u at n points an axis, by the largest number of u there.
double error_of(Index n, const std::array<Pair, 3>& sides, Stencil stencil) {
  PoissonProblem problem;
  problem.shape = {n, n, n};
  if (stencil == fourth) problem.lengths = {1, 1.2, 0.8};
  problem.sides = sides;
  problem.stencil = stencil;
  problem.shift = 2;
  double squares = 0;
  const auto wave = [&](std::size_t axis, double x) {
    const double k = std::numbers::pi * (sides[axis][0] == periodic ? 2 : 1) / problem.lengths[axis];
    return sides[axis][0] == odd ? std::sin(k * x) : std::cos(k * x);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    squares += std::pow(std::numbers::pi * (sides[axis][0] == periodic ? 2 : 1) / problem.lengths[axis], 2);
  }
  Poisson<double> solver(problem, MPI_COMM_WORLD);
  std::array<std::vector<double>, 3> x;
  for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = solver.coordinates(axis);
  const auto u_at = [&](const Shape& i) {
    double product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) product *= wave(axis, x[axis][static_cast<std::size_t>(i[axis])]);
    return product;
  };
  std::vector<double> f, wanted, found(static_cast<std::size_t>(solver.output_size()));
  verify::for_points(solver.input_box(), [&](const Shape& i) { f.push_back(-(squares + problem.shift) * u_at(i)); });
  verify::for_points(solver.output_box(), [&](const Shape& i) { wanted.push_back(u_at(i)); });
  solver(f, found);
  const std::vector<double> nothing(wanted.size(), 0.0);
  return largest_difference(found, wanted) / largest_difference(nothing, wanted);
}

TEST(Mehrstellen, TheirOrdersAreFourAndSix) {
  const std::array<Pair, 3> sides{{{periodic, periodic}, {odd, odd}, {even, even}}};
  EXPECT_NEAR(std::log2(error_of(16, sides, fourth) / error_of(32, sides, fourth)), 4, 0.1);
  EXPECT_NEAR(std::log2(error_of(8, sides, sixth) / error_of(16, sides, sixth)), 6, 0.1);
}

void expect_error(const std::function<void()>& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Mehrstellen, ErrorsSayWhatTheyNeed) {
  const auto refused = [](const PoissonProblem& problem, const std::string& words) {
    expect_error([&] { Poisson<double> solver(problem, MPI_COMM_WORLD); }, words);
  };
  PoissonProblem problem;
  problem.shape = {6, 6, 8};
  problem.stencil = sixth;
  refused(problem,
          "stencil is mehrstellen_sixth_order and points are 0.166667 apart along axis 0 and 0.125 along "
          "another; it needs the same spacing along all axes");
  problem.stencil = fourth;
  PoissonProblem bad = problem;
  bad.sides[0] = {Side::open, Side::open};
  refused(bad,
          "stencil is mehrstellen_fourth_order; with open sides differences along each axis by itself are allowed");
  bad = problem;
  bad.sides[1] = {even, even};
  bad.spacings[1] = {1, 1, 1, 1, 1, 2};
  refused(bad, "stencil is mehrstellen_fourth_order; with spacings differences along each axis by itself are allowed");
  bad = problem;
  const double s = std::pow(2 * std::sin(std::numbers::pi / 6) * 6, 2);
  bad.shift = -s / (1 - s / (12 * 36));
  refused(bad, "which is an eigenvalue of the Laplacian");
  bad = problem;
  bad.sides[0] = {odd, odd};
  Poisson<double> walls(bad, MPI_COMM_WORLD);
  expect_error([&] { walls.set_wall(0, 0, {}); }, "with values at walls differences along each axis by itself");
  Problem four;
  four.shape = {4, 4, 4, 4};
  expect_error([&] { inverse_laplacian<double>(four, fourth); }, "shape has 4 axes; allowed are up to 3");
  expect_error([&] { laplacian<double>(Problem{}, fourth); },
               "stencil is mehrstellen_fourth_order; inverse_laplacian can have it, laplacian cannot");
  EXPECT_EQ(parse_stencil(-14), fourth);
  EXPECT_EQ(parse_stencil("mehrstellen_sixth_order"), sixth);
}

}  // namespace
