// From any layout to any other: the values, and the bytes counted one element at a time.
#include <cstring>
#include <random>

#include "case.hpp"
#include "support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2, 3, 4, 7});

using namespace weft;
using namespace weft::test;

struct NamedLayout {
  std::string name;
  Layout layout;
};

std::vector<NamedLayout> layouts(const Shape& shape) {
  std::vector<NamedLayout> all;
  for (const char* name :
       {"slab:0", "slab:2", "pencil:0", "pencil:1", "pencil:2", "grid", "bricks:1", "bricks:2", "one:0", "one:1"}) {
    all.push_back({name, *verify::make_layout(name, shape, size_of())});
  }
  return all;
}

/// Which rank holds a point, by looking at every box.
std::vector<int> owners(const Layout& layout) {
  const Shape& n = layout.shape();
  std::vector<int> owner(static_cast<std::size_t>(n[0] * n[1] * n[2]), -1);
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    if (box.empty()) continue;
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) owner[static_cast<std::size_t>((i * n[1] + j) * n[2] + k)] = rank;
      }
    }
  }
  return owner;
}

/// A different value for every element of every field.
template <class Element>
Element element(Index item, Index index) {
  const double value = static_cast<double>(1000 * item + index + 1);
  if constexpr (std::is_floating_point_v<Element>) {
    return static_cast<Element>(value);
  } else {
    return {static_cast<typename Element::value_type>(value), static_cast<typename Element::value_type>(-2 * value)};
  }
}

template <class Element>
std::vector<Element> part(const Layout& layout, Index batch) {
  std::vector<Element> values;
  const Box box = layout.box(rank_of());
  const Shape& n = layout.shape();
  for (Index item = 0; item < batch && !box.empty(); ++item) {
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
          values.push_back(element<Element>(item, (i * n[1] + j) * n[2] + k));
      }
    }
  }
  return values;
}

template <class Element>
void check(const NamedLayout& from, const NamedLayout& to, Index batch, const Options& options) {
  SCOPED_TRACE(from.name + " to " + to.name + ", " + std::to_string(sizeof(Element)) + " bytes, batch " +
               std::to_string(batch) + ", " + options.strategy + ", tile " + std::to_string(options.tile) +
               ", node size " + std::to_string(options.node_size));
  const auto in = part<Element>(from.layout, batch);
  const auto wanted = part<Element>(to.layout, batch);
  // An element more than is needed, to see that it is left alone.
  std::vector<Element> out(wanted.size() + 1, Element(-7));
  Redistribution move(from.layout, to.layout, static_cast<int>(sizeof(Element)), MPI_COMM_WORLD, batch, options);
  for (int again = 0; again < 2; ++again) {
    std::fill(out.begin(), out.end(), Element(-7));
    const auto before = in;
    const Redistribution::Moved moved = move(in.data(), out.data());
    EXPECT_EQ(in, before);
    EXPECT_EQ(out.back(), Element(-7));
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), out.begin()));

    const auto a = owners(from.layout), b = owners(to.layout);
    Index sent = 0, kept = 0, all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == rank_of()) ++(b[i] == rank_of() ? kept : sent);
      if (a[i] != b[i]) ++all;
    }
    const Index bytes = batch * static_cast<Index>(sizeof(Element));
    EXPECT_EQ(moved.bytes_kept, kept * bytes);
    EXPECT_EQ(sum(moved.bytes_sent), moved.bytes_sent_all);
    EXPECT_EQ(moved.bytes_sent, sent * bytes) << "however it is sent";
    EXPECT_EQ(moved.bytes_sent_all, all * bytes);
  }
}

// What ranks hold who deal a field among groups of them, in a group that gets nothing.
TEST(Redistribution, GridsWithoutPoints) {
  for (const Shape& shape : {Shape{0, 4, 3}, Shape{5, 0, 1}, Shape{0, 0, 0}}) {
    const int ranks = size_of();
    const std::vector<NamedLayout> all{
        {"slab", Layout::slab(shape, ranks, 0)},
        {"pencil", Layout::pencil(shape, ranks, 1, 0)},
        {"bricks", Layout::bricks(shape, std::vector<Box>(static_cast<std::size_t>(ranks)))}};
    for (const auto& from : all) {
      for (const auto& to : all) {
        for (const char* strategy : {"alltoallv", "pairwise", "rma", "shared"}) {
          Options options;
          options.strategy = strategy;
          check<double>(from, to, 2, options);
        }
      }
    }
  }
}

TEST(Redistribution, AllPairsOfLayouts) {
  const auto all = layouts({6, 7, 5});
  std::size_t turn = 0;
  for (const auto& from : all) {
    for (const auto& to : all) {
      // Settings take turns over the pairs.
      Options options;
      options.strategy = strategies()[turn % strategies().size()];
      options.tile = static_cast<int>(turn / 2 % 4);
      options.window = static_cast<int>(turn / 3 % 3);
      options.node_size = static_cast<int>(turn / 4 % 3);
      options.consume = turn / 5 % 2 == 0 ? Consume::automatic : Consume::late;
      const Index batch = 1 + static_cast<Index>(turn / 7 % 3);
      switch (turn % 4) {
        case 0: check<double>(from, to, batch, options); break;
        case 1: check<std::complex<double>>(from, to, batch, options); break;
        case 2: check<float>(from, to, batch, options); break;
        default: check<std::complex<float>>(from, to, batch, options); break;
      }
      ++turn;
    }
  }
}

TEST(Redistribution, ThinShapes) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{1, 13, 1}, Shape{2, 1, 3}, Shape{17, 1, 1}, Shape{1, 1, 9}}) {
    SCOPED_TRACE(to_string(shape));
    const auto all = layouts(shape);
    for (std::size_t i = 0; i < all.size(); ++i) {
      Options options;
      options.strategy = strategies()[i % strategies().size()];
      check<double>(all[i], all[(i + 3) % all.size()], 1, options);
    }
  }
}

TEST(GatherLayout, AnyBricks) {
  const Shape shape{9, 5, 7};
  for (const auto& [name, layout] : layouts(shape)) {
    SCOPED_TRACE(name);
    const Layout gathered = gather_layout(shape, layout.box(rank_of()), MPI_COMM_WORLD);
    EXPECT_EQ(gathered, layout);
    EXPECT_EQ(gathered.ranks(), size_of());
  }
}

}  // namespace
