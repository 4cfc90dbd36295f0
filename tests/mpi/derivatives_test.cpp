// What solvers give besides the solution: its gradient, and the flow of a vorticity.
#include <cmath>
#include <numbers>
#include <random>

#include "fields.hpp"
#include "parts.hpp"
#include "support.hpp"
#include "weft/poisson.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4});

using namespace weft;
using namespace weft::test;

using Pair = std::array<Side, 2>;
constexpr Pair periodic{Side::periodic, Side::periodic}, open{Side::open, Side::open};

/// A smooth function along an axis of length 1, and its first three derivatives.
std::array<double, 4> along(const Pair& sides, double x) {
  if (sides == periodic) {
    const double k = 2 * std::numbers::pi, c = std::cos(k * x), s = std::sin(2 * k * x);
    const double cs = std::sin(k * x), sc = std::cos(2 * k * x);
    return {c + 0.5 * s, k * (-cs + sc), k * k * (-c - 2 * s), k * k * k * (cs - 4 * sc)};
  }
  const double w = 0.06, t = (x - 0.47) / w, g = std::exp(-t * t / 2);
  return {g, -t * g / w, (t * t - 1) * g / (w * w), (3 * t - t * t * t) * g / (w * w * w)};
}

PoissonProblem problem_of(const std::array<Pair, 3>& sides, Result result) {
  PoissonProblem problem;
  problem.sides = sides;
  problem.result = result;
  problem.lengths = {1, 1.2, 0.9};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.shape[axis] = (sides[axis] == open ? 40 : 11) + static_cast<Index>(axis);
  }
  return problem;
}

/// Numbers at the points of this rank: fields of `function(x, y, z)`, an array of so many.
template <class Real, std::size_t fields, class Function>
std::vector<Real> at_points(const PoissonProblem& problem, const Box& box, const Function& function) {
  std::array<std::vector<double>, 3> x;
  for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = coordinates(problem, axis);
  const auto points = static_cast<std::size_t>(box.count());
  std::vector<Real> all(fields * points * static_cast<std::size_t>(problem.batch));
  std::size_t at = 0;
  verify::for_points(box, [&](const Shape& i) {
    const auto of = [&](std::size_t axis) {
      return x[axis][static_cast<std::size_t>(i[axis])] / problem.lengths[axis];
    };
    const std::array<double, fields> values = function(of(0), of(1), of(2));
    for (std::size_t b = 0; b < static_cast<std::size_t>(problem.batch); ++b) {
      for (std::size_t f = 0; f < fields; ++f) {
        all[(b * fields + f) * points + at] = static_cast<Real>(values[f] * static_cast<double>(b + 1));
      }
    }
    ++at;
  });
  return all;
}

/// u of a problem, its derivatives, and its Laplacian less the shift.
template <class Real>
void check_gradient(const PoissonProblem& problem, double limit) {
  const auto parts = [&](std::size_t axis, double x) {
    auto found = along(problem.sides[axis], x);
    for (std::size_t order = 1; order < 4; ++order) {
      for (std::size_t power = 0; power < order; ++power) found[order] /= problem.lengths[axis];
    }
    return found;
  };
  const auto f = [&](double x, double y, double z) {
    const auto a = parts(0, x), b = parts(1, y), c = parts(2, z);
    return std::array{a[2] * b[0] * c[0] + a[0] * b[2] * c[0] + a[0] * b[0] * c[2] -
                      problem.shift * a[0] * b[0] * c[0]};
  };
  const auto gradient = [&](double x, double y, double z) {
    const auto a = parts(0, x), b = parts(1, y), c = parts(2, z);
    return std::array{a[1] * b[0] * c[0], a[0] * b[1] * c[0], a[0] * b[0] * c[1]};
  };
  const auto both = [&](double x, double y, double z) {
    const auto slopes = gradient(x, y, z);
    return std::array{parts(0, x)[0] * parts(1, y)[0] * parts(2, z)[0], slopes[0], slopes[1], slopes[2]};
  };
  Poisson<Real> solve(problem, MPI_COMM_WORLD);
  std::vector<Real> out(static_cast<std::size_t>(solve.output_size()));
  solve(at_points<Real, 1>(problem, solve.input_box(), f), out);
  if (problem.result == Result::gradient) {
    EXPECT_LT(largest_difference(out, at_points<Real, 3>(problem, solve.output_box(), gradient)), limit);
  } else {
    EXPECT_LT(largest_difference(out, at_points<Real, 4>(problem, solve.output_box(), both)), limit);
  }
}

