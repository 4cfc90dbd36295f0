// Operators against the transforms that they are made of, identities of vector calculus, and functions that fail.
#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "support.hpp"
#include "weft/operator.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 6});

using namespace weft;
using namespace weft::test;

template <class Tile, class Use>
void for_each_point(const Tile& tile, const Use& use) {
  for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
    for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
      for (Index k = tile.box.lo[2]; k < tile.box.hi[2]; ++k) use(i, j, k, k - tile.box.lo[2]);
    }
  }
}

/// Only its box.
PointTile<double> tile_of(const Box& box) {
  PointTile<double> tile;
  tile.box = box;
  return tile;
}

/// Any function that is even in all indices, as the spectra of real fields need it.
double factor(const Shape& shape, Index i, Index j, Index k, Index field) {
  const auto even = [](Index at, Index n) { return static_cast<double>(std::min(at, n - at)); };
  return 1 / (1.0 + static_cast<double>(field) + even(i, shape[0]) + 2 * even(j, shape[1]) + 3 * even(k, shape[2]));
}

template <class Number>
std::vector<Number> fields(const Box& box, const Shape& shape, Index count) {
  std::vector<Number> all;
  for (Index field = 0; field < count; ++field) {
    const auto type = is_complex<Number> ? verify::FieldType::complex : verify::FieldType::real;
    const auto values = values_of<Number>({type, 77, static_cast<int>(field), shape}, box);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

template <class Number>
double largest_difference(const std::vector<Number>& a, const std::vector<Number>& b) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, static_cast<double>(std::abs(a[i] - b[i])));
    largest = std::max(largest, static_cast<double>(std::abs(b[i])));
  }
  double both[] = {worst, largest};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return both[1] > 0 ? both[0] / both[1] : both[0];
}

template <class Real>
constexpr double limit = sizeof(Real) == 8 ? 1e-13 : 1e-5;

struct Sizes {
  Index inputs, outputs, batch;
};

/// One of the transforms that an operator is made of.
Problem transform_of(const Problem& problem) {
  return {.shape = problem.shape, .kind = problem.kind, .modes = problem.modes};
}

/// Output g of an application is the sum of its inputs, each times a factor of the wave number.
template <class Real, class Number>
void check_wavenumbers(const Problem& problem, const Options& options, const Sizes& sizes) {
  using Complex = std::complex<Real>;
  const Shape modes = problem.kept_modes();
  const auto mix = [&](Index i, Index j, Index k, Index g, const auto& input) {
    Complex all = 0;
    for (Index f = 0; f < sizes.inputs; ++f) {
      all += static_cast<Real>(factor(modes, i, j, k, f + 2 * g)) * Complex(input(f));
    }
    return all;
  };
  auto function = PointFunction<Real>::at_wavenumbers(sizes.inputs, sizes.outputs, [&](const PointTile<Complex>& tile) {
    EXPECT_EQ(intersect(tile.box, tile.whole), tile.box);
    for_each_point(tile, [&](Index i, Index j, Index k, Index at) {
      for (Index g = 0; g < sizes.outputs; ++g) {
        tile.out(static_cast<std::size_t>(g), i, j)[at] =
            mix(i, j, k, g, [&](Index f) { return tile.in(static_cast<std::size_t>(f), i, j)[at]; });
      }
    });
  });
  Operator<Real> op(problem, function, MPI_COMM_WORLD, options);
  const auto in = fields<Number>(op.plan().input_box(), problem.shape, sizes.inputs * sizes.batch);
  ASSERT_EQ(static_cast<Index>(in.size()), op.plan().input_size());
  std::vector<Number> out(static_cast<std::size_t>(op.plan().output_size()));
  if (options.in_place) {
    out = in;
    op(out.data(), out.data());
  } else {
    op(in, out);
  }

  Options plain;
  plain.effort = Effort::estimate;
  plain.input = op.plan().input();
  Transform<Real> forward(transform_of(problem), MPI_COMM_WORLD, plain);
  plain.output = forward.plan().output();
  plain.input = op.plan().output();
  Problem normalized = transform_of(problem);
  normalized.normalization = Normalization::backward;
  Transform<Real> backward(normalized, MPI_COMM_WORLD, plain);
  const Box box = forward.output_box();
  const auto points = static_cast<std::size_t>(forward.output_size());
  const auto in_points = static_cast<std::size_t>(forward.input_size()),
             out_points = static_cast<std::size_t>(backward.input_size());
  std::vector<Number> wanted;
  for (Index application = 0; application < sizes.batch; ++application) {
    std::vector<std::vector<Complex>> spectra(static_cast<std::size_t>(sizes.inputs), std::vector<Complex>(points));
    for (std::size_t f = 0; f < spectra.size(); ++f) {
      forward.forward(in.data() + (static_cast<std::size_t>(application * sizes.inputs) + f) * in_points,
                      spectra[f].data());
    }
    for (Index g = 0; g < sizes.outputs; ++g) {
      std::vector<Complex> result(points);
      std::size_t at = 0;
      for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
          for (Index k = box.lo[2]; k < box.hi[2]; ++k, ++at) {
            result[at] = mix(i, j, k, g, [&](Index f) { return spectra[static_cast<std::size_t>(f)][at]; });
          }
        }
      }
      std::vector<Number> field(out_points);
      backward.backward(result.data(), field.data());
      wanted.insert(wanted.end(), field.begin(), field.end());
    }
  }
  EXPECT_LT(largest_difference(out, wanted), limit<Real>);
}

