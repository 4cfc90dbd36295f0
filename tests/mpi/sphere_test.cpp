// Transforms of a sphere against sums over all plane waves of the full box, with explicit zeroes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "guard.hpp"
#include "matrix.hpp"
#include "support.hpp"
#include "weft/sphere.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 5, 9});

using namespace weft;
using weft::test::rank_of;
using weft::test::size_of;

#define EXPECT_TELLS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

using Grid = std::array<Index, 3>;
using Long = std::complex<double>;

/// A field on the whole grid, [z][y][x].
struct Field {
  Grid n;
  std::vector<Long> at;
  explicit Field(const Grid& grid) : n(grid), at(static_cast<std::size_t>(grid[0] * grid[1] * grid[2])) {}
  Long& operator()(const GVector& g) {
    const auto place = [&](std::size_t axis) { return ((g[axis] % n[axis]) + n[axis]) % n[axis]; };
    return at[static_cast<std::size_t>((place(2) * n[1] + place(1)) * n[0] + place(0))];
  }
};

/// The sums themselves, axis by axis.
Field transformed(const Field& in, int sign) {
  Field field = in;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Field next(in.n);
    const Index n = in.n[axis];
    std::vector<Long> root;
    for (Index k = 0; k < n; ++k) {
      root.push_back(std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
    }
    GVector g;
    for (g[2] = 0; g[2] < in.n[2]; ++g[2]) {
      for (g[1] = 0; g[1] < in.n[1]; ++g[1]) {
        for (g[0] = 0; g[0] < in.n[0]; ++g[0]) {
          Long sum = 0;
          GVector from = g;
          for (from[axis] = 0; from[axis] < n; ++from[axis]) {
            sum += field(from) * root[static_cast<std::size_t>(from[axis] * g[axis] % n)];
          }
          next(g) = sum;
        }
      }
    }
    field = next;
  }
  return field;
}

/// A sphere of any shape and its distribution.
struct Sphere {
  Grid grid{1, 1, 1};
  bool gamma = false;
  std::vector<std::vector<GVector>> waves;                     ///< of each rank
  std::optional<std::vector<std::vector<GVector>>> results{};  ///< if others come back
  std::array<Index, 2> beyond{0, 0};  ///< points of a row, and rows of a plane, in memory beyond the grid's
};

GVector mirrored(const GVector& g, const Grid& n) {
  return {(n[0] - g[0]) % n[0], (n[1] - g[1]) % n[1], (n[2] - g[2]) % n[2]};
}

/// Columns of random lengths on random ranks, or where they are already; at Gamma one of each pair, whichever, and
/// sometimes both.
std::vector<std::vector<GVector>> random_waves(const Grid& grid, bool gamma, double filled, std::mt19937& random,
                                               std::map<std::array<Index, 2>, std::size_t>& rank_of_column) {
  const auto chance = [&](double p) { return std::uniform_real_distribution<double>(0, 1)(random) < p; };
  std::vector<std::vector<GVector>> of_ranks(static_cast<std::size_t>(size_of()));
  std::set<GVector> seen;
  std::uniform_int_distribution<std::size_t> any(0, of_ranks.size() - 1);
  GVector g;
  for (g[1] = 0; g[1] < grid[1]; ++g[1]) {
    for (g[0] = 0; g[0] < grid[0]; ++g[0]) {
      if (!chance(filled)) continue;
      for (g[2] = 0; g[2] < grid[2]; ++g[2]) {
        if (!chance(0.5)) continue;
        const GVector other = mirrored(g, grid);
        if (gamma && seen.contains(other)) continue;
        seen.insert(g);
        const auto column =
            gamma ? std::min(std::array{g[0], g[1]}, std::array{other[0], other[1]}) : std::array{g[0], g[1]};
        const std::size_t rank = rank_of_column.try_emplace(column, any(random)).first->second;
        auto& mine = of_ranks[rank];
        mine.push_back(gamma && chance(0.5) ? other : g);
        if (gamma && other != g && chance(0.1)) mine.push_back(mine.back() == g ? other : g);
      }
    }
  }
  for (auto& waves : of_ranks) {
    std::shuffle(waves.begin(), waves.end(), random);
    for (GVector& wave : waves) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (2 * wave[axis] >= grid[axis] && chance(0.5)) wave[axis] -= grid[axis];
      }
    }
  }
  return of_ranks;
}

/// A sphere of such columns; `others`: other waves come back than are given.
Sphere random_sphere(const Grid& grid, bool gamma, double filled, unsigned seed, bool others = false) {
  std::mt19937 random(seed);
  std::map<std::array<Index, 2>, std::size_t> rank_of_column{{{0, 0}, static_cast<std::size_t>(size_of() - 1)}};
  Sphere sphere{grid, gamma, random_waves(grid, gamma, filled, random, rank_of_column)};
  const auto none = [](const std::vector<GVector>& waves) { return waves.empty(); };
  if (std::all_of(sphere.waves.begin(), sphere.waves.end(), none)) sphere.waves.back().push_back({0, 0, 0});
  if (others) sphere.results = random_waves(grid, gamma, filled, random, rank_of_column);
  return sphere;
}

SphereWaves waves_of(const Sphere& sphere, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return sphere.results ? SphereWaves(sphere.waves[r], (*sphere.results)[r]) : SphereWaves(sphere.waves[r]);
}

/// Any number that depends on the point and the band only; at Gamma with the symmetry of a real field.
Long coefficient(const GVector& g, const Sphere& sphere, Index band) {
  const auto raw = [&](const GVector& h) {
    Index hash = band * 7919 + 17;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index n = sphere.grid[axis];
      hash = (hash * 31 + (h[axis] % n + n) % n) % 100003;
    }
    return Long(std::sin(static_cast<double>(hash)), std::cos(1.7 * static_cast<double>(hash)));
  };
  if (!sphere.gamma) return raw(g);
  const Grid& n = sphere.grid;
  const GVector h{(g[0] + n[0]) % n[0], (g[1] + n[1]) % n[1], (g[2] + n[2]) % n[2]};
  return (raw(h) + std::conj(raw(mirrored(h, n)))) / 2.0;
}

Field spectrum(const Sphere& sphere, Index band) {
  Field field(sphere.grid);
  for (const auto& waves : sphere.waves) {
    for (const GVector& g : waves) {
      const Long value = coefficient(g, sphere, band);
      field(g) = value;
      if (sphere.gamma) field({-g[0], -g[1], -g[2]}) = std::conj(value);
    }
  }
  return field;
}

/// Points of a rank's part of space.
struct Points {
  Grid grid;
  Box box;
  Shape extents;
  explicit Points(const SpherePlan& plan)
      : grid(plan.problem().grid), box(plan.space_box()), extents(plan.space_extents()) {}
  Index row(Index i) const { return i / grid[0]; }
  /// Which one of all it is.
  Index global(Index i) const {
    return ((box.lo[0] + row(i) / box.extent(1)) * grid[1] + box.lo[1] + row(i) % box.extent(1)) * grid[0] +
           i % grid[0];
  }
  /// Where it lies.
  std::size_t place(Index i) const {
    return static_cast<std::size_t>((row(i) / box.extent(1) * extents[1] + row(i) % box.extent(1)) * extents[2] +
                                    i % grid[0]);
  }
};

