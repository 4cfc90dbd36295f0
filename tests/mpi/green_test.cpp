// Kernels of free space that are not those of a point, and the caller's own, against sums over all pairs of points.
#include "weft/green.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "operator/integrated_kernel.hpp"
#include "poisson_support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4});

using namespace weft;
using namespace weft::test;
using detail::IntegratedKernel;
using verify::for_points;
using Pair = std::array<Side, 2>;
constexpr Side periodic = Side::periodic, even = Side::even, odd = Side::odd, open = Side::open;
constexpr double pi = std::numbers::pi;

double mean_of(const std::vector<double>& cell, double kappa, const std::vector<double>& at) {
  return IntegratedKernel(cell, kappa)(at);
}

/// The integral of 1/r over a box with a corner at 0, as a function of the opposite corner.
double corner(double x, double y, double z) {
  const double r = std::sqrt(x * x + y * y + z * z);
  const auto log_part = [&](double a, double b, double c) { return b * c * std::asinh(a / std::hypot(b, c)); };
  const auto angle = [&](double a, double b, double c) { return a * a / 2 * std::atan(b * c / (a * r)); };
  return log_part(x, y, z) + log_part(y, z, x) + log_part(z, x, y) - angle(x, y, z) - angle(y, z, x) - angle(z, x, y);
}

TEST(Green, MeansOverCellsAreThoseOfTheFormulaOfBoxes) {
  if (rank_of() > 0) return;
  for (const std::vector<double>& cell :
       {std::vector{1.0, 1.0, 1.0}, {0.3, 0.4, 0.5}, {1.0, 0.1, 1.0}, {0.05, 1.0, 0.07}}) {
    for (const Shape& i :
         {Shape{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 2, 0}, {3, 1, 5}, {0, 9, 2}, {8, 8, 8}}) {
      std::vector<double> at;
      for (std::size_t a = 0; a < 3; ++a) at.push_back(static_cast<double>(i[a]) * cell[a]);
      double sum = 0;
      for (int which = 0; which < 8; ++which) {
        std::array<double, 3> x{};
        for (std::size_t a = 0; a < 3; ++a) x[a] = at[a] + ((which >> a) % 2 == 0 ? 0.5 : -0.5) * cell[a];
        sum += (std::popcount(static_cast<unsigned>(which)) % 2 == 0 ? 1 : -1) * corner(x[0], x[1], x[2]);
      }
      const double wanted = -sum / (4 * pi * cell[0] * cell[1] * cell[2]);
      EXPECT_NEAR(mean_of(cell, 0, at), wanted, 1e-11 * std::abs(wanted))
          << testing::PrintToString(cell) << ' ' << i[0];
    }
  }
}

// A cell three times as wide is 3, 9 or 27 cells.
TEST(Green, MeansOverCellsAreThoseOfTheirParts) {
  if (rank_of() > 0) return;
  for (const std::vector<double>& cell :
       {std::vector{0.3}, {0.2, 0.3}, {0.02, 0.3}, {0.3, 0.4, 0.5}, {0.3, 0.02, 0.4}}) {
    for (const double kappa : {0.0, 0.01, 1.0, 30.0}) {
      for (const double far : {0.0, 1.0, 4.0}) {
        const std::size_t dimensions = cell.size();
        std::vector<double> wide, middle;
        for (std::size_t a = 0; a < dimensions; ++a) {
          wide.push_back(3 * cell[a]);
          middle.push_back(a == 1 ? 0 : far * wide[a]);
        }
        double sum = 0;
        int parts = 1;
        for (std::size_t a = 0; a < dimensions; ++a) parts *= 3;
        for (int part = 0; part < parts; ++part) {
          std::vector<double> at;
          int rest = part;
          for (std::size_t a = 0; a < dimensions; ++a, rest /= 3) {
            at.push_back(std::abs(middle[a] + (rest % 3 - 1) * cell[a]));
          }
          sum += mean_of(cell, kappa, at) / parts;
        }
        const double near = std::abs(mean_of(wide, kappa, std::vector<double>(dimensions)));
        EXPECT_NEAR(mean_of(wide, kappa, middle), sum, 1e-11 * std::abs(sum) + 1e-17 * near)
            << testing::PrintToString(cell) << ' ' << kappa << ' ' << far;
      }
    }
  }
}