/// Output g is the product of the first input and input g, at each point, and depends on where the point is.
template <class Real, class Number>
void check_points(const Problem& problem, const Options& options, const Sizes& sizes) {
  using Complex = std::complex<Real>;
  const auto product = [&](Index i, Index j, Index k, const Number& a, const Number& b) {
    return a * b * static_cast<Real>(1 + 0.1 * static_cast<double>(i + 2 * j + 3 * k));
  };
  const auto form = [&](const auto& tile) {
    for_each_point(tile, [&](Index i, Index j, Index k, Index at) {
      for (Index g = 0; g < sizes.outputs; ++g) {
        if constexpr (std::is_same_v<std::decay_t<decltype(tile)>, PointTile<Number>>) {
          tile.out(static_cast<std::size_t>(g), i, j)[at] =
              product(i, j, k, tile.in(0, i, j)[at], tile.in(static_cast<std::size_t>(g % sizes.inputs), i, j)[at]);
        } else {
          ADD_FAILURE() << "called with numbers of another kind";
        }
      }
    });
  };
  Operator<Real> op(problem, PointFunction<Real>::in_space(sizes.inputs, sizes.outputs, form), MPI_COMM_WORLD, options);

  Options plain;
  plain.effort = Effort::estimate;
  plain.output = op.plan().input();
  Transform<Real> ahead(transform_of(problem), MPI_COMM_WORLD, plain);
  plain.input = ahead.plan().input();
  plain.output = op.plan().output();
  Transform<Real> after(transform_of(problem), MPI_COMM_WORLD, plain);
  const Box box = ahead.input_box();
  const double scale = 1.0 / static_cast<double>(problem.shape[0] * problem.shape[1] * problem.shape[2]);
  const auto points = static_cast<std::size_t>(ahead.input_size());
  const auto in_points = static_cast<std::size_t>(ahead.output_size()),
             out_points = static_cast<std::size_t>(after.output_size());
  // Spectra of fields, so that those of real ones have their symmetry.
  auto space = fields<Number>(box, problem.shape, sizes.inputs * sizes.batch);
  std::vector<Complex> in(static_cast<std::size_t>(sizes.inputs * sizes.batch) * in_points);
  for (std::size_t f = 0; f < static_cast<std::size_t>(sizes.inputs * sizes.batch); ++f) {
    ahead.forward(space.data() + f * points, in.data() + f * in_points);
    if (problem.modes == Shape{0, 0, 0}) continue;
    // Without the modes that are left out.
    ahead.backward(in.data() + f * in_points, space.data() + f * points);
    for (std::size_t i = f * points; i < (f + 1) * points; ++i) space[i] *= static_cast<Real>(scale);
  }
  ASSERT_EQ(static_cast<Index>(in.size()), op.plan().input_size());
  std::vector<Complex> out(static_cast<std::size_t>(op.plan().output_size())), wanted;
  const std::vector<Complex> before = in;
  if (options.in_place) {
    out = in;
    op(out.data(), out.data());
  } else {
    op(in, out);
    EXPECT_EQ(in, before) << "the input has changed";
  }
  // What the function sees: see Problem::normalization.
  const double seen = problem.normalization == Normalization::forward ? 1 / scale : 1;
  for (Index application = 0; application < sizes.batch; ++application) {
    for (Index g = 0; g < sizes.outputs; ++g) {
      const std::size_t first = static_cast<std::size_t>(application * sizes.inputs) * points;
      const std::size_t other = first + static_cast<std::size_t>(g % sizes.inputs) * points;
      std::vector<Number> field(points);
      std::size_t at = 0;
      for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
          for (Index k = box.lo[2]; k < box.hi[2]; ++k, ++at) {
            field[at] = product(i, j, k, space[first + at], space[other + at]) * static_cast<Real>(seen);
          }
        }
      }
      std::vector<Complex> result(out_points);
      after.forward(field.data(), result.data());
      wanted.insert(wanted.end(), result.begin(), result.end());
    }
  }
  EXPECT_LT(largest_difference(out, wanted), 10 * limit<Real>);
}

