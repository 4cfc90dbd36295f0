// What is too large to be planned, and what is large and is planned all the same.
#include "plan/bounds.hpp"

#include <gtest/gtest.h>

#include "sphere/sphere.hpp"
#include "support.hpp"
#include "weft/plan.hpp"
#include "weft/sphere.hpp"

namespace {

using namespace weft;
using weft::test::expect_error;

const std::string allowed = "at most 1073741824 (1.0 GiB) are allowed";

Options with(const char* strategy, int tile = 0) {
  Options options;
  options.strategy = strategy;
  options.tile = tile;
  return options;
}

/// A field from slabs along axis 0 to slabs along axis 1.
detail::Route moved(const Shape& shape, int ranks, Index batch, const Options& options = {}) {
  return detail::make_redistribution(Layout::slab(shape, ranks, 0), Layout::slab(shape, ranks, 1), 8, batch, options,
                                     0);
}

SpherePlan sphere_of(const SphereProblem& problem) { return {problem, {{{0, 0, 0}}}, {}, {}}; }

TEST(Bounds, LinesThatAreTooLong) {
  const Index n = Index{1} << 40;
  expect_error([=] { Plan({.shape = {n, 1, 1}}, {}, 1); }, {"shape[0] is 1099511627776", allowed});
  expect_error([=] { Plan({.shape = {1, n, 1}}, {}, 4); }, {"shape[1] is 1099511627776", allowed});
  expect_error([=] { Plan({.shape = {1, 1, n}, .kind = Kind::r2c}, {}, 1); }, {"shape[2] is 1099511627776", allowed});
  for (const std::size_t axis : {0, 1, 2}) {
    SphereProblem problem;
    problem.grid[axis] = Index{1} << 24;
    const std::string name = "grid[" + std::to_string(axis) + "] is 16777216";
    expect_error([&] { sphere_of(problem); }, {name, allowed});
    problem.precision = Precision::single_;
    expect_error([&] { sphere_of(problem); }, {name, allowed});
  }
}

TEST(Bounds, LongLines) {
  for (const Shape& shape : {Shape{1 << 23, 1, 1}, Shape{1, 1 << 23, 1}, Shape{1, 1, 1 << 24}}) {
    EXPECT_EQ(Plan({.shape = shape}, {}, 1).input_size(), shape[0] * shape[1] * shape[2]);
    EXPECT_GT(Plan({.shape = shape}, {}, 16).input_size(), 0);
  }
  EXPECT_EQ(sphere_of({.grid = {1, 1 << 23, 1}}).space_size(), Index{1} << 23);
}

TEST(Bounds, BatchesThatAreTooLarge) {
  const std::vector<std::string> words{"batch (of spheres howmany) is 2147483648", "groups of 32 fields", allowed};
  for (const int ranks : {1, 2, 64}) {
    const auto plan = [=](Index batch) { Plan({.shape = {8, 8, 8}, .batch = batch}, {}, ranks); };
    expect_error([=] { plan(Index{1} << 31); }, ranks == 1 ? words : std::vector{words.front(), allowed});
    expect_error([=] { plan(Index{1} << 49); }, {"batch (of spheres howmany) is 562949953421312", allowed});
  }
  expect_error([] { moved({8, 8, 8}, 2, Index{1} << 31); }, {words.front(), allowed});
  expect_error([] { moved({8, 8, 8}, 1, Index{1} << 31); }, {words.front(), allowed});
  expect_error([] { moved({8, 8, 8}, 2, INT64_MAX); }, {"the size of the batch in bytes", "64 bits"});
  expect_error([] { sphere_of({.grid = {8, 8, 8}, .howmany = Index{1} << 40}); },
               {"batch (of spheres howmany) is 1099511627776", allowed});
  // Every route of a sphere.
  Options few = with("pairwise");
  few.fields = 1;
  expect_error([&] { SpherePlan({.grid = {8, 8, 8}, .howmany = 10'000'000}, {{{0, 0, 0}}}, few, few); },
               {"batch (of spheres howmany) is 10000000", "groups of 1 fields", allowed});
}

TEST(Bounds, LargeBatches) {
  const Index batch = 100'000;
  for (const int ranks : {1, 2, 32}) {
    const Plan plan({.shape = {32, 32, 32}, .batch = batch}, {}, ranks);
    EXPECT_EQ(plan.input_size(), batch * 32 * 32 * 32 / ranks);
  }
  EXPECT_EQ(moved({32, 32, 32}, 2, batch).input.bytes(batch), batch * 32 * 32 * 16 * 8);
  EXPECT_EQ(sphere_of({.grid = {32, 32, 32}, .howmany = batch}).problem().howmany, batch);
  // Many buffers that are alive at once: finding places takes the square of their number.
  const std::vector<detail::Stage> stages = detail::forward_stages({.shape = {32, 32, 32}}, {}, 2);
  EXPECT_NO_THROW(detail::require_route(stages, with("shared"), batch, 0));
  Options wide = with("ialltoallv");
  wide.window = 1 << 30;
  expect_error([&] { detail::require_route(stages, wide, 2 * batch, 0); },
               {"batch (of spheres howmany) is 200000", "steps to find places for", "are allowed"});
}

TEST(Bounds, Tiles) {
  expect_error([] { Plan({.shape = {1 << 23, 2, 2}}, with("ialltoallv", 1 << 23), 2); }, {"tile is 8388608", allowed});
  // As many as ranks have planes: what a large number asks for.
  const Plan plan({.shape = {4096, 4096, 4096}}, with("ialltoallv", 1 << 30), 1 << 20, 7);
  EXPECT_EQ(plan.data().forward.links.front().exchange.tiles_per_group, 4);
}

TEST(Bounds, Ranks) {
  expect_error([] { Plan({.shape = {8, 8, 8}}, {}, INT32_MAX); }, {"ranks is 2147483647", allowed});
  const Index n = 4096;
  for (const int rank : {0, (1 << 20) - 1}) {
    EXPECT_EQ(Plan({.shape = {n, n, n}}, {}, 1 << 20, rank).input_size(), n * n * n >> 20);
  }
  // Slabs as thin as can be: everybody has a block for everybody.
  EXPECT_EQ(Plan({.shape = {1 << 16, 1 << 16, 1}}, {}, 1 << 16).input_size(), 1 << 16);
}

TEST(Bounds, LargeMessages) {
  const Plan plan({.shape = {8, 1 << 15, 1 << 15}}, with("alltoallv"), 2);
  EXPECT_EQ(plan.traffic(Direction::forward).bytes, Index{1} << 36);
  EXPECT_EQ(moved({2, 2, Index{1} << 40}, 2, 1).input.bytes(1), Index{1} << 44) << "nothing is transformed along it";
}

}  // namespace
