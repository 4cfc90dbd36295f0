// What the system says of the node.
#include "base/host.hpp"

#include <gtest/gtest.h>

namespace {

using namespace weft::detail;

TEST(Host, CountsProcessorsOfAList) {
  EXPECT_EQ(count_processors("0"), 1);
  EXPECT_EQ(count_processors("0-1"), 2);
  EXPECT_EQ(count_processors("0-3,8,10-11"), 7);
  EXPECT_EQ(count_processors("0,64\n"), 2);
  EXPECT_EQ(count_processors(""), 0);
  EXPECT_EQ(count_processors("none"), 0);
}

TEST(Host, HasMemory) {
  if (total_memory() == 0) GTEST_SKIP() << "the system does not say";
  EXPECT_GT(most_memory(), 0);
  EXPECT_GT(available_memory(), 0);
  EXPECT_LE(available_memory(), most_memory());
}

}  // namespace