template <class Real>
void check(const Problem& problem, At at, const Options& options, const Sizes& sizes) {
  const auto with = [&](auto number) {
    using Number = decltype(number);
    at == At::points ? check_points<Real, Number>(problem, options, sizes)
                     : check_wavenumbers<Real, Number>(problem, options, sizes);
  };
  problem.kind == Kind::r2c ? with(Real()) : with(std::complex<Real>());
}

Layout random_layout(const Shape& shape, std::mt19937& random) {
  if (random() % 2 == 0) return Layout::slab(shape, size_of(), static_cast<int>(random() % 3));
  // Uneven slabs, some of them empty.
  std::vector<Box> boxes;
  Index lo = 0;
  for (int rank = 0; rank < size_of(); ++rank) {
    const Index left = shape[0] - lo;
    const Index mine = rank + 1 == size_of() ? left : std::min<Index>(left, static_cast<Index>(random() % 5));
    boxes.push_back({{lo, 0, 0}, {lo + mine, shape[1], shape[2]}});
    lo += mine;
  }
  return Layout::bricks(shape, boxes);
}

TEST(Operators, AreWhatTheirTransformsAre) {
  const Shape shapes[] = {{8, 9, 10}, {5, 3, 7}, {1, 6, 4}, {4, 1, 9}, {16, 16, 16}, {7, 2, 1}, {1, 1, 8}, {3, 1, 1}};
  const Sizes sizes[] = {{1, 1, 1}, {1, 3, 1}, {3, 1, 2}, {2, 2, 1}, {3, 4, 2}};
  std::mt19937 random(20 + static_cast<unsigned>(size_of()));
  const std::vector<std::string> names = strategies_on(MPI_COMM_WORLD);
  for (int number = 0; number < 96; ++number) {
    const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
    Problem problem{.shape = pick(shapes)};
    problem.kind = random() % 3 == 0 ? Kind::c2c : Kind::r2c;
    for (std::size_t axis = 0; axis < 3 && number % 3 == 0; ++axis) {
      problem.modes[axis] = static_cast<Index>(random() % static_cast<std::size_t>(problem.shape[axis] + 1));
    }
    problem.normalization = pick(std::array{Normalization::none, Normalization::backward});
    const bool single = random() % 4 == 0;
    const At at = number % 2 == 0 ? At::wavenumbers : At::points;
    Sizes size = pick(sizes);
    problem.batch = size.batch;
    Options options;
    options.effort = Effort::estimate;
    options.strategy = names[static_cast<std::size_t>(number) % names.size()];
    options.decomposition = pick(std::array{Decomposition::automatic, Decomposition::slab, Decomposition::pencil});
    options.consume = pick(std::array{Consume::automatic, Consume::early, Consume::late});
    options.tile = pick(std::array{0, 2, 3});
    options.fields = pick(std::array{0, 1});
    options.threads = pick(std::array{1, 1, 2});
    options.backend = pick(std::array<const char*, 3>{"auto", "fftw", "lanes"});
    options.cache = pick(std::array<Index, 3>{0, 2000, 20000});
    options.node_size = number % 4;
    if (at == At::points) {
      options.transposed = random() % 2 == 0;
      problem.normalization = pick(std::array{Normalization::none, Normalization::backward});
    }
    const Shape ends = at == At::points ? problem.spectrum_shape() : problem.shape;
    if (random() % 3 == 0) {
      options.input = random_layout(ends, random);
      options.transposed = false;
    }
    if (random() % 3 == 0) options.output = random_layout(ends, random);
    if (size.inputs == size.outputs && random() % 2 == 0) {
      options.in_place = true;
      options.input.reset();
      options.output.reset();
    }
    SCOPED_TRACE(testing::Message() << "case " << number << ": " << to_string(problem.shape) << " modes "
                                    << to_string(problem.modes) << ' ' << to_string(problem.kind)
                                    << (single ? " single, " : " double, ") << to_string(at) << ", " << size.inputs
                                    << " to " << size.outputs << ", " << size.batch << " times"
                                    << ", strategy " << options.strategy << (options.in_place ? ", in place" : ""));
    single ? check<float>(problem, at, options, size) : check<double>(problem, at, options, size);
    if (HasFailure()) break;
  }
}