double potential(Index i) { return 1 + 0.5 * std::sin(0.37 * static_cast<double>(i)); }
/// The imaginary part of a complex one.
double absorption(Index i) { return 0.4 * std::cos(0.71 * static_cast<double>(i)); }

/// Runs everything that a sphere can, and compares.
template <class Real, class Space>
void check(const Sphere& sphere, const Options& options, Index howmany, Index bands,
           std::optional<Options> forward = std::nullopt, std::optional<Index> planes = std::nullopt,
           Index more_waves = 0, Index more_points = 0) {
  using Complex = std::complex<Real>;
  SphereProblem problem{.grid = sphere.grid, .gamma = sphere.gamma, .howmany = howmany};
  problem.normalization = Normalization::forward;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (sphere.beyond[axis] > 0) problem.padded[axis] = sphere.grid[axis] + sphere.beyond[axis];
  }
  const auto& mine = sphere.waves[static_cast<std::size_t>(rank_of())];
  const auto& theirs = sphere.results ? (*sphere.results)[static_cast<std::size_t>(rank_of())] : mine;
  SphereTransform<Real> transform(problem, waves_of(sphere, rank_of()), MPI_COMM_WORLD, options, forward, planes);
  const Points part(transform.plan());
  const Box box = part.box;
  const Range here = transform.bands_here(bands);  // in space
  const auto [nx, ny, nz] = sphere.grid;
  const double points = static_cast<double>(nx * ny * nz);
  const auto global = [&part](Index i) { return part.global(i); };
  const auto place = [&part](Index i) { return part.place(i); };
  std::vector<bool> is_point(static_cast<std::size_t>(transform.plan().space_size()));
  for (Index i = 0; i < box.count(); ++i) is_point[place(i)] = true;
  const auto count = static_cast<Index>(mine.size()), results = static_cast<Index>(theirs.size());
  // One after the other, or both lists equally far apart.
  const Index most = std::max(count, results);
  const Index waves_apart = more_waves > 0 ? most + more_waves : count;
  const Index results_apart = more_waves > 0 ? waves_apart : results, points_apart = std::ssize(is_point) + more_points;
  const Bands layout{bands, more_waves > 0 ? waves_apart : 0, more_points > 0 ? points_apart : 0};
  const double tolerance = (sizeof(Real) == 8 ? 1e-14 : 5e-6) * std::sqrt(points) * 4;

  std::vector<Complex> waves(static_cast<std::size_t>(bands * waves_apart), Complex(77));
  for (Index band = 0; band < bands; ++band) {
    for (Index i = 0; i < count; ++i) {
      const Long value = coefficient(mine[static_cast<std::size_t>(i)], sphere, band);
      waves[static_cast<std::size_t>(band * waves_apart + i)] = {static_cast<Real>(value.real()),
                                                                 static_cast<Real>(value.imag())};
    }
  }
  std::vector<Space> space(static_cast<std::size_t>((here.hi - here.lo) * points_apart), Space(55));
  // What lies beyond the points is not read.
  std::vector<Real> v(is_point.size(), std::numeric_limits<Real>::quiet_NaN()), rho(is_point.size(), Real(1));
  for (Index i = 0; i < box.count(); ++i) v[place(i)] = static_cast<Real>(potential(global(i)));
  std::vector<double> weights, others;
  for (Index band = 0; band < bands; ++band) {
    weights.push_back(0.5 + static_cast<double>(band));
    others.push_back(2.0 - static_cast<double>(band));
  }
  std::vector<Complex> back(static_cast<std::size_t>(bands * results_apart), Complex(33)), applied = back;

  for (int repeat = 0; repeat < 2; ++repeat) {
    transform.backward(waves.data(), space.data(), layout);
    transform.forward(space.data(), back.data(), layout);
    transform.apply(v.data(), waves.data(), applied.data(), layout);
  }
  transform.density(waves.data(), weights.data(), rho.data(), layout);
  const bool both_in_place = more_waves > 0 || !sphere.results;
  std::vector<Complex> in_place = waves;
  if (both_in_place) transform.apply(v.data(), in_place.data(), in_place.data(), layout);
  Bands adding = layout;
  adding.accumulate = true;
  std::vector<Complex> added(back.size(), Complex(2, 1)), back_added = added, added_in_place = waves;
  transform.apply(v.data(), waves.data(), added.data(), adding);
  if (both_in_place) transform.apply(v.data(), added_in_place.data(), added_in_place.data(), adding);
  transform.forward(space.data(), back_added.data(), adding);
  std::vector<Complex> complex_v(v.begin(), v.end()), absorbed(back.size(), Complex(33));
  for (Index i = 0; i < box.count(); ++i) complex_v[place(i)].imag(static_cast<Real>(absorption(global(i))));
  if (!sphere.gamma) transform.apply(complex_v.data(), waves.data(), absorbed.data(), layout);

  std::vector<double> sum(rho.size(), 1), sum_of_parts(rho.size());
  for (Index band = 0; band < bands; ++band) {
    Field given = spectrum(sphere, band);
    const Field expected = transformed(given, +1);
    Field product = expected, complex_product = expected;
    for (std::size_t i = 0; i < product.at.size(); ++i) {
      const auto at = static_cast<Index>(i);
      product.at[i] *= potential(at) / points;
      complex_product.at[i] *= Long(potential(at), absorption(at)) / Long(points);
    }
    product = transformed(product, -1);
    if (!sphere.gamma) complex_product = transformed(complex_product, -1);
    for (Index i = 0; i < box.count(); ++i) {
      const Long wanted = expected.at[static_cast<std::size_t>(global(i))];
      if (band >= here.lo && band < here.hi) {
        const auto got = static_cast<Long>(space[static_cast<std::size_t>((band - here.lo) * points_apart) + place(i)]);
        ASSERT_LT(std::abs(got - wanted), tolerance) << "point " << i << " of band " << band;
      }
      sum[place(i)] += weights[static_cast<std::size_t>(band)] * std::norm(wanted);
      sum_of_parts[place(i)] += weights[static_cast<std::size_t>(band)] * std::pow(wanted.real(), 2) +
                                others[static_cast<std::size_t>(band)] * std::pow(wanted.imag(), 2);
    }
    for (Index i = 0; i < results; ++i) {
      const GVector& g = theirs[static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(band * results_apart + i);
      const auto near = [&](const Complex& got, const Long& wanted, const char* what) {
        ASSERT_LT(std::abs(static_cast<Long>(got) - wanted), tolerance)
            << what << ", wave " << i << " of band " << band;
      };
      near(back[at], given(g), "forward");
      near(applied[at], product(g), "apply");
      if (both_in_place) near(in_place[at], product(g), "apply in place");
      if (!sphere.gamma) near(absorbed[at], complex_product(g), "apply of a complex v");
      near(added[at], Long(2, 1) + product(g), "added");
      if (both_in_place) {
        // To what was there: of this list's place in the array, the other's number, or none.
        const Long before = i < count ? coefficient(mine[static_cast<std::size_t>(i)], sphere, band) : Long(77);
        near(added_in_place[at], before + product(g), "added in place");
      }
      near(back_added[at], Long(2, 1) + given(g), "forward, added");
    }
    for (Index i = results; i < results_apart; ++i) {
      ASSERT_EQ(back[static_cast<std::size_t>(band * results_apart + i)], Complex(33)) << "written between bands";
      ASSERT_EQ(added[static_cast<std::size_t>(band * results_apart + i)], Complex(2, 1)) << "written between bands";
    }
    for (Index i = 0; i < points_apart && band >= here.lo && band < here.hi; ++i) {
      if (i < std::ssize(is_point) && is_point[static_cast<std::size_t>(i)]) continue;
      ASSERT_EQ(space[static_cast<std::size_t>((band - here.lo) * points_apart + i)], Space(55))
          << "written between points or bands";
    }
  }
  for (std::size_t i = 0; i < rho.size(); ++i) {
    if (!is_point[i]) {
      ASSERT_EQ(rho[i], Real(1)) << "written between points";
    }
    ASSERT_LT(std::abs(rho[i] - sum[i]), tolerance * (1 + sum[i])) << "density at " << i;
  }
  const Statistics statistics = transform.statistics();
  EXPECT_EQ(statistics.executions, (sphere.gamma ? 11 : 12) - (both_in_place ? 0 : 2));
  std::vector<Real> parts(rho.size(), Real(0));
  if (bands == 0) return;
  const auto by_parts = [&] {
    transform.density_by_parts(waves.data(), weights.data(), others.data(), parts.data(), layout);
  };
  if (sphere.gamma) {
    weft::test::expect_common_error(by_parts, {"weights of imaginary parts", "gamma"});
    return;
  }
  by_parts();
  for (std::size_t i = 0; i < rho.size(); ++i) {
    ASSERT_LT(std::abs(parts[i] - sum_of_parts[i]), tolerance * (1 + sum[i])) << "density by parts at " << i;
  }
}

