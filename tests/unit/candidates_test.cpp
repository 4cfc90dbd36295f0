// What the tuner tries.
#include "candidates.hpp"

#include <algorithm>

#include "support.hpp"

namespace {

using namespace weft;

/// Whether slabs are tried on so many ranks.
bool tries_slabs(const Shape& shape, int ranks) {
  const tuner::SearchSpace space = tuner::imagine_search_space(ranks, ranks, {}, {});
  const std::vector<Options> all = tuner::candidates({.shape = shape}, {}, space);
  return std::any_of(all.begin(), all.end(),
                     [](const Options& one) { return one.decomposition == Decomposition::slab; });
}

TEST(Candidates, HaveSlabsWhereThePlannerTakesThem) {
  for (const Shape& shape : {Shape{8, 8, 8}, Shape{8, 4, 8}, Shape{4, 8, 8}, plane(64, 32), plane(2, 64)}) {
    for (const int ranks : {2, 4, 8}) {
      SCOPED_TRACE(to_string(shape) + " on " + std::to_string(ranks));
      const Plan plan({.shape = shape}, {.transposed = true}, ranks);
      EXPECT_EQ(tries_slabs(shape, ranks), plan.input() == Layout::slab(shape, ranks, 0));
    }
  }
}

}  // namespace
