// Solvers of Poisson's equation: every pair of sides, against fields that are known and against the differences that a
// stencil is, written here once more.
#include "weft/poisson.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "fields.hpp"
#include "support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4});

using namespace weft;
using namespace weft::test;

using Pair = std::array<Side, 2>;
constexpr Side periodic = Side::periodic, even = Side::even, odd = Side::odd, open = Side::open;
constexpr std::array<Pair, 5> closed{{{periodic, periodic}, {even, even}, {odd, odd}, {even, odd}, {odd, even}}};

/// A smooth function along an axis of length 1 with such sides, and its second derivative.
std::array<double, 2> along(const Pair& sides, double x) {
  const double pi = std::numbers::pi;
  const auto wave = [](bool sine, double k, double at) -> std::array<double, 2> {
    const double value = sine ? std::sin(k * at) : std::cos(k * at);
    return {value, -k * k * value};
  };
  const auto gauss = [](double t) -> std::array<double, 2> {
    constexpr double square = 0.05 * 0.05;
    const double value = std::exp(-t * t / (2 * square));
    return {value, value * (t * t / square - 1) / square};
  };
  const auto sum = [](std::array<double, 2> a, double factor, std::array<double, 2> b) -> std::array<double, 2> {
    return {a[0] + factor * b[0], a[1] + factor * b[1]};
  };
  if (sides == Pair{periodic, periodic}) return sum(wave(false, 2 * pi, x), 0.5, wave(true, 4 * pi, x));
  if (sides == Pair{even, even}) return sum(wave(false, pi, x), 0.3, wave(false, 2 * pi, x));
  if (sides == Pair{odd, odd}) return sum(wave(true, pi, x), 0.3, wave(true, 2 * pi, x));
  if (sides == Pair{even, odd}) return sum(wave(false, pi / 2, x), 0.3, wave(false, 3 * pi / 2, x));
  if (sides == Pair{odd, even}) return sum(wave(true, pi / 2, x), 0.3, wave(true, 3 * pi / 2, x));
  if (sides == Pair{open, open}) return gauss(x - 0.47);
  // From a wall to where nothing is: the field and its image.
  const bool low = sides[1] == open;
  const double at = low ? x : 1 - x, sign = (low ? sides[0] : sides[1]) == even ? 1 : -1;
  return sum(gauss(at - 0.3), sign, gauss(at + 0.3));
}

/// One rank takes all cases, more take some, each number of ranks others.
class Sample {
 public:
  bool leaves_out() { return size_of() > 1 && (count_++ + size_of()) % 11 != 0; }

 private:
  int count_ = 0;
};

std::string name(const Pair& sides) { return to_string(sides[0]) + '-' + to_string(sides[1]); }

/// Numbers at the points of a box of all fields; field f is the function times f + 1.
template <class Real, class Function>
std::vector<Real> at_points(const PoissonProblem& problem, const Box& box, const Function& function, Index item = 0) {
  std::array<std::vector<double>, 3> x;
  for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = coordinates(problem, axis);
  std::vector<Real> all;
  for (Index field = 0; field < problem.batch; ++field) {
    for (Index i = box.lo[0]; i < box.hi[0] && !box.empty(); ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
          const auto number = [](std::vector<double>& axis, Index at) { return axis[static_cast<std::size_t>(at)]; };
          const double value = function(number(x[0], i), number(x[1], j), number(x[2], k));
          all.push_back(static_cast<Real>(value * static_cast<double>(field + 1)));
        }
      }
    }
    if (item > 0) all.resize(static_cast<std::size_t>((field + 1) * item));
  }
  return all;
}

template <class Real>
std::vector<Real> solved(Poisson<Real>& solver, const std::vector<Real>& f, bool in_place = false) {
  EXPECT_EQ(static_cast<Index>(f.size()), solver.input_size());
  std::vector<Real> u(static_cast<std::size_t>(solver.output_size()), Real(7));
  if (in_place) {
    u = f;
    solver(u.data(), u.data());
  } else {
    const std::vector<Real> before = f;
    solver(f, u);
    EXPECT_EQ(f, before);
  }
  return u;
}