TEST(Operators, TheFunctionSeesTheSpectrumOfTheNormalization) {
  const Shape shape{4, 6, 5};
  const double points = 4 * 6 * 5;
  for (const auto& [normalization, wanted] :
       {std::pair{Normalization::none, points}, std::pair{Normalization::backward, points},
        std::pair{Normalization::forward, 1.0}, std::pair{Normalization::ortho, std::sqrt(points)}}) {
    double mean = 0;
    auto function = PointFunction<double>::at_wavenumbers(1, 1, [&](const PointTile<std::complex<double>>& tile) {
      for_each_point(tile, [&](Index i, Index j, Index k, Index at) {
        if (i == 0 && j == 0 && k == 0) mean = tile.in(0, i, j)[at].real();
        tile.out(0, i, j)[at] = tile.in(0, i, j)[at];
      });
    });
    Operator<double> op({.shape = shape, .kind = Kind::r2c, .normalization = normalization}, function, MPI_COMM_WORLD);
    const std::vector<double> in(static_cast<std::size_t>(op.plan().input_size()), 1.0);
    std::vector<double> out(in.size());
    op(in, out);
    MPI_Allreduce(MPI_IN_PLACE, &mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_NEAR(mean, wanted, 1e-12 * points) << to_string(normalization);
    EXPECT_LT(largest_difference(out, in), 1e-14);
  }
}

/// A smooth field, which has no Nyquist frequency.
std::vector<double> smooth(const Operator<double>& op, Index count) {
  std::vector<double> all;
  const Box box = op.plan().input_box();
  const Problem& problem = op.plan().problem();
  for (Index f = 0; f < count; ++f) {
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
          const auto phase = [&](Index at, std::size_t axis) {
            return 2 * std::numbers::pi * static_cast<double>(at) / static_cast<double>(problem.shape[axis]);
          };
          const double x = phase(i, 0), y = phase(j, 1), z = phase(k, 2), c = static_cast<double>(f);
          all.push_back(std::sin(x + c) * std::cos(2 * y) + std::cos(z - c) * std::sin(y) + 0.3 * std::sin(2 * z) + c);
        }
      }
    }
  }
  return all;
}

std::vector<double> applied(Operator<double>& op, const std::vector<double>& in) {
  std::vector<double> out(static_cast<std::size_t>(op.plan().output_size()));
  op(in, out);
  return out;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) all += a[i] * b[i];
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

TEST(Operators, ObeyTheIdentitiesOfVectorCalculus) {
  const Problem problem{.shape = {12, 10, 9}, .kind = Kind::r2c, .lengths = {1.0, 2.0, 5.0}};
  Operator<double> grad(problem, gradient<double>(), MPI_COMM_WORLD),
      div(problem, divergence<double>(), MPI_COMM_WORLD), rot(problem, curl<double>(), MPI_COMM_WORLD),
      free(problem, projection<double>(), MPI_COMM_WORLD), lap(problem, laplacian<double>(problem), MPI_COMM_WORLD),
      inverse(problem, inverse_laplacian<double>(problem), MPI_COMM_WORLD),
      coarse(problem, laplacian<double>(problem, Stencil::second_order), MPI_COMM_WORLD),
      solve(problem, inverse_laplacian<double>(problem, Stencil::second_order), MPI_COMM_WORLD);
  const std::vector<double> u = smooth(grad, 1), v = smooth(rot, 3);
  const std::vector<double> lu = applied(lap, u);
  EXPECT_LT(largest_difference(applied(div, applied(grad, u)), lu), 1e-12);
  EXPECT_LT(largest(applied(div, applied(rot, v))) / largest(applied(rot, v)), 1e-11);
  EXPECT_LT(largest(applied(rot, applied(grad, u))) / largest(lu), 1e-12);
  const std::vector<double> once = applied(free, v);
  EXPECT_LT(largest(applied(div, once)) / largest(applied(div, v)), 1e-12);
  EXPECT_LT(largest_difference(applied(free, once), once), 1e-13);
  // u has the mean 0.
  EXPECT_LT(largest_difference(applied(inverse, lu), u), 1e-12);
  EXPECT_LT(largest_difference(applied(solve, applied(coarse, u)), u), 1e-12);
  // <L u, w> = <u, L w>, and <grad u, v> = -<u, div v>
  const std::vector<double> w(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(u.size()));
  EXPECT_NEAR(dot(lu, w), dot(u, applied(lap, w)), 1e-9 * std::abs(dot(lu, w)) + 1e-9);
  EXPECT_NEAR(dot(applied(grad, u), v), -dot(u, applied(div, v)), 1e-8);
}

