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
  if (sides[0] == Side::even || sides[0] == Side::odd) {
    // The third wave between these walls: so many quarters of a wave in the length.
    const double k = std::numbers::pi / 2 * (sides[0] == sides[1] ? 4 : 5), c = std::cos(k * x), s = std::sin(k * x);
    if (sides[0] == Side::even) return {c, -k * s, -k * k * c, k * k * k * s};
    return {s, k * c, -k * k * s, -k * k * k * c};
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

const std::array<Pair, 4> between_walls{Pair{Side::odd, Side::odd}, Pair{Side::even, Side::even},
                                        Pair{Side::odd, Side::even}, Pair{Side::even, Side::odd}};

TEST(Derivatives, BetweenWallsThoseOfWavesAreExact) {
  for (const Pair& walls : between_walls) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const Points points : {Points::cells, Points::nodes}) {
        SCOPED_TRACE(to_string(walls[0]) + ' ' + to_string(walls[1]) + " along axis " + std::to_string(axis) + ", " +
                     to_string(points));
        std::array<Pair, 3> sides{periodic, periodic, periodic};
        sides[axis] = walls;
        if (axis == 0) {
          PoissonProblem problem = problem_of(sides, Result::gradient);
          problem.points.fill(points);
          check_gradient<double>(problem, 1e-11);
        }
        // And others beside them; several fields.
        sides[(axis + 1) % 3] = between_walls[axis];
        PoissonProblem problem = problem_of(sides, Result::solution_and_gradient);
        problem.points[axis] = points;
        problem.batch = 2;
        problem.shift = 0.5;
        check_gradient<double>(problem, 2e-11);
      }
    }
  }
  check_gradient<float>(problem_of({between_walls[0], periodic, between_walls[3]}, Result::gradient), 2e-3);
}

/// All points on the first rank.
Options on_one_rank(const Shape& shape) {
  std::vector<Box> boxes(static_cast<std::size_t>(size_of()));
  boxes[0] = {{0, 0, 0}, shape};
  Options options;
  options.output = Layout::bricks(shape, boxes);
  return options;
}

// A box between walls is a part of a periodic one, whose field has mirror images.
TEST(Derivatives, BetweenWallsDifferencesAreThoseOfMirrorImages) {
  const auto f = [](double x, double y, double z, const Pair& walls, double length) {
    const double k = std::numbers::pi / 2 * length * (walls[0] == walls[1] ? 2 : 1);
    const auto wave = [&](double t) { return walls[0] == Side::odd ? std::sin(k * t) : std::cos(k * t); };
    return std::array{(wave(x) + 0.3 * wave(3 * x)) * (1 + std::sin(2 * std::numbers::pi * (y + 2 * z)))};
  };
  for (const Stencil stencil : {Stencil::spectral, Stencil::fourth_order, Stencil::sixth_order, Stencil::eighth_order,
                                Stencil::compact_fourth_order, Stencil::compact_sixth_order}) {
    for (const Pair& walls : between_walls) {
      // Of the others only the symbols differ.
      const bool all = stencil == Stencil::spectral || stencil == Stencil::compact_sixth_order;
      if (!all && walls[0] == walls[1]) continue;
      for (const Points points : {Points::cells, Points::nodes}) {
        SCOPED_TRACE(to_string(stencil) + ' ' + to_string(walls[0]) + ' ' + to_string(walls[1]) + ' ' +
                     to_string(points));
        PoissonProblem part;
        part.shape = {points == Points::nodes ? 10 : 9, 6, 7};
        part.sides[0] = walls;
        part.points[0] = points;
        part.stencil = stencil;
        part.result = Result::solution_and_gradient;
        PoissonProblem whole = part;
        whole.shape[0] = 36;
        whole.lengths[0] = 4;
        whole.sides[0] = periodic;
        Poisson<double> solve_part(part, MPI_COMM_WORLD, on_one_rank(part.shape));
        Poisson<double> solve_whole(whole, MPI_COMM_WORLD, on_one_rank(whole.shape));
        std::vector<double> a(static_cast<std::size_t>(solve_part.output_size())),
            b(static_cast<std::size_t>(solve_whole.output_size()));
        solve_part(at_points<double, 1>(part, solve_part.input_box(),
                                        [&](double x, double y, double z) { return f(x, y, z, walls, 1); }),
                   a);
        solve_whole(at_points<double, 1>(whole, solve_whole.input_box(),
                                         [&](double x, double y, double z) { return f(x, y, z, walls, 4); }),
                    b);
        const auto points_of = [](const PoissonProblem& problem) {
          return static_cast<std::size_t>(problem.shape[0] * problem.shape[1] * problem.shape[2]);
        };
        double worst = 0;
        for (std::size_t field = 0; field < 4 && !a.empty(); ++field) {
          for (std::size_t i = 0; i < points_of(part); ++i) {
            worst = std::max(worst, std::abs(a[field * points_of(part) + i] - b[field * points_of(whole) + i]));
          }
        }
        EXPECT_LT(worst, 1e-12);
      }
    }
  }
}