/// A smooth u of these sides from what its Laplacian is.
template <class Real = double>
void check_known(PoissonProblem problem, double limit, const Options& options = {}) {
  const auto part = [&](std::size_t axis, double x) {
    const double length = problem.lengths[axis];
    auto found = along(problem.sides[axis], x / length);
    found[1] /= length * length;
    return found;
  };
  const auto u = [&](double x, double y, double z) { return part(0, x)[0] * part(1, y)[0] * part(2, z)[0]; };
  const auto f = [&](double x, double y, double z) {
    const auto a = part(0, x), b = part(1, y), c = part(2, z);
    return a[1] * b[0] * c[0] + a[0] * b[1] * c[0] + a[0] * b[0] * c[1] - problem.shift * a[0] * b[0] * c[0];
  };
  Poisson<Real> solver(problem, MPI_COMM_WORLD, options);
  // Fields that lie in place have room for the larger end.
  const Index item = solver.output_size() / problem.batch;
  const std::vector<Real> given = at_points<Real>(problem, solver.input_box(), f, solver.input_size() / problem.batch);
  std::vector<Real> found = solved(solver, given, options.in_place);
  for (std::size_t field = 0; field < found.size(); field += static_cast<std::size_t>(item)) {
    const auto end = static_cast<std::ptrdiff_t>(field) + solver.output_box().count();
    std::fill_n(found.begin() + end, item - solver.output_box().count(), Real(0));
  }
  EXPECT_LT(largest_difference(found, at_points<Real>(problem, solver.output_box(), u, item)), limit);
}

PoissonProblem problem_of(const std::array<Pair, 3>& sides, const std::array<Points, 3>& points) {
  PoissonProblem problem;
  problem.sides = sides;
  problem.points = points;
  problem.lengths = {1, 1.5, 0.8};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool free = sides[axis][0] == open || sides[axis][1] == open;
    problem.shape[axis] = (free ? 40 : 10) + static_cast<Index>(axis);
    if (free) problem.lengths[axis] = 1;
  }
  return problem;
}

TEST(Poisson, FieldsBetweenAllSidesAreThoseOfTheEquation) {
  Sample sample;
  for (const Pair& a : closed) {
    for (const Pair& b : closed) {
      for (const Pair& c : closed) {
        for (int points = 0; points < 8; ++points) {
          if (sample.leaves_out()) continue;
          const auto of = [&](int axis) { return (points >> axis & 1) != 0 ? Points::nodes : Points::cells; };
          SCOPED_TRACE(name(a) + ' ' + name(b) + ' ' + name(c) + ' ' + std::to_string(points));
          PoissonProblem problem = problem_of({a, b, c}, {of(0), of(1), of(2)});
          check_known(problem, 1e-12);
          problem.shift = 2.5;
          check_known(problem, 1e-12);
        }
      }
    }
  }
}

TEST(Poisson, FieldsWithOpenSidesAreThoseOfTheEquation) {
  Sample sample;
  constexpr std::array<Pair, 5> free{{{open, open}, {even, open}, {odd, open}, {open, even}, {open, odd}}};
  for (const Pair& one : free) {
    for (const Points points : {Points::cells, Points::nodes}) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const Pair& other : {closed[0], closed[2], one}) {
          if (sample.leaves_out()) continue;
          std::array<Pair, 3> sides{closed[0], closed[0], closed[0]};
          sides[axis] = one;
          sides[(axis + 1) % 3] = other;
          SCOPED_TRACE(name(sides[0]) + ' ' + name(sides[1]) + ' ' + name(sides[2]) + ' ' + to_string(points));
          PoissonProblem problem = problem_of(sides, {points, points, points});
          check_known(problem, 1e-8);
          problem.shift = 2.5;
          check_known(problem, 1e-8);
        }
      }
    }
  }
  // Nothing on any side, and a little of everything.
  check_known(problem_of({{{open, open}, {open, open}, {open, open}}}, {}), 1e-8);
  check_known(problem_of({{{open, odd}, {even, open}, {open, open}}}, {Points::nodes, Points::cells, Points::nodes}),
              1e-8);
}