std::vector<double> random_field(const Shape& n) {
  std::mt19937 random(7);
  std::vector<double> field(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  for (double& value : field) value = std::uniform_real_distribution<double>(-1, 1)(random);
  return field;
}

double distance(const std::array<double, 3>& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/// Of cells: a point's distance from another along an axis, and with a wall at one end from its mirror image, with the
/// image's sign.
std::vector<std::pair<double, double>> sources(const PoissonProblem& problem, std::size_t axis, Index i, Index j) {
  const Pair sides = problem.sides[axis];
  const double h = problem.lengths[axis] / static_cast<double>(problem.shape[axis]);
  std::vector<std::pair<double, double>> all{{std::abs(static_cast<double>(i - j)) * h, 1.0}};
  for (const std::size_t end : {0, 1}) {
    if (sides[end] != even && sides[end] != odd) continue;
    const Index beyond = end == 0 ? i + j + 1 : 2 * problem.shape[axis] - 1 - i - j;
    all.emplace_back(static_cast<double>(beyond) * h, sides[end] == even ? 1 : -1);
  }
  return all;
}

/// The sum of all pairs, where each axis has an open side; `kernel` is that of three distances, times the cell.
template <class Kernel>
std::vector<double> summed(const PoissonProblem& problem, const std::vector<double>& f, const Kernel& kernel) {
  std::vector<double> u(f.size());
  const Box all{{0, 0, 0}, problem.shape};
  for_points(all, [&](const Shape& i) {
    double sum = 0;
    for_points(all, [&](const Shape& j) {
      double value = 0;
      for (const auto& [a, sign_a] : sources(problem, 0, i[0], j[0])) {
        for (const auto& [b, sign_b] : sources(problem, 1, i[1], j[1])) {
          for (const auto& [c, sign_c] : sources(problem, 2, i[2], j[2])) {
            value += sign_a * sign_b * sign_c * kernel(std::array{a, b, c});
          }
        }
      }
      sum += value * f[at(problem.shape, j)];
    });
    u[at(problem.shape, i)] = sum;
  });
  return u;
}

void expect_near(const std::vector<double>& u, const std::vector<double>& wanted, double error) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    largest = std::max(largest, std::abs(wanted[i]));
    difference = std::max(difference, std::abs(u[i] - wanted[i]));
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(difference, error * largest);
}

/// Boxes with open sides along all axes.
std::vector<PoissonProblem> open_boxes() {
  std::vector<PoissonProblem> all;
  for (const std::array<Pair, 3>& sides : {std::array<Pair, 3>{{{open, open}, {open, open}, {open, open}}},
                                           {{{open, open}, {odd, open}, {open, open}}},
                                           {{{even, open}, {open, open}, {open, odd}}},
                                           {{{open, even}, {odd, open}, {even, open}}}}) {
    PoissonProblem problem;
    problem.shape = {5, 4, 6};
    problem.lengths = {1, 0.4, 1.3};
    problem.sides = sides;
    all.push_back(problem);
  }
  return all;
}

TEST(Green, OwnKernelsAreSumsOverPairs) {
  const double softening = 0.05;
  const auto plummer = [=](double a, double b, double c) {
    return -1 / (4 * pi * std::sqrt(a * a + b * b + 2 * c * c + softening));
  };
  for (PoissonProblem problem : open_boxes()) {
    problem.green = Green::own(plummer);
    const std::vector<double> f = random_field(problem.shape);
    const double cell = 1.0 / 5 * 0.4 / 4 * 1.3 / 6;
    const auto wanted =
        summed(problem, f, [&](const std::array<double, 3>& x) { return cell * plummer(x[0], x[1], x[2]); });
    expect_near(solved(problem, f), wanted, 1e-13);
  }
}

TEST(Green, IntegratedKernelsAreSumsOverCells) {
  for (PoissonProblem problem : open_boxes()) {
    problem.green = Green::integrated();
    for (const double shift : {0.0, 4.0}) {
      problem.shift = shift;
      const std::vector<double> f = random_field(problem.shape), widths{1.0 / 5, 0.4 / 4, 1.3 / 6};
      const double cell = widths[0] * widths[1] * widths[2];
      const IntegratedKernel mean(widths, std::sqrt(shift));
      std::map<std::array<double, 3>, double> known;
      const auto kernel = [&](const std::array<double, 3>& x) {
        const auto found = known.find(x);
        return found != known.end() ? found->second : known[x] = cell * mean(x);
      };
      expect_near(solved(problem, f), summed(problem, f, kernel), 1e-11);
    }
  }
}

// Along closed axes f is a wave.
TEST(Green, KernelsOfWavesAndDistances) {
  for (const std::size_t closed : {0, 1, 2}) {
    for (const Pair& ends : {Pair{periodic, periodic}, Pair{odd, even}}) {
      for (const Stencil stencil : {Stencil::spectral, Stencil::second_order}) {
        PoissonProblem problem;
        problem.shape = {6, 6, 6};
        problem.lengths = {1, 1, 1};
        problem.sides = {{{open, open}, {open, open}, {open, open}}};
        problem.sides[closed] = ends;
        problem.stencil = stencil;
        const bool walls = ends[0] == odd;
        const double angle = walls ? pi / 2 * 3 : 2 * pi;  // of a length; the wave number
        const double k = stencil == Stencil::spectral ? angle : 12 * std::sin(angle / 12);
        std::vector<double> f = random_field({6, 6, 6});
        for_points(Box{{0, 0, 0}, problem.shape}, [&](const Shape& i) {
          Shape first = i;
          first[closed] = 0;
          const double x = (static_cast<double>(i[closed]) + 0.5) / 6;
          double& value = f[at(problem.shape, i)];
          // The first plane is the last one that changes.
          if (i[closed] > 0) value = f[at(problem.shape, first)] * std::sin(angle * x) / std::sin(angle / 12);
        });
        for (const bool integrated : {false, true}) {
          const IntegratedKernel mean(std::vector{1.0 / 6, 1.0 / 6}, k);
          const auto own = [=](std::array<double, 3> x) {
            const double wave = std::exchange(x[closed], 0.0);
            return std::cos(3 * distance(x)) / (1 + wave);
          };
          if (integrated) {
            problem.green = Green::integrated();
          } else {
            problem.green = Green::own([=](double a, double b, double c) { return own({a, b, c}); });
          }
          const auto kernel = [&](std::array<double, 3> x) {
            if (!integrated) {
              x[closed] = k;
              return own(x);
            }
            return mean(std::array{x[closed == 0 ? 1 : 0], x[closed == 2 ? 1 : 2]});
          };
          std::vector<double> wanted(f.size());
          std::map<std::array<double, 3>, double> known;
          for_points(Box{{0, 0, 0}, problem.shape}, [&](const Shape& i) {
            double sum = 0;
            for_points(Box{{0, 0, 0}, problem.shape}, [&](const Shape& j) {
              if (j[closed] != i[closed]) return;
              std::array<double, 3> x{};
              for (std::size_t a = 0; a < 3; ++a) x[a] = std::abs(static_cast<double>(i[a] - j[a])) / 6;
              const auto found = known.find(x);
              const double value = found != known.end() ? found->second : known[x] = kernel(x) / 36;
              sum += value * f[at(problem.shape, j)];
            });
            wanted[at(problem.shape, i)] = sum;
          });
          SCOPED_TRACE(testing::Message() << closed << ' ' << walls << ' ' << to_string(stencil) << ' ' << integrated);
          expect_near(solved(problem, f), wanted, 1e-11);
        }
      }
    }
  }
}

TEST(Green, OwnKernelsOfWavesNeedNoOpenSide) {
  PoissonProblem problem;
  problem.shape = {6, 5, 7};
  for (const Stencil stencil : {Stencil::spectral, Stencil::fourth_order}) {
    for (const std::array<Pair, 3>& sides :
         {std::array<Pair, 3>{}, {{{odd, even}, {periodic, periodic}, {even, even}}}}) {
      problem.stencil = stencil;
      problem.sides = sides;
      problem.shift = 3;
      problem.green = {};
      const std::vector<double> f = random_field(problem.shape), wanted = solved(problem, f);
      problem.shift = 0;
      problem.green = Green::own([](double a, double b, double c) { return -1 / (a * a + b * b + c * c + 3); });
      expect_near(solved(problem, f), wanted, 1e-12);
      EXPECT_FALSE(problem.singular());
    }
  }
}

/// A Gaussian's field at the distance r.
double of_gaussian(double r, double sigma) {
  return r == 0 ? -1 / (4 * pi * sigma) * std::sqrt(2 / pi) : -std::erf(r / (std::sqrt(2.0) * sigma)) / (4 * pi * r);
}

TEST(Green, RegularizedFieldsOfAPointAreThoseOfAGaussian) {
  PoissonProblem problem;
  problem.shape = {12, 10, 11};
  problem.lengths = {12, 10, 11};
  problem.sides = {{{open, open}, {open, open}, {open, open}}};
  problem.green = Green::regularized(2, 2.6);
  std::vector<double> f(12 * 10 * 11), wanted(f.size());
  f[at(problem.shape, {3, 9, 4})] = 1;
  for_points(Box{{0, 0, 0}, problem.shape}, [&](const Shape& i) {
    wanted[at(problem.shape, i)] = of_gaussian(distance({double(i[0] - 3), double(i[1] - 9), double(i[2] - 4)}), 2.6);
  });
  expect_near(solved(problem, f), wanted, 1e-11);
}

TEST(Green, RegularizedFieldsAreOfTheirOrder) {
  PoissonProblem problem;
  const Index n = 32;
  problem.shape = {n, n, n};
  problem.sides = {{{open, open}, {open, open}, {open, open}}};
  const double sigma = 0.06;
  std::vector<double> f(n * n * n), wanted(f.size());
  for_points(Box{{0, 0, 0}, problem.shape}, [&](const Shape& i) {
    const double r =
        distance({double(2 * i[0] - n) / (2 * n), double(2 * i[1] - n) / (2 * n), double(2 * i[2] - n) / (2 * n)});
    f[at(problem.shape, i)] = std::exp(-r * r / (2 * sigma * sigma)) / std::pow(2 * pi * sigma * sigma, 1.5);
    wanted[at(problem.shape, i)] = of_gaussian(r, sigma);
  });
  for (const int order : {2, 4, 6}) {
    const auto error = [&](double width) {
      problem.green = Green::regularized(order, width);
      const std::vector<double> u = solved(problem, f);
      double largest = 0;
      for (std::size_t i = 0; i < u.size(); ++i) largest = std::max(largest, std::abs(u[i] - wanted[i]));
      return largest;
    };
    const double coarse = error(0.018), fine = error(0.009);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.4) << order;
  }
}