/// The root of the mean square of the error of the gradient of u = exp(x - y / 2) sin(z + 1) at n points an axis, whose
/// walls have values.
double error_of_parabolas(Index n, Points points, bool uneven, const std::array<Pair, 3>& sides,
                          const Options& options = {}) {
  PoissonProblem problem;
  problem.shape = {n, n + 1, n + 2};
  problem.sides = sides;
  problem.points.fill(points);
  problem.stencil = Stencil::second_order;
  problem.result = Result::gradient;
  problem.batch = 2;
  problem.shift = 1;
  if (uneven) {
    // Wider by and by.
    const Index spaces = problem.shape[2] - (points == Points::nodes ? 1 : 0);
    double sum = 0;
    for (Index j = 0; j < spaces; ++j) {
      const double here = 1 + std::sin(2.5 * (static_cast<double>(j) + 0.5) / static_cast<double>(spaces));
      problem.spacings[2].push_back(here);
      sum += here;
    }
    for (double& one : problem.spacings[2]) one /= sum;
  }
  const auto u = [](double x, double y, double z) { return std::exp(x - y / 2) * std::sin(z + 1); };
  const auto gradient = [&](double x, double y, double z) {
    return std::array{u(x, y, z), -u(x, y, z) / 2, std::exp(x - y / 2) * std::cos(z + 1)};
  };
  Poisson<double> solve(problem, MPI_COMM_WORLD, options);
  const Box box = solve.input_box();
  std::vector<double> all[3];
  for (std::size_t axis = 0; axis < 3; ++axis) all[axis] = solve.coordinates(axis);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int end : {0, 1}) {
      std::vector<double> values;
      Box wall = box;
      wall.lo[axis] = 0;
      wall.hi[axis] = 1;
      for (int b = 1; b <= 2 && solve.wall_size(axis, end) > 0; ++b) {
        verify::for_points(wall, [&](const Shape& i) {
          std::array<double, 3> x{};
          for (std::size_t a = 0; a < 3; ++a) x[a] = a == axis ? end : all[a][static_cast<std::size_t>(i[a])];
          const double value = sides[axis][static_cast<std::size_t>(end)] == Side::odd
                                   ? u(x[0], x[1], x[2])
                                   : gradient(x[0], x[1], x[2])[axis];
          values.push_back(b * value);
        });
      }
      solve.set_wall(axis, end, values);
    }
  }
  std::vector<double> out(static_cast<std::size_t>(solve.output_size()));
  solve(at_points<double, 1>(
            solve.problem(), box,
            [&](double x, double y, double z) { return std::array{(1.25 - 1 - problem.shift) * u(x, y, z)}; }),
        out);
  const auto wanted = at_points<double, 3>(solve.problem(), solve.output_box(), gradient);
  std::array<double, 2> squares{0, static_cast<double>(out.size())};
  for (std::size_t i = 0; i < out.size(); ++i) squares[0] += (out[i] - wanted[i]) * (out[i] - wanted[i]);
  MPI_Allreduce(MPI_IN_PLACE, squares.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return std::sqrt(squares[0] / squares[1]);
}

