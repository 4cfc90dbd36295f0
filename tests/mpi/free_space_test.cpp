// Poisson's and Helmholtz's equation where some axes are open, against fields that are known.
#include "operator/free_space.hpp"

#include <cmath>
#include <numbers>

#include "operator/truncated_kernel.hpp"
#include "support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4});

using namespace weft;
using namespace weft::test;
using detail::FreeAxis;

/// The kernel's spectrum by its definition: Simpson's rule.
double integrated(int dimensions, double radius, double kappa, double s) {
  const int steps = 200000;
  const double step = radius / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double r = std::max(i * step, 1e-12 * step), weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    double value = 0;
    if (dimensions == 1) value = (kappa == 0 ? r : -std::exp(-kappa * r) / kappa) * std::cos(s * r);
    if (dimensions == 2) value = (kappa == 0 ? std::log(r) : -std::cyl_bessel_k(0, kappa * r)) * ::j0(s * r) * r;
    if (dimensions == 3) value = -std::exp(-kappa * r) * (s == 0 ? r : std::sin(s * r) / s);
    sum += weight * value;
  }
  return sum * step / 3;
}

TEST(FreeSpace, SpectraOfKernelsAreTheirIntegrals) {
  if (rank_of() > 0) return;
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    for (const double kappa : {0.0, 1e-4, 0.03, 0.7, 5.0, 400.0}) {
      for (const double s : {0.0, 3.0, 41.0}) {
        const double wanted = integrated(dimensions, 1.7, kappa, s);
        EXPECT_NEAR(detail::TruncatedKernel(dimensions, 1.7, kappa)(s), wanted,
                    1e-7 * std::abs(wanted) + (dimensions == 2 ? 1e-8 : 1e-10))
            << dimensions << ' ' << kappa << ' ' << s;
      }
    }
  }
}

/// How the field ends along an axis.
enum class Ends { periodic, walls, open, mirror };

constexpr double width = 0.06;

/// u and its second derivative along an axis of length 1.
std::array<double, 2> factor(Ends ends, double x) {
  const double pi = std::numbers::pi;
  if (ends == Ends::periodic) return {std::cos(2 * pi * x + 0.3), -4 * pi * pi * std::cos(2 * pi * x + 0.3)};
  if (ends == Ends::walls) return {std::sin(pi * x), -pi * pi * std::sin(pi * x)};
  const auto gauss = [](double t) -> std::array<double, 2> {
    const double value = std::exp(-t * t / (2 * width * width));
    return {value, value * (t * t / (width * width) - 1) / (width * width)};
  };
  if (ends == Ends::open) return gauss(x - 0.46);
  const auto [a, a2] = gauss(x - 0.2);  // and its image in a wall at 0
  const auto [b, b2] = gauss(x + 0.2);
  return {a + b, a2 + b2};
}

void check(const std::array<Ends, 3>& ends, double shift) {
  const bool walls =
      std::any_of(ends.begin(), ends.end(), [](Ends end) { return end == Ends::walls || end == Ends::mirror; });
  Problem problem;
  std::array<FreeAxis, 3> axes;
  Shape points{};
  for (std::size_t a = 0; a < 3; ++a) {
    const bool gauss = ends[a] == Ends::open || ends[a] == Ends::mirror;
    points[a] = gauss ? 44 : 4 + static_cast<Index>(a);
    problem.shape[a] = gauss ? 2 * points[a] : points[a];
    problem.lengths[a] = gauss ? 2 : 1;
    if (gauss) problem.points[a] = points[a];
    Line& line = problem.kind.lines[a];
    line = walls ? Line::dht : a == 2 ? Line::half_dft : Line::dft;
    if (ends[a] == Ends::walls) line = Line::dst2;
    if (ends[a] == Ends::mirror) line = Line::dct2;
    axes[a].open = gauss;
    axes[a].spacing = 1.0 / static_cast<double>(points[a]);
    axes[a].reach = ends[a] == Ends::mirror ? 2 * points[a] : points[a];
    axes[a].period = 2 * axes[a].reach;
    if (!gauss) {
      for (const double k : wavenumbers(line, points[a], 1)) axes[a].squares.push_back(k * k);
    }
  }
  auto table = std::make_shared<detail::FreeSpaceTable<double>>(axes, Stencil::spectral);
  Operator<double> op(problem, detail::in_free_space<double>(table), MPI_COMM_WORLD);
  table->fill(op.plan(), MPI_COMM_WORLD, shift);
  std::vector<double> wanted, in;
  const Box box = op.plan().input_box();
  const auto x = [&](std::size_t a, Index i) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(points[a]);
  };
  for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
      for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        const auto a = factor(ends[0], x(0, i)), b = factor(ends[1], x(1, j)), c = factor(ends[2], x(2, k));
        const double u = a[0] * b[0] * c[0];
        wanted.push_back(u);
        in.push_back(a[1] * b[0] * c[0] + a[0] * b[1] * c[0] + a[0] * b[0] * c[1] - shift * u);
      }
    }
  }
  std::vector<double> out(in.size());
  op(in, out);
  double error = 0;
  for (std::size_t i = 0; i < out.size(); ++i) error = std::max(error, std::abs(out[i] - wanted[i]));
  EXPECT_LT(error, 1e-9);
}

TEST(FreeSpace, FieldsBetweenAllEndsAreThoseOfTheEquation) {
  constexpr std::array all{Ends::periodic, Ends::walls, Ends::open, Ends::mirror};
  for (const Ends a : all) {
    for (const Ends b : all) {
      for (const Ends c : all) {
        const auto open = [](Ends end) { return end == Ends::open || end == Ends::mirror; };
        const int count = open(a) + open(b) + open(c);
        if (count == 0 || (size_of() > 1 && count == 3 && a != c)) continue;
        SCOPED_TRACE(testing::Message() << int(a) << ' ' << int(b) << ' ' << int(c));
        check({a, b, c}, 0);
        check({a, b, c}, 3);
      }
    }
  }
}

}  // namespace