TEST(Operators, KnowTheirFormulas) {
  const Shape shape{8, 12, 10};
  const Problem problem{.shape = shape, .kind = Kind::r2c, .lengths = {2.0, 3.0, 5.0}};
  const double k = 2 * std::numbers::pi / 3.0;  // one wave along axis 1
  const auto wave = [&](const Operator<double>& op, const auto& value) {
    std::vector<double> all;
    const Box box = op.plan().input_box();
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index l = box.lo[2]; l < box.hi[2]; ++l) all.push_back(value(3.0 * static_cast<double>(j) / 12));
      }
    }
    return all;
  };
  const auto expect = [&](PointFunction<double> function, const auto& wanted) {
    SCOPED_TRACE(function.name);
    Operator<double> op(problem, std::move(function), MPI_COMM_WORLD);
    const auto out = applied(op, wave(op, [&](double y) { return 2 + std::sin(k * y); }));
    EXPECT_LT(largest_difference(out, wave(op, wanted)), 1e-12);
  };
  expect(derivative<double>(1, 1), [&](double y) { return k * std::cos(k * y); });
  expect(derivative<double>(2, 1), [&](double y) { return -k * k * std::sin(k * y); });
  expect(derivative<double>(3, 1), [&](double y) { return -k * k * k * std::cos(k * y); });
  expect(derivative<double>(1, 0), [&](double) { return 0.0; });
  expect(gaussian<double>(0.4), [&](double y) { return 2 + std::exp(-0.16 * k * k / 2) * std::sin(k * y); });
  expect(heat<double>(0.1, 0.5), [&](double y) { return 2 + std::exp(-0.05 * k * k) * std::sin(k * y); });
  expect(shift<double>({0.1, 0.7, 0.2}), [&](double y) { return 2 + std::sin(k * (y - 0.7)); });
  expect(truncate<double>(problem), [&](double y) { return 2 + std::sin(k * y); });
  expect(truncate<double>(problem, 0.1), [&](double) { return 2.0; });
  expect(inverse_laplacian<double>(problem), [&](double y) { return -std::sin(k * y) / (k * k); });
  const double h = 3.0 / 12, difference = 2 * std::sin(k * h / 2) / h;
  expect(laplacian<double>(problem, Stencil::second_order),
         [&](double y) { return -difference * difference * std::sin(k * y); });
  using Factors = std::vector<std::complex<double>>;
  expect(multiply_separable<double>({Factors(8, 2.0), Factors(12, 3.0), Factors(6, 0.5)}),
         [&](double y) { return 6 + 3 * std::sin(k * y); });
  const OperatorPlan plan(problem, At::wavenumbers, 1, 1, {}, size_of(), rank_of());
  expect(multiply<double>(std::vector<double>(static_cast<std::size_t>(plan.middle_box().count()), 3)),
         [&](double y) { return 6 + 3 * std::sin(k * y); });
}

