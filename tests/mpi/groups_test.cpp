// Groups of ranks and threads in them give what one rank alone gives, to the last bit where the work is the same.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "front/transform_engine.hpp"
#include "support.hpp"
#include "weft/weft.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 3, 4});

using namespace weft;
using Complex = std::complex<double>;

std::vector<Complex> random_field(Index size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Complex> field(static_cast<std::size_t>(size));
  for (Complex& x : field) x = {number(random), number(random)};
  return field;
}

struct Result {
  std::vector<Complex> spectrum, field;
};

Result transform(const Problem& problem, const Options& options) {
  Transform<double> transform(problem, MPI_COMM_WORLD, options);
  const auto field = random_field(transform.plan().input_size(), static_cast<unsigned>(transform.plan().rank()));
  Result result;
  result.spectrum.resize(static_cast<std::size_t>(transform.plan().output_size()));
  result.field.resize(field.size());
  for (int repeat = 0; repeat < 2; ++repeat) {
    transform.forward(field.data(), result.spectrum.data());
    transform.backward(result.spectrum.data(), result.field.data());
  }
  EXPECT_EQ(transform.statistics().executions, 4);
  EXPECT_GT(transform.statistics().total, 0);
  return result;
}

TEST(Groups, SameAsOneGroup) {
  const Problem problem{.shape = {12, 10, 9}, .batch = 5, .normalization = Normalization::backward};
  const Result expected = transform(problem, {});
  for (int groups = 2; groups <= weft::test::size_of(); ++groups) {
    Options options;
    options.groups = groups;
    const Result result = transform(problem, options);
    ASSERT_EQ(result.spectrum.size(), expected.spectrum.size());
    for (std::size_t i = 0; i < expected.spectrum.size(); ++i) {
      ASSERT_LT(std::abs(result.spectrum[i] - expected.spectrum[i]), 1e-12) << groups << " groups, number " << i;
    }
    for (std::size_t i = 0; i < expected.field.size(); ++i) {
      ASSERT_LT(std::abs(result.field[i] - expected.field[i]), 1e-14) << groups << " groups, number " << i;
    }
  }
}

// Fields of all groups are on their way together, by whatever strategy, in however many tiles.
TEST(Groups, AllStrategies) {
  const Problem problem{.shape = {6, 5, 7}, .kind = Kind::c2c, .batch = 4};
  const Result expected = transform(problem, {});
  for (const std::string& strategy : strategies()) {
    SCOPED_TRACE(strategy);
    Options options;
    options.strategy = strategy;
    options.tile = 3;
    options.window = 2;
    options.fields = 1;
    options.tests = 2;
    options.node_size = 2;
    options.groups = std::min(3, weft::test::size_of());
    Result result;
    try {
      result = transform(problem, options);
    } catch (const Error& error) {  // on all ranks
      ASSERT_EQ(strategy, "rma") << error.what();
      ASSERT_NE(std::string(error.what()).find("on a part of them"), std::string::npos) << error.what();
      continue;
    }
    ASSERT_EQ(result.spectrum.size(), expected.spectrum.size());
    for (std::size_t i = 0; i < expected.spectrum.size(); ++i) {
      ASSERT_LT(std::abs(result.spectrum[i] - expected.spectrum[i]), 1e-12) << i;
    }
    for (std::size_t i = 0; i < expected.field.size(); ++i) {
      ASSERT_LT(std::abs(result.field[i] - expected.field[i]), 1e-11) << i;
    }
  }
}

// The plan says what is allocated, of every kind of memory.
TEST(Groups, WorkspaceIsThatOfThePlan) {
  for (const std::string& strategy : strategies()) {
    for (int groups = 1; groups <= weft::test::size_of(); ++groups) {
      SCOPED_TRACE(strategy + ", " + std::to_string(groups) + " groups");
      Options options;
      options.strategy = strategy;
      options.groups = groups;
      options.transposed = true;  // directions need not be alike
      options.tile = 2;
      try {
        const detail::TransformEngine engine({.shape = {8, 6, 10}, .kind = Kind::r2c, .batch = 3}, MPI_COMM_WORLD,
                                             options);
        EXPECT_EQ(engine.workspace_bytes(), engine.plan().workspace_bytes());
        EXPECT_GT(weft::test::sum(engine.workspace_bytes()), 0);
      } catch (const Error& error) {  // on all ranks
        ASSERT_EQ(strategy, "rma") << error.what();
      }
    }
  }
}

TEST(Groups, BadOnesAreErrors) {
  Options options;
  options.groups = weft::test::size_of() + 1;
  EXPECT_THROW(Transform<double>({.shape = {4, 4, 4}}, MPI_COMM_WORLD, options), Error);
  if (weft::test::size_of() < 2) return;
  options.groups = 2;
  options.in_place = true;
  EXPECT_THROW(Transform<double>({.shape = {4, 4, 4}}, MPI_COMM_WORLD, options), Error);
}

// A batch that is spread over groups crosses the network less: half of the all-to-alls stay inside.
TEST(Groups, TrafficIsThatOfItsParts) {
  Options options;
  options.strategy = "alltoallv";
  options.groups = 2;
  options.transposed = true;
  const Plan plan({.shape = {8, 8, 8}, .batch = 4}, options, 4, 1);
  options.groups = 1;
  const Plan inside({.shape = {8, 8, 8}, .batch = 2}, options, 2, 1);
  const Index field = 8 * 8 * 8 * 16;
  // Each rank moves half of what it has to the other group before, and the same again after; all fields but its own
  // group's quarter of them are somewhere else at each end.
  const Index moved = 4 * field * 3 / 4;
  EXPECT_EQ(plan.traffic(Direction::forward).all_bytes, 2 * inside.traffic(Direction::forward).all_bytes + 2 * moved);
  EXPECT_NE(plan.explain().find("in group 0, ranks 0 to 1"), std::string::npos) << plan.explain();
}

TEST(Threads, DoNotChangeABit) {
  for (const char* strategy : {"alltoallv", "pairwise", "shared"}) {
    for (bool transposed : {false, true}) {
      Options options;
      options.strategy = strategy;
      options.transposed = transposed;
      options.cache = 4096;  // many chunks
      options.tests = 3;
      const Problem problem{.shape = {16, 15, 14}, .batch = 2};
      const Result expected = transform(problem, options);
      options.threads = 4;
      const Result result = transform(problem, options);
      EXPECT_EQ(result.spectrum, expected.spectrum) << strategy;
      EXPECT_EQ(result.field, expected.field) << strategy;
    }
  }
}

TEST(Progress, NeedsAnMpiForManyThreads) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  Options options;
  options.progress = Progress::thread;
  if (level == MPI_THREAD_MULTIPLE) {
    options.strategy = "ialltoallv";
    options.tile = 4;
    const Problem problem{.shape = {16, 15, 14}, .batch = 3};
    Options plain = options;
    plain.progress = Progress::none;
    EXPECT_EQ(transform(problem, options).spectrum, transform(problem, plain).spectrum);
    return;
  }
  try {
    Transform<double> transform({.shape = {4, 4, 4}}, MPI_COMM_WORLD, options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("MPI_THREAD_MULTIPLE"), std::string::npos) << error.what();
  }
}

}  // namespace
