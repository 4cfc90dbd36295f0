// How far apart cores are, and what follows from it for blocks that ranks pass on.
#include "execute/round_trip.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "execute/caches.hpp"

namespace {

using namespace weft;
using namespace weft::detail;

TEST(RoundTrip, PartnersAreHalfOfTheRanksApart) {
  for (int size = 1; size < 10; ++size) {
    for (int rank = 0; rank < size; ++rank) {
      const std::optional<int> partner = partner_of(rank, size);
      if (size % 2 != 0 && rank == size - 1) {
        EXPECT_FALSE(partner) << rank << " of " << size;
        continue;
      }
      ASSERT_TRUE(partner) << rank << " of " << size;
      EXPECT_EQ(*partner, (rank + size / 2) % (size / 2 * 2));
      EXPECT_EQ(partner_of(*partner, size), rank);
    }
  }
}

TEST(RoundTrip, IsMeasuredByTwoWhoMeet) {
  Word a, b;
  // They may miss each other where the machine is busy: then both try again, for as long as it takes.
  std::atomic<bool> met = false;
  const auto meet = [&](Word& mine, Word& theirs, bool leads, std::optional<double>& seconds) {
    for (Index number = 1; !met; ++number) {
      const auto found = round_trip({mine.shared(), theirs.shared(), leads}, number);
      if (!found) continue;
      seconds = found;
      met = true;
    }
  };
  std::optional<double> first, second;
  std::thread other([&] { meet(b, a, false, second); });
  meet(a, b, true, first);
  other.join();
  ASSERT_TRUE(first || second);
  EXPECT_GT(first ? *first : *second, 0);
}

TEST(RoundTrip, NobodyIsWaitedForForEver) {
  Word mine, theirs;
  EXPECT_FALSE(round_trip({mine.shared(), theirs.shared(), true}, 1));
  EXPECT_FALSE(round_trip({mine.shared(), theirs.shared(), false}, 2));
  // Somebody who has gone on to a later meeting answers everything at once, and nobody waits.
  theirs.value = 1 << 30;
  EXPECT_TRUE(round_trip({mine.shared(), theirs.shared(), true}, 3));
}

TEST(PassingOn, ChangesWhereCoresHaveMoved) {
  const PassingOn near{.past_caches = false, .round_trip = 50e-9}, far{.past_caches = true, .round_trip = 350e-9},
      beside{.past_caches = false, .round_trip = 20e-9}, far_and_cached{.past_caches = false, .round_trip = 350e-9};
  for (const PassingOn* found : {&near, &far, &beside, &far_and_cached}) {
    EXPECT_TRUE(found->may_change());
    EXPECT_EQ(found->past_caches_at(found->round_trip), found->past_caches) << "nothing has moved";
    EXPECT_EQ(found->past_caches_at(1.5 * found->round_trip), found->past_caches) << "nothing has moved far";
  }
  EXPECT_TRUE(near.past_caches_at(350e-9));
  EXPECT_FALSE(far.past_caches_at(50e-9));
  EXPECT_FALSE(beside.past_caches_at(50e-9)) << "two threads of a core went to two cores with a common cache";
  EXPECT_FALSE(far_and_cached.past_caches_at(50e-9));
  EXPECT_FALSE(PassingOn{.past_caches = true}.may_change()) << "nothing is known of the distance";
}

}  // namespace