TEST(Operators, ConvolveAndCorrelate) {
  const Shape shape{6, 4, 5};
  const Problem problem{.shape = shape, .kind = Kind::r2c};
  Operator<double> any(problem, laplacian<double>(problem), MPI_COMM_WORLD);
  const Box box = any.plan().input_box();
  const verify::Field kernel{verify::FieldType::real, 5, 0, shape}, field{verify::FieldType::real, 6, 0, shape};
  const auto mine = values_of<double>(kernel, box), u = values_of<double>(field, box);
  const Box all{{0, 0, 0}, shape};
  const auto whole_kernel = values_of<double>(kernel, all), whole = values_of<double>(field, all);
  const auto at = [&](const std::vector<double>& values, Index i, Index j, Index k) {
    const auto wrap = [](Index index, Index n) { return ((index % n) + n) % n; };
    return values[static_cast<std::size_t>((wrap(i, 6) * 4 + wrap(j, 4)) * 5 + wrap(k, 5))];
  };
  for (const bool correlate : {false, true}) {
    std::vector<double> wanted;
    for_each_point(tile_of(box), [&](Index i, Index j, Index k, Index) {
      double sum = 0;
      for_each_point(tile_of(all), [&](Index a, Index b, Index c, Index) {
        const int sign = correlate ? 1 : -1;
        sum += at(whole_kernel, a, b, c) * at(whole, i + sign * a, j + sign * b, k + sign * c);
      });
      wanted.push_back(sum);
    });
    const std::span<const double> span(mine);
    Operator<double> op(problem,
                        correlate ? correlation<double>(problem, span, MPI_COMM_WORLD)
                                  : convolution<double>(problem, span, MPI_COMM_WORLD),
                        MPI_COMM_WORLD);
    EXPECT_LT(largest_difference(applied(op, u), wanted), 1e-13) << (correlate ? "correlation" : "convolution");
  }
}

