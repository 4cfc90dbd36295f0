// Operators on grids of four to six axes: sums of waves, of which each function makes a multiple that its formula says.
#include <cmath>
#include <numbers>
#include <random>

#include "support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4});

using namespace weft;
using namespace weft::test;
using Complex = std::complex<double>;
constexpr Complex i_unit(0, 1);

/// exp(i k . x), with the index of k along each axis.
struct Wave {
  std::vector<Index> index;
  Complex amplitude;
};

struct Grid {
  Problem problem;
  std::vector<Wave> waves;

  std::size_t axes() const { return problem.shape.size(); }
  double k(const Wave& wave, std::size_t axis) const {
    return 2 * std::numbers::pi / problem.lengths[axis] * static_cast<double>(wave.index[axis]);
  }
  double square(const Wave& wave) const {
    double all = 0;
    for (std::size_t axis = 0; axis < axes(); ++axis) all += std::pow(k(wave, axis), 2);
    return all;
  }
};

/// Calls `use(at, point)` for each point of a rank's part of a field, by global indices.
template <class Use>
void for_each_point(const Extents& n, const Box& box, const Use& use) {
  Extents lo = n, hi = n.with_first(box.hi);
  std::fill(lo.begin(), lo.end(), 0);
  lo = lo.with_first(box.lo);
  if (box.empty()) return;
  std::size_t at = 0;
  for (Extents point = lo;;) {
    use(at++, point);
    std::size_t axis = n.size();
    while (axis-- > 0 && ++point[axis] == hi[axis]) {
      if (axis == 0) return;
      point[axis] = lo[axis];
    }
  }
}

/// The sum of the waves, each times what `factor` makes of it; its real part for real fields.
template <class Number, class Factor>
std::vector<Number> field(const Grid& grid, const OperatorPlan& plan, const Factor& factor) {
  std::vector<Number> all;
  for_each_point(plan.problem().shape, plan.input_box(), [&](std::size_t, const Extents& point) {
    Complex sum = 0;
    for (const Wave& wave : grid.waves) {
      double phase = 0;
      for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
        phase += 2 * std::numbers::pi * static_cast<double>(wave.index[axis] * point[axis]) /
                 static_cast<double>(grid.problem.shape[axis]);
      }
      sum += wave.amplitude * factor(wave) * std::exp(i_unit * phase);
    }
    if constexpr (std::is_same_v<Number, double>) {
      all.push_back(sum.real());
    } else {
      all.push_back(sum);
    }
  });
  return all;
}

using Factor = std::function<Complex(const Wave&)>;

/// A function with the factors of each input field, and of each output.
template <class Number>
void check(const Grid& grid, const PointFunction<double>& function, const std::vector<Factor>& in,
           const std::vector<Factor>& out, const Options& options) {
  SCOPED_TRACE(function.name);
  Operator<double> op(grid.problem, function, MPI_COMM_WORLD, options);
  const auto joined = [&](const std::vector<Factor>& factors) {
    std::vector<Number> all;
    for (const Factor& factor : factors) {
      const auto one = field<Number>(grid, op.plan(), factor);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  };
  const std::vector<Number> fields = joined(in), wanted = joined(out);
  ASSERT_EQ(op.plan().input_size(), static_cast<Index>(fields.size()));
  ASSERT_EQ(op.plan().output_size(), static_cast<Index>(wanted.size()));
  std::vector<Number> found = fields;
  if (options.in_place) {
    op(found.data(), found.data());
  } else {
    found.assign(wanted.size(), Number(-7));
    op(fields, found);
  }
  double worst = 0, most = 0;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    worst = std::max(worst, static_cast<double>(std::abs(found[at] - wanted[at])));
    most = std::max(most, static_cast<double>(std::abs(wanted[at])));
  }
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_LE(worst, 1e-12 * std::max(most, 1.0));
}