TEST(Derivatives, GradientsAreThoseOfTheSolution) {
  for (const auto& sides : {std::array{periodic, periodic, periodic}, std::array{open, periodic, periodic},
                            std::array{periodic, open, open}, std::array{open, open, open}}) {
    for (const Result result : {Result::gradient, Result::solution_and_gradient}) {
      SCOPED_TRACE(to_string(result) + ' ' + to_string(sides[0][0]) + ' ' + to_string(sides[1][0]) + ' ' +
                   to_string(sides[2][0]));
      PoissonProblem problem = problem_of(sides, result);
      const bool free = std::find(sides.begin(), sides.end(), open) != sides.end();
      check_gradient<double>(problem, free ? 2e-7 : 1e-11);
      problem.shift = 1.5;
      problem.batch = 2;
      problem.points = {Points::nodes, Points::cells, Points::nodes};
      check_gradient<double>(problem, free ? 4e-7 : 2e-11);
    }
  }
  check_gradient<float>(problem_of({periodic, periodic, periodic}, Result::gradient), 1e-4);
}

// Derivatives of a stencil are its central differences of the solution, or solve the equation of compact ones.
TEST(Derivatives, DifferencesAreThoseOfTheStencil) {
  const std::array<std::pair<Stencil, std::vector<double>>, 4> all{
      {{Stencil::second_order, {1. / 2}},
       {Stencil::fourth_order, {2. / 3, -1. / 12}},
       {Stencil::sixth_order, {3. / 4, -3. / 20, 1. / 60}},
       {Stencil::eighth_order, {4. / 5, -1. / 5, 4. / 105, -1. / 280}}}};
  for (const auto& one : all) {
    const Stencil stencil = one.first;
    const std::vector<double>& weights = one.second;  // lambdas cannot capture structured bindings
    PoissonProblem problem = problem_of({periodic, periodic, periodic}, Result::solution_and_gradient);
    problem.stencil = stencil;
    Options options;
    options.set("output_ghosts", "4");
    Poisson<double> solve(problem, MPI_COMM_WORLD, options);
    std::mt19937 random(static_cast<std::uint32_t>(rank_of()));
    std::normal_distribution<double> normal;
    std::vector<double> f(static_cast<std::size_t>(solve.input_size())),
        out(static_cast<std::size_t>(solve.output_size()));
    for (double& number : f) number = normal(random);
    solve(f, out);
    const Box box = solve.output_boxes().front(), own = solve.output_box();
    const std::array<Index, 3> steps{box.extent(1) * box.extent(2), box.extent(2), 1};
    double worst = 0;
    verify::for_points(own, [&](const Shape& i) {
      Index at = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) at += (i[axis] - box.lo[axis]) * steps[axis];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double sum = 0;
        for (std::size_t w = 0; w < weights.size(); ++w) {
          const Index by = static_cast<Index>(w + 1) * steps[axis];
          sum += weights[w] * (out[static_cast<std::size_t>(at + by)] - out[static_cast<std::size_t>(at - by)]);
        }
        const double h = problem.lengths[axis] / static_cast<double>(problem.shape[axis]);
        const Index field = static_cast<Index>(axis + 1) * box.count();
        worst = std::max(worst, std::abs(out[static_cast<std::size_t>(field + at)] - sum / h));
      }
    });
    EXPECT_LT(worst, 1e-12) << to_string(stencil);
  }
  // Of higher order they come nearer to the exact ones.
  double before = 1;
  for (const Stencil stencil : {Stencil::second_order, Stencil::compact_fourth_order, Stencil::compact_sixth_order}) {
    PoissonProblem problem = problem_of({periodic, periodic, periodic}, Result::gradient);
    problem.shape = {24, 24, 24};
    problem.lengths = {1, 1, 1};
    Poisson<double> exactly(problem, MPI_COMM_WORLD);
    problem.stencil = stencil;
    Poisson<double> roughly(problem, MPI_COMM_WORLD);
    const auto f = at_points<double, 1>(problem, exactly.input_box(), [](double x, double y, double z) {
      return std::array{std::sin(2 * std::numbers::pi * (x + y - z))};
    });
    std::vector<double> a(static_cast<std::size_t>(exactly.output_size())), b = a;
    exactly(f, a);
    roughly(f, b);
    const double now = largest_difference(a, b);
    EXPECT_LT(now, before / 4) << to_string(stencil);
    before = now;
  }
}

