// Exchanges in wire formats: as accurate as they promise, with as many bytes as they promise, by every strategy.
#include <cmath>
#include <random>

#include "exchange/strategy.hpp"
#include "exchange/wire_format.hpp"
#include "support.hpp"
#include "weft/operator.hpp"
#include "weft/sphere.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 6});

using namespace weft;
using namespace weft::test;
using detail::format_of;

template <class Number>
std::vector<Number> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed + 100 * static_cast<unsigned>(rank_of()));
  std::uniform_real_distribution<typename Number::value_type> part(-1, 1);
  std::vector<Number> numbers(count);
  for (Number& z : numbers) z = {part(random), part(random)};
  return numbers;
}

/// The 2-norm over all ranks of the difference, relative to that of what should be.
template <class Number>
double error_of(const std::vector<Number>& found, const std::vector<Number>& expected) {
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < found.size(); ++i) {
    sums[0] += std::norm(std::complex<double>(found[i]) - std::complex<double>(expected[i]));
    sums[1] += std::norm(std::complex<double>(expected[i]));
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sums[1] > 0 ? std::sqrt(sums[0] / sums[1]) : 0;
}

struct Outcome {
  double error;
  Index bytes, bytes_as_they_are;  ///< sent by all ranks
  double bound;
};

/// A complex field forward in the options' wire format, against the same with numbers as they are. A transform keeps
/// the 2-norm (but for a factor), so that errors of exchanges are no larger at its end.
template <class Real>
Outcome compare(const Problem& problem, const Options& options) {
  using Number = std::complex<Real>;
  Options exact = options;
  exact.wire = Wire::same;
  Transform<Real> rounded(problem, MPI_COMM_WORLD, options), as_is(problem, MPI_COMM_WORLD, exact);
  const auto count = static_cast<std::size_t>(rounded.input_size());
  const auto in = random_numbers<Number>(count, 5);
  std::vector<Number> a(static_cast<std::size_t>(rounded.output_size())), b = a;
  for (int turn = 0; turn < 2; ++turn) {  // buffers take turns
    rounded.forward(in.data(), a.data());
    as_is.forward(in.data(), b.data());
  }
  const auto sent = [](const Transform<Real>& t) { return t.plan().traffic(Direction::forward).all_bytes; };
  return {error_of(a, b), sent(rounded), sent(as_is), rounded.plan().wire_error(Direction::forward)};
}

TEST(Wire, EveryStrategyRoundsAsItPromises) {
  const Shape shapes[] = {{8, 9, 10}, {5, 3, 7}, {16, 12, 4}, {1, 6, 4}, {7, 2, 1}};
  std::mt19937 random(9);
  int number = 0;
  for (const std::string& strategy : strategies_on(MPI_COMM_WORLD)) {
    if (strategy == "zerocopy") continue;
    for (const detail::WireFormat& format : detail::wire_formats()) {
      const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
      Problem problem{.shape = shapes[static_cast<std::size_t>(number++) % std::size(shapes)]};
      problem.batch = pick(std::array<Index, 2>{1, 3});
      problem.interleaved = random() % 3 == 0;
      Options options;
      options.effort = Effort::estimate;
      options.strategy = strategy;
      options.wire = format.wire;
      options.decomposition = pick(std::array{Decomposition::slab, Decomposition::pencil});
      options.transposed = random() % 2 == 0;
      options.in_place = false;
      options.tile = pick(std::array{0, 2});
      options.window = pick(std::array{0, 2});
      options.threads = pick(std::array{1, 2});
      options.node_size = strategy == "shared" ? 0 : pick(std::array{0, 2});
      const bool single = random() % 3 == 0;
      problem.precision = single ? Precision::single_ : Precision::double_;
      SCOPED_TRACE(testing::Message() << strategy << ", " << format.name << ", " << to_string(problem.shape)
                                      << (single ? ", single" : ", double"));
      const Outcome outcome = single ? compare<float>(problem, options) : compare<double>(problem, options);
      // The arithmetic between two exchanges rounds, too.
      const double arithmetic = single ? 1e-6 : 1e-14;
      EXPECT_LE(outcome.error, outcome.bound + arithmetic);
      const int number_bytes = single ? 8 : 16,
                travelling = detail::wire_bytes(format.wire, number_bytes, number_bytes / 2, true);
      EXPECT_EQ(outcome.bytes * number_bytes, outcome.bytes_as_they_are * travelling);
      if (format.wire != Wire::same && travelling < number_bytes && outcome.bytes > 0 && !single) {
        EXPECT_GT(outcome.error, format.error / 1000) << "nothing was rounded";
      }
    }
  }
}