TEST(Operators, CrossAndProducts) {
  const Shape shape{4, 6, 5};
  const Problem problem{.shape = shape, .kind = Kind::r2c};
  // Constant fields: only the mean is there, and the product of means is the mean of the products.
  const double a[] = {1, 2, 3, -4, 5, 0.5};
  const auto run = [&](PointFunction<double> function) {
    Operator<double> op(problem, std::move(function), MPI_COMM_WORLD);
    const Box box = op.plan().input_box();
    std::vector<std::complex<double>> in(static_cast<std::size_t>(op.plan().input_size())),
        out(static_cast<std::size_t>(op.plan().output_size()));
    const bool mean = !box.empty() && box.lo == Shape{0, 0, 0};
    const auto points = static_cast<std::size_t>(box.count());
    for (Index f = 0; mean && f < op.plan().inputs(); ++f) in[static_cast<std::size_t>(f) * points] = 120 * a[f];
    op(in, out);
    std::vector<double> means(static_cast<std::size_t>(op.plan().outputs()));
    for (std::size_t f = 0; mean && f < means.size(); ++f) means[f] = out[f * points].real() / 120;
    MPI_Allreduce(MPI_IN_PLACE, means.data(), static_cast<int>(means.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return means;
  };
  const auto c = run(cross<double>());
  EXPECT_NEAR(c[0], 2 * 0.5 - 3 * 5.0, 1e-12);
  EXPECT_NEAR(c[1], 3 * -4.0 - 1 * 0.5, 1e-12);
  EXPECT_NEAR(c[2], 1 * 5.0 - 2 * -4.0, 1e-12);
  const auto p = run(products<double>());
  const double wanted[] = {1, 2, 3, 4, 6, 9};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(p[i], wanted[i], 1e-12);
}

TEST(Operators, TakeTheTripsThatTheySay) {
  for (const At at : {At::wavenumbers, At::points}) {
    const Problem problem{.shape = {32, 32, 32}};
    auto function = PointFunction<double>{
        .at = at, .of_complex = [](const PointTile<std::complex<double>>& tile) {
          for_each_point(tile, [&](Index i, Index j, Index, Index k) { tile.out(0, i, j)[k] = tile.in(0, i, j)[k]; });
        }};
    Options options;
    options.decomposition = Decomposition::slab;
    options.transposed = at == At::points;
    Operator<double> op(problem, function, MPI_COMM_WORLD, options);
    std::vector<std::complex<double>> in(static_cast<std::size_t>(op.plan().input_size())),
        out(static_cast<std::size_t>(op.plan().output_size()));
    op(in, out);
    const Index bytes = 32 * 32 * 32 * 16;
    EXPECT_EQ(sum(op.statistics().bytes_read), 3 * bytes);
    EXPECT_EQ(sum(op.statistics().bytes_written), 3 * bytes);
    const Index mine = op.statistics().bytes_read + op.statistics().bytes_written;
    EXPECT_NE(op.plan().json().find("\"bytes_moved\": " + std::to_string(mine)), std::string::npos) << op.plan().json();
    EXPECT_NE(op.plan().explain().find("3 trips"), std::string::npos);
  }
}

TEST(Operators, AFunctionThatFailsIsTheSameErrorOnAllRanks) {
  bool fails = true;
  auto function = PointFunction<double>::at_wavenumbers(1, 1, [&](const PointTile<std::complex<double>>& tile) {
    const bool last = tile.box.hi[1] == tile.whole.hi[1] && tile.whole.hi[1] == 6;
    if (fails && last) throw std::runtime_error("out of luck");
    for_each_point(tile, [&](Index i, Index j, Index, Index k) { tile.out(0, i, j)[k] = tile.in(0, i, j)[k]; });
  });
  for (const std::string& strategy : strategies_on(MPI_COMM_WORLD)) {
    SCOPED_TRACE(strategy);
    Options options;
    options.strategy = strategy;
    Operator<double> op({.shape = {6, 6, 6}, .kind = Kind::r2c}, function, MPI_COMM_WORLD, options);
    const std::vector<double> in(static_cast<std::size_t>(op.plan().input_size()), 2.0);
    std::vector<double> out(in.size());
    fails = true;
    expect_common_error([&] { op(in, out); }, {"the operator's function failed on rank", "out of luck"});
    fails = false;
    op(in, out);
    EXPECT_LT(largest_difference(out, in), 1e-14);
  }
}

TEST(Operators, RefuseWhatTheyCannotDo) {
  const Problem problem{.shape = {4, 4, 4}, .kind = Kind::r2c};
  const auto refused = [](const Problem& asked, PointFunction<double> function, const Options& options,
                          const std::vector<std::string>& parts) {
    expect_common_error([&] { Operator<double> op(asked, function, MPI_COMM_WORLD, options); }, parts);
  };
  Options options;
  options.in_place = true;
  refused(problem, gradient<double>(), options, {"in_place is true with 1 inputs and 3 outputs"});
  options = {};
  options.transposed = true;
  refused(problem, gradient<double>(), options, {"transposed is true", "both ends of an operator"});
  options = {};
  options.groups = 2;
  if (size_of() > 1) refused(problem, gradient<double>(), options, {"groups is 2; an operator allows only 1"});
  options = {};
  refused({.shape = {4, 0, 4}}, gradient<double>(), options, {"shape is 4 x 0 x 4"});
  refused({.shape = {4, 4, 4}, .kind = Kind::c2r}, gradient<double>(), options, {"kind is c2r"});
  refused({.shape = {4, 4, 4}, .batch = 0}, gradient<double>(), options, {"batch is 0"});
  refused({.shape = {4, 4, 4}, .lengths = {1, -1, 1}}, gradient<double>(), options, {"lengths has -1"});
  PointFunction<double> empty;
  refused(problem, empty, options, {"has no form for complex numbers"});
  empty.inputs = 0;
  empty.of_complex = [](const PointTile<std::complex<double>>&) {};
  refused(problem, empty, options, {"inputs is 0"});
  options.input = Layout::slab({5, 4, 4}, size_of(), 0);
  refused(problem, gradient<double>(), options, {"the input layout has the shape 5 x 4 x 4"});
  // One rank alone is wrong.
  options = {};
  if (rank_of() == size_of() - 1) options.strategy = "telepathy";
  refused(problem, gradient<double>(), options, {"telepathy"});

  Operator<double> op(problem, laplacian<double>(problem), MPI_COMM_WORLD);
  EXPECT_THROW(op.set_function(gradient<double>()), Error);
  op.set_function(gaussian<double>(1));
  std::vector<double> in(static_cast<std::size_t>(op.plan().input_size())), out(in.size());
  expect_common_error([&] { op(in.data(), static_cast<double*>(nullptr)); },
                      op.plan().input_size() > 0 && size_of() <= 4 ? std::vector<std::string>{"out is null"}
                                                                   : std::vector<std::string>{"null"});
  std::vector<std::complex<double>> complex_in(in.size()), complex_out(in.size());
  expect_common_error([&] { op(complex_in.data(), complex_out.data()); }, {"was given complex arrays", "needs real"});
  out.resize(out.size() / 2);
  expect_common_error([&] { op(in, out); }, {"numbers on rank"});
}

}  // namespace
