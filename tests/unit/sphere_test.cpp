// Plans of spheres: columns, lines and messages counted by hand and as Bethune (2010) counts them.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <utility>

#include "sphere/sphere.hpp"
#include "support.hpp"
#include "weft/sphere.hpp"

namespace {

using namespace weft;
using weft::test::expect_error;

/// CNT40's coarse grid: 30^3, of whose 900 columns the 657 with x^2 + y^2 <= 205 are not zero; dealt one by one.
std::vector<std::vector<GVector>> cnt40(int ranks) {
  std::vector<std::vector<GVector>> waves(static_cast<std::size_t>(ranks));
  std::size_t column = 0;
  for (Index y = -14; y <= 14; ++y) {
    for (Index x = -14; x <= 14; ++x) {
      if (x * x + y * y > 205) continue;
      auto& mine = waves[column++ % waves.size()];
      for (Index z = -14; z <= 14; ++z) {
        if (x * x + y * y + z * z <= 205) mine.push_back({x, y, z});
      }
    }
  }
  EXPECT_EQ(column, 657u);
  return waves;
}

constexpr SphereProblem cnt40_problem{.grid = {30, 30, 30}};

Options with(const char* strategy, int node_size = 0) {
  Options options;
  options.strategy = strategy;
  options.node_size = node_size;
  options.tile = options.fields = 1;
  return options;
}

TEST(SpherePlans, Cnt40OnSixteenRanks) {
  std::map<Index, int> columns, planes;
  std::set<Index> messages;
  for (int rank = 0; rank < 16; ++rank) {
    const SpherePlan plan(cnt40_problem, cnt40(16), with("alltoallv"), with("alltoallv"), rank);
    EXPECT_EQ(plan.all_columns(), 657);
    ++columns[plan.columns()];
    ++planes[plan.space_box().extent(0)];
    for (const detail::Block& block : plan.data().backward.links.front().exchange.tiles.front().send) {
      messages.insert(block.count);
    }
  }
  EXPECT_EQ(columns, (std::map<Index, int>{{41, 15}, {42, 1}}));
  EXPECT_EQ(planes, (std::map<Index, int>{{2, 14}, {1, 2}}));
  EXPECT_EQ(messages, (std::set<Index>{84, 82, 42, 41}));
}

TEST(SpherePlans, Cnt40OnTwelveNodesOf24) {
  const auto waves = cnt40(288);
  const auto traffic = [&](const char* strategy) {
    Options options = with(strategy, 24);
    options.process_grid = {288, 1};
    return SpherePlan(cnt40_problem, waves, options, options).traffic(Direction::backward);
  };
  const Plan::Traffic original = traffic("alltoallv");
  EXPECT_EQ(original.all_messages, 288 * 287);
  EXPECT_EQ(original.network_messages, 288 * 264);
  EXPECT_EQ(original.all_data_messages, 30 * 287);          // one plane on each of 30 ranks
  EXPECT_EQ(original.all_bytes, (657 * 30 - 30 * 3) * 16);  // those ranks keep 3 columns of a plane each
  const Plan::Traffic gathered = traffic("node-gather");
  EXPECT_EQ(gathered.network_messages, 12 * 11);
  const Plan::Traffic shared = traffic("node-shm");
  EXPECT_EQ(shared.network_data_messages, 2 * 11);  // planes are on two nodes
  EXPECT_LT(traffic("padded").all_data_messages, original.all_messages + 1);
}

// More ranks than planes: by themselves they share planes.
TEST(SpherePlans, Cnt40OnAProcessGrid) {
  const auto waves = cnt40(288);
  Index points = 0, numbers = 0;
  for (const int rank : {0, 7, 100, 287}) {
    const SpherePlan plan(cnt40_problem, waves, with("alltoallv", 24), {}, rank);
    const detail::SphereData& data = plan.data();
    EXPECT_EQ(data.process_grid, (std::array{32, 9}));  // a plane and at most 4 of its 29 lines, and of its 30 rows
    ASSERT_EQ(data.backward.links.size(), 2u);
    const auto& [first, second] = std::pair{data.backward.links[0].exchange, data.backward.links[1].exchange};
    EXPECT_EQ(first.peers.size(), 288u);
    EXPECT_EQ(second.peers.size(), rank < 270 ? 9u : 1u);  // two rows have no planes
    EXPECT_EQ(detail::make_apply_route(data).links.size(), 4u);
    const SpherePlan::Lines lines = plan.lines();
    EXPECT_EQ(lines.axis, (std::array<int, 3>{2, 1, 0}));
    EXPECT_EQ(lines.lines, (std::array<Index, 3>{657, 29 * 30, 30 * 30}));
    EXPECT_NE(plan.explain().find("of processes"), std::string::npos) << plan.explain();
  }
  // What all have together is the box, and each number of a column is sent once.
  for (int rank = 0; rank < 288; ++rank) {
    const SpherePlan plan(cnt40_problem, waves, with("alltoallv", 24), {}, rank);
    points += plan.space_size();
    const detail::Tile& tile = plan.data().backward.links[0].exchange.tiles.front();
    numbers += detail::elements_of(tile.send) + detail::elements_of(tile.kept);
  }
  EXPECT_EQ(points, 30 * 30 * 30);
  EXPECT_EQ(numbers, 657 * 30);

  Options slabs = with("alltoallv");
  slabs.process_grid = {288, 1};
  EXPECT_EQ(SpherePlan(cnt40_problem, waves, slabs, {}, 287).space_size(), 0);
  slabs.process_grid = {100, 2};
  expect_error([&] { SpherePlan(cnt40_problem, waves, slabs, {}); },
               {"process_grid is 100x2; the product must be the number of ranks, 288"});
  Options other = with("alltoallv");
  slabs.process_grid = {144, 2};
  other.process_grid = {2, 144};
  expect_error([&] { SpherePlan(cnt40_problem, waves, slabs, other); },
               {"process_grid is 144x2 backward and 2x144 forward; one is needed"});
}

TEST(SpherePlans, LinesAreThoseThatAreNotZero) {
  // Half the box in each direction: x and y from -8 to 8 of 32.
  std::vector<GVector> waves;
  for (Index y = -8; y <= 8; ++y) {
    for (Index x = -8; x <= 8; ++x) {
      if (x * x + y * y <= 64) waves.push_back({x, y, 0});
    }
  }
  const SphereProblem problem{.grid = {32, 30, 20}};
  const SpherePlan plan(problem, {waves}, {}, {});
  const SpherePlan::Lines lines = plan.lines();
  EXPECT_EQ(lines.axis, (std::array<int, 3>{2, 0, 1}));
  EXPECT_EQ(lines.lines, (std::array<Index, 3>{197, 17 * 20, 32 * 20}));
  EXPECT_EQ(lines.full, (std::array<Index, 3>{32 * 30, 30 * 20, 32 * 20}));
  const auto json = nlohmann::json::parse(plan.json());
  EXPECT_EQ(json["lines"][0]["lines"], 197);
  EXPECT_EQ(json["bytes_exchanged_per_band"], 197 * 20 * 16);
  EXPECT_NE(plan.explain().find("197 of 960 along z"), std::string::npos) << plan.explain();

  std::vector<GVector> half;
  for (const GVector& g : waves) {
    if (g[0] > 0 || (g[0] == 0 && g[1] >= 0)) half.push_back(g);
  }
  const SpherePlan gamma({.grid = {32, 30, 20}, .gamma = true}, {half}, {}, {});
  EXPECT_EQ(gamma.lines().axis, (std::array<int, 3>{2, 1, 0}));
  EXPECT_EQ(gamma.lines().lines, (std::array<Index, 3>{99, 9 * 20, 30 * 20}));
  EXPECT_EQ(gamma.lines().full, (std::array<Index, 3>{17 * 30, 17 * 20, 30 * 20}));
}

TEST(SpherePlans, DirectionsHaveOptionsOfTheirOwn) {
  Options backward = with("pairwise"), forward = with("pairwise");
  backward.tile = 3;
  forward.tile = 5;
  const SpherePlan plan(cnt40_problem, cnt40(4), backward, forward, 1);
  EXPECT_EQ(plan.data().backward.links.front().exchange.tiles.size(), 3u);
  EXPECT_EQ(plan.data().forward.links.front().exchange.tiles.size(), 5u);
  const detail::Route apply = detail::make_apply_route(plan.data());
  ASSERT_EQ(apply.links.size(), 2u);
  EXPECT_EQ(apply.links[0].exchange.tiles.size(), 3u);
  EXPECT_EQ(apply.links[1].exchange.tiles.size(), 5u);
}

TEST(PlaneWaves, OfACube) {
  // |G|^2 / 2 <= E with |G| = 2 pi n / a: all n with n^2 <= 5.
  const double a = 2 * std::numbers::pi;
  const Cutoff cutoff{.lattice = {{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}, .energy = 2.5};
  const auto all = plane_waves(cutoff);
  EXPECT_EQ(all.size(), 57u);  // 1 + 6 + 12 + 8 + 6 + 24
  EXPECT_EQ(plane_waves(cutoff, true).size(), 29u);
  EXPECT_EQ(sphere_grid(cutoff), (std::array<Index, 3>{9, 9, 9}));
  EXPECT_EQ(sphere_grid(cutoff, 1), (std::array<Index, 3>{5, 5, 5}));
  const auto dealt = deal_columns(all, 7);
  std::set<GVector> seen;
  std::set<std::array<Index, 2>> columns;
  for (const auto& waves : dealt) {
    EXPECT_NEAR(static_cast<double>(waves.size()), 57.0 / 7, 3);
    std::set<std::array<Index, 2>> mine;
    for (const GVector& g : waves) {
      EXPECT_TRUE(seen.insert(g).second);
      mine.insert({g[0], g[1]});
    }
    for (const auto& column : mine) EXPECT_TRUE(columns.insert(column).second);
  }
  EXPECT_EQ(seen.size(), 57u);
}

// By x first: numbers of a column stay among the ranks that have its x across the planes.
TEST(PlaneWaves, DealtToAProcessGrid) {
  const double a = 2 * std::numbers::pi;
  const Cutoff cutoff{.lattice = {{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}, .energy = 40};
  for (const bool gamma : {false, true}) {
    const auto all = plane_waves(cutoff, gamma);
    const auto dealt = deal_columns(all, 12, 3);
    ASSERT_EQ(dealt.size(), 12u);
    std::size_t sum = 0, most = 0;
    for (const auto& waves : dealt) {
      sum += waves.size();
      most = std::max(most, waves.size());
    }
    EXPECT_EQ(sum, all.size());
    EXPECT_LT(static_cast<double>(most), 1.2 * static_cast<double>(sum) / 12);
    Options options;
    options.process_grid = {4, 3};
    for (int rank = 0; rank < 12; ++rank) {
      const SpherePlan plan({.grid = {20, 20, 20}, .gamma = gamma}, dealt, options, options, rank);
      EXPECT_EQ(plan.data().backward.links[0].exchange.peers.size(), 4u);
      EXPECT_EQ(plan.data().backward.links[1].exchange.peers.size(), 3u);
    }
  }
  expect_error([&] { deal_columns({}, 12, 5); }, {"sharing is 5; it must divide the number of ranks, 12"});
  expect_error([&] { deal_columns({}, 12, 0); }, {"sharing is 0"});
}

TEST(PlaneWaves, WithAKPointAndBadArguments) {
  const double a = 2 * std::numbers::pi;
  Cutoff cutoff{.lattice = {{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}, .energy = 0.125, .k = {0.5, 0, 0}};
  EXPECT_EQ(plane_waves(cutoff), (std::vector<GVector>{{-1, 0, 0}, {0, 0, 0}}));
  expect_error([&] { plane_waves(cutoff, true); }, {"k is (0.5, 0, 0)", "must be 0"});
  cutoff.energy = -1;
  expect_error([&] { plane_waves(cutoff); }, {"energy is -1"});
  cutoff.energy = 1;
  cutoff.lattice[2] = cutoff.lattice[1];
  expect_error([&] { plane_waves(cutoff); }, {"lattice has the volume 0"});
  expect_error([&] { deal_columns({}, 0); }, {"ranks is 0"});
  expect_error([&] { SpherePlan({.grid = {4, 4, 4}}, {{{0, 0, 0}}}, {}, {}, 1); }, {"rank is 1", "0 to 0"});
  Options pencil;
  pencil.decomposition = Decomposition::pencil;
  expect_error([&] { SpherePlan({.grid = {4, 4, 4}}, {{{0, 0, 0}}}, pencil, {}); }, {"decomposition is pencil"});
}

}  // namespace
