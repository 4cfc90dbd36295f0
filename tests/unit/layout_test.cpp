#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "case.hpp"
#include "support.hpp"
#include "weft/layout.hpp"

namespace {

using namespace weft;
using weft::test::expect_error;

TEST(Split, CoversWithoutGapsAndEvenly) {
  for (Index n = 0; n <= 40; ++n) {
    for (Index parts = 1; parts <= 17; ++parts) {
      Index at = 0, least = n, most = 0;
      for (Index part = 0; part < parts; ++part) {
        const Range range = split(n, parts, part);
        EXPECT_EQ(range.lo, at);
        EXPECT_GE(range.hi, range.lo);
        at = range.hi;
        least = std::min(least, range.hi - range.lo);
        most = std::max(most, range.hi - range.lo);
        EXPECT_EQ(range.hi - range.lo, n / parts + (part < n % parts ? 1 : 0)) << "the first parts are the larger ones";
      }
      EXPECT_EQ(at, n);
      EXPECT_LE(most - least, 1);
    }
  }
}

TEST(Split, LargeNumbers) {
  const Index n = (Index{1} << 62) + 3, parts = 1000003;
  EXPECT_EQ(split(n, parts, 0).lo, 0);
  EXPECT_EQ(split(n, parts, parts - 1).hi, n);
  EXPECT_EQ(split(n, parts, 499999).hi, split(n, parts, 500000).lo);
}

TEST(Boxes, Intersect) {
  const Box a{{0, 2, 4}, {5, 8, 9}}, b{{3, 0, 8}, {7, 5, 20}};
  EXPECT_EQ(intersect(a, b), (Box{{3, 2, 8}, {5, 5, 9}}));
  EXPECT_EQ(intersect(a, b), intersect(b, a));
  EXPECT_TRUE(intersect(a, Box{{5, 0, 0}, {9, 9, 9}}).empty());
  EXPECT_EQ(intersect(a, Box{{5, 0, 0}, {9, 9, 9}}).count(), 0);
  EXPECT_EQ(intersect(a, a), a);
}

TEST(Boxes, CountAndText) {
  EXPECT_EQ((Box{{0, 0, 0}, {4096, 4096, 4096}}).count(), Index{1} << 36);
  EXPECT_EQ((Box{{3, 0, 0}, {3, 9, 9}}).count(), 0);
  EXPECT_EQ((Box{{5, 0, 0}, {3, 9, 9}}).count(), 0);
  EXPECT_EQ(to_string(Box{{0, 0, 2}, {4, 8, 6}}), "[0:4, 0:8, 2:6]");
  EXPECT_EQ(to_string(Shape{128, 128, 65}), "128 x 128 x 65");
}

/// Holder of every point by asking all boxes; -1 nobody, -2 more than one.
std::vector<int> owners(const Layout& layout) {
  const Shape& n = layout.shape();
  std::vector<int> owner(static_cast<std::size_t>(n[0] * n[1] * n[2]), -1);
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    if (box.empty()) continue;
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
          int& at = owner[static_cast<std::size_t>((i * n[1] + j) * n[2] + k)];
          at = at == -1 ? rank : -2;
        }
      }
    }
  }
  return owner;
}

void expect_partition(const Layout& layout) {
  for (const int owner : owners(layout)) {
    ASSERT_GE(owner, 0) << layout.describe() << " of " << to_string(layout.shape());
    ASSERT_LT(owner, layout.ranks());
  }
}

TEST(Layouts, EveryPointHasOneHolder) {
  for (const Shape& shape : {Shape{6, 7, 5}, Shape{1, 1, 1}, Shape{2, 9, 1}, Shape{13, 1, 3}}) {
    for (int ranks = 1; ranks <= 12; ++ranks) {
      for (int axis = 0; axis < 3; ++axis) {
        expect_partition(Layout::slab(shape, ranks, axis));
        for (int rows = 1; rows <= ranks; ++rows) {
          if (ranks % rows == 0) expect_partition(Layout::pencil(shape, rows, ranks / rows, axis));
        }
      }
      expect_partition(Layout::grid(shape, {2, ranks, 3}));
      for (int seed = 0; seed < 5; ++seed) {
        expect_partition(*verify::make_layout("bricks:" + std::to_string(seed), shape, ranks));
      }
    }
  }
}