TEST(Derivatives, OfAPlaneThereAreTwo) {
  PoissonProblem problem;
  problem.shape = {12, 1, 10};
  problem.result = Result::gradient;
  Poisson<double> solve(problem, MPI_COMM_WORLD);
  ASSERT_EQ(problem.outputs(), 2);
  const double k = 2 * std::numbers::pi;
  std::vector<double> out(static_cast<std::size_t>(solve.output_size()));
  solve(at_points<double, 1>(
            problem, solve.input_box(),
            [&](double x, double, double z) { return std::array{-5 * k * k * std::sin(k * (x + 2 * z))}; }),
        out);
  const auto wanted = at_points<double, 2>(problem, solve.output_box(), [&](double x, double, double z) {
    return std::array{k * std::cos(k * (x + 2 * z)), 2 * k * std::cos(k * (x + 2 * z))};
  });
  EXPECT_LT(largest_difference(out, wanted), 1e-12);
}

// The flow of Arnold, Beltrami and Childress is its own vorticity.
TEST(Derivatives, FlowsOfAVorticity) {
  PoissonProblem problem = problem_of({periodic, periodic, periodic}, Result::velocity);
  problem.lengths = {2 * std::numbers::pi, 2 * std::numbers::pi, 2 * std::numbers::pi};
  problem.batch = 2;
  const auto flow = [](double x, double y, double z) {
    const double k = 2 * std::numbers::pi;
    return std::array{std::sin(k * z) + 3 * std::cos(k * y), 2 * std::sin(k * x) + std::cos(k * z),
                      3 * std::sin(k * y) + 2 * std::cos(k * x)};
  };
  const auto turned = [&](double z, double y, double x) {
    const auto v = flow(x, y, z);
    return std::array{v[0], v[1], v[2]};
  };
  for (const bool reversed : {false, true}) {
    problem.reversed_components = reversed;
    Poisson<double> solve(problem, MPI_COMM_WORLD);
    const auto w = reversed ? at_points<double, 3>(problem, solve.input_box(), turned)
                            : at_points<double, 3>(problem, solve.input_box(), flow);
    std::vector<double> u(static_cast<std::size_t>(solve.output_size()));
    solve(w, u);
    EXPECT_LT(largest_difference(u, w), 1e-11) << reversed;
    EXPECT_EQ(solve.mean(w.data()), std::vector<double>(2, 0.0));
  }
  // In open space: that of the vector potential (0, 0, g), g a product.
  problem = problem_of({open, open, open}, Result::velocity);
  problem.lengths = {1, 1, 1};
  const auto fields = [&](double x, double y, double z) {
    const auto a = along(open, x), b = along(open, y), c = along(open, z);
    return std::array{a[1] * b[0] * c[1], a[0] * b[1] * c[1],  -a[2] * b[0] * c[0] - a[0] * b[2] * c[0],
                      a[0] * b[1] * c[0], -a[1] * b[0] * c[0], 0.0};
  };
  Options options;
  options.input = patches(problem.shape, size_of(), 2);
  Poisson<double> solve(problem, MPI_COMM_WORLD), in_patches(problem, MPI_COMM_WORLD, options);
  const auto all = at_points<double, 6>(problem, solve.input_box(), fields);
  const std::vector<double> w(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  const std::vector<double> wanted(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  std::vector<double> u(static_cast<std::size_t>(solve.output_size()));
  solve(w, u);
  EXPECT_LT(largest_difference(u, wanted), 1e-6);
  EXPECT_EQ(in_patches.output_size(), solve.output_size());
  EXPECT_NE(solve.explain().find("result     velocity"), std::string::npos);
}

TEST(Derivatives, ErrorsNameTheResult) {
  const auto refused = [](PoissonProblem problem, const std::string& text) {
    expect_common_error([&] { Poisson<double> solve(problem, MPI_COMM_WORLD); }, {text});
  };
  PoissonProblem problem = problem_of({periodic, periodic, periodic}, Result::gradient);
  problem.sides[1] = {Side::odd, Side::even};
  refused(problem,
          "result is gradient; it needs sides that are periodic or open on both, and those of axis 1 are odd and even");
  problem = problem_of({open, periodic, periodic}, Result::velocity);
  problem.stencil = Stencil::sixth_order;
  refused(problem, "result is velocity with the stencil sixth_order");
  problem = problem_of({periodic, periodic, periodic}, Result::velocity);
  problem.shape[1] = 1;
  refused(problem, "result is velocity; it needs three axes");
  EXPECT_EQ(parse_result("gradient"), Result::gradient);
  try {
    parse_result("gradint");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("gradient"), std::string::npos);
  }
}

}  // namespace