template <class Number>
void check_functions(const Grid& grid, Options options) {
  const int axes = grid.problem.shape.rank();
  const Factor same = [](const Wave&) { return 1.0; };
  const auto wave_along = [&](std::size_t axis) {
    return Factor([&grid, axis](const Wave& wave) { return i_unit * grid.k(wave, axis); });
  };
  std::vector<Factor> waves;
  for (std::size_t axis = 0; axis < grid.axes(); ++axis) waves.push_back(wave_along(axis));
  check<Number>(grid, gradient<double>(axes), {same}, waves, options);
  const Factor minus_square = [&](const Wave& wave) { return -grid.square(wave); };
  check<Number>(grid, divergence<double>(axes), waves, {minus_square}, options);
  options.in_place = true;
  check<Number>(grid, projection<double>(axes), waves,
                std::vector<Factor>(waves.size(), [](const Wave&) { return 0.0; }), options);
  check<Number>(grid, laplacian<double>(grid.problem), {same}, {minus_square}, options);
  check<Number>(grid, inverse_laplacian<double>(grid.problem, Stencil::spectral, 2), {same},
                {[&](const Wave& wave) { return -1 / (grid.square(wave) + 2); }}, options);
  check<Number>(grid, laplacian<double>(grid.problem, Stencil::second_order), {same}, {[&](const Wave& wave) {
                  double all = 0;
                  for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
                    const double h = grid.problem.lengths[axis] / static_cast<double>(grid.problem.shape[axis]);
                    all -= std::pow(2 * std::sin(grid.k(wave, axis) * h / 2) / h, 2);
                  }
                  return all;
                }},
                options);
  check<Number>(grid, gaussian<double>(0.1), {same},
                {[&](const Wave& wave) { return std::exp(-0.005 * grid.square(wave)); }}, options);
  for (int axis = 0; axis < axes; ++axis) {
    for (const int order : {1, 2}) {
      check<Number>(grid, derivative<double>(order, axis), {same}, {[&](const Wave& wave) {
                      return std::pow(i_unit * grid.k(wave, static_cast<std::size_t>(axis)), order);
                    }},
                    options);
    }
  }
  std::vector<double> distance;
  for (int axis = 0; axis < axes; ++axis) distance.push_back(0.1 * axis - 0.2);
  check<Number>(grid, shift<double>(distance), {same}, {[&](const Wave& wave) {
                  double angle = 0;
                  for (std::size_t axis = 0; axis < grid.axes(); ++axis) angle += grid.k(wave, axis) * distance[axis];
                  return std::exp(-i_unit * angle);
                }},
                options);
  check<Number>(grid, truncate<double>(grid.problem, 0.5), {same}, {[&](const Wave& wave) {
                  bool kept = true;
                  for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
                    kept = kept && 4 * std::abs(wave.index[axis]) < grid.problem.shape[axis];
                  }
                  return kept ? 1.0 : 0.0;
                }},
                options);
  // A factor for each mode, the same for both signs.
  const OperatorPlan plan(grid.problem, At::wavenumbers, 1, 1, options, size_of(), rank_of());
  const auto factor = [&](std::size_t axis, Index k) {
    return 1.0 + static_cast<double>(axis + 1) / (1.0 + std::abs(static_cast<double>(k)));
  };
  std::vector<std::vector<Complex>> factors(grid.axes());
  for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
    const Index n = grid.problem.shape[axis];
    for (Index k = 0; k < plan.middle_shape()[axis]; ++k) factors[axis].push_back(factor(axis, 2 * k > n ? k - n : k));
  }
  const Factor of_all = [&](const Wave& wave) {
    double all = 1;
    for (std::size_t axis = 0; axis < grid.axes(); ++axis) all *= factor(axis, wave.index[axis]);
    return all;
  };
  check<Number>(grid, multiply_separable<double>(factors), {same}, {of_all}, options);
  std::vector<double> table;
  for_each_point(plan.middle_shape(), plan.middle().box(rank_of()), [&](std::size_t, const Extents& mode) {
    double all = 1;
    for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
      all *= factors[axis][static_cast<std::size_t>(mode[axis])].real();
    }
    table.push_back(all);
  });
  check<Number>(grid, multiply<double>(table), {same}, {of_all}, options);
  // A table, by the wave numbers of each place of the rows; and the convolution with a point, which changes nothing.
  auto by_tile = PointFunction<double>::at_wavenumbers(1, 1, [&](const auto& tile) {
    for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
      for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
        for (Index k = tile.box.lo[2]; k < tile.box.hi[2]; ++k) {
          double sum = tile.at[0][static_cast<std::size_t>(i)] + tile.at[1][static_cast<std::size_t>(j)];
          for (std::size_t axis = 2; axis < tile.shape.size(); ++axis)
            sum += tile.at[axis][static_cast<std::size_t>(k)];
          tile.out(0, i, j)[k - tile.box.lo[2]] = std::cos(sum) * tile.in(0, i, j)[k - tile.box.lo[2]];
        }
      }
    }
  });
  check<Number>(grid, by_tile, {same}, {[&](const Wave& wave) {
                  double sum = 0;
                  for (std::size_t axis = 0; axis < grid.axes(); ++axis) sum += grid.k(wave, axis);
                  return std::cos(sum);
                }},
                options);
  std::vector<Number> point(static_cast<std::size_t>(plan.input_size()));
  for_each_point(plan.problem().shape, plan.input_box(), [&](std::size_t at, const Extents& of) {
    point[at] = std::all_of(of.begin(), of.end(), [](Index one) { return one == 0; }) ? 1 : 0;
  });
  check<Number>(grid, convolution<double>(grid.problem, std::span<const Number>(point), MPI_COMM_WORLD, options),
                {same}, {same}, options);
}

