// Solvers of C compute what those of C++ do, to the last bit.
#include "weft/poisson.hpp"

#include <cmath>

#include "c_support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3});

using namespace weft;
using namespace weft::test;

template <class Real>
std::vector<Real> some(Index size) {
  std::vector<Real> all;
  for (Index i = 0; i <= size; ++i)
    all.push_back(static_cast<Real>(std::sin(5.0 * static_cast<double>(i) + rank_of())));
  return all;
}

/// As C's programs have one; `data` is its width.
double kernel_of(const double at[3], void* data) {
  return 1 / (*static_cast<const double*>(data) + at[0] + 2 * at[1] + at[2] * at[2]);
}

template <class Real>
void compare(const std::vector<std::pair<const char*, const char*>>& named, const PoissonProblem& problem) {
  OwnedPoissonProblem described;
  OwnedPoisson solver;
  done(weft_poisson_problem_create(3, kShape, &described));
  for (const auto& [name, value] : named) {
    done(weft_poisson_problem_set(described, name, value));
    // What is got can be set again.
    done(weft_poisson_problem_set(described, name, text_of(weft_poisson_problem_get, described, name).c_str()));
  }
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double>& spacings = problem.spacings[static_cast<std::size_t>(axis)];
    done(weft_poisson_problem_set_spacings(described, axis, spacings.data(), static_cast<int64_t>(spacings.size())));
  }
  double width = 0.2;
  if (problem.green.kind == Green::Kind::own) done(weft_poisson_problem_set_kernel(described, kernel_of, &width));
  done(weft_poisson_create(described, nullptr, MPI_COMM_WORLD, &solver));
  Poisson<Real> wanted(problem, MPI_COMM_WORLD);
  weft_poisson_sizes sizes;
  done(weft_poisson_get_sizes(solver, sizeof sizes, &sizes));
  EXPECT_EQ(box_of(sizes.input_box), wanted.input_box());
  EXPECT_EQ(box_of(sizes.output_box), wanted.output_box());
  EXPECT_EQ(sizes.input_size, wanted.input_size());
  EXPECT_EQ(sizes.output_size, wanted.output_size());
  EXPECT_EQ(sizes.batch, problem.batch);
  EXPECT_EQ(sizes.inputs, problem.inputs());
  EXPECT_EQ(sizes.outputs, problem.outputs());
  EXPECT_EQ(sizes.singular != 0, wanted.problem().singular());
  EXPECT_EQ(sizes.type, sizeof(Real) == 8 ? WEFT_DOUBLE : WEFT_FLOAT);
  EXPECT_EQ(text_of(weft_poisson_explain, solver), wanted.explain());
  weft_operator_plan plan = nullptr;
  done(weft_poisson_get_plan(solver, &plan));
  EXPECT_EQ(text_of(weft_operator_plan_explain, plan), wanted.plan().explain());
  for (int axis = 0; axis < 3; ++axis) {
    const double* values = nullptr;
    int64_t count = 0;
    done(weft_poisson_coordinates(solver, axis, &values, &count));
    EXPECT_EQ(std::vector<double>(values, values + count), wanted.coordinates(static_cast<std::size_t>(axis)));
  }
  OwnedLayout layout;
  weft_box box;
  done(weft_poisson_layout(solver, "output", &layout));
  done(weft_layout_box(layout, rank_of(), &box));
  EXPECT_EQ(box_of(box), wanted.output_box());

  const auto f = some<Real>(sizes.input_size);
  std::vector<Real> u(static_cast<std::size_t>(sizes.output_size) + 1), found(u);
  wanted(f.data(), u.data());
  done(weft_poisson_solve(solver, f.data(), found.data()));
  EXPECT_EQ(found, u);
  done(weft_poisson_execute(solver, f.data(), sizes.type, sizes.input_size, found.data(), sizes.type, -1));
  EXPECT_EQ(found, u);
  std::vector<double> means(static_cast<std::size_t>(problem.batch), 7);
  done(weft_poisson_mean(solver, f.data(), means.data()));
  EXPECT_EQ(means, wanted.mean(f.data()));
  if (problem.stencil == Stencil::second_order) {
    int64_t size = -1;
    done(weft_poisson_wall_size(solver, 2, 1, &size));
    EXPECT_EQ(size, wanted.wall_size(2, 1));
    const auto values = some<Real>(size);
    done(weft_poisson_set_wall(solver, 2, 1, values.data(), size));
    wanted.set_wall(2, 1, std::span(values).first(static_cast<std::size_t>(size)));
  }
  if (problem.green.kind == Green::Kind::own) return;
  done(weft_poisson_set_shift(solver, 2.5));
  wanted.set_shift(2.5);
  wanted(f.data(), u.data());
  done(weft_poisson_solve(solver, f.data(), found.data()));
  EXPECT_EQ(found, u);
  weft_statistics statistics;
  done(weft_poisson_statistics(solver, sizeof statistics, &statistics));
  EXPECT_EQ(statistics.executions, 3);
  done(weft_poisson_reset_statistics(solver));
  done(weft_poisson_drop_trace(solver));
}