TEST(Poisson, OptionsLayoutsBatchesAndPrecisions) {
  const std::array<Points, 3> points{Points::nodes, Points::cells, Points::nodes};
  PoissonProblem problem = problem_of({{{odd, odd}, {even, odd}, {odd, even}}}, points);
  PoissonProblem half = problem_of({{{periodic, periodic}, {open, odd}, {periodic, periodic}}}, points);
  problem.batch = half.batch = 3;
  for (const PoissonProblem& one : {problem, half}) {
    check_known<float>(one, 1e-4);
    for (const char* strategy : {"alltoallv", "pairwise", "shared"}) {
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(std::string(strategy) + (in_place ? " in place" : ""));
        Options options;
        options.strategy = strategy;
        options.in_place = in_place;
        check_known(one, 1e-7, options);
        options.input = options.output = Layout::slab(one.shape, size_of(), 2);
        check_known(one, 1e-7, options);
        options.output = Layout::slab(one.shape, size_of(), 1);
        check_known(one, 1e-7, options);
      }
    }
  }
}

/// Differences of second order of u, which has a value beyond each end of an axis: by what the sides say, or `given` of
/// a wall (0 unless the wall has values).
std::vector<double> differences(const PoissonProblem& problem, const std::vector<double>& u,
                                const std::array<std::array<double, 2>, 3>& given) {
  const Shape& n = problem.shape;
  const auto value = [&](Shape i) { return u[static_cast<std::size_t>((i[0] * n[1] + i[1]) * n[2] + i[2])]; };
  std::vector<double> f;
  Shape i{};
  for (i[0] = 0; i[0] < n[0]; ++i[0]) {
    for (i[1] = 0; i[1] < n[1]; ++i[1]) {
      for (i[2] = 0; i[2] < n[2]; ++i[2]) {
        double sum = -problem.shift * value(i);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const bool nodes = problem.points[axis] == Points::nodes;
          const bool between = nodes && problem.sides[axis][0] != periodic;
          const std::vector<double> x = coordinates(problem, axis);
          const auto place = [&](Index at) { return x[static_cast<std::size_t>(at)]; };
          const bool uneven = !problem.spacings[axis].empty();
          const double h = problem.lengths[axis] / static_cast<double>(n[axis] - (between ? 1 : 0));
          double volume = 0;
          std::array<double, 2> flow{};
          for (const int step : {-1, 1}) {
            Shape j = i;
            j[axis] += step;
            const auto end = static_cast<std::size_t>((step + 1) / 2);
            const Side side = problem.sides[axis][end];
            double beyond = 0, distance = h;
            if (j[axis] >= 0 && j[axis] < n[axis]) {
              beyond = value(j);
              distance = step * (place(j[axis]) - place(i[axis]));
            } else if (side == periodic) {
              j[axis] = (j[axis] + n[axis]) % n[axis];
              beyond = value(j);
            } else {
              // Its image in the wall.
              j[axis] = nodes ? i[axis] - step : i[axis];
              distance = nodes ? step * (place(i[axis]) - place(j[axis])) : h;
              if (uneven && !nodes) distance = problem.spacings[axis][static_cast<std::size_t>(i[axis])];
              const double across = nodes ? 2 * distance : distance;
              beyond = side == even ? value(j) + step * given[axis][end] * across : 2 * given[axis][end] - value(j);
            }
            flow[end] = (beyond - value(i)) / distance;
            volume += distance / 2;
          }
          if (uneven && !nodes) volume = problem.spacings[axis][static_cast<std::size_t>(i[axis])];
          sum += (flow[0] + flow[1]) / volume;
        }
        f.push_back(sum);
      }
    }
  }
  return f;
}