// (In cells at an edge where two walls meet, the solution's own error is as uneven as the walls' second derivatives
// differ; the largest error is of first order there.)
TEST(Derivatives, ParabolasAreOfSecondOrderUpToTheWalls) {
  for (const bool uneven : {false, true}) {
    for (const Points points : {Points::cells, Points::nodes}) {
      for (const Pair& walls : between_walls) {
        SCOPED_TRACE(to_string(points) + ' ' + to_string(walls[0]) + ' ' + to_string(walls[1]) +
                     (uneven ? " uneven" : ""));
        const std::array<Pair, 3> sides{walls, between_walls[0], {walls[1], walls[0]}};
        const double rough = error_of_parabolas(10, points, uneven, sides);
        const double fine = error_of_parabolas(20, points, uneven, sides);
        EXPECT_LT(rough, 0.02);
        EXPECT_LT(fine, rough / 3);
        if (size_of() < 4) continue;
        Options options;
        options.decomposition = Decomposition::pencil;
        EXPECT_NEAR(error_of_parabolas(10, points, uneven, sides, options), rough, 1e-11);
      }
    }
  }
}

// Of lines that are divided among ranks, differences take two points of each neighbour: as on one rank, and few bytes.
TEST(Derivatives, BetweenWallsDifferencesTakeGhosts) {
  for (const Index n : {8, 20}) {
    PoissonProblem problem;
    problem.shape = {n, 9, 10};
    problem.sides = {periodic, Pair{Side::odd, Side::even}, periodic};
    problem.stencil = Stencil::second_order;
    problem.result = Result::solution_and_gradient;
    const auto f = [](double x, double y, double z) { return std::array{std::sin(7 * x) + y * z}; };
    Options divided;
    divided.output = Layout::slab(problem.shape, size_of(), 0);
    Poisson<double> one(problem, MPI_COMM_WORLD, on_one_rank(problem.shape));
    Poisson<double> all(problem, MPI_COMM_WORLD, divided);
    std::vector<double> whole(static_cast<std::size_t>(one.output_size())),
        part(static_cast<std::size_t>(all.output_size()));
    one(at_points<double, 1>(problem, one.input_box(), f), whole);
    all.reset_statistics();
    all(at_points<double, 1>(problem, all.input_box(), f), part);
    const Index plane = problem.shape[1] * problem.shape[2];
    const std::string told = "neighbours' points, " + std::to_string(4 * plane * 8) + " B sent by this rank";
    if (size_of() > 1 && n == 20) {
      EXPECT_NE(all.explain().find(told), std::string::npos) << all.explain();
    }
    std::vector<double> gathered(static_cast<std::size_t>(4 * n * plane));
    const Box box = all.output_box();
    for (Index field = 0; field < 4; ++field) {
      std::copy_n(part.begin() + field * box.count(), box.count(), gathered.begin() + (field * n + box.lo[0]) * plane);
    }
    MPI_Allreduce(MPI_IN_PLACE, gathered.data(), static_cast<int>(gathered.size()), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
    EXPECT_LT(largest_difference(rank_of() == 0 ? gathered : whole, whole), 1e-12);
  }
}

TEST(Derivatives, BesideOpenSidesParabolasGoThroughTheNextTwoPoints) {
  PoissonProblem problem;
  problem.shape = {9, 10, 11};
  problem.lengths = {1, 1.5, 2};
  problem.sides = {Pair{Side::odd, Side::even}, open, Pair{Side::even, Side::open}};
  problem.points = {Points::cells, Points::cells, Points::nodes};
  problem.stencil = Stencil::second_order;
  problem.result = Result::solution_and_gradient;
  Poisson<double> solve(problem, MPI_COMM_WORLD, on_one_rank(problem.shape));
  std::vector<double> out(static_cast<std::size_t>(solve.output_size()));
  solve(at_points<double, 1>(problem, solve.input_box(),
                             [](double x, double y, double z) { return std::array{std::sin(3 * x - y) + z * z}; }),
        out);
  if (out.empty()) return;
  const std::array<Index, 3> step{110, 11, 1};
  const std::array<double, 3> h{1. / 9, 1.5 / 10, 2. / 10};
  double worst = 0;
  verify::for_points(solve.output_box(), [&](const Shape& i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index last = problem.shape[axis] - 1;
      const auto u = [&](Index away) {
        Index at = 0;
        for (std::size_t a = 0; a < 3; ++a) at += (i[a] + (a == axis ? away : 0)) * step[a];
        return out[static_cast<std::size_t>(at)];
      };
      double wanted = 0;
      if (i[axis] > 0 && i[axis] < last) {
        wanted = (u(1) - u(-1)) / 2;
      } else if (axis == 0) {
        wanted = i[0] == 0 ? (u(1) + u(0)) / 2 : (u(0) - u(-1)) / 2;
      } else if (i[axis] == last) {
        wanted = (3 * u(0) - 4 * u(-1) + u(-2)) / 2;
      } else if (axis == 1) {
        wanted = (-3 * u(0) + 4 * u(1) - u(2)) / 2;
      }  // else on an even wall
      const Index point = i[0] * step[0] + i[1] * step[1] + i[2];
      const double found = out[static_cast<std::size_t>(static_cast<Index>(axis + 1) * 990 + point)];
      worst = std::max(worst, std::abs(found - wanted / h[axis]));
    }
  });
  EXPECT_LT(worst, 1e-13);
}