/// What is called with four fields, of spinors.
template <class Real>
void check_spinors(const Sphere& sphere, const Options& options, Index howmany, Index spinors, Index more_waves = 0) {
  using Complex = std::complex<Real>;
  const Index bands = 2 * spinors;
  SphereProblem problem{.grid = sphere.grid, .howmany = howmany, .normalization = Normalization::forward};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (sphere.beyond[axis] > 0) problem.padded[axis] = sphere.grid[axis] + sphere.beyond[axis];
  }
  problem.spinors = true;
  SphereTransform<Real> transform(problem, waves_of(sphere, rank_of()), MPI_COMM_WORLD, options);
  EXPECT_EQ(transform.plan().problem().howmany, (howmany + 1) / 2 * 2);
  const Range here = transform.bands_here(bands);
  EXPECT_TRUE(here.lo % 2 == 0 && here.hi % 2 == 0) << "components of a spinor are apart";
  const Points part(transform.plan());
  const auto size = static_cast<std::size_t>(transform.plan().space_size());
  const auto& mine = sphere.waves[static_cast<std::size_t>(rank_of())];
  const auto& theirs = sphere.results ? (*sphere.results)[static_cast<std::size_t>(rank_of())] : mine;
  const Index count = std::ssize(mine), results = std::ssize(theirs);
  Bands layout{bands, count + more_waves};
  layout.results_apart = results + more_waves;
  const auto points = static_cast<double>(sphere.grid[0] * sphere.grid[1] * sphere.grid[2]);
  const double tolerance = (sizeof(Real) == 8 ? 1e-14 : 5e-6) * std::sqrt(points) * 4;

  std::vector<Complex> waves(static_cast<std::size_t>(bands * layout.waves_apart), Complex(77));
  for (Index band = 0; band < bands; ++band) {
    for (Index i = 0; i < count; ++i) {
      waves[static_cast<std::size_t>(band * layout.waves_apart + i)] =
          static_cast<Complex>(coefficient(mine[static_cast<std::size_t>(i)], sphere, band));
    }
  }
  // V11, V22 and V12 of a point.
  const auto one_one = [](Index i) { return potential(i); };
  const auto two_two = [](Index i) { return potential(3 * i + 1) - 1.5; };
  const auto one_two = [](Index i) { return Long(absorption(i), absorption(2 * i + 5)); };
  std::vector<Real> v(4 * size, std::numeric_limits<Real>::quiet_NaN()), rho(4 * size, Real(1));
  for (Index i = 0; i < part.box.count(); ++i) {
    const Index at = part.global(i);
    const std::array<double, 4> fields{one_one(at), two_two(at), one_two(at).real(), one_two(at).imag()};
    for (std::size_t field = 0; field < 4; ++field) v[field * size + part.place(i)] = static_cast<Real>(fields[field]);
  }
  std::vector<double> weights;
  for (Index band = 0; band < bands; ++band) weights.push_back(0.5 + static_cast<double>(band));
  std::vector<Complex> applied(static_cast<std::size_t>(bands * layout.results_apart), Complex(33));
  std::vector<Complex> added(applied.size(), Complex(2, 1)), in_place = waves;
  transform.apply(v.data(), waves.data(), applied.data(), layout);
  Bands adding = layout;
  adding.accumulate = true;
  transform.apply(v.data(), waves.data(), added.data(), adding);
  if (!sphere.results) transform.apply(v.data(), in_place.data(), in_place.data(), layout);
  transform.density(waves.data(), weights.data(), rho.data(), layout);

  std::vector<double> sums(rho.size(), 1);
  for (Index spinor = 0; spinor < spinors; ++spinor) {
    std::array<Field, 2> psi{transformed(spectrum(sphere, 2 * spinor), +1),
                             transformed(spectrum(sphere, 2 * spinor + 1), +1)};
    const double weight = weights[static_cast<std::size_t>(2 * spinor)];
    for (Index i = 0; i < part.box.count(); ++i) {
      const auto at = static_cast<std::size_t>(part.global(i));
      const Long one = psi[0].at[at], two = psi[1].at[at], both = one * std::conj(two);
      const std::array<double, 4> n{std::norm(one), std::norm(two), both.real(), both.imag()};
      for (std::size_t field = 0; field < 4; ++field) sums[field * size + part.place(i)] += weight * n[field];
    }
    for (std::size_t i = 0; i < psi[0].at.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const Long one = psi[0].at[i] / points, two = psi[1].at[i] / points;
      psi[0].at[i] = one_one(at) * one + one_two(at) * two;
      psi[1].at[i] = std::conj(one_two(at)) * one + two_two(at) * two;
    }
    for (Index component = 0; component < 2; ++component) {
      Field product = transformed(psi[static_cast<std::size_t>(component)], -1);
      const Index band = 2 * spinor + component;
      for (Index i = 0; i < results; ++i) {
        const Long wanted = product(theirs[static_cast<std::size_t>(i)]);
        const auto at = static_cast<std::size_t>(band * layout.results_apart + i);
        const auto near = [&](const Complex& got, const Long& expected, const char* what) {
          ASSERT_LT(std::abs(static_cast<Long>(got) - expected), tolerance)
              << what << ", wave " << i << " of band " << band;
        };
        near(applied[at], wanted, "apply to spinors");
        near(added[at], Long(2, 1) + wanted, "added");
        if (!sphere.results) near(in_place[at], wanted, "in place");
      }
      for (Index i = results; i < layout.results_apart; ++i) {
        ASSERT_EQ(applied[static_cast<std::size_t>(band * layout.results_apart + i)], Complex(33))
            << "written between bands";
      }
    }
  }
  for (std::size_t i = 0; i < rho.size(); ++i) {
    ASSERT_LT(std::abs(rho[i] - sums[i]), tolerance * (1 + std::abs(sums[i]))) << "density matrix at " << i;
  }
}

