// Values at walls, with every stencil: against fields mirrored about them, written here once more, and against fields
// that every stencil has exactly.
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
constexpr Side even = Side::even, odd = Side::odd;
constexpr std::array<Pair, 4> between_walls{{{odd, odd}, {even, even}, {even, odd}, {odd, even}}};
constexpr std::array<Stencil, 7> stencils{
    Stencil::spectral,     Stencil::second_order,         Stencil::fourth_order,       Stencil::sixth_order,
    Stencil::eighth_order, Stencil::compact_fourth_order, Stencil::compact_sixth_order};

/// Numbers at the points of a box.
template <class Real, class Function>
std::vector<Real> at_points(const PoissonProblem& problem, const Box& box, const Function& function) {
  std::array<std::vector<double>, 3> x;
  for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = coordinates(problem, axis);
  std::vector<Real> all;
  verify::for_points(box, [&](const Shape& i) {
    const auto of = [&](std::size_t axis) { return x[axis][static_cast<std::size_t>(i[axis])]; };
    all.push_back(static_cast<Real>(function(of(0), of(1), of(2))));
  });
  return all;
}

/// Gives a wall `function` of its points, where this rank needs it.
template <class Real, class Function>
void set_wall(Poisson<Real>& solver, std::size_t axis, int end, const Function& function) {
  if (solver.wall_size(axis, end) == 0) return solver.set_wall(axis, end, {});
  Box plane = solver.input_box();
  plane.lo[axis] = end == 0 ? 0 : solver.problem().shape[axis] - 1;
  plane.hi[axis] = plane.lo[axis] + 1;
  solver.set_wall(axis, end, at_points<Real>(solver.problem(), plane, function));
}

/// Every stencil has u = x y + z exactly, and x^2/2 between even walls.
template <class Real>
void check_exact(const PoissonProblem& problem, double limit, const Options& options = {}) {
  std::array<double, 3> bend{};
  for (std::size_t axis = 0; axis < 3; ++axis) bend[axis] = problem.sides[axis] == Pair{even, even} ? 0.7 : 0;
  const auto u = [&](double x, double y, double z) {
    return x * y + z + (bend[0] * x * x + bend[1] * y * y + bend[2] * z * z) / 2;
  };
  const std::array<std::function<double(double, double, double)>, 3> slopes{
      [&](double x, double y, double) { return y + bend[0] * x; },
      [&](double x, double y, double) { return x + bend[1] * y; },
      [&](double, double, double z) { return 1 + bend[2] * z; }};
  Poisson<Real> solver(problem, MPI_COMM_WORLD, options);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int end : {0, 1}) {
      const double wall = end == 0 ? 0 : problem.lengths[axis];
      const auto& value = problem.sides[axis][static_cast<std::size_t>(end)] == odd ? u : slopes[axis];
      set_wall(solver, axis, end, [&](double x, double y, double z) {
        std::array<double, 3> at{x, y, z};
        at[axis] = wall;
        return value(at[0], at[1], at[2]);
      });
    }
  }
  const auto f = at_points<Real>(problem, solver.input_box(), [&](double x, double y, double z) {
    return bend[0] + bend[1] + bend[2] - problem.shift * u(x, y, z);
  });
  std::vector<Real> found(static_cast<std::size_t>(solver.output_size()));
  solver(f, found);
  std::vector<Real> wanted = at_points<Real>(problem, solver.output_box(), u);
  if (problem.singular()) {
    EXPECT_NEAR(solver.mean(f.data()).front(), 0, 1e-11);
    // Up to a constant.
    Real shift = 0;
    if (!solver.output_box().empty() && solver.output_box().lo == Shape{0, 0, 0}) shift = wanted[0] - found[0];
    MPI_Allreduce(MPI_IN_PLACE, &shift, 1, sizeof(Real) == 8 ? MPI_DOUBLE : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (Real& number : wanted) number -= shift;
  }
  if (problem.result == Result::solution_and_gradient) {
    for (const auto& slope : slopes) {
      const auto part = at_points<Real>(problem, solver.output_box(), slope);
      wanted.insert(wanted.end(), part.begin(), part.end());
    }
  }
  EXPECT_LT(largest_difference(found, wanted), limit);
}

PoissonProblem problem_of(std::size_t walls, int points, Stencil stencil) {
  PoissonProblem problem;
  problem.shape = {9, 8, 10};
  problem.lengths = {1, 0.9, 1.3};
  problem.stencil = stencil;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.sides[axis] = between_walls[(walls + axis) % 4];
    problem.points[axis] = (points >> axis & 1) != 0 ? Points::nodes : Points::cells;
  }
  return problem;
}

TEST(WallValues, EveryStencilTakesThem) {
  for (const Stencil stencil : stencils) {
    for (std::size_t walls = 0; walls < 4; ++walls) {
      for (int points = 0; points < 8; ++points) {
        PoissonProblem problem = problem_of(walls, points, stencil);
        problem.shift = points % 2 == 0 ? 0 : 1.5;
        problem.result = (points + static_cast<int>(walls)) % 2 == 0 ? Result::solution : Result::solution_and_gradient;
        SCOPED_TRACE(to_string(stencil) + ' ' + std::to_string(walls) + ' ' + std::to_string(points));
        check_exact<double>(problem, 1e-11);
        if (points == 5) check_exact<float>(problem, 1e-3);
      }
    }
  }
}