TEST(OperatorAxes, AreTheirFormulas) {
  std::mt19937 random(3);
  const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
  const std::vector<std::string> names = strategies_on(MPI_COMM_WORLD);
  int number = 0;
  for (const Extents& shape :
       {Extents{5, 6, 4, 7}, Extents{3, 1, 8, 2, 5}, Extents{4, 3, 2, 3, 2, 3}, Extents{6, 4, 1, 5}}) {
    for (const Kind& kind : {Kind::c2c, Kind::r2c}) {
      Grid grid{.problem = {.shape = shape, .kind = kind}, .waves = {}};
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        grid.problem.lengths[axis] = 1 + 0.5 * static_cast<double>(axis);
      for (int wave = 0; wave < 4; ++wave) {
        grid.waves.push_back({.index = {}, .amplitude = {static_cast<double>(random() % 9) - 4, 1}});
        // Below the Nyquist frequency, which has no sign; one at least has none that is 0 where that can be.
        for (const Index n : shape) {
          const Index most = (n - 1) / 2;
          const Index index = static_cast<Index>(random() % static_cast<unsigned>(2 * most + 1)) - most;
          grid.waves.back().index.push_back(index);
        }
      }
      Options options;
      options.effort = Effort::estimate;
      options.strategy = names[static_cast<std::size_t>(number++) % names.size()];
      options.decomposition = pick(std::array{Decomposition::slab, Decomposition::pencil});
      options.tile = pick(std::array{0, 2});
      options.cache = pick(std::array<Index, 2>{0, 200});
      SCOPED_TRACE(testing::Message() << to_string(shape) << ' ' << to_string(kind) << ' ' << options.strategy);
      kind == Kind::r2c ? check_functions<double>(grid, options) : check_functions<Complex>(grid, options);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// Walls along some axes: cosines and sines are eigenfunctions of the Laplacian as well.
TEST(OperatorAxes, BetweenWalls) {
  const Extents shape{4, 5, 3, 6};
  Problem problem{.shape = shape, .kind = parse_kind("dct2-dft-dst2-dct1")};
  for (std::size_t axis = 0; axis < 4; ++axis) problem.lengths[axis] = 1 + static_cast<double>(axis);
  Operator<double> op(problem, laplacian<double>(problem), MPI_COMM_WORLD);
  const std::vector<double> x[] = {coordinates(Line::dct2, 4, 1), coordinates(Line::dft, 5, 2),
                                   coordinates(Line::dst2, 3, 3), coordinates(Line::dct1, 6, 4)};
  const double pi = std::numbers::pi, k[] = {2 * pi, 2 * pi / 2, 2 * pi / 3, 3 * pi / 4};
  std::vector<Complex> in(static_cast<std::size_t>(op.plan().input_size())), out(in.size());
  for_each_point(op.plan().problem().shape, op.plan().input_box(), [&](std::size_t at, const Extents& p) {
    const auto of = [&](std::size_t axis) { return k[axis] * x[axis][static_cast<std::size_t>(p[axis])]; };
    in[at] = std::cos(of(0)) * std::exp(i_unit * of(1)) * std::sin(of(2)) * std::cos(of(3));
  });
  op(in, out);
  const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2] + k[3] * k[3];
  for (std::size_t at = 0; at < in.size(); ++at) EXPECT_LE(std::abs(out[at] + square * in[at]), 1e-11);
}

TEST(OperatorAxes, FunctionsOfOtherGridsAreRefused) {
  const Problem four{.shape = {4, 3, 2, 5}}, three{.shape = {4, 3, 5}};
  const auto made = [&](const Problem& problem, const PointFunction<double>& function) {
    return [=] { Operator<double> op(problem, function, MPI_COMM_WORLD); };
  };
  expect_common_error(made(four, gradient<double>()), {"'gradient' is for grids of 3 axes", "4 x 3 x 2 x 5 has 4"});
  expect_common_error(made(four, curl<double>()), {"'curl' is for grids of 3 axes"});
  expect_common_error(made(three, derivative<double>(1, 3)), {"along axis 3' is for grids of 4 to 8 axes"});
  expect_common_error(made(three, shift<double>({1, 1, 1, 1})), {"'shift' is for grids of 4 axes"});
  expect_common_error(made(four, cross<double>()), {"an operator at points allows three axes"});
  expect_common_error(made({.shape = {4, 3, 2, 5}, .kind = parse_kind("dft-dft-none-none")}, heat<double>(1)),
                      {"without a transform from axis 2 on"});
  EXPECT_THROW(shift<double>({1, 1}), Error);
  EXPECT_THROW(gradient<double>(9), Error);
  EXPECT_THROW(derivative<double>(1, 8), Error);
}

}  // namespace