/// What a box has of a whole field.
std::vector<double> part_of(const std::vector<double>& whole, const Shape& n, const Box& box) {
  std::vector<double> part;
  verify::for_points(box, [&](const Shape& i) {
    part.push_back(whole[static_cast<std::size_t>((i[0] * n[1] + i[1]) * n[2] + i[2])]);
  });
  return part;
}

/// Solves for a random field from its differences, without and with random values at the walls.
void check_differences(const PoissonProblem& problem, std::mt19937& random, const Options& options = {}) {
  std::uniform_real_distribution<double> any(-1, 1);
  const Shape& n = problem.shape;
  for (const bool values : {false, true}) {
    std::array<std::array<double, 2>, 3> given{};
    std::vector<double> u;
    Shape i{};
    for (auto& axis : given) {
      for (double& value : axis) value = values ? any(random) : 0;
    }
    // On a wall with points u is what the wall says.
    for (i[0] = 0; i[0] < n[0]; ++i[0]) {
      for (i[1] = 0; i[1] < n[1]; ++i[1]) {
        for (i[2] = 0; i[2] < n[2]; ++i[2]) {
          double value = any(random);
          for (std::size_t axis = 0; axis < 3; ++axis) {
            if (problem.points[axis] != Points::nodes) continue;
            if (problem.sides[axis][0] == odd && i[axis] == 0) value = given[axis][0];
            if (problem.sides[axis][1] == odd && i[axis] == n[axis] - 1) value = given[axis][1];
          }
          u.push_back(value);
        }
      }
    }
    Poisson<double> solver(problem, MPI_COMM_WORLD, options);
    for (std::size_t axis = 0; axis < 3 && values; ++axis) {
      for (const int end : {0, 1}) {
        if (problem.sides[axis][0] == periodic) continue;
        solver.set_wall(axis, end,
                        std::vector<double>(static_cast<std::size_t>(solver.wall_size(axis, end)),
                                            given[axis][static_cast<std::size_t>(end)]));
      }
    }
    const Box box = solver.input_box();
    const std::vector<double> f = part_of(differences(problem, u, given), n, box);
    std::vector<double> found = solved(solver, f), wanted = part_of(u, n, box);
    if (problem.singular()) {
      // Up to a constant.
      EXPECT_NEAR(solver.mean(f.data()).front(), 0, 1e-11);
      double shift = !box.empty() && box.lo == Shape{0, 0, 0} ? wanted.front() - found.front() : 0;
      MPI_Allreduce(MPI_IN_PLACE, &shift, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      for (double& number : found) number += shift;
    }
    EXPECT_LT(largest_difference(found, wanted), 1e-11) << values;
  }
}

/// Every pair of sides along each axis, on cells and nodes.
template <class Use>
void for_closed_boxes(const Use& use) {
  Sample sample;
  for (const Pair& a : closed) {
    for (const Pair& b : closed) {
      for (const Pair& c : closed) {
        for (int points = 0; points < 8; ++points) {
          const auto of = [&](int axis) { return (points >> axis & 1) != 0 ? Points::nodes : Points::cells; };
          PoissonProblem problem;
          problem.shape = {5, 4, 6};
          problem.lengths = {1, 0.9, 1.3};
          problem.sides = {a, b, c};
          problem.points = {of(0), of(1), of(2)};
          problem.stencil = Stencil::second_order;
          problem.shift = points % 2 == 0 ? 1.5 : 0;
          if (sample.leaves_out()) continue;
          SCOPED_TRACE(name(a) + ' ' + name(b) + ' ' + name(c) + ' ' + std::to_string(points));
          use(problem);
        }
      }
    }
  }
}

TEST(Poisson, DifferencesAreSolvedExactlyWithValuesAtWallsToo) {
  std::mt19937 random(5);
  for_closed_boxes([&](const PoissonProblem& problem) { check_differences(problem, random); });
}

/// Random spacings of an axis, whose length is their sum.
void stretch(PoissonProblem& problem, std::size_t axis, std::mt19937& random) {
  std::uniform_real_distribution<double> any(0.5, 2);
  const Index count = problem.shape[axis] - (problem.points[axis] == Points::nodes ? 1 : 0);
  problem.spacings[axis].clear();
  problem.lengths[axis] = 0;
  for (Index i = 0; i < count; ++i) {
    problem.spacings[axis].push_back(any(random) / static_cast<double>(count));
    problem.lengths[axis] += problem.spacings[axis].back();
  }
}

TEST(Poisson, UnevenPointsAlongAnyAxis) {
  std::mt19937 random(6);
  for_closed_boxes([&](const PoissonProblem& even_points) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (even_points.sides[axis][0] == periodic) continue;
      PoissonProblem problem = even_points;
      stretch(problem, axis, random);
      check_differences(problem, random);
    }
  });
}