bool few_ranks() { return size_of() <= 2; }

void check_all(const Sphere& sphere, const Options& options, Index howmany, Index bands) {
  // Where there are many ranks, they take turns on few cores: the precisions take turns, too.
  static int calls = 0;
  const bool both = few_ranks(), second = ++calls % 2 == 0;
  if (sphere.gamma) {
    if (both || !second) check<double, double>(sphere, options, howmany, bands);
    if (both || second) check<float, float>(sphere, options, howmany, bands);
  } else {
    if (both || !second) check<double, std::complex<double>>(sphere, options, howmany, bands);
    if (both || second) check<float, std::complex<float>>(sphere, options, howmany, bands);
  }
}

Options with(std::initializer_list<std::pair<const char*, const char*>> settings) {
  Options options;
  options.effort = Effort::estimate;
  for (const auto& [name, value] : settings) options.set(name, value);
  return options;
}

TEST(Sphere, EveryStrategy) {
  unsigned seed = 0;
  for (const std::string& strategy : weft::test::strategies_on(MPI_COMM_WORLD)) {
    for (const bool gamma : {false, true}) {
      SCOPED_TRACE(strategy + (gamma ? ", gamma" : ""));
      if (few_ranks()) {
        check_all(random_sphere({9, 8, 10}, gamma, 0.3, ++seed), with({{"strategy", strategy.c_str()}}), 2, 3);
      }
      check_all(
          random_sphere({6, 7, 5}, gamma, 0.5, ++seed),
          with({{"strategy", strategy.c_str()}, {"tile", "3"}, {"fields", "1"}, {"window", "2"}, {"node_size", "2"}}),
          3, 4);
    }
  }
}

TEST(Sphere, AwkwardGrids) {
  unsigned seed = 100;
  for (const Grid& grid :
       {Grid{1, 1, 1}, Grid{2, 1, 3}, Grid{1, 5, 1}, Grid{11, 13, 2}, Grid{17, 4, 1}, Grid{4, 4, 19}}) {
    for (const bool gamma : {false, true}) {
      SCOPED_TRACE(::testing::Message() << grid[0] << " x " << grid[1] << " x " << grid[2] << (gamma ? ", gamma" : ""));
      for (const double filled : {0.0, 0.2, 1.0}) {
        if (few_ranks() || filled == 0.2) check_all(random_sphere(grid, gamma, filled, ++seed), with({}), 1, 1);
      }
    }
  }
}

// Ranks share planes, by all ways in which they make a grid.
TEST(Sphere, ProcessGrids) {
  int which = 0;
  const std::vector<std::string> all = weft::test::strategies_on(MPI_COMM_WORLD);
  for (int rows = 1; rows <= size_of(); ++rows) {
    if (size_of() % rows != 0) continue;
    const std::string grid = std::to_string(rows) + 'x' + std::to_string(size_of() / rows);
    SCOPED_TRACE(grid);
    for (const Grid& n : {Grid{9, 6, 8}, Grid{4, 5, 1}, Grid{2, 1, 3}}) {
      for (const bool gamma : {false, true}) {
        const std::string strategy = all[static_cast<std::size_t>(which++) % all.size()];
        SCOPED_TRACE(strategy);
        const Sphere sphere = random_sphere(n, gamma, 0.4, static_cast<unsigned>(30 + which));
        check_all(sphere, with({{"process_grid", grid.c_str()}, {"strategy", strategy.c_str()}, {"tile", "2"}}), 2, 3);
      }
    }
    const Sphere sphere = random_sphere({8, 6, 7}, false, 0.4, 50);
    check<double, Long>(sphere, with({{"process_grid", grid.c_str()}, {"tile", "2"}, {"strategy", "pairwise"}}), 2, 3,
                        with({{"tile", "3"}, {"window", "3"}, {"strategy", "padded"}}), std::nullopt, 5, 3);
  }
}

TEST(Sphere, BandsComeInAnyNumber) {
  for (const bool gamma : {false, true}) {
    const Sphere sphere = random_sphere({8, 6, 7}, gamma, 0.4, 7);
    for (const Index bands : {0, 1, 3, 4, 9}) {
      SCOPED_TRACE(bands);
      check_all(sphere, with({{"strategy", "pairwise"}, {"fields", "3"}}), 4, bands);
      check_all(sphere, with({{"strategy", "ialltoallv"}, {"fields", "1"}, {"tests", "2"}, {"threads", "2"}}), 4,
                bands);
    }
  }
}

TEST(Sphere, BandsMayBeApart) {
  check<double, Long>(random_sphere({8, 6, 7}, false, 0.4, 8), with({}), 2, 3, std::nullopt, std::nullopt, 5, 3);
  check<double, double>(random_sphere({8, 6, 7}, true, 0.4, 8), with({}), 2, 3, std::nullopt, std::nullopt, 5, 3);
}