TEST(Green, BadKernelsAreRefused) {
  PoissonProblem problem;
  problem.shape = {4, 4, 4};
  problem.sides = {{{open, open}, {open, open}, {periodic, periodic}}};
  const auto refused = [](const PoissonProblem& one, const std::vector<std::string>& words) {
    expect_common_error([&] { Poisson<double>(one, MPI_COMM_WORLD); }, words);
  };
  const auto with = [&](const Green& green) {
    PoissonProblem one = problem;
    one.green = green;
    return one;
  };
  refused(with(Green::regularized(3)), {"green_order is 3", "2, 4, 6, 8 and 10"});
  refused(with(Green::regularized(2, -1)), {"green_width is -1", "allowed are"});
  refused(with(Green::regularized(2, 1.5)), {"green_width is 1.5", "up to the longest length, 1"});
  PoissonProblem bad = with(Green::regularized());
  bad.stencil = Stencil::second_order;
  refused(bad, {"green is regularized", "second_order", "spectral is allowed"});
  bad = with(Green::integrated());
  bad.sides = {};
  refused(bad, {"green is integrated", "none is open"});
  const auto one = [](double, double, double) { return 1.0; };
  bad = with(Green::own(one));
  bad.shift = 2;
  refused(bad, {"green is own", "shift 2"});
  bad = with({.kind = Green::Kind::own});
  refused(bad, {"green is own", "no function"});
  bad = with(Green::own(one));
  bad.sides = {{{even, even}, {odd, odd}, {odd, odd}}};
  bad.spacings[0] = {1, 2, 3, 4};
  refused(bad, {"green is own", "axis 0 has spacings"});
  refused(with(Green::own([](double a, double b, double) { return 1 / (a + b); })),
          {"kernel is inf at 0, 0, 0", "finite"});
  refused(with(Green::own([](double a, double, double) -> double {
            if (a > 0.9) throw Error("too far for me");
            return 1;
          })),
          {"too far for me"});
  PoissonProblem walls;
  walls.sides[0] = {odd, odd};
  walls.shape = {4, 4, 4};
  walls.stencil = Stencil::second_order;
  walls.green = Green::own(one);
  Poisson<double> solver(walls, MPI_COMM_WORLD);
  EXPECT_THROW(solver.set_wall(0, 0, std::vector<double>(16, 1.0)), Error);
  expect_common_error([&] { solver.set_shift(1); }, {"green is own", "shift 1"});
}

}  // namespace