TEST(Poisson, UnevenPointsOfFewUnknowns) {
  std::mt19937 random(7);
  for (const Pair& sides : {Pair{even, even}, Pair{even, odd}, Pair{odd, even}, Pair{odd, odd}}) {
    for (const Points points : {Points::cells, Points::nodes}) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        PoissonProblem problem;
        problem.shape = {7, 1, 4};
        problem.shape[axis] = points == Points::cells ? 1 : sides == Pair{odd, odd} ? 3 : 2;
        problem.sides[axis] = sides;
        problem.points[axis] = points;
        problem.stencil = Stencil::second_order;
        stretch(problem, axis, random);
        SCOPED_TRACE(name(sides) + ' ' + to_string(points) + " axis " + std::to_string(axis));
        check_differences(problem, random);
      }
    }
  }
}

TEST(Poisson, UnevenPointsOptionsLayoutsBatchesAndPrecisions) {
  std::mt19937 random(8);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    PoissonProblem problem;
    problem.shape = {12, 9, 10};
    problem.sides[axis] = {even, odd};
    problem.sides[(axis + 1) % 3] = {odd, odd};
    problem.stencil = Stencil::second_order;
    stretch(problem, axis, random);
    Options options;
    options.decomposition = Decomposition::pencil;
    check_differences(problem, random, options);
    for (std::size_t cut = 0; cut < 3; ++cut) {
      options = {};
      options.input = options.output = Layout::slab(problem.shape, size_of(), static_cast<int>(cut));
      check_differences(problem, random, options);
    }
    // All the same: in place, in a batch, of floats.
    problem.stencil = Stencil::spectral;
    problem.batch = 2;
    Poisson<double> solver(problem, MPI_COMM_WORLD);
    options = {};
    options.in_place = true;
    Poisson<double> in_place(problem, MPI_COMM_WORLD, options);
    Poisson<float> single(problem, MPI_COMM_WORLD);
    std::vector<double> f(static_cast<std::size_t>(solver.input_size()));
    std::uniform_real_distribution<double> any(-1, 1);
    for (double& number : f) number = any(random);
    const std::vector<double> u = solved(solver, f);
    EXPECT_LT(largest_difference(u, solved(in_place, f, true)), 1e-13);
    const std::vector<float> of_floats = solved(single, std::vector<float>(f.begin(), f.end()));
    EXPECT_LT(largest_difference(u, std::vector<double>(of_floats.begin(), of_floats.end())), 1e-5);
    // The second field alone.
    PoissonProblem one = problem;
    one.batch = 1;
    Poisson<double> alone(one, MPI_COMM_WORLD);
    const auto half = static_cast<std::ptrdiff_t>(f.size() / 2);
    EXPECT_LT(largest_difference({u.begin() + half, u.end()}, solved(alone, {f.begin() + half, f.end()})), 1e-13);
  }
}