TEST(Layouts, RanksAreNumberedAsDocumented) {
  const Shape shape{8, 12, 10};
  const Layout grid = Layout::grid(shape, {2, 3, 5});
  EXPECT_EQ(grid.ranks(), 30);
  EXPECT_EQ(grid.box((1 * 3 + 2) * 5 + 4), (Box{{4, 8, 8}, {8, 12, 10}}));
  // rank = row * columns + column, the earlier axis over the rows.
  EXPECT_EQ(Layout::pencil(shape, 2, 5, 1).box(1 * 5 + 3), (Box{{4, 0, 6}, {8, 12, 8}}));
  EXPECT_EQ(Layout::pencil(shape, 3, 5, 0).box(2 * 5 + 1), (Box{{0, 8, 2}, {8, 12, 4}}));
  EXPECT_EQ(Layout::pencil(shape, 4, 3, 2).box(3 * 3 + 0), (Box{{6, 0, 0}, {8, 4, 10}}));
  EXPECT_EQ(Layout::slab(shape, 3, 1).box(2), (Box{{0, 8, 0}, {8, 12, 10}}));
  EXPECT_TRUE(Layout::slab(shape, 9, 0).box(8).empty());
}

// Who leaves out axes of one point, as users of planes do, still sees which boxes are empty.
TEST(Layouts, EmptyBoxesAreEmptyAlongLongAxes) {
  EXPECT_EQ(Layout::slab(plane(12, 9), 2, 1).box(0), (Box{{0, 0, 0}, {12, 1, 9}}));
  EXPECT_EQ(Layout::slab(plane(12, 9), 2, 1).box(1), (Box{{12, 1, 0}, {12, 1, 9}}));
  EXPECT_EQ(Layout::pencil(plane(12, 9), 2, 2, 2).box(1), (Box{{6, 1, 0}, {6, 1, 9}}));
  EXPECT_EQ(Layout::slab(plane(1, 9), 2, 1).box(1), (Box{{0, 1, 9}, {1, 1, 9}}));
  EXPECT_EQ(Layout::slab(plane(1, 1), 2, 1).box(1), (Box{{1, 1, 1}, {1, 1, 1}}));
  EXPECT_EQ(Layout::slab({4, 5, 6}, 5, 0).box(4), (Box{{4, 0, 0}, {4, 5, 6}}));
}

TEST(Layouts, OverlapsAgainstBruteForce) {
  std::mt19937_64 random(17);
  const auto below = [&random](Index n) { return static_cast<Index>(random() % static_cast<std::uint64_t>(n)); };
  for (int round = 0; round < 300; ++round) {
    const Shape shape{1 + below(9), 1 + below(9), 1 + below(9)};
    const int ranks = static_cast<int>(1 + below(9));
    const char* names[] = {"slab:0", "slab:1", "pencil:2", "grid", "bricks:"};
    std::string name = names[below(5)];
    if (name.ends_with(':')) name += std::to_string(below(1000));
    const Layout layout = *verify::make_layout(name, shape, ranks);
    Box box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lo[axis] = below(shape[axis] + 1);
      box.hi[axis] = box.lo[axis] + below(shape[axis] - box.lo[axis] + 1);
    }
    SCOPED_TRACE(name + " of " + to_string(shape) + " on " + std::to_string(ranks) + ", " + to_string(box));
    std::vector<Layout::Overlap> wanted;
    for (int rank = 0; rank < ranks; ++rank) {
      const Box common = intersect(box, layout.box(rank));
      if (!common.empty()) wanted.push_back({rank, common});
    }
    const auto got = layout.overlaps(box);
    const std::vector<int> ranks_only = layout.overlapping(box);
    ASSERT_EQ(got.size(), wanted.size());
    ASSERT_EQ(ranks_only.size(), wanted.size());
    Index points = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].rank, wanted[i].rank);
      EXPECT_EQ(ranks_only[i], wanted[i].rank);
      EXPECT_EQ(got[i].box, wanted[i].box);
      points += got[i].box.count();
    }
    EXPECT_EQ(points, box.count());
  }
}