/// A slab's error by columns of the spectrum, which are what is transformed after the exchange.
struct OfColumns {
  double all;   ///< of all waves, relative, in the 2-norm
  double most;  ///< of a column, in units of the bound times the norm of the column
  double peak;  ///< of a wave, in units of the bound times the mean wave of its column
  double bound;
};
OfColumns of_columns(const std::vector<std::complex<double>>& field, const Problem& problem, const Options& options) {
  Options exact = options;
  exact.wire = Wire::same;
  Transform<double> rounded(problem, MPI_COMM_WORLD, options), as_is(problem, MPI_COMM_WORLD, exact);
  std::vector<std::complex<double>> a(static_cast<std::size_t>(rounded.output_size())), b = a;
  rounded.forward(field.data(), a.data());
  as_is.forward(field.data(), b.data());
  const double bound = rounded.plan().wire_error(Direction::forward);
  const auto n = static_cast<std::size_t>(problem.shape[0]), columns = a.size() / n;
  double found[2] = {0, 0};
  for (std::size_t column = 0; column < columns; ++column) {
    double norm = 0, error = 0, peak = 0;
    for (std::size_t x = 0; x < n; ++x) {
      const std::size_t i = x * columns + column;
      norm += std::norm(b[i]);
      error += std::norm(a[i] - b[i]);
      peak = std::max(peak, std::norm(a[i] - b[i]));
    }
    if (norm == 0) continue;
    found[0] = std::max(found[0], std::sqrt(error / norm) / bound);
    found[1] = std::max(found[1], std::sqrt(peak / norm * static_cast<double>(n)) / bound);
  }
  MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {error_of(a, b), found[0], found[1], bound};
}

// Turbulence: amplitudes that fall by orders of magnitude from long waves to short ones. Each number is rounded
// relative to itself after two axes have been transformed, so a column keeps the bound whatever its size; what the last
// axis mixes has errors that do not know its spectrum: they are spread evenly over the column.
TEST(Wire, ASteepSpectrumHasTheErrorOfItsColumns) {
  const Index n = 24;
  const Problem problem{.shape = {n, n, n}};
  Options options;
  options.effort = Effort::estimate;
  options.decomposition = Decomposition::slab;
  options.transposed = true;
  Transform<double> exact(problem, MPI_COMM_WORLD, options);
  const Box modes = exact.output_box();
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(exact.output_size()));
  std::mt19937 random(77 + static_cast<unsigned>(rank_of()));
  std::uniform_real_distribution<double> phase(0, 6.283185307179586);
  std::size_t at = 0;
  for (Index x = modes.lo[0]; x < modes.hi[0]; ++x) {
    for (Index y = modes.lo[1]; y < modes.hi[1]; ++y) {
      for (Index z = modes.lo[2]; z < modes.hi[2]; ++z, ++at) {
        const auto wave = [&](Index i) { return static_cast<double>(2 * i > n ? i - n : i); };
        const double k = std::sqrt(wave(x) * wave(x) + wave(y) * wave(y) + wave(z) * wave(z));
        // An energy of k^(-5/3) in a shell of some k^2 waves.
        if (k > 0) spectrum[at] = std::polar(std::pow(k, -11.0 / 6), phase(random));
      }
    }
  }
  std::vector<std::complex<double>> field(static_cast<std::size_t>(exact.input_size()));
  exact.backward(spectrum.data(), field.data());
  const auto noise = random_numbers<std::complex<double>>(field.size(), 31);
  for (const detail::WireFormat& format : detail::wire_formats()) {
    if (format.wire == Wire::same) continue;
    SCOPED_TRACE(format.name);
    options.wire = format.wire;
    for (const auto& numbers : {field, noise}) {
      const OfColumns found = of_columns(numbers, problem, options);
      EXPECT_LE(found.all, found.bound + 1e-14);
      EXPECT_LE(found.most, 1);
      EXPECT_LE(found.peak, 3.5);
      if (size_of() == 1) continue;
      EXPECT_GE(found.all, found.bound / 8);
      EXPECT_GE(found.peak, 0.5);
    }
  }
}

TEST(Wire, ErrorsAreMeasuredOnRequest) {
  const Problem problem{.shape = {12, 10, 8}};
  for (const detail::WireFormat& format : detail::wire_formats()) {
    SCOPED_TRACE(format.name);
    Options options;
    options.effort = Effort::estimate;
    options.strategy = "alltoallv";
    options.threads = 2;
    options.wire = format.wire;
    const auto measured = [&](double magnitude) {
      Transform<double> fft(problem, MPI_COMM_WORLD, options);
      auto in = random_numbers<std::complex<double>>(static_cast<std::size_t>(fft.input_size()), 8);
      for (auto& z : in) z *= magnitude;
      std::vector<std::complex<double>> out(static_cast<std::size_t>(fft.output_size()));
      fft.forward(in.data(), out.data());
      fft.backward(out.data(), in.data());
      double error = fft.statistics().wire_error;
      fft.reset_statistics();
      EXPECT_EQ(fft.statistics().wire_error, 0);
      MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      return error;
    };
    EXPECT_EQ(measured(1), 0) << "nobody asked";
    options.measure_wire = true;
    const bool rounds = size_of() > 1 && format.wire != Wire::same;
    EXPECT_LE(measured(1), format.error);
    if (rounds) {
      EXPECT_GE(measured(1), format.error / 3);
      EXPECT_TRUE(std::isinf(measured(1e60))) << "beyond the range";
    }
  }
}