TEST(Poisson, UnevenPointsAreOfSecondOrderBetweenExactWaves) {
  double before = 0;
  for (const Index n : {32, 64, 128}) {
    PoissonProblem problem;
    problem.shape = {8, n, 8};
    problem.sides[1] = {odd, even};
    // Finer at the low wall, smoothly.
    const auto edge = [&](Index j) {
      const double t = static_cast<double>(j) / static_cast<double>(n);
      return t + 0.7 * t * (t - 1);
    };
    for (Index j = 0; j < n; ++j) problem.spacings[1].push_back(edge(j + 1) - edge(j));
    Poisson<double> solver(problem, MPI_COMM_WORLD);
    EXPECT_NEAR(solver.problem().lengths[1], 1, 1e-14);
    const double pi = std::numbers::pi, k = 4 * pi * pi * (1 + 4) + pi * pi / 4;
    const auto u = [&](double x, double y, double z) {
      return std::cos(2 * pi * x) * std::sin(pi / 2 * y) * std::sin(4 * pi * z);
    };
    const auto f =
        at_points<double>(problem, solver.input_box(), [&](double x, double y, double z) { return -k * u(x, y, z); });
    const double error = largest_difference(solved(solver, f), at_points<double>(problem, solver.output_box(), u));
    if (before > 0) {
      EXPECT_GT(before / error, 3.3);
    }
    before = error;
  }
}

TEST(Poisson, ValuesAtWallsDifferFromPointToPointAndCanBeTakenBack) {
  // u = x y + z is harmonic, for differences as well.
  PoissonProblem problem;
  problem.shape = {6, 5, 7};
  problem.sides = {{{odd, even}, {odd, odd}, {even, odd}}};
  problem.points = {Points::nodes, Points::cells, Points::nodes};
  problem.stencil = Stencil::second_order;
  problem.batch = 2;
  Poisson<double> solver(problem, MPI_COMM_WORLD);
  const Box box = solver.input_box();
  const auto set = [&](std::size_t axis, int end, const auto& value) {
    if (solver.wall_size(axis, end) == 0) return solver.set_wall(axis, end, {});
    Box plane = box;
    plane.lo[axis] = end == 0 ? 0 : problem.shape[axis] - 1;
    plane.hi[axis] = plane.lo[axis] + 1;
    solver.set_wall(axis, end, at_points<double>(problem, plane, value));
  };
  set(0, 0, [](double, double, double z) { return z; });
  set(0, 1, [](double, double y, double) { return y; });
  set(1, 0, [](double, double, double z) { return z; });
  set(1, 1, [](double x, double, double z) { return x + z; });
  set(2, 0, [](double, double, double) { return 1; });
  set(2, 1, [](double x, double y, double) { return x * y + 1; });
  std::vector<double> f(static_cast<std::size_t>(solver.input_size()), 0.0);
  const auto harmonic = [](double x, double y, double z) { return x * y + z; };
  EXPECT_LT(largest_difference(solved(solver, f), at_points<double>(problem, box, harmonic)), 1e-12);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int end : {0, 1}) solver.set_wall(axis, end, {});
  }
  EXPECT_EQ(solved(solver, f), f);
}

TEST(Poisson, AnotherShiftIsThatOfANewSolver) {
  for (const Pair& first : {Pair{periodic, periodic}, Pair{open, open}, Pair{odd, open}}) {
    PoissonProblem problem;
    problem.shape = {8, 6, 10};
    problem.sides = {{first, {even, even}, {even, even}}};
    Poisson<double> solver(problem, MPI_COMM_WORLD);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<double> f(static_cast<std::size_t>(solver.input_size()));
    for (double& number : f) number = any(random);
    for (const double shift : {4.0, 0.0}) {
      solver.set_shift(shift);
      EXPECT_EQ(solver.problem().shift, shift);
      problem.shift = shift;
      Poisson<double> fresh(problem, MPI_COMM_WORLD);
      EXPECT_EQ(solved(solver, f), solved(fresh, f));
    }
  }
}