TEST(Layouts, PatchesAreSeveralBoxesOfARank) {
  const Shape shape{4, 6, 2};
  const Box a{{0, 0, 0}, {2, 6, 2}}, b{{2, 0, 0}, {4, 3, 2}}, c{{2, 3, 0}, {4, 6, 1}}, d{{2, 3, 1}, {4, 6, 2}};
  const Layout layout = Layout::patches(shape, 4, {d, a, b, c}, {2, 0, 2, 1});
  EXPECT_TRUE(layout.has_several());
  EXPECT_EQ(layout.ranks(), 4);
  EXPECT_EQ(layout.boxes(0), std::vector{a});
  EXPECT_EQ(layout.boxes(1), std::vector{c});
  EXPECT_EQ(layout.boxes(2), (std::vector{d, b}));  // as they were given
  EXPECT_TRUE(layout.boxes(3).empty());
  EXPECT_EQ(layout.describe(), "4 patches of 4 ranks");
  EXPECT_FALSE(layout.parts());
  EXPECT_EQ(layout.overlapping({{1, 0, 0}, {3, 6, 2}}), (std::vector{0, 1, 2}));
  const auto parts = layout.overlaps({{1, 2, 0}, {3, 4, 2}});
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].box, (Box{{1, 2, 0}, {2, 4, 2}}));
  EXPECT_EQ(parts[1].rank, 1);
  EXPECT_EQ(parts[2].rank, 2);
  EXPECT_EQ(parts[2].box, (Box{{2, 3, 1}, {3, 4, 2}}));
  EXPECT_EQ(parts[3].box, (Box{{2, 2, 0}, {3, 3, 2}}));
  EXPECT_EQ(layout, Layout::patches(shape, 4, {a, c, d, b}, {0, 1, 2, 2}));
  EXPECT_NE(layout, Layout::patches(shape, 4, {a, c, b, d}, {0, 1, 2, 2}));
  EXPECT_NE(layout, Layout::slab(shape, 4, 0));
  expect_error([&] { (void)layout.box(0); }, {"ranks hold 4 patches of 4 ranks, and not one box each"});
  expect_error([&] { (void)layout.boxes(4); }, {"rank is 4; allowed are 0 to 3"});
  // One each are bricks.
  EXPECT_EQ(Layout::patches(shape, 3, {b, a, {{2, 3, 0}, {4, 6, 2}}}, {1, 0, 2}),
            Layout::bricks(shape, {a, b, {{2, 3, 0}, {4, 6, 2}}}));
  expect_error([&] { (void)Layout::patches(shape, 2, {a, b}, {0}); }, {"there are 2 patches and 1 owners"});
  expect_error([&] { (void)Layout::patches(shape, 2, {a, b}, {0, 2}); },
               {"the owner of patch 1 is 2; allowed are 0 to 1"});
  expect_error([&] { (void)Layout::patches(shape, 2, {a, a}, {0, 0}); }, {"patches 0 and 1 overlap"});
  expect_error([&] { (void)Layout::patches(shape, 2, {a, b}, {0, 0}); }, {"the patches hold 36 of the 48 points"});
  expect_error([&] { (void)Layout::patches(shape, 0, {}, {}); }, {"ranks is 0"});
  expect_error([&] { (void)Layout::patches(shape, 1, {{{0, 0, 0}, {5, 6, 2}}}, {0}); }, {"patch 0 is [0:5, 0:6, 0:2]"});
}

TEST(Layouts, HugeGridsNeedNoMemory) {
  const Shape shape{Index{1} << 20, Index{1} << 20, Index{1} << 20};
  const Layout layout = Layout::pencil(shape, 1 << 15, 1 << 15, 2);
  EXPECT_EQ(layout.ranks(), 1 << 30);
  EXPECT_EQ(layout.box((1 << 30) - 1).hi, shape);
  const auto found = layout.overlaps({{0, 0, 0}, {64, 1, 1}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].rank, 1 << 15);
}

TEST(Layouts, SlabOfPencilsIsASlab) {
  const Shape shape{6, 7, 5};
  EXPECT_EQ(Layout::pencil(shape, 4, 1, 2), Layout::slab(shape, 4, 0));
  EXPECT_EQ(Layout::pencil(shape, 1, 4, 2), Layout::slab(shape, 4, 1));
  EXPECT_NE(Layout::slab(shape, 4, 0), Layout::slab(shape, 4, 1));
  EXPECT_NE(Layout::slab(shape, 4, 0), Layout::slab(shape, 3, 0));
  EXPECT_NE(Layout::slab(shape, 4, 0), Layout::slab({6, 7, 6}, 4, 0));
  // The same boxes given one by one.
  std::vector<Box> boxes;
  for (int rank = 0; rank < 8; ++rank) boxes.push_back(Layout::slab(shape, 8, 0).box(rank));
  EXPECT_EQ(Layout::bricks(shape, boxes), Layout::slab(shape, 8, 0));
}

