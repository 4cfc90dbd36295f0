// Rounds of pairwise exchanges: everybody talks to everybody once, and nobody is hit by two senders at once.
#include "exchange/rounds.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace {

using weft::detail::Round;

/// Checks what holds for every schedule; `rounds_of(rank)` are the rounds of one rank.
template <class RoundsOf>
void expect_conflict_free(int ranks, const RoundsOf& rounds_of) {
  std::set<std::pair<int, int>> pairs;
  const std::size_t count = rounds_of(0).size();
  ASSERT_EQ(count, static_cast<std::size_t>(ranks - 1));
  for (std::size_t round = 0; round < count; ++round) {
    std::set<int> receivers;
    for (int rank = 0; rank < ranks; ++rank) {
      const Round mine = rounds_of(rank)[round];
      EXPECT_NE(mine.to, rank);
      EXPECT_TRUE(receivers.insert(mine.to).second) << "round " << round << " hits rank " << mine.to << " twice";
      EXPECT_TRUE(pairs.insert({rank, mine.to}).second) << rank << " sends twice to " << mine.to;
      EXPECT_EQ(rounds_of(mine.to)[round].from, rank) << "round " << round;
    }
  }
  EXPECT_EQ(pairs.size(), static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks - 1));
}

TEST(Rounds, EveryPairOnceWithoutConflicts) {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    SCOPED_TRACE(ranks);
    expect_conflict_free(ranks, [&](int rank) { return weft::detail::conflict_free_rounds(ranks, rank); });
  }
}

TEST(Rounds, NodeAwareRoundsToo) {
  for (int nodes = 1; nodes <= 5; ++nodes) {
    for (int size = 1; size <= 4; ++size) {
      SCOPED_TRACE(testing::Message() << nodes << " nodes of " << size);
      expect_conflict_free(nodes * size,
                           [&](int rank) { return weft::detail::node_aware_rounds(nodes * size, rank, size); });
    }
  }
}

TEST(Rounds, ANodeTalksToOneOtherAtATime) {
  const int nodes = 4, size = 3;
  const auto rounds = [&](int rank) { return weft::detail::node_aware_rounds(nodes * size, rank, size); };
  for (std::size_t round = 0; round < rounds(0).size(); ++round) {
    for (int node = 0; node < nodes; ++node) {
      std::set<int> to, from;
      for (int slot = 0; slot < size; ++slot) {
        to.insert(rounds(node * size + slot)[round].to / size);
        from.insert(rounds(node * size + slot)[round].from / size);
      }
      EXPECT_EQ(to.size(), 1U);
      EXPECT_EQ(from.size(), 1U);
    }
  }
}

}  // namespace