TEST(Poisson, TheMeanIsRemovedOrRefused) {
  for (const Points points : {Points::cells, Points::nodes}) {
    PoissonProblem problem;
    problem.shape = {5, 6, 7};
    problem.sides = {{{even, even}, {periodic, periodic}, {even, even}}};
    problem.points = {points, points, points};
    problem.batch = 2;
    Poisson<double> solver(problem, MPI_COMM_WORLD);
    const auto f = at_points<double>(problem, solver.input_box(),
                                     [](double x, double, double) { return 3 + std::cos(std::numbers::pi * x); });
    const std::vector<double> means = solver.mean(f.data());
    ASSERT_EQ(means.size(), 2u);
    EXPECT_NEAR(means[0], 3, 1e-13);
    EXPECT_NEAR(means[1], 6, 1e-13);
    const auto wanted = at_points<double>(problem, solver.output_box(), [](double x, double, double) {
      return -std::cos(std::numbers::pi * x) / (std::numbers::pi * std::numbers::pi);
    });
    EXPECT_LT(largest_difference(solved(solver, f), wanted), 1e-13);

    problem.mean = Mean::refuse;
    Poisson<double> strict(problem, MPI_COMM_WORLD);
    std::vector<double> u(f.size());
    expect_common_error([&] { strict(f, u); }, {"f has the mean 3 in field 0"});
    auto without = f;
    for (std::size_t i = 0; i < f.size(); ++i) without[i] -= i < f.size() / 2 ? 3 : 6;
    strict(without, u);
    EXPECT_LT(largest_difference(u, wanted), 1e-13);
  }
}