TEST(Sphere, RowsAndPlanesMayBeApart) {
  for (const bool gamma : {false, true}) {
    Sphere sphere = random_sphere({8, 6, 7}, gamma, 0.4, 11);
    for (const std::array<Index, 2> beyond : {std::array<Index, 2>{1, 0}, {0, 2}, {3, 1}}) {
      SCOPED_TRACE(::testing::Message() << beyond[0] << ", " << beyond[1] << (gamma ? ", gamma" : ""));
      sphere.beyond = beyond;
      check_all(sphere, with({}), 2, 3);
      check_all(sphere, with({{"strategy", "pairwise"}, {"tile", "2"}, {"threads", "2"}}), 3, 4);
      if (size_of() % 2 == 0) {
        const std::string grid = std::to_string(size_of() / 2) + "x2";
        check_all(sphere, with({{"process_grid", grid.c_str()}}), 2, 3);
        check_all(sphere, with({{"groups", "2"}}), 2, 3);
      }
      if (gamma) continue;
      check<double, Long>(sphere, with({}), 2, 3, std::nullopt, std::nullopt, 5, 3);
    }
  }
  const auto refused = [](const Grid& grid, const std::array<Index, 2>& padded) {
    return weft::test::common_error([&] {
      SphereTransform<double>({.grid = grid, .padded = padded}, std::vector<GVector>{{rank_of(), 0, 0}},
                              MPI_COMM_WORLD);
    });
  };
  const Grid grid{16, 6, 32};
  EXPECT_NE(refused(grid, {15, 6}).find("padded is 15 x 6; rows of at least the grid's 16 points"), std::string::npos);
  EXPECT_NE(refused(grid, {16, 5}).find("padded is 16 x 5; planes of at least 6 rows"), std::string::npos);
  EXPECT_NE(refused(grid, {16, -1}).find("padded is 16 x -1; "), std::string::npos);
  EXPECT_NE(refused(grid, {Index{1} << 62, 0}).find("padded: the size of a band in bytes"), std::string::npos);
  if (size_of() > 1) {
    const std::string differ = refused(grid, {16 + rank_of(), 0});
    EXPECT_NE(differ.find("padded=17 x 0"), std::string::npos) << differ;
  }
}

TEST(Sphere, DirectionsHaveTilesOfTheirOwn) {
  const Sphere sphere = random_sphere({8, 6, 7}, false, 0.4, 9);
  check<double, Long>(sphere, with({{"tile", "2"}, {"strategy", "pairwise"}}), 2, 5,
                      with({{"tile", "3"}, {"window", "3"}, {"strategy", "padded"}}));
}

// From one sphere to another: what is not of the first is zero in space, what is not of the second is left out.
TEST(Sphere, OthersComeBack) {
  const Index more = 4;
  for (const bool gamma : {false, true}) {
    for (const Index apart : {Index{0}, more}) {
      const Sphere sphere = random_sphere({8, 6, 7}, gamma, 0.3, 31, true);
      const auto run = [&](const Options& options, Index bands) {
        gamma ? check<double, double>(sphere, options, 2, bands, std::nullopt, std::nullopt, apart)
              : check<double, Long>(sphere, options, 2, bands, std::nullopt, std::nullopt, apart);
      };
      for (const Index bands : {1, 5}) run(with({{"tile", "2"}}), bands);
      if (size_of() > 1) run(with({{"process_grid", ("1x" + std::to_string(size_of())).c_str()}}), 3);
      if (size_of() > 1) run(with({{"groups", std::to_string(size_of()).c_str()}, {"strategy", "pairwise"}}), 3);
    }
  }
  // One list of a rank, or of all, may be empty.
  Sphere none{{4, 5, 6}, false, std::vector<std::vector<GVector>>(static_cast<std::size_t>(size_of()))};
  none.results = none.waves;
  none.results->back() = {{1, 2, 3}, {0, 0, 0}};
  check<double, Long>(none, with({{"strategy", "pairwise"}}), 1, 2);
  if (size_of() % 2 == 0) check<double, Long>(none, with({{"groups", "2"}, {"strategy", "pairwise"}}), 1, 2);
  std::swap(none.waves, *none.results);
  check<double, Long>(none, with({{"strategy", "pairwise"}}), 1, 2);
  if (size_of() % 2 == 0) check<double, Long>(none, with({{"groups", "2"}, {"strategy", "pairwise"}}), 1, 2);
}

TEST(Sphere, SpinorsMeetAMatrix) {
  unsigned seed = 400;
  for (const std::string& strategy : weft::test::strategies_on(MPI_COMM_WORLD)) {
    if (++seed % 3 != 0 && !few_ranks()) continue;
    SCOPED_TRACE(strategy);
    const Options options =
        with({{"strategy", strategy.c_str()}, {"tile", "3"}, {"fields", "1"}, {"window", "2"}, {"node_size", "2"}});
    check_spinors<double>(random_sphere({9, 8, 10}, false, 0.3, seed), with({{"strategy", strategy.c_str()}}), 4, 3);
    check_spinors<float>(random_sphere({6, 7, 5}, false, 0.5, seed), options, 3, 2, 4);
  }
  Sphere sphere = random_sphere({8, 6, 7}, false, 0.4, 17, true);
  for (int part = 1; part <= size_of(); ++part) {
    if (size_of() % part != 0) continue;
    const std::string some = std::to_string(part), rest = std::to_string(size_of() / part);
    SCOPED_TRACE(some);
    check_spinors<double>(sphere, with({{"groups", some.c_str()}}), 2, 5, 3);
    check_spinors<double>(sphere, with({{"process_grid", (rest + 'x' + some).c_str()}, {"threads", "2"}}), 1, 2);
    sphere.beyond = {3, 1};
    check_spinors<float>(sphere, with({{"process_grid", (rest + 'x' + some).c_str()}, {"tile", "2"}}), 2, 1);
    check_spinors<double>(sphere, with({{"groups", some.c_str()}}), 6, 0);
    sphere.beyond = {0, 0};
  }

  const auto& mine = sphere.waves[static_cast<std::size_t>(rank_of())];
  const std::string message = weft::test::common_error(
      [&] { SphereTransform<double>({.grid = sphere.grid, .gamma = true, .spinors = true}, mine, MPI_COMM_WORLD); });
  EXPECT_TELLS(message, "spinors is true; with gamma true only false is allowed");
  SphereTransform<double> transform({.grid = sphere.grid, .spinors = true}, mine, MPI_COMM_WORLD);
  std::vector<Long> waves(4 * mine.size() + 1), complex_v(static_cast<std::size_t>(4 * transform.plan().space_size()));
  std::vector<double> v(complex_v.size());
  const auto error = [&](const auto& work) { return weft::test::common_error(work); };
  EXPECT_TELLS(error([&] { transform.apply(v.data(), waves.data(), waves.data(), {3}); }),
               "bands is 3; with spinors, of two bands each, an even number is needed");
  EXPECT_TELLS(error([&] { transform.density(waves.data(), nullptr, v.data(), {1}); }), "bands is 1; with spinors");
  EXPECT_TELLS(error([&] { transform.apply(complex_v.data(), waves.data(), waves.data(), {2}); }),
               "with spinors true they are real");
  const std::vector<double> weights{1, 1};
  EXPECT_TELLS(error([&] { transform.density_by_parts(waves.data(), weights.data(), weights.data(), v.data(), {2}); }),
               "with spinors true squares have one weight");
  if (transform.plan().space_size() > 0 || size_of() > 1) {
    EXPECT_TELLS(error([&] { transform.apply(std::vector<double>(1), waves, waves, {2}); }), "apply was given v of 1");
  }
}