TEST(Layouts, Parts) {
  EXPECT_EQ(Layout::pencil({6, 7, 5}, 2, 3, 1).parts(), (std::array<int, 3>{2, 1, 3}));
  EXPECT_FALSE(Layout::bricks({1, 1, 1}, {Box{{0, 0, 0}, {1, 1, 1}}}).parts().has_value());
}

TEST(Layouts, Describe) {
  const Shape shape{8, 8, 8};
  EXPECT_EQ(Layout::slab(shape, 4, 0).describe(), "slab along axis 0");
  EXPECT_EQ(Layout::slab(shape, 4, 2).describe(), "slab along axis 2");
  EXPECT_EQ(Layout::pencil(shape, 2, 4, 2).describe(), "pencil 2 x 4, axis 2 local");
  EXPECT_EQ(Layout::pencil(shape, 2, 4, 0).describe(), "pencil 2 x 4, axis 0 local");
  EXPECT_EQ(Layout::grid(shape, {2, 2, 2}).describe(), "grid 2 x 2 x 2");
  EXPECT_EQ(Layout::slab(shape, 1, 0).describe(), "one rank");
  EXPECT_NE(verify::make_layout("bricks:1", shape, 5)->describe().find("bricks"), std::string::npos);
}

TEST(LayoutErrors, Shape) {
  expect_error([] { Layout::grid({4, -3, 4}, {1, 1, 1}); }, {"shape", "4 x -3 x 4", "negative"});
  expect_error([] { Layout::bricks({-1, 1, 1}, {}); }, {"shape", "-1 x 1 x 1"});
  const Index huge = Index{1} << 22;
  expect_error([=] { Layout::slab({huge, huge, huge}, 2, 0); }, {"overflow"});
}

TEST(LayoutErrors, Grid) {
  expect_error([] { Layout::grid({4, 4, 4}, {2, 0, 1}); }, {"grid", "2 x 0 x 1", "at least 1"});
  expect_error([] { Layout::slab({4, 4, 4}, 0, 0); }, {"0", "at least 1"});
  expect_error([] { Layout::slab({4, 4, 4}, 2, 3); }, {"axis", "3", "0, 1 and 2"});
  expect_error([] { Layout::slab({4, 4, 4}, 2, -1); }, {"axis", "-1", "0, 1 and 2"});
  expect_error([] { Layout::pencil({4, 4, 4}, 2, 2, 5); }, {"axis", "5", "0, 1 and 2"});
  expect_error([] { Layout::pencil({4, 4, 4}, 2, -2, 0); }, {"grid", "-2"});
  expect_error([] { Layout::grid({4, 4, 4}, {1 << 16, 1 << 16, 1}); }, {"ranks", "4294967296"});
}

TEST(LayoutErrors, Rank) {
  const Layout layout = Layout::slab({4, 4, 4}, 3, 0);
  expect_error([&] { layout.box(3); }, {"rank", "3", "0 to 2"});
  expect_error([&] { layout.box(-1); }, {"rank", "-1", "0 to 2"});
}

TEST(LayoutErrors, Bricks) {
  const Shape shape{4, 4, 4};
  const Box lower{{0, 0, 0}, {2, 4, 4}}, upper{{2, 0, 0}, {4, 4, 4}};
  expect_error([&] { Layout::bricks(shape, {lower}); }, {"32", "64", "cover"});
  expect_error([&] { Layout::bricks(shape, {}); }, {"cover"});
  expect_error([&] { Layout::bricks(shape, {lower, upper, Box{{0, 0, 3}, {1, 1, 4}}}); },
               {"0", "2", "overlap", "[0:1, 0:1, 3:4]"});
  expect_error([&] { Layout::bricks(shape, {lower, upper, lower}); }, {"overlap"});
  expect_error([&] { Layout::bricks(shape, {lower, Box{{2, 0, 0}, {5, 4, 4}}}); },
               {"rank 1", "[2:5, 0:4, 0:4]", "4 x 4 x 4"});
  expect_error([&] { Layout::bricks(shape, {lower, Box{{2, -1, 0}, {4, 4, 4}}}); }, {"rank 1", "inside"});
  expect_error([&] { Layout::bricks(shape, {lower, upper, Box{{3, 0, 0}, {2, 4, 4}}}); }, {"rank 2", "[3:2"});
  // Boxes that are empty may lie anywhere.
  EXPECT_EQ(Layout::bricks(shape, {Box{{9, 9, 9}, {9, 9, 9}}, lower, upper}).box(0).count(), 0);
}

}  // namespace
