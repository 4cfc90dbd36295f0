// Ranks by node, and what nodes send to each other.
#include "exchange/nodes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace {

using namespace weft;
using namespace weft::detail;

TEST(NodeMap, NumbersNodesAsTheyCome) {
  const NodeMap map({7, 3, 7, 9, 3});
  EXPECT_EQ(map.count(), 3);
  EXPECT_EQ(map.members(0), (std::vector<int>{0, 2}));
  EXPECT_EQ(map.members(1), (std::vector<int>{1, 4}));
  EXPECT_EQ(map.members(2), (std::vector<int>{3}));
  EXPECT_EQ(map.node(4), 1);
}

TEST(NodeMap, LeadersTakeTurns) {
  const NodeMap map({0, 0, 0, 1, 1, 1, 2});
  EXPECT_EQ(map.leader(0, 1, 1), 0);
  EXPECT_EQ(map.leader(0, 2, 1), 0);
  EXPECT_EQ(map.leader(0, 1, 2), 1);
  EXPECT_EQ(map.leader(1, 0, 2), 4);
  EXPECT_EQ(map.leader(0, 2, 2), 0);
  EXPECT_EQ(map.leader(2, 1, 2), 6) << "a node of one has one leader";
}

ExchangePlan plan_of(const Layout& from, const Layout& to, const std::vector<int>& nodes, int tiles) {
  ExchangePlan plan;
  plan.from = from;
  plan.to = to;
  plan.nodes = nodes;
  for (int rank = 0; rank < from.ranks(); ++rank) plan.peers.push_back(rank);
  plan.tile_axis = 0;
  plan.tiles_per_group = tiles;
  return plan;
}

// Both sides see the same run, part by part, and all runs together are everything that is not kept.
TEST(NodeRuns, AgreeOnBothSides) {
  const Shape shape{7, 6, 5};
  const std::vector<std::vector<int>> placements{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 2}, {0, 1, 2, 3, 4}, {4, 0, 4, 1, 0}};
  for (const auto& nodes : placements) {
    for (const Layout& to : {Layout::slab(shape, 5, 1), Layout::grid(shape, {1, 5, 1}), Layout::slab(shape, 5, 2)}) {
      const ExchangePlan plan = plan_of(Layout::slab(shape, 5, 0), to, nodes, 2);
      const NodeMap map(nodes);
      for (int k = 0; k < 2; ++k) {
        Index points = 0, kept = 0, part = 0;
        std::set<std::pair<int, int>> seen;
        for (int a = 0; a < map.count(); ++a) {
          for (const NodeRun& run : node_runs(plan, map, a, k).out) {
            EXPECT_EQ(run.from, a);
            points += run.points;
            bool found = false;
            for (const NodeRun& other : node_runs(plan, map, run.to, k).in) {
              if (other.from != a) continue;
              found = true;
              EXPECT_EQ(other.points, run.points);
              ASSERT_EQ(other.parts.size(), run.parts.size());
              for (std::size_t i = 0; i < run.parts.size(); ++i) {
                EXPECT_EQ(other.parts[i].from, run.parts[i].from);
                EXPECT_EQ(other.parts[i].to, run.parts[i].to);
                EXPECT_EQ(other.parts[i].points, run.parts[i].points);
                EXPECT_TRUE(seen.emplace(run.parts[i].from, run.parts[i].to).second);
              }
            }
            EXPECT_TRUE(found);
          }
        }
        for (int rank = 0; rank < 5; ++rank) {
          part += tile_parts(plan, rank, k).front().count();
          kept += intersect(tile_parts(plan, rank, k).front(), to.box(rank)).count();
        }
        EXPECT_EQ(points + kept, part);
      }
    }
  }
}

}  // namespace