TEST(CInterface, SolversOfPoissonsEquation) {
  PoissonProblem problem;
  problem.shape = {kShape[0], kShape[1], kShape[2]};
  problem.batch = 2;
  compare<double>({{"batch", "2"}}, problem);
  problem.precision = Precision::single_;
  problem.sides = {{{Side::open, Side::open}, {Side::periodic, Side::periodic}, {Side::odd, Side::open}}};
  problem.points = {Points::cells, Points::cells, Points::nodes};
  problem.lengths = {1, 0.5, 1.0 / 3};
  compare<float>({{"batch", "2"},
                  {"precision", "single"},
                  {"sides", "open,periodic,odd-open"},
                  {"points", "cells,cells,nodes"},
                  {"lengths", "1x0.5x0.33333333333333331"}},
                 problem);
  problem.precision = Precision::double_;
  problem.batch = 1;
  problem.green = Green::own([](double a, double b, double c) {
    const double at[3] = {a, b, c};
    double width = 0.2;
    return kernel_of(at, &width);
  });
  compare<double>(
      {{"sides", "open,periodic,odd-open"}, {"points", "cells,cells,nodes"}, {"lengths", "1x0.5x0.33333333333333331"}},
      problem);
  problem.green = Green::regularized(6, 0.25);
  compare<double>({{"sides", "open,periodic,odd-open"},
                   {"points", "cells,cells,nodes"},
                   {"lengths", "1x0.5x0.33333333333333331"},
                   {"green", "regularized"},
                   {"green_order", "6"},
                   {"green_width", "0.25"}},
                  problem);
  problem = {};
  problem.shape = {kShape[0], kShape[1], kShape[2]};
  problem.sides = {{{Side::even, Side::even}, {Side::even, Side::even}, {Side::even, Side::even}}};
  problem.points = {Points::nodes, Points::nodes, Points::nodes};
  problem.stencil = Stencil::second_order;
  compare<double>({{"sides", "even"}, {"points", "nodes"}, {"stencil", "second_order"}}, problem);
  for (Index i = 1; i < kShape[2]; ++i) problem.spacings[2].push_back(static_cast<double>(i));
  compare<double>({{"sides", "even"}, {"points", "nodes"}, {"stencil", "second_order"}}, problem);
}

TEST(CInterface, BadPropertiesOfPoissonsEquation) {
  OwnedPoissonProblem problem;
  weft_poisson_problem none = nullptr;
  const int64_t line[3] = {0, 4, 4};
  expect_refused(weft_poisson_problem_create(1, kShape, &none), {"axes is 1"});
  expect_refused(weft_poisson_problem_create(3, line, &none), {"shape is 0 x 4 x 4"});
  done(weft_poisson_problem_create(2, kShape, &problem));
  EXPECT_EQ(text_of(weft_poisson_problem_get, problem, "sides"),
            "periodic-periodic,periodic-periodic,periodic-periodic");
  done(weft_poisson_problem_set(problem, "sides", "odd,even-open"));
  EXPECT_EQ(text_of(weft_poisson_problem_get, problem, "sides"), "odd-odd,periodic-periodic,even-open");
  const auto refused = [&](const char* name, const char* value, const char* words) {
    expect_refused(weft_poisson_problem_set(problem, name, value), {words});
  };
  refused("sides", "od", "did you mean 'odd'?");
  refused("sides", "odd-even-odd", "allowed are a word, or two of them");
  refused("sides", "odd,odd,odd,odd", "a word, or one for each of two or three axes");
  refused("sides", "periodic-odd", "periodic is both or neither");
  refused("points", "edges", "allowed are cells, nodes");
  refused("shift", "-1", "with open sides at least 0");
  refused("shift", "much", "shift is 'much'");
  refused("result", "gradiant", "did you mean 'gradient'?");
  refused("result", "velocity", "it needs sides that are periodic or open on both");
  refused("reversed_components", "maybe", "allowed are true, false");
  refused("stencil", "compact_fourth", "did you mean 'compact_fourth_order'?");
  refused("batch", "0", "batch is 0");
  refused("green", "intergrated", "did you mean 'integrated'?");
  refused("green", "own", "set the kernel instead");
  refused("green_order", "5", "green_order is 5");
  refused("green_width", "-0.5", "green_width is -0.5");
  refused("side", "odd", "did you mean 'sides'?");
  const double spacings[3] = {1, 2, -3};
  const auto spaced = [&](int axis, const double* values, int64_t count, const char* words) {
    expect_refused(weft_poisson_problem_set_spacings(problem, axis, values, count), {words});
  };
  spaced(3, spacings, 1, "axis is 3");
  spaced(0, spacings, -1, "count is -1");
  spaced(0, nullptr, 1, "values is NULL");
  spaced(0, spacings, 3, "spacings of axis 0 are 3; of 8 cells 8 are needed");
  done(weft_poisson_problem_set_spacings(problem, 0, nullptr, 0));
  done(weft_poisson_problem_set_kernel(problem, kernel_of, nullptr));
  EXPECT_EQ(text_of(weft_poisson_problem_get, problem, "green"), "own");
  refused("shift", "1", "green is own and shift 1");
  done(weft_poisson_problem_set_kernel(problem, nullptr, nullptr));
  EXPECT_EQ(text_of(weft_poisson_problem_get, problem, "green"), "automatic");
}

}  // namespace