TEST(Wire, WhatStaysInsideANodeIsExactIfAsked) {
  const Problem problem{.shape = {12, 12, 6}, .batch = 2};
  for (const std::string& strategy : strategies_on(MPI_COMM_WORLD)) {
    if (strategy == "zerocopy") continue;
    SCOPED_TRACE(strategy);
    Options options;
    options.effort = Effort::estimate;
    options.strategy = strategy;
    options.decomposition = Decomposition::slab;
    options.wire = Wire::block16;
    options.wire_inside = WireInside::same;
    const Outcome inside = compare<double>(problem, options);
    EXPECT_EQ(inside.error, 0);
    EXPECT_EQ(inside.bound, 0);
    EXPECT_EQ(inside.bytes, inside.bytes_as_they_are);
    options.node_size = 2;
    const Outcome some = compare<double>(problem, options);
    options.wire_inside = WireInside::wire;
    const Outcome all = compare<double>(problem, options);
    EXPECT_LE(some.error, some.bound + 1e-14);
    if (size_of() <= 2) continue;
    EXPECT_EQ(some.bound, all.bound);
    EXPECT_GT(some.error, 0);
    // Where blocks for neighbours lie in their memory only the others are rounded.
    if (detail::find_strategy(strategy).traits.shared_memory) {
      EXPECT_LT(some.error, 0.99 * all.error);
    } else {
      EXPECT_EQ(some.error, all.error);
    }
  }
}

TEST(Wire, WhatARankKeepsIsNotRounded) {
  Problem problem{.shape = {6, 5, 4}};
  Options options;
  options.effort = Effort::estimate;
  options.wire = Wire::block16;
  const Outcome outcome = compare<double>(problem, options);
  if (size_of() == 1) {
    EXPECT_EQ(outcome.error, 0);
  }
}

TEST(Wire, RealFieldsSpheresAndOperators) {
  Options options;
  options.effort = Effort::estimate;
  options.strategy = "alltoallv";
  options.wire = Wire::block20;
  Options exact = options;
  exact.wire = Wire::same;
  const double bound = format_of(options.wire).error;
  const Shape shape{9, 8, 10};

  const Problem problem{.shape = shape, .kind = Kind::r2c, .normalization = Normalization::backward};
  Transform<double> rounded(problem, MPI_COMM_WORLD, options);
  std::vector<double> field(static_cast<std::size_t>(rounded.input_size()), 0), again = field;
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = std::sin(0.1 * static_cast<double>(i + 7) * (1 + rank_of()));
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(rounded.output_size()));
  rounded.forward(field.data(), spectrum.data());
  rounded.backward(spectrum.data(), again.data());
  const auto complex_of = [](const std::vector<double>& x) {
    return std::vector<std::complex<double>>(x.begin(), x.end());
  };
  // There and back; of a half spectrum an error counts at most twice.
  EXPECT_LE(error_of(complex_of(again), complex_of(field)), 8 * bound);

  Problem poisson{.shape = shape, .kind = Kind::r2c};
  const Box box = Layout::slab(shape, size_of(), 0).box(rank_of());
  const auto solve = [&](const Options& with) {
    Operator<double> work(poisson, inverse_laplacian<double>(poisson), MPI_COMM_WORLD, with);
    std::vector<double> out(static_cast<std::size_t>(box.count()));
    work(field.data(), out.data());
    return complex_of(out);
  };
  field.resize(static_cast<std::size_t>(box.count()), 0.5);
  EXPECT_LE(error_of(solve(options), solve(exact)), 8 * bound);

  std::vector<GVector> waves;
  for (Index x = -2; x <= 2; ++x) {
    for (Index y = -2; y <= 2; ++y) {
      if ((x + 5 * y + 50) % size_of() != rank_of()) continue;
      for (Index z = -2; z <= 2; ++z) waves.push_back({x, y, z});
    }
  }
  const auto space = [&](const Options& with) {
    SphereTransform<double> sphere({.grid = {8, 9, 10}}, waves, MPI_COMM_WORLD, with);
    const auto c = random_numbers<std::complex<double>>(waves.size(), 3);
    std::vector<std::complex<double>> psi(static_cast<std::size_t>(sphere.plan().space_box().count()));
    sphere.backward(c.data(), psi.data());
    return psi;
  };
  const double error = error_of(space(options), space(exact));
  EXPECT_LE(error, bound);
  if (size_of() > 1) {
    EXPECT_GT(error, bound / 1000) << "nothing was rounded";
  }
}

TEST(Wire, ArraysCannotBeRounded) {
  if (size_of() == 1) GTEST_SKIP() << "nothing travels";
  Options options;
  options.wire = Wire::single;
  options.strategy = "zerocopy";
  expect_common_error([&] { Transform<double>({.shape = {8, 8, 8}}, MPI_COMM_WORLD, options); },
                      {"wire is single", "zerocopy", "same"});
}

}  // namespace