TEST(Sphere, GroupsShareTheBands) {
  for (const bool gamma : {false, true}) {
    const Sphere sphere = random_sphere({8, 6, 7}, gamma, 0.4, 15);
    for (int groups = 2; groups <= size_of(); ++groups) {
      if (size_of() % groups != 0) continue;
      SCOPED_TRACE(groups);
      const std::string text = std::to_string(groups);
      const Options options = with({{"groups", text.c_str()}, {"strategy", "pairwise"}});
      for (const Index bands : {0, 1, 7}) check_all(sphere, options, 2, bands);
      if (!gamma) check<double, Long>(sphere, options, 2, 5, std::nullopt, std::nullopt, 3, 2);
    }
  }
  // Only ranks with one place in their groups have waves.
  Sphere lonely = random_sphere({8, 6, 7}, false, 0.4, 16);
  for (std::size_t rank = 1; rank < lonely.waves.size(); ++rank) {
    auto& theirs = lonely.waves[rank];
    lonely.waves[0].insert(lonely.waves[0].end(), theirs.begin(), theirs.end());
    theirs.clear();
  }
  for (const char* strategy : {"alltoallv", "shared", "zerocopy"}) {
    if (size_of() % 3 == 0) check_all(lonely, with({{"groups", "3"}, {"strategy", strategy}}), 2, 5);
  }
  Options options;
  options.groups = size_of() + 1;
  const std::string message = weft::test::common_error([&] {
    SphereTransform<double>({.grid = {4, 4, 4}}, std::vector<GVector>{{rank_of() % 4, rank_of() / 4, 0}},
                            MPI_COMM_WORLD, options);
  });
  EXPECT_NE(message.find("it must divide the number of ranks"), std::string::npos) << message;
}

// One trace sees both directions.
TEST(Sphere, DirectionsAreTracedTogether) {
  const std::vector<GVector> mine{{rank_of(), 0, 0}};
  weft::test::expect_common_error(
      [&] {
        SphereTransform<double>({.grid = {size_of(), 2, 2}}, mine, MPI_COMM_WORLD, with({{"trace", "one.json"}}),
                                with({{"trace", "two.json"}}));
      },
      {"trace is 'one.json' backward and 'two.json' forward; one is needed"});
}

TEST(Sphere, PlanesAsTheCallerHasThem) {
  // All on the last rank, none on the others.
  const Index planes = rank_of() + 1 == size_of() ? 7 : 0;
  check<double, Long>(random_sphere({8, 6, 7}, false, 0.4, 10), with({}), 2, 2, std::nullopt, planes);
}

/// v psi of a sphere, and its density.
template <class Real>
std::pair<std::vector<std::complex<Real>>, std::vector<Real>> products(SphereTransform<Real>& transform,
                                                                       const std::vector<GVector>& mine) {
  std::vector<std::complex<Real>> waves;
  for (Index band = 0; band < 2; ++band) {
    for (const GVector& g : mine) {
      waves.emplace_back(static_cast<Real>(std::sin(static_cast<double>(g[0] + 5 * g[1] + 7 * g[2] + band))), Real(0));
    }
  }
  std::vector<Real> v(static_cast<std::size_t>(transform.plan().space_size()), Real(0.5)), rho(v.size(), Real(0));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<Real>(potential(static_cast<Index>(i)));
  transform.density(waves.data(), nullptr, rho.data(), {2});
  transform.apply(v.data(), waves.data(), waves.data(), {2});
  return {waves, rho};
}

// Spheres of several sizes and both precisions take turns on one memory, and compute what they do alone, to the last
// bit; also those that are left when the first is gone.
TEST(Sphere, SpheresShareMemory) {
  for (const std::string& strategy : weft::test::strategies_on(MPI_COMM_WORLD)) {
    SCOPED_TRACE(strategy);
    const Options options = with({{"strategy", strategy.c_str()}, {"tile", "2"}, {"window", "2"}, {"node_size", "2"}});
    std::vector<Sphere> spheres;
    for (const unsigned seed : {31, 32, 33, 34}) {
      spheres.push_back(random_sphere({6 + static_cast<Index>(seed % 3), 7, 5}, seed % 2 == 0, 0.4, seed));
    }
    const auto problem = [](const Sphere& sphere) {
      return SphereProblem{.grid = sphere.grid, .gamma = sphere.gamma, .howmany = 2};
    };
    const auto mine = [](const Sphere& sphere) { return sphere.waves[static_cast<std::size_t>(rank_of())]; };
    std::vector<SphereTransform<double>> sharing;
    auto first =
        std::make_unique<SphereTransform<double>>(problem(spheres[0]), mine(spheres[0]), MPI_COMM_WORLD, options);
    for (std::size_t i = 1; i < spheres.size(); ++i) {
      sharing.emplace_back(problem(spheres[i]), mine(spheres[i]), i == 1 ? *first : sharing.back(), options);
    }
    SphereTransform<float> single(problem(spheres[0]), mine(spheres[0]), sharing.back(), options);
    SphereTransform<float> single_alone(problem(spheres[0]), mine(spheres[0]), MPI_COMM_WORLD, options);
    for (int round = 0; round < 3; ++round) {
      if (round == 2) first.reset();
      for (std::size_t i = 0; i < sharing.size(); ++i) {
        const Sphere& sphere = spheres[i + 1];
        SphereTransform<double> alone(problem(sphere), mine(sphere), MPI_COMM_WORLD, options);
        const auto expected = products(alone, mine(sphere));
        for (int repeat = 0; repeat < 3; ++repeat) {
          ASSERT_EQ(products(sharing[i], mine(sphere)), expected) << "sphere " << i << ", round " << round;
        }
        if (round < 2) products(*first, mine(spheres[0]));
      }
      ASSERT_EQ(products(single, mine(spheres[0])), products(single_alone, mine(spheres[0])));
    }
  }
  const std::vector<GVector> fine{{rank_of() % 4, rank_of() / 4, 0}};
  SphereTransform<double> one({.grid = {4, 4, 4}}, fine, MPI_COMM_WORLD);
  weft::test::expect_common_error(
      [&] { SphereTransform<double>({.grid = {4, 4, 4}}, fine, one, with({{"node_size", "2"}})); },
      {"node_size is 2", "what the first one had: 0"});
  weft::test::expect_common_error(
      [&] {
        SphereTransform<double>({.grid = {4, 4, 4}}, rank_of() == 0 ? std::vector<GVector>{{9, 0, 0}} : fine, one);
      },
      {"plane wave 0 of rank 0 is (9, 0, 0)"});
}

TEST(Sphere, OtherBackends) {
  for (const std::string& backend : backends()) {
    SCOPED_TRACE(backend);
    check_all(random_sphere({8, 9, 10}, false, 0.4, 11), with({{"backend", backend.c_str()}}), 1, 2);
    check_all(random_sphere({8, 9, 10}, true, 0.4, 12), with({{"backend", backend.c_str()}}), 1, 2);
  }
}

