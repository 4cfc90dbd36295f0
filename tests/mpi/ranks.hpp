// On how many ranks the tests of a file run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::test {

/// Numbers of ranks by file, of the files that say so.
inline std::map<std::string, std::vector<int>>& ranks_of_files() {
  static std::map<std::string, std::vector<int>> ranks;
  return ranks;
}

/// `const OnRanks ranks(__FILE__, {1, 2, 5});` keeps a file's tests from running on other numbers of ranks: what does
/// not depend on the number need not be tested on each.
class OnRanks {
 public:
  OnRanks(const char* file, std::initializer_list<int> ranks) { ranks_of_files()[file] = ranks; }
};

/// A filter for GoogleTest without the tests that are not for so many ranks.
inline std::string filter_for(int ranks) {
  std::string without;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const auto found = ranks_of_files().find(test.file());
      if (found == ranks_of_files().end() || std::count(found->second.begin(), found->second.end(), ranks) > 0)
        continue;
      // (Not by +, where GCC 12 warns for nothing.)
      without.append(without.empty() ? "" : ":").append(suite.name()).append(".").append(test.name());
    }
  }
  return std::string(without.empty() ? "*" : "*-").append(without);
}

}  // namespace weft::test
