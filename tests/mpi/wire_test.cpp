// Exchanges in wire formats: as accurate as they promise, with as many bytes as they promise, by every strategy.
#include <random>

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
      problem.howmany = pick(std::array<Index, 2>{1, 3});
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

  OperatorProblem poisson{.shape = shape, .kind = Kind::r2c};
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
  expect_common_error(
      [&] {
        Transform<double>({.shape = {8, 8, 8}}, MPI_COMM_WORLD, options);
      },
      {"wire is single", "zerocopy", "same"});
}

}  // namespace