/// Values of each setting, as texts of options.
std::vector<std::vector<std::string>> settings() {
  std::vector<std::string> strategies, kernels{""}, sharing{""};
  for (const std::string& name : weft::test::strategies_on(MPI_COMM_WORLD)) strategies.push_back("strategy=" + name);
  for (const std::string& name : backends()) kernels.push_back("backend=" + name);
  for (int part = 2; part <= size_of(); ++part) {
    if (size_of() % part != 0) continue;
    const std::string some = std::to_string(part), rest = std::to_string(size_of() / part);
    sharing.push_back("process_grid=" + rest + 'x' + some);
    sharing.push_back("groups=" + some);
    // In each group ranks share planes.
    if (part < size_of()) sharing.push_back("groups=" + some + ",process_grid=1x" + rest);
  }
  return {strategies,
          kernels,
          sharing,
          {"", "tile=1", "tile=3,window=2", "fields=1,window=3", "tile=2,fields=2,tests=2"},
          {"", "threads=2"},
          {"", "node_size=1", "node_size=2"},
          {"", "check=false"}};
}

/// Options of such texts.
Options with(const std::vector<std::string>& texts) {
  Options options = with({{"effort", "estimate"}});
  for (const std::string& text : texts) {
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');) {
      options.set(item.substr(0, item.find('=')), item.substr(item.find('=') + 1));
    }
  }
  // Open MPI 4 has its one-sided operations for all ranks only.
  if (options.groups > 1 && options.strategy == "rma") options.strategy = "pairwise";
  return options;
}