TEST(Derivatives, BetweenWallsOutputsHaveAnyLayoutAndOrder) {
  PoissonProblem problem = problem_of({between_walls[2], periodic, between_walls[0]}, Result::solution_and_gradient);
  problem.points[2] = Points::nodes;
  Poisson<double> solve(problem, MPI_COMM_WORLD, on_one_rank(problem.shape));
  problem.reversed_components = true;
  Options options = on_one_rank(problem.shape);
  options.decomposition = Decomposition::pencil;
  options.set("output_ghosts", "1");
  Poisson<double> turned(problem, MPI_COMM_WORLD, options);
  const auto f = [](double x, double y, double z) { return std::array{std::sin(x + 2 * y) + z * z}; };
  std::vector<double> a(static_cast<std::size_t>(solve.output_size())),
      b(static_cast<std::size_t>(turned.output_size()));
  solve(at_points<double, 1>(problem, solve.input_box(), f), a);
  turned(at_points<double, 1>(problem, turned.input_box(), f), b);
  EXPECT_NE(solve.explain().find("gradient   along axis 0: waves, in space; "), std::string::npos);
  EXPECT_NE(solve.explain().find("gradient   along axis 2"), std::string::npos);
  if (size_of() > 1) {
    EXPECT_GT(sum(turned.statistics().bytes_sent), 0);
  }
  if (a.empty()) return;
  const Box whole = solve.output_box(), with = turned.output_boxes().front();
  double worst = 0;
  verify::for_points(whole, [&](const Shape& i) {
    const auto at = [&](const Box& box, Index field) {
      return static_cast<std::size_t>(((field * box.extent(0) + i[0] - box.lo[0]) * box.extent(1) + i[1] - box.lo[1]) *
                                          box.extent(2) +
                                      i[2] - box.lo[2]);
    };
    for (Index field = 0; field < 4; ++field) {
      worst = std::max(worst, std::abs(a[at(whole, field)] - b[at(with, field == 0 ? 0 : 4 - field)]));
    }
  });
  EXPECT_LT(worst, 1e-12);
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
  PoissonProblem problem = problem_of({periodic, periodic, periodic}, Result::velocity);
  problem.sides[1] = {Side::odd, Side::even};
  refused(problem,
          "result is velocity; it needs sides that are periodic or open on both, and those of axis 1 are odd and even");
  problem.result = Result::gradient;
  problem.sides[2] = {Side::even, Side::open};
  refused(problem,
          "result is gradient with the stencil spectral; where some sides are open and others walls, second_order");
  problem.sides[2] = periodic;
  Options options;
  options.in_place = true;
  expect_common_error([&] { Poisson<double> solve(problem, MPI_COMM_WORLD, options); },
                      {"in_place is true with the result gradient between walls"});
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