TEST(WallValues, EvenWallsAllRoundLeaveTheMeanFree) {
  for (const Stencil stencil : stencils) {
    for (const Points points : {Points::cells, Points::nodes}) {
      PoissonProblem problem = problem_of(1, 0, stencil);
      problem.sides.fill({even, even});
      problem.points.fill(points);
      problem.mean = Mean::refuse;
      SCOPED_TRACE(to_string(stencil) + ' ' + to_string(points));
      check_exact<double>(problem, 1e-11);
    }
  }
}

TEST(WallValues, OfLinesInAnyBoxes) {
  for (const Stencil stencil : {Stencil::spectral, Stencil::sixth_order}) {
    PoissonProblem problem = problem_of(2, 5, stencil);
    problem.result = Result::solution_and_gradient;
    for (int axis = 0; axis < 3; ++axis) {
      Options options;
      options.input = options.output = Layout::slab(problem.shape, size_of(), axis);
      check_exact<double>(problem, 1e-11, options);
    }
    Options options;
    options.decomposition = Decomposition::pencil;
    check_exact<double>(problem, 1e-11, options);
  }
}

/// Weights of a point and its neighbours on one side in the second difference of unit distance.
std::vector<double> weights_of(Stencil stencil) {
  if (stencil == Stencil::second_order) return {-2, 1};
  if (stencil == Stencil::fourth_order) return {-5. / 2, 4. / 3, -1. / 12};
  if (stencil == Stencil::sixth_order) return {-49. / 18, 3. / 2, -3. / 20, 1. / 90};
  return {-205. / 72, 8. / 5, -1. / 5, 8. / 315, -1. / 560};
}

// Differences of any order of a random u, mirrored at walls: about the values of odd ones; beyond even ones it goes on
// as the derivative says.
TEST(WallValues, CentralDifferencesMirrorFieldsAboutThem) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const Stencil stencil :
       {Stencil::second_order, Stencil::fourth_order, Stencil::sixth_order, Stencil::eighth_order}) {
    const std::vector<double> weights = weights_of(stencil);
    for (const Pair& walls : between_walls) {
      for (int n = 1; n < 12; ++n) {
        const bool nodes = n % 2 == 0;
        if (nodes && walls == Pair{odd, odd} && n < 4) continue;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          SCOPED_TRACE(to_string(stencil) + ' ' + to_string(walls[0]) + ' ' + to_string(walls[1]) + ' ' +
                       std::to_string(n) + " axis " + std::to_string(axis));
          PoissonProblem problem;
          problem.shape = {4, 3, 2};
          problem.shape[axis] = n;
          problem.lengths[axis] = 1.4;
          problem.sides[axis] = walls;
          problem.points[axis] = nodes ? Points::nodes : Points::cells;
          problem.stencil = stencil;
          problem.shift = 0.8;
          const std::array<double, 2> given{any(random), any(random)};
          const double h = problem.lengths[axis] / (n - (nodes ? 1 : 0));
          std::vector<double> u(static_cast<std::size_t>(n)), f;
          for (double& number : u) number = any(random);
          if (nodes && walls[0] == odd) u.front() = given[0];
          if (nodes && walls[1] == odd) u.back() = given[1];
          // The point i of the line that goes on beyond its walls, as often as it must.
          const auto beyond = [&](auto&& self, Index i) -> double {
            if (0 <= i && i < n) return u[static_cast<std::size_t>(i)];
            const std::size_t end = i < 0 ? 0 : 1;
            const Index last = end == 0 ? 0 : n - 1;
            const Index image = 2 * last - i + (nodes ? 0 : end == 0 ? -1 : 1);
            const double there = self(self, image);
            if (walls[end] == odd) return 2 * given[end] - there;
            return there + given[end] * h * static_cast<double>(i - image);
          };
          for (Index i = 0; i < n; ++i) {
            double sum = weights[0] * beyond(beyond, i);
            for (std::size_t j = 1; j < weights.size(); ++j) {
              const auto away = static_cast<Index>(j);
              sum += weights[j] * (beyond(beyond, i - away) + beyond(beyond, i + away));
            }
            f.push_back(sum / (h * h) - problem.shift * u[static_cast<std::size_t>(i)]);
          }
          Poisson<double> solver(problem, MPI_COMM_WORLD);
          for (const int end : {0, 1}) {
            set_wall(solver, axis, end, [&](double, double, double) { return given[static_cast<std::size_t>(end)]; });
          }
          std::vector<double> right, wanted, found(static_cast<std::size_t>(solver.output_size()));
          verify::for_points(solver.input_box(),
                             [&](const Shape& i) { right.push_back(f[static_cast<std::size_t>(i[axis])]); });
          verify::for_points(solver.output_box(),
                             [&](const Shape& i) { wanted.push_back(u[static_cast<std::size_t>(i[axis])]); });
          solver(right, found);
          EXPECT_LT(largest_difference(found, wanted), 1e-11);
        }
      }
    }
  }
}

TEST(WallValues, OppositeToOpenSidesAreOfSecondOrder) {
  PoissonProblem problem;
  problem.shape = {6, 6, 6};
  problem.sides[1] = {odd, Side::open};
  Poisson<double> solver(problem, MPI_COMM_WORLD);
  try {
    solver.set_wall(1, 0, {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("stencil is spectral; with values at a wall opposite to a side that is "
                        "open second_order is allowed"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