// Any two of all settings: strategy, kernels, who shares what, tiles, threads, nodes; real or complex, precision,
// bands, how arrays lie in memory, and whether other waves come back.
TEST(Contract, SpheresOfAllPairs) {
  const char* const sample = std::getenv("WEFT_TEST_SEED");
  const std::uint64_t seed = sample != nullptr ? std::strtoull(sample, nullptr, 10) : 0;
  const std::size_t step = (sample != nullptr ? 2 : 1) * (few_ranks() ? 1 : 3);
  const std::vector<std::vector<std::string>> texts = settings();
  const std::vector<Grid> grids{{9, 8, 10}, {6, 7, 5}, {4, 5, 1}, {1, 2, 3}};
  const std::vector<std::array<Index, 2>> beyond{{0, 0}, {1, 0}, {2, 3}};
  std::vector<std::size_t> levels;
  for (const auto& values : texts) levels.push_back(values.size());
  const std::size_t first = levels.size();
  levels.insert(levels.end(), {grids.size(), beyond.size(), 2, 2, 2, 3, 2, 2});
  const auto rows = verify::all_pairs(levels, 1000 * seed + static_cast<std::uint64_t>(size_of()));
  for (std::size_t i = seed % step; i < rows.size(); i += step) {
    std::vector<std::string> chosen;
    for (std::size_t k = 0; k < first; ++k) chosen.push_back(texts[k][rows[i][k]]);
    const auto level = [&](std::size_t k) { return rows[i][first + k]; };
    const bool gamma = level(2) == 1;
    Sphere sphere = random_sphere(grids[level(0)], gamma, level(3) == 0 ? 0.2 : 0.6, static_cast<unsigned>(1000 + i),
                                  level(7) == 1);
    sphere.beyond = beyond[level(1)];
    const Index howmany = level(4) == 0 ? 1 : 3, bands = std::array<Index, 3>{1, 3, 4}[level(5)];
    const Options options = with(chosen);
    std::string what;
    for (const std::string& text : chosen) what += text + ' ';
    SCOPED_TRACE(::testing::Message() << what << "case " << i << (gamma ? ", gamma" : "") << ", howmany " << howmany
                                      << ", bands " << bands << (sphere.results ? ", other results" : ""));
    weft::test::Guard::next(what);
    const auto run = [&]<class Real, class Space>(Real, Space) {
      check<Real, Space>(sphere, options, howmany, bands, std::nullopt, std::nullopt, level(6) == 0 ? 0 : 5,
                         level(6) == 0 ? 0 : 3);
    };
    const bool single = i % 2 == 1;
    if (gamma) {
      single ? run(0.0F, 0.0F) : run(0.0, 0.0);
    } else {
      single ? run(0.0F, std::complex<float>()) : run(0.0, Long());
    }
    if (!gamma && i % 4 < 2) {
      const Index more = level(6) == 0 ? 0 : 5;
      single ? check_spinors<float>(sphere, options, howmany, bands / 2, more)
             : check_spinors<double>(sphere, options, howmany, bands / 2, more);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Sphere, CutoffSpheresAreDealtEvenly) {
  const Cutoff cutoff{.lattice = {{{6, 0, 0}, {0, 5, 0}, {1, 0, 7}}}, .energy = 6};
  for (const bool gamma : {false, true}) {
    Sphere sphere{sphere_grid(cutoff), gamma, deal_columns(plane_waves(cutoff, gamma), size_of())};
    std::size_t least = SIZE_MAX, most = 0, longest = 0;
    for (const auto& waves : sphere.waves) {
      least = std::min(least, waves.size());
      most = std::max(most, waves.size());
      std::map<std::array<Index, 2>, std::size_t> columns;
      for (const GVector& g : waves) longest = std::max(longest, ++columns[{g[0], g[1]}]);
    }
    EXPECT_LE(most - least, longest);
    check_all(sphere, with({}), 1, 1);
  }
}

TEST(Sphere, OptionsOfTheEnvironment) {
  ::setenv("WEFT_TILE", "2", 1);
  ::setenv("WEFT_TRANSPOSED", "true", 1);
  const Sphere sphere = random_sphere({8, 6, 7}, false, 0.4, 13);
  SphereTransform<double> transform({.grid = sphere.grid}, sphere.waves[static_cast<std::size_t>(rank_of())],
                                    MPI_COMM_WORLD);
  ::unsetenv("WEFT_TILE");
  ::unsetenv("WEFT_TRANSPOSED");
  EXPECT_EQ(transform.plan().options(Direction::forward).tile, 2);
  EXPECT_FALSE(transform.plan().options(Direction::forward).transposed) << "it is for transforms";
}

/// What everybody is told when this rank has these waves.
std::string error_of(const std::vector<GVector>& waves, const SphereProblem& problem, const Options& options = {}) {
  return weft::test::common_error([&] { SphereTransform<double>(problem, waves, MPI_COMM_WORLD, options); });
}

TEST(Sphere, BadWavesAreNamed) {
  const SphereProblem problem{.grid = {8, 6, 4}};
  const int last = size_of() - 1;
  const bool is_last = rank_of() == last;
  const std::vector<GVector> fine{{rank_of() % 4, rank_of() % 3, 0}};
  const auto bad = [&](const std::vector<GVector>& waves) { return is_last ? waves : fine; };
  const std::string who = " of rank " + std::to_string(last);
  EXPECT_TELLS(error_of(bad({{7, 0, 0}, {8, 0, 0}}), problem), "plane wave 1" + who + " is (8, 0, 0); along x");
  EXPECT_TELLS(error_of(bad({{0, -4, 0}}), problem), "indices from -3 to 5 are allowed");
  EXPECT_TELLS(error_of(bad({{7, 1, 3}, {6, 1, 0}, {-1, 1, -1}}), problem),
               "plane waves 0 and 2" + who + ", (7, 1, 3) and (-1, 1, -1), are the same point");
  EXPECT_TELLS(error_of({}, problem), "no rank has a plane wave");
  EXPECT_TELLS(error_of(fine, {.grid = {8, 0, 4}}), "grid is 8 x 0 x 4");
  EXPECT_TELLS(error_of(fine, {.grid = {8, 6, 4}, .howmany = 0}), "howmany is 0");
  if (size_of() == 1) return;
  EXPECT_TELLS(error_of({{1, 2, rank_of() % 4}}, problem), "column x = 1, y = 2");
  EXPECT_TELLS(error_of(fine, {.grid = {8, 6, is_last ? 4 : 5}}), "must be the same on all ranks");
  // A column of what is given and one of what comes back must be on one rank, too.
  const std::vector<GVector> own{{rank_of() % 8, rank_of() / 8, 0}}, next{{(rank_of() + 1) % size_of() % 8, 0, 1}};
  if (size_of() <= 8) {
    EXPECT_TELLS(
        weft::test::common_error([&] { SphereTransform<double>(problem, SphereWaves(own, next), MPI_COMM_WORLD); }),
        "must be whole on one rank");
  }
  EXPECT_TELLS(weft::test::common_error([&] {
                 SphereTransform<double>(problem, is_last ? SphereWaves(own, own) : SphereWaves(own), MPI_COMM_WORLD);
               }),
               "results=");
  // At Gamma a column and its mirror image are one.
  const std::vector<GVector> mirror = rank_of() == 0 ? std::vector<GVector>{{2, 1, 1}}
                                      : is_last      ? std::vector<GVector>{{-2, -1, 1}}
                                                     : std::vector<GVector>{};
  EXPECT_TELLS(error_of(mirror, {.grid = {8, 6, 4}, .gamma = true}), "and its mirror image must be whole");
  EXPECT_TELLS(weft::test::common_error([&] {
                 SphereTransform<double>(problem, fine, MPI_COMM_WORLD, {}, std::nullopt, 1);
                 SphereTransform<double>(problem, fine, MPI_COMM_WORLD, {}, std::nullopt, is_last ? -1 : 2);
               }),
               size_of() == 4 ? "planes is -1" : "planes");
}

// On one rank alone, too: all hear of it.
TEST(Sphere, BadOptionsAreNamed) {
  const bool is_last = rank_of() + 1 == size_of();
  const std::vector<GVector> fine{{rank_of() % 4, rank_of() % 3, 0}};
  const auto error = [&](const auto& change) {
    Options options;
    if (is_last) change(options);
    return error_of(fine, {.grid = {8, 6, 4}}, options);
  };
  EXPECT_TELLS(error([](Options& o) { o.leaders = 0; }), "leaders is '0'; allowed are whole numbers from 1");
  EXPECT_TELLS(error([](Options& o) { o.window = -1; }), "window is '-1'; allowed are whole numbers from 0");
  EXPECT_TELLS(error([](Options& o) { o.tile = -1; }), "tile is '-1'; allowed are whole numbers from 0");
  EXPECT_TELLS(error([](Options& o) { o.groups = 0; }), "groups is '0'; allowed are whole numbers from 1");
  EXPECT_TELLS(error([](Options& o) { o.strategy = "telepathy"; }), "strategy is 'telepathy'");
  EXPECT_TELLS(error([](Options& o) { o.nodes.resize(99); }), "nodes has 99 entries");
  const std::string only_transforms = "it applies to transform, a sphere allows only ";
  EXPECT_TELLS(error([](Options& o) { o.in_place = true; }), "in_place is true; " + only_transforms + "false");
  EXPECT_TELLS(error([](Options& o) { o.transposed = true; }), "transposed is true; " + only_transforms + "false");
  EXPECT_TELLS(error([](Options& o) { o.grid = {2, 2}; }), "grid is 2x2; " + only_transforms + "0x0");
  Options grid;
  grid.process_grid = {0, 3};
  EXPECT_TELLS(error_of(fine, {.grid = {8, 6, 4}}, grid),
               "process_grid is 0x3; the product must be the number of ranks, " + std::to_string(size_of()));
  EXPECT_TELLS(error([](Options& o) { o.decomposition = Decomposition::pencil; }),
               "decomposition is pencil; " + only_transforms + "auto");
  EXPECT_TELLS(error([](Options& o) { o.consume = Consume::early; }),
               "consume is early; it applies to transform, redistribution, a sphere allows only auto");
  EXPECT_TELLS(error([](Options& o) { o.cache = 5; }), "cache is 5; it applies to transform, redistribution");
  EXPECT_TELLS(error([](Options& o) { o.input = Layout::slab({4, 6, 8}, size_of(), 0); }),
               "it applies to transform, a sphere allows none");
}

TEST(Sphere, BadCallsAreNamed) {
  const Sphere sphere = random_sphere({8, 6, 4}, false, 0.5, 20);
  const auto& mine = sphere.waves[static_cast<std::size_t>(rank_of())];
  SphereTransform<double> transform({.grid = sphere.grid}, mine, MPI_COMM_WORLD);
  std::vector<Long> waves(mine.size()), space(static_cast<std::size_t>(transform.plan().space_size()));
  std::vector<double> real(space.size());
  const bool is_last = rank_of() + 1 == size_of();
  const auto error = [&](const auto& work) { return weft::test::common_error(work); };
  EXPECT_TELLS(error([&] { transform.backward(waves.data(), real.data()); }),
               "backward was given real numbers in space");
  EXPECT_TELLS(error([&] { transform.backward(waves.data(), space.data(), {is_last ? -3 : 1}); }), "bands is -3");
  if (size_of() > 1) {
    EXPECT_TELLS(error([&] { transform.backward(waves.data(), space.data(), {is_last ? 1 : 0}); }),
                 "bands is 0 on rank 0");
  }
  // Every rank that has planes needs an array.
  EXPECT_TELLS(error([&] { transform.backward(waves.data(), static_cast<Long*>(nullptr)); }),
               "space is null on rank 0");
  EXPECT_TELLS(error([&] { transform.forward(space.data(), space.data()); }), "overlap on rank");
  // Bands that come back are shorter, so that the second would lie upon the first one given.
  const std::vector<GVector> first(mine.begin(), mine.begin() + std::min<std::ptrdiff_t>(1, std::ssize(mine)));
  SphereTransform<double> two({.grid = sphere.grid}, SphereWaves(mine, first), MPI_COMM_WORLD);
  std::vector<Long> bands_of_both(2 * mine.size());
  EXPECT_TELLS(error([&] { two.apply(real.data(), bands_of_both.data(), bands_of_both.data(), {2}); }),
               "overlap on rank");
  EXPECT_TELLS(error([&] {
                 Bands bands;
                 bands.accumulate = is_last;
                 transform.backward(waves.data(), space.data(), bands);
               }),
               "accumulate is true; it is for forward and apply");
  transform.backward(waves.data(), space.data());
}

}  // namespace