TEST(Poisson, BadArgumentsAreErrorsOnAllRanks) {
  const auto refused = [](const PoissonProblem& problem, const char* words, const Options& options = {}) {
    expect_common_error([&] { Poisson<double>(problem, MPI_COMM_WORLD, options); }, {words});
  };
  PoissonProblem good;
  good.shape = {6, 6, 6};
  PoissonProblem bad = good;
  bad.sides[1] = {periodic, odd};
  refused(bad, "sides are periodic and odd along axis 1; periodic is both or neither");
  bad = good;
  bad.sides[2] = {odd, odd};
  bad.points[2] = Points::nodes;
  bad.shape[2] = 2;
  refused(bad, "shape is 6 x 6 x 2; along axis 2 at least 3 nodes are needed between its sides");
  bad = good;
  bad.lengths[0] = -1;
  refused(bad, "lengths has -1");
  bad = good;
  bad.batch = 0;
  refused(bad, "batch is 0");
  bad = good;
  bad.sides[0] = {open, open};
  bad.shift = -1;
  refused(bad, "shift is -1; with open sides at least 0 is needed");
  bad = good;
  bad.sides[1] = {odd, odd};
  bad.spacings[1] = {1, 2, 3};
  refused(bad, "spacings of axis 1 are 3; of 6 cells 6 are needed");
  bad.points[1] = Points::nodes;
  refused(bad, "spacings of axis 1 are 3; of 6 nodes 5 are needed");
  bad.spacings[1] = {1, 2, 0, 1, 1};
  refused(bad, "spacings of axis 1 have 0; they are positive numbers");
  bad.spacings[1] = {1, 2, 3, 1, 1};
  bad.shift = -1;
  refused(bad, "shift is -1; with spacings at least 0 is needed");
  bad.shift = 0;
  bad.spacings[0].assign(6, 1);
  refused(bad, "spacings of axis 0 are given, and a side of axis 0 is periodic");
  bad.spacings[0].clear();
  bad.sides[0] = {open, open};
  refused(bad,
          "spacings of axis 1 are given, and a side of axis 0 is open; its own must be even or odd, and none open");
  bad.sides[0] = {odd, odd};
  bad.spacings[0].assign(6, 1);
  refused(bad, "spacings of axis 0 are given, and of axis 1; one axis may have some");
  if (size_of() > 1) {
    bad.spacings[0].clear();
    bad.spacings[1].back() += rank_of() == 1 ? 1e-9 : 0;
    refused(bad, "the arguments of a Poisson solver must be the same on all ranks");
  }
  bad = good;
  bad.shift = std::nan("");
  refused(bad, "a finite number is needed");
  bad = good;
  bad.shift = -4 * std::numbers::pi * std::numbers::pi;
  refused(bad, "shift");
  Options options;
  options.input = Layout::slab({5, 6, 6}, size_of(), 0);
  refused(good, "input is a layout of 5 x 6 x 6; it must be one of the points, 6 x 6 x 6", options);
  if (size_of() > 1) {
    PoissonProblem mine = good;
    mine.mean = rank_of() == 1 ? Mean::refuse : Mean::remove;
    refused(mine, "the arguments of a Poisson solver must be the same on all ranks");
  }

  PoissonProblem walls = good;
  walls.sides = {{{odd, odd}, {periodic, periodic}, {even, even}}};
  walls.points[0] = Points::nodes;
  Poisson<double> solver(walls, MPI_COMM_WORLD);
  std::vector<double> u(static_cast<std::size_t>(solver.output_size()));
  expect_common_error([&] { solver(rank_of() == 0 ? nullptr : u.data(), u.data()); }, {"f is null on rank 0"});
  expect_common_error([&] { solver(std::span(u).first(rank_of() == 0 ? 0 : u.size()), u); },
                      {"the solver was given arrays of 0", "on rank 0"});
  const auto here = [&](const auto& call, const char* words) {
    try {
      call();
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  here([&] { solver.set_wall(3, 0, {}); }, "axis is 3");
  here([&] { solver.set_wall(0, 2, {}); }, "end is 2");
  here([&] { solver.set_wall(1, 0, {}); }, "side 0 of axis 1 is periodic");
  expect_common_error([&] { solver.set_shift(std::nan("")); }, {"a finite number"});
  walls.stencil = Stencil::second_order;
  Poisson<double> second(walls, MPI_COMM_WORLD);
  const std::vector<double> many(1000);
  here([&] { second.set_wall(0, 0, many); }, "values are 1000");
}

TEST(Poisson, WordsAreThoseOfTheSides) {
  EXPECT_EQ(parse_side("open"), open);
  EXPECT_EQ(parse_points("nodes"), Points::nodes);
  EXPECT_EQ(parse_mean("refuse"), Mean::refuse);
  EXPECT_EQ(parse_stencil("sixth_order"), Stencil::sixth_order);
  try {
    parse_side("evn");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'even'?"), std::string::npos) << error.what();
  }
  const PoissonProblem problem = problem_of({{{odd, odd}, {open, even}, {periodic, periodic}}}, {});
  Poisson<double> solver(problem, MPI_COMM_WORLD);
  const std::string text = solver.explain();
  for (const char* words : {"axis 0     odd to odd, 10 cells 0.1 apart; dst2", "open to even, 41 cells",
                            "41 of which are stored and sent", "table      of the kernel of free space"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << '\n' << text;
  }
  PoissonProblem uneven;
  uneven.shape = {4, 3, 4};
  uneven.sides[1] = {odd, odd};
  uneven.spacings[1] = {0.5, 2, 0.5};
  const std::string told = Poisson<double>(uneven, MPI_COMM_WORLD).explain();
  EXPECT_NE(told.find("odd to odd, 3 cells 0.5 to 2 apart; tridiagonal solves of 3 points"), std::string::npos) << told;
  EXPECT_EQ(coordinates(uneven, 1), (std::vector<double>{0.25, 1.5, 2.75}));
}

}  // namespace
