#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdlib>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "case.hpp"
#include "plan/half_line.hpp"
#include "plan/padded_line.hpp"
#include "plan/stages.hpp"
#include "support.hpp"
#include "weft/operator.hpp"
#include "weft/plan.hpp"

namespace {

/// Bytes that the program has ever asked for, and most at once.
/// Other tests of the program have threads.
std::atomic<std::size_t> allocated = 0, largest_allocation = 0;

void* counted_or_null(std::size_t bytes) noexcept {
  allocated += bytes;
  if (bytes > largest_allocation) largest_allocation = bytes;
  return std::malloc(std::max<std::size_t>(bytes, 1));
}
void* counted(std::size_t bytes) {
  void* memory = counted_or_null(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted_or_null(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted_or_null(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace weft;
using weft::test::expect_error;
using weft::test::join;
using Json = nlohmann::json;

Options slab_transposed() {
  Options options;
  options.decomposition = Decomposition::slab;
  options.transposed = true;
  options.strategy = "alltoallv";
  options.tile = 1;
  options.fields = 1;
  return options;
}

Options pencil(int rows, int columns, bool transposed) {
  Options options = slab_transposed();
  options.decomposition = Decomposition::pencil;
  options.grid = {rows, columns};
  options.transposed = transposed;
  return options;
}

TEST(PlanOfALargeGrid, SizesIn64BitsWithoutAllocation) {
  const Index n = 4096, points = n * n * n / 8;  // 2^33 of each of 8 ranks
  for (const int rank : {0, 3, 7}) {
    for (const auto& strategy : strategies()) {
      SCOPED_TRACE(strategy);
      const std::size_t before = allocated;
      largest_allocation = 0;
      Options options = slab_transposed();
      options.strategy = strategy;
      options.node_size = 1;  // else memory that a node shares is no traffic
      const Plan plan({.shape = {n, n, n}}, options, 8, rank);
      EXPECT_EQ(plan.input_size(), points);
      EXPECT_EQ(plan.output_size(), points);
      EXPECT_EQ(plan.input_row(), n);
      EXPECT_EQ(plan.input().box(rank), (Box{{rank * n / 8, 0, 0}, {(rank + 1) * n / 8, n, n}}));
      EXPECT_EQ(plan.output().box(rank), (Box{{0, rank * n / 8, 0}, {n, (rank + 1) * n / 8, n}}));
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const Plan::Traffic traffic = plan.traffic(direction);
        EXPECT_EQ(traffic.bytes, points * 16 / 8 * 7);
        EXPECT_EQ(traffic.all_bytes, 8 * (points * 16 / 8 * 7));
      }
      EXPECT_GE(plan.workspace_bytes(), points * 16 / 8 * 7) << "what comes from others must lie somewhere";
      EXPECT_GT(allocated, before) << "nothing is counted";
      EXPECT_LT(allocated - before, std::size_t{1} << 20) << "a plan is some hundred numbers";
      EXPECT_LT(largest_allocation, std::size_t{1} << 16);
    }
  }
  Options options = slab_transposed();
  const Plan batch({.shape = {n, n, n}, .batch = 1000}, options, 8, 5);
  EXPECT_EQ(batch.input_size(), 1000 * points);
  EXPECT_EQ(batch.traffic(Direction::forward).bytes, 1000 * (points * 16 / 8 * 7));
  const Plan real({.shape = {n, n, n}, .kind = Kind::r2c, .precision = Precision::single_}, options, 8, 7);
  EXPECT_EQ(real.input_size(), points);
  EXPECT_EQ(real.output_size(), n * n / 8 * (n / 2 + 1));
  EXPECT_EQ(real.traffic(Direction::backward).bytes, n * n / 8 * (n / 2 + 1) * 8 / 8 * 7);
}

TEST(PlanWire, BlocksTakeTheBytesOfTheirFormat) {
  Options options = slab_transposed();
  for (const char* strategy : {"alltoallv", "pairwise", "shared", "rma"}) {
    SCOPED_TRACE(strategy);
    options.strategy = strategy;
    options.tile = 1;
    const auto bytes = [&](Wire wire, WireInside inside = WireInside::wire) {
      options.wire = wire;
      options.wire_inside = inside;
      return Plan({.shape = {64, 64, 64}}, options, 4).workspace_bytes();
    };
    // A quarter is kept as it is; directions whose blocks others read in place do not share it. All else is there once,
    // in the format.
    const Index kept = 16 * 64 * 16 * 16 * (options.strategy == "shared" ? 2 : 1), same = bytes(Wire::same);
    EXPECT_NEAR(static_cast<double>(bytes(Wire::single) - kept), static_cast<double>(same - kept) / 2, 40000);
    EXPECT_NEAR(static_cast<double>(bytes(Wire::block16) - kept), static_cast<double>(same - kept) / 4, 40000);
    EXPECT_EQ(bytes(Wire::single, WireInside::same), same) << "all ranks are on one node";
  }
}

TEST(PlanWire, WhatStaysInsideANodeMayBeExact) {
  Options options = pencil(2, 4, true);
  options.strategy = "alltoallv";
  options.wire = Wire::single;
  const double one = std::exp2(-24);  // of an exchange
  const auto error = [&](WireInside inside, int node_size) {
    options.wire_inside = inside;
    options.node_size = node_size;
    double found = -1;
    for (int rank = 0; rank < 8; ++rank) {
      const Plan plan({.shape = {16, 16, 16}}, options, 8, rank);
      const double mine = plan.wire_error(Direction::forward);
      if (rank > 0) {
        EXPECT_EQ(mine, found) << "the same on all ranks";
      }
      found = mine;
    }
    return found;
  };
  EXPECT_DOUBLE_EQ(error(WireInside::wire, 4), 2 * one);
  // Rows of four pencils are nodes: the first exchange stays there.
  EXPECT_DOUBLE_EQ(error(WireInside::same, 4), one);
  EXPECT_EQ(error(WireInside::same, 8), 0);
  EXPECT_DOUBLE_EQ(error(WireInside::same, 1), 2 * one);
  // Nodes of three ranks: of the groups of four some cross nodes.
  EXPECT_DOUBLE_EQ(error(WireInside::same, 3), 2 * one);

  options.node_size = 4;
  const auto traffic = [&](WireInside inside) {
    options.wire_inside = inside;
    Index mine = 0, all = 0;
    for (int rank = 0; rank < 8; ++rank) {
      const Plan::Traffic t = Plan({.shape = {16, 16, 16}}, options, 8, rank).traffic(Direction::forward);
      mine += t.bytes;
      all = t.all_bytes;
    }
    EXPECT_EQ(mine, all);
    return all;
  };
  const Index bytes = 16 * 16 * 16 * 16;
  EXPECT_EQ(traffic(WireInside::wire), bytes / 2 * 3 / 4 + bytes / 2 / 2);
  EXPECT_EQ(traffic(WireInside::same), bytes * 3 / 4 + bytes / 2 / 2);
}

TEST(PlanOfALargeGrid, ManyRanks) {
  const Index n = 4096;
  const Plan plan({.shape = {n, n, n}}, pencil(64, 64, true), 4096, 4095);
  EXPECT_EQ(plan.input_size(), n * 64 * 64);
  EXPECT_EQ(plan.traffic(Direction::forward).bytes, 2 * (n * 64 * 64 * 16 / 64 * 63));
  EXPECT_EQ(plan.traffic(Direction::forward).messages, 2 * 63);
  EXPECT_EQ(plan.traffic(Direction::forward).all_messages, 4096 * 2 * 63);
}

TEST(PlanOfALargeGrid, BeyondSixtyFourBits) {
  const Index n = Index{1} << 20;
  expect_error([=] { Plan({.shape = {n, n, n}}, {}, 8); }, {"overflow", "64 bits"});
  expect_error([=] { Plan({.shape = {4 * n, 4 * n, 4 * n}}, {}, 8); }, {"overflow", "64 bits"});
  expect_error([] { Plan({.shape = {4096, 4096, 4096}, .batch = Index{1} << 30}, {}, 8); }, {"overflow", "64 bits"});
}

TEST(PlanThatIsRefused, BeforeAnythingIsMade) {
  const auto refuse = [](const Problem& problem, const Options& options, const char* words) {
    const std::size_t before = allocated;
    expect_error([&] { Plan(problem, options, 2); }, {words});
    EXPECT_LT(allocated - before, std::size_t{1} << 20) << words;
  };
  Options tiled;
  tiled.strategy = "ialltoallv";
  tiled.tile = 1 << 23;
  refuse({.shape = {Index{1} << 40, 1, 1}}, {}, "shape[0] is 1099511627776");
  refuse({.shape = {8, 8, 8}, .batch = Index{1} << 31}, {}, "is 2147483648");
  refuse({.shape = {1 << 23, 2, 2}}, tiled, "tile is 8388608");
}

/// What goes from rank to rank between two layouts, one point at a time.
struct Flow {
  std::vector<int> owner_before, owner_after;
  Index all_bytes = 0;
  std::map<int, Index> bytes;           ///< sent, by rank
  std::set<std::pair<int, int>> pairs;  ///< that exchange anything
};

std::vector<int> owners(const Layout& layout) {
  const Shape& n = layout.shape();
  std::vector<int> owner(static_cast<std::size_t>(n[0] * n[1] * n[2]), -1);
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
      for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) owner[static_cast<std::size_t>((i * n[1] + j) * n[2] + k)] = rank;
      }
    }
  }
  return owner;
}

void add_flow(Flow& flow, const Layout& from, const Layout& to, Index bytes) {
  const auto a = owners(from), b = owners(to);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    flow.all_bytes += bytes;
    flow.bytes[a[i]] += bytes;
    flow.pairs.emplace(a[i], b[i]);
  }
}

/// Compares the traffic of forward (and backward, which is the same flow reversed) with the layouts it goes through.
void expect_traffic(const Problem& problem, const Options& options, int ranks, const std::vector<Layout>& through) {
  const Index bytes = 2 * problem.real_bytes() * problem.batch;
  Flow ahead, back;
  Index with_data = 0;
  for (std::size_t i = 0; i + 1 < through.size(); ++i) {
    Flow one;
    add_flow(one, through[i], through[i + 1], bytes);
    with_data += static_cast<Index>(one.pairs.size());
    add_flow(ahead, through[i], through[i + 1], bytes);
    add_flow(back, through[i + 1], through[i], bytes);
  }
  Index sum = 0, sum_back = 0, sum_messages = 0, sum_data = 0, all_messages = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Plan plan(problem, options, ranks, rank);
    const Plan::Traffic forward = plan.traffic(Direction::forward), backward = plan.traffic(Direction::backward);
    ASSERT_EQ(forward.bytes, ahead.bytes[rank]) << "rank " << rank;
    ASSERT_EQ(backward.bytes, back.bytes[rank]) << "rank " << rank;
    sum += forward.bytes;
    sum_back += backward.bytes;
    sum_messages += forward.messages;
    ASSERT_EQ(forward.all_bytes, ahead.all_bytes);
    ASSERT_EQ(backward.all_bytes, back.all_bytes);
    ASSERT_EQ(forward.all_data_messages, with_data * problem.batch);
    ASSERT_GE(forward.messages, forward.data_messages) << "pairs that have nothing for each other count in collectives";
    all_messages = forward.all_messages;
    sum_data += forward.data_messages;
    if (rank % 17 != 0 && ranks > 40) continue;  // the sizes of some suffice
    ASSERT_EQ(plan.input_size(), plan.input().box(rank).count() * problem.batch);
    ASSERT_EQ(plan.output_size(), plan.output().box(rank).count() * problem.batch);
  }
  EXPECT_EQ(sum, ahead.all_bytes);
  EXPECT_EQ(sum_back, back.all_bytes);
  EXPECT_EQ(sum_messages, all_messages);
  EXPECT_EQ(sum_data, with_data * problem.batch);
}

TEST(PlanTraffic, AgainstBruteForce) {
  const Shape shape{30, 30, 30};
  for (const int ranks : {1, 7, 30, 100}) {
    SCOPED_TRACE(ranks);
    expect_traffic({.shape = shape}, slab_transposed(), ranks,
                   {Layout::slab(shape, ranks, 0), Layout::slab(shape, ranks, 1)});
    Options options = slab_transposed();
    options.transposed = false;
    expect_traffic({.shape = shape, .batch = 2}, options, ranks,
                   {Layout::slab(shape, ranks, 0), Layout::slab(shape, ranks, 1), Layout::slab(shape, ranks, 0)});
  }
}

TEST(PlanTraffic, Pencils) {
  const Shape shape{30, 30, 30};
  for (const auto& [rows, columns] : {std::pair{1, 6}, {5, 7}, {10, 10}, {31, 2}, {16, 10}}) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(columns));
    const Layout z = Layout::pencil(shape, rows, columns, 2), y = Layout::pencil(shape, rows, columns, 1),
                 x = Layout::pencil(shape, rows, columns, 0);
    expect_traffic({.shape = shape, .precision = Precision::single_}, pencil(rows, columns, true), rows * columns,
                   {z, y, x});
    if (rows * columns > 100) continue;
    expect_traffic({.shape = shape}, pencil(rows, columns, false), rows * columns, {z, y, x, z});
  }
}

TEST(PlanTraffic, HalfSpectra) {
  const Problem problem{.shape = {13, 10, 16}, .kind = Kind::r2c};
  const Shape half{13, 10, 9};
  expect_traffic(problem, slab_transposed(), 6, {Layout::slab(half, 6, 0), Layout::slab(half, 6, 1)});
  expect_traffic(problem, pencil(3, 2, true), 6,
                 {Layout::pencil(half, 3, 2, 2), Layout::pencil(half, 3, 2, 1), Layout::pencil(half, 3, 2, 0)});
}

TEST(PlanTraffic, TilesChangeMessagesNotBytes) {
  const Problem problem{.shape = {12, 12, 12}};
  Options options = slab_transposed();
  options.strategy = "ialltoallv";
  const Plan whole(problem, options, 4, 1);
  options.tile = 3;
  const Plan tiled(problem, options, 4, 1);
  EXPECT_EQ(tiled.traffic(Direction::forward).bytes, whole.traffic(Direction::forward).bytes);
  EXPECT_EQ(tiled.traffic(Direction::forward).messages, 3 * whole.traffic(Direction::forward).messages);
}

TEST(PlanTraffic, SmallFieldsShareMessagesAcrossNodes) {
  const Problem problem{.shape = {64, 64, 64}, .batch = 16};
  const auto messages = [&](const char* strategy, int node_size) {
    Options options = slab_transposed();
    options.strategy = strategy;
    options.fields = 0;
    options.node_size = node_size;
    return Plan(problem, options, 64, 1).traffic(Direction::forward).messages / 63;
  };
  // A field is 64 KB of a rank, 1 KB for each peer.
  EXPECT_EQ(messages("alltoallv", 64), 4) << "256 KB a tile inside a node";
  EXPECT_EQ(messages("alltoallv", 16), 1) << "64 KB a message would be more than all fields";
  EXPECT_EQ(messages("pairwise", 16), 4) << "several tiles overlap";
}

TEST(PlanTraffic, NoTileIsEmptyOnAllRanks) {
  const Problem problem{.shape = {5, 12, 12}};
  Options options = slab_transposed();
  options.strategy = "ialltoallv";
  options.tile = 4;
  const auto first_tiles = [&](int rank) {
    const Json stages = Json::parse(Plan(problem, options, 2, rank).json())["forward"]["stages"];
    return std::find_if(stages.begin(), stages.end(), [](const Json& stage) { return stage["stage"] == "exchange"; })
        ->at("tiles");
  };
  for (int rank : {0, 1}) EXPECT_EQ(first_tiles(rank), 3) << "one rank has three planes, the other one two";
  options.input = Layout::bricks({5, 12, 12}, {Box{{0, 0, 0}, {5, 12, 12}}, Box{}});
  for (int rank : {0, 1}) EXPECT_EQ(first_tiles(rank), 4) << "one rank has five planes";
}

// Of the traffic, what crosses from node to node; and what memory that a node shares spares.
TEST(PlanTraffic, Nodes) {
  const Problem problem{.shape = {13, 11, 9}};
  constexpr int ranks = 7;
  const std::vector<int> scattered{4, 0, 4, 1, 0, 0, 1};
  for (const auto& strategy : strategies()) {
    for (const int node_size : {0, 1, 3, 7, 100}) {
      SCOPED_TRACE(strategy + ", node size " + std::to_string(node_size));
      Options options = slab_transposed();
      options.strategy = strategy;
      options.node_size = node_size;
      if (node_size == 100) options.nodes = scattered;
      const auto node_of = [&](int rank) {
        if (node_size == 100) return scattered[static_cast<std::size_t>(rank)];
        return node_size == 0 ? 0 : rank / node_size;
      };
      const auto before = owners(Layout::slab(problem.shape, ranks, 0)),
                 after = owners(Layout::slab(problem.shape, ranks, 1));
      Index inside = 0, across = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] != after[i]) (node_of(before[i]) == node_of(after[i]) ? inside : across) += 16;
      }
      Index sum = 0, all = 0, messages = 0, all_messages = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Plan::Traffic traffic = Plan(problem, options, ranks, rank).traffic(Direction::forward);
        messages += traffic.messages;
        all_messages = traffic.all_messages;
        EXPECT_LE(traffic.data_messages, traffic.messages);
        EXPECT_LE(traffic.network_messages, traffic.all_messages);
        EXPECT_GE(traffic.network_bytes, across) << "no strategy can send less from node to node";
        EXPECT_LE(traffic.network_bytes, traffic.all_bytes);
        if (strategy == "alltoallv" || strategy == "ialltoallv" || strategy == "pairwise" || strategy == "zerocopy" ||
            strategy == "rma") {
          EXPECT_EQ(traffic.network_bytes, across);
          EXPECT_EQ(traffic.all_bytes, inside + across);
        } else if (strategy == "shared" || strategy == "node-shm") {
          EXPECT_EQ(traffic.network_bytes, across);
          EXPECT_EQ(traffic.all_bytes, across);
        } else if (strategy == "node-gather") {
          EXPECT_EQ(traffic.network_bytes, across);
        }
        sum += traffic.bytes;
        all = traffic.all_bytes;
      }
      EXPECT_EQ(sum, all);
      EXPECT_EQ(messages, all_messages);
    }
  }
}

// The machine of Bethune's measurements: 12 nodes of 24.
TEST(PlanTraffic, MessagesOfBethune) {
  const Problem problem{.shape = {288, 288, 288}};
  for (const auto& [strategy, all, network] :
       std::vector<std::tuple<std::string, Index, Index>>{{"alltoallv", 82656, 76032},  // 288 * 287; 288 * 264
                                                          {"padded", 82656, 76032},
                                                          {"pairwise", 82656, 76032},
                                                          {"zerocopy", 82656, 76032},
                                                          {"shared", 76032, 76032},
                                                          {"node-shm", 132, 132},  // 12 * 11
                                                          {"node-gather", 684, 132}}) {
    for (const int leaders : {1, 3}) {
      SCOPED_TRACE(strategy);
      Options options = slab_transposed();
      options.strategy = strategy;
      options.node_size = 24;
      options.leaders = leaders;
      const Plan::Traffic traffic = Plan(problem, options, 288, 30).traffic(Direction::forward);
      EXPECT_EQ(traffic.all_messages, all);
      EXPECT_EQ(traffic.all_data_messages, all);
      EXPECT_EQ(traffic.network_messages, network);
      EXPECT_EQ(traffic.network_data_messages, network);
      EXPECT_EQ(traffic.network_bytes, 288 * 264 * 288 * 16);
    }
  }
}

// A collective among ranks of which some have nothing still counts a message for each pair.
TEST(PlanTraffic, EmptyMessages) {
  const Shape shape{4, 6, 5};
  Options options = slab_transposed();
  const Plan::Traffic few = Plan({.shape = shape}, options, 6).traffic(Direction::forward);
  EXPECT_EQ(few.all_messages, 6 * 5) << "two ranks have no plane before, all have one after";
  EXPECT_EQ(few.all_data_messages, 4 * 5);
  options.strategy = "pairwise";
  EXPECT_EQ(Plan({.shape = shape}, options, 6).traffic(Direction::forward).all_messages, 4 * 5);
}

// Pairs of nodes are spread over leaders: each sends about as many messages.
TEST(PlanTraffic, LeadersShare) {
  const Problem problem{.shape = {24, 24, 24}};
  Options options = slab_transposed();
  options.strategy = "node-shm";
  options.node_size = 4;
  for (const int leaders : {1, 2, 4, 9}) {
    SCOPED_TRACE(leaders);
    options.leaders = leaders;
    Index all = 0, most = 0;
    for (int rank = 0; rank < 24; ++rank) {
      const Index messages = Plan(problem, options, 24, rank).traffic(Direction::forward).messages;
      all += messages;
      most = std::max(most, messages);
      if (rank % 4 >= leaders) {
        EXPECT_EQ(messages, 0) << rank << " is no leader";
      }
    }
    EXPECT_EQ(all, 6 * 5);
    EXPECT_LE(most, leaders == 1 ? 5 : leaders == 2 ? 3 : 2);
  }
}

TEST(PlanSizes, InPlaceRowsArePadded) {
  for (const Index n2 : {1, 2, 7, 8}) {
    const Shape shape{4, 5, n2};
    Options options = slab_transposed();
    options.in_place = true;
    const Index row = 2 * (n2 / 2 + 1);
    const Plan forward({.shape = shape, .kind = Kind::r2c}, options, 2);
    EXPECT_EQ(forward.input_row(), row);
    EXPECT_EQ(forward.output_row(), n2 / 2 + 1);
    EXPECT_GE(forward.input_size(), 2 * 5 * row);
    EXPECT_EQ(forward.input_size() * 8, forward.output_size() * 16) << "both ends describe one array";
    const Plan backward({.shape = shape, .kind = Kind::c2r}, options, 2);
    EXPECT_EQ(backward.output_row(), row);
    EXPECT_EQ(backward.input_row(), n2 / 2 + 1);
  }
  EXPECT_EQ(Plan({.shape = {4, 5, 7}, .kind = Kind::r2c}, {}, 2).input_row(), 7) << "out of place nothing is padded";
}

// Nothing is done along an axis of one point, and slabs are cut along the others.
TEST(PlanStages, TwoDimensionsTakeTwoPasses) {
  struct Flat {
    Shape shape;
    int in, out;  ///< axes that slabs are cut along
  };
  for (const auto& [shape, in, out] : {Flat{plane(12, 10), 0, 2}, Flat{{1, 12, 10}, 1, 2}, Flat{{12, 10, 1}, 0, 1}}) {
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      for (const bool transposed : {true, false}) {
        for (const int ranks : {4, 15}) {
          SCOPED_TRACE(to_string(shape) + " " + to_string(kind) + " on " + std::to_string(ranks));
          Options options;
          options.transposed = transposed;
          const Plan plan({.shape = shape, .kind = kind}, options, ranks, 1);
          const Shape spectrum = plan.problem().spectrum_shape();
          EXPECT_EQ(plan.input(), Layout::slab(shape, ranks, in));
          EXPECT_EQ(plan.output(), Layout::slab(spectrum, ranks, transposed ? out : in));
          for (const detail::Route* route : {&plan.data().forward, &plan.data().backward}) {
            ASSERT_EQ(route->passes.size(), transposed ? 2u : 3u);
            Index transforms = 0;
            for (const auto& pass : route->passes) transforms += static_cast<Index>(pass.transforms.size());
            EXPECT_EQ(transforms, shape[2] == 1 && kind == Kind::r2c ? 3 : 2);
            for (const auto& link : route->links) EXPECT_TRUE(link.is_exchange);
          }
        }
      }
    }
  }
}

// FFTW deals blocks of ceil(n / P) planes: the passes work in them. Not in layouts that leave most ranks idle, nor in
// those in which lines are cut.
TEST(PlanStages, WorkInTheCallersSlabs) {
  const Shape shape{10, 9, 8};
  const auto passes = [&](const char* input, const char* output, Kind kind, Consume consume = Consume::automatic) {
    Options options;
    options.decomposition = Decomposition::slab;
    options.consume = consume;
    const Problem problem{.shape = shape, .kind = kind};
    options.input = verify::make_layout(input, shape, 4);
    options.output = verify::make_layout(output, problem.spectrum_shape(), 4);
    const Plan plan(problem, options, 4, 1);
    EXPECT_EQ(plan.data().backward.passes.size(), plan.data().forward.passes.size());
    return plan.data().forward.passes.size();
  };
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    EXPECT_EQ(passes("blocks:0", "blocks:1", kind), 2u);
    EXPECT_EQ(passes("blocks:0", "blocks:0", kind), 3u) << "and a copy";
    EXPECT_EQ(passes("blocks:0", "slab:2", kind), 2u) << "slabs of other axes";
    EXPECT_EQ(passes("blocks:0", "blocks:1", kind, Consume::early), 3u) << "a plane takes two";
    EXPECT_EQ(passes("blocks:1", "blocks:1", kind), 3u);
    EXPECT_EQ(passes("one:0", "one:0", kind), 4u);
  }
}

TEST(PlanStages, OneDimensionTakesOnePass) {
  for (const Shape& shape : {Shape{1, 1, 64}, Shape{1, 1, 1}}) {
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
      const Plan plan({.shape = shape, .kind = kind}, {}, 3, 0);
      EXPECT_EQ(plan.data().forward.passes.size(), 1u);
      EXPECT_EQ(plan.traffic(Direction::forward).all_bytes, 0);
    }
  }
  const Plan plan({.shape = {64, 1, 1}}, slab_transposed(), 3, 0);
  EXPECT_EQ(plan.input(), Layout::slab({64, 1, 1}, 3, 0));
  EXPECT_EQ(plan.data().forward.passes.size(), 2u) << "a copy, and the transform on the rank that has all";
}

// The fields of a point side by side: the same bytes in the same arrays, all fields in each message.
TEST(PlanArrays, InterleavedFields) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
    for (const bool in_place : {false, true}) {
      Options options = pencil(2, 2, false);
      options.in_place = in_place;
      options.fields = 3;
      const Problem problem{.shape = {8, 6, 5}, .kind = kind, .batch = 3};
      Problem interleaved = problem;
      interleaved.interleaved = true;
      const Plan apart(problem, options, 4, 1), together(interleaved, options, 4, 1);
      EXPECT_EQ(together.input_size(), apart.input_size());
      EXPECT_EQ(together.output_size(), apart.output_size());
      EXPECT_EQ(together.workspace_bytes(), apart.workspace_bytes());
      EXPECT_EQ(together.input_row(), apart.input_row());
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        EXPECT_EQ(together.traffic(direction).all_bytes, apart.traffic(direction).all_bytes);
        EXPECT_EQ(together.traffic(direction).all_messages, apart.traffic(direction).all_messages);
      }
      const Index row = apart.input_row();
      EXPECT_EQ(together.input_strides(), (Plan::Strides{{3 * 3 * row, 3 * row, 3}, 1}));
      EXPECT_EQ(apart.input_strides(), (Plan::Strides{{3 * row, row, 1}, apart.input_size() / 3}));
      EXPECT_NE(together.explain().find("3 interleaved fields"), std::string::npos);
    }
  }
}

TEST(PlanArrays, OrderOfAxes) {
  const Problem problem{.shape = {8, 6, 5}, .batch = 2, .input_order = {1, 0, 2}, .output_order = {2, 0, 1}};
  const Plan plan(problem, slab_transposed(), 2, 1);
  const Plan usual({.shape = {8, 6, 5}, .batch = 2}, slab_transposed(), 2, 1);
  EXPECT_EQ(plan.input_strides(), (Plan::Strides{{5, 4 * 5, 1}, 4 * 6 * 5}));
  EXPECT_EQ(plan.output_strides(), (Plan::Strides{{3, 1, 8 * 3}, 8 * 3 * 5}));
  EXPECT_EQ(plan.output_row(), 3);
  EXPECT_EQ(plan.input(), usual.input());
  EXPECT_EQ(plan.output(), usual.output());
  EXPECT_EQ(plan.workspace_bytes(), usual.workspace_bytes());
  EXPECT_NE(plan.explain().find("axes in memory 201"), std::string::npos);
  EXPECT_EQ(parse_order("201"), problem.output_order);
  expect_error([] { parse_order("221", "input_order"); }, {"input_order", "'221'", "012", "210"});
}

// What lies between the passes of a rank that has all is in the user's output, where its rows can stay as they are.
TEST(PlanArrays, OneRankWorksInTheOutput) {
  const auto workspace = [](const Problem& problem, bool in_place) {
    Options options;
    options.in_place = in_place;
    return Plan(problem, options, 1).workspace_bytes();
  };
  const Index bytes = 8 * 6 * 5 * 16;
  for (const bool in_place : {false, true}) {
    EXPECT_EQ(workspace({.shape = {8, 6, 5}}, in_place), 0);
    EXPECT_EQ(workspace({.shape = {8, 6, 5}, .batch = 3}, in_place), 0);
    EXPECT_EQ(workspace({.shape = {8, 6, 5}, .batch = 3, .interleaved = true}, in_place), 0);
    EXPECT_EQ(workspace({.shape = {8, 6, 5}, .input_order = {1, 0, 2}, .output_order = {1, 0, 2}}, in_place), 0);
    EXPECT_EQ(workspace({.shape = {8, 6, 5}, .input_order = {2, 0, 1}, .output_order = {2, 0, 1}}, in_place), bytes);
    // Modes that are left out have other places before than after.
    EXPECT_GT(workspace({.shape = {8, 6, 5}, .modes = {6, 4, 3}}, in_place), 0);
  }
  EXPECT_EQ(workspace({.shape = {8, 6, 5}, .kind = Kind::r2c}, true), 0);
  // In place, a pass that changes the order would overwrite what it has still to read; backward, complex rows of five
  // real numbers do not fit the output out of place.
  EXPECT_EQ(workspace({.shape = {8, 6, 5}, .output_order = {1, 0, 2}}, true), bytes);
  EXPECT_EQ(workspace({.shape = {8, 6, 5}, .kind = Kind::r2c}, false), 8 * 6 * 3 * 16);
}

TEST(PlanArrays, PaddedRowsOutOfPlace) {
  for (const Index n2 : {1, 7, 8}) {
    const Shape shape{4, 5, n2};
    const Index row = 2 * (n2 / 2 + 1);
    const Plan forward({.shape = shape, .kind = Kind::r2c, .padded_rows = true}, slab_transposed(), 2);
    EXPECT_EQ(forward.input_row(), row);
    EXPECT_EQ(forward.input_size(), 2 * 5 * row);
    EXPECT_EQ(forward.output_row(), n2 / 2 + 1);
    EXPECT_EQ(Plan({.shape = shape, .kind = Kind::c2r, .padded_rows = true}, {}, 2).output_row(), row);
    EXPECT_EQ(Plan({.shape = shape, .padded_rows = true}, {}, 2).input_row(), n2) << "nothing is real";
  }
}

TEST(PlanText, ExplainNamesTheStages) {
  Options options = pencil(2, 3, false);
  options.strategy = "ialltoallv";
  options.tile = 4;
  const Plan plan({.shape = {24, 18, 12}, .kind = Kind::r2c, .batch = 2}, options, 6, 4);
  const std::string text = plan.explain();
  for (const std::string part :
       {"24 x 18 x 12", "r2c", "double", "rank 4 of 6", "pencil 2 x 3, axis 2 local", "pencil 2 x 3, axis 1 local",
        "pencil 2 x 3, axis 0 local", "ialltoallv", "backend    auto", "forward", "backward", "tiles", "window",
        "messages", "workspace", "r2c along axis 2", "c2c along axis 1", "c2c along axis 0", "c2r along axis 2"}) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in:\n" << text;
  }
}

TEST(PlanText, JsonHoldsTheStages) {
  Options options = pencil(2, 3, false);
  options.strategy = "ialltoallv";
  options.tile = 4;
  options.fields = 1;
  options.window = 3;
  const Plan plan({.shape = {24, 18, 24}, .kind = Kind::r2c, .batch = 2}, options, 6, 4);
  const Json json = Json::parse(plan.json());
  EXPECT_EQ(json["shape"], (Json{24, 18, 24}));
  EXPECT_EQ(json["kind"], "r2c");
  EXPECT_EQ(json["precision"], "double");
  EXPECT_EQ(json["batch"], 2);
  EXPECT_EQ(json["ranks"], 6);
  EXPECT_EQ(json["rank"], 4);
  EXPECT_EQ(json["workspace_bytes"], plan.workspace_bytes());
  for (const auto& option : Options::describe()) EXPECT_EQ(json["options"][option.name], options.get(option.name));
  for (const char* direction : {"forward", "backward"}) {
    const Json& route = json[direction];
    const Plan::Traffic traffic =
        plan.traffic(std::string(direction) == "forward" ? Direction::forward : Direction::backward);
    EXPECT_EQ(route["bytes_per_rank"], traffic.bytes);
    EXPECT_EQ(route["messages_per_rank"], traffic.messages);
    EXPECT_EQ(route["bytes_all"], traffic.all_bytes);
    Index bytes = 0, exchanges = 0, passes = 0;
    for (const Json& stage : route["stages"]) {
      if (stage["stage"] == "pass") ++passes;
      if (stage["stage"] != "exchange") continue;
      ++exchanges;
      bytes += stage["bytes"].get<Index>();
      EXPECT_EQ(stage["strategy"], "ialltoallv");
      EXPECT_EQ(stage["tiles"], 8);
      EXPECT_EQ(stage["window"], 3);
    }
    EXPECT_EQ(exchanges, 3) << "to axis 1, to axis 0, and back";
    EXPECT_EQ(passes, 4) << "three axes and a copy";
    EXPECT_EQ(bytes, traffic.bytes);
  }
}

TEST(MoreAxes, LieWithTheThird) {
  const Problem problem{.shape = {6, 5, 4, 3, 8}, .kind = Kind::r2c, .batch = 2};
  EXPECT_EQ(problem.spectrum_shape(), (Extents{6, 5, 4, 3, 5}));
  EXPECT_EQ(problem.line(2), Line::dft);
  EXPECT_EQ(problem.line(4), Line::half_dft);
  EXPECT_EQ(problem.factor(), 6 * 5 * 4 * 3 * 8);
  const Plan plan(problem, {}, 3);
  EXPECT_EQ(plan.input().shape(), (Shape{6, 5, 4}));
  EXPECT_EQ(plan.input_size(), 2 * 5 * 4 * 3 * 8 * 2);
  EXPECT_EQ(plan.output_size(), 2 * 5 * 4 * 3 * 5 * 2);
  EXPECT_EQ(plan.input_row(), 8);
  EXPECT_EQ(plan.output_row(), 5);
  EXPECT_EQ(plan.input_strides().axis, (Shape{5 * 4 * 24, 4 * 24, 24}));
  EXPECT_EQ(plan.input_strides().field, 2 * 5 * 4 * 24);
  const std::string text = plan.explain();
  for (const char* part : {"6 x 5 x 4 x 3 x 8 r2c", "c2c along axis 2, c2c along axis 3, r2c along axis 4"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  // In place rows along the last axis are padded, be they whole on a rank or not.
  EXPECT_EQ(Plan(problem, {.in_place = true}, 3).input_row(), 10);
}

TEST(MoreAxes, HaveLinesOfTheirOwn) {
  Problem problem{.shape = {4, 4, 4, 4, 4}};
  const auto lines = [&](const char* kind) {
    problem.kind = parse_kind(kind);
    problem.check();
    std::string text;
    for (std::size_t axis = 0; axis < 5; ++axis) text += to_string(problem.line(axis)) + " ";
    return text;
  };
  EXPECT_EQ(lines("c2c"), "dft dft dft dft dft ");
  EXPECT_EQ(lines("r2c"), "dft dft dft dft half_dft ");
  EXPECT_EQ(lines("dct2"), "dct2 dct2 dct2 dct2 dct2 ");
  EXPECT_EQ(lines("dct2-none-r2c"), "dct2 none dft dft half_dft ");
  EXPECT_EQ(lines("dct2-none-dst1-dht"), "dct2 none dst1 dht dht ");
  EXPECT_EQ(lines("none-none-none-none-r2c"), "none none none none half_dft ");
  EXPECT_EQ(to_string(parse_kind("dct2-none-dst1-dht-r2c")), "dct2-none-dst1-dht-r2c");
  expect_error([&] { lines("dft-dft-dft-r2c-dft"); }, {"last axis only"});
  expect_error([&] { lines("dft-dft-r2c-dft-dft"); }, {"last axis only"});
  expect_error([&] { lines("dft-dft-dft-dft-dft-dft"); }, {"4 x 4 x 4 x 4 x 4, which has 5 axes"});
  expect_error([&] { lines("dft-dft-dft-dft-dft-dft-dft-dft-dft"); }, {"a line for each axis"});
  EXPECT_EQ(kind_of({Line::dct2, Line::dst1}), parse_kind("dct2-dst1"));
  expect_error([] { kind_of({Line::dct2}); }, {"1 lines; allowed are 2 to 8"});
  expect_error([&] { Extents({1}); }, {"1 extents; allowed are 2 to 8"});
  EXPECT_EQ((Problem{.shape = {4, 5}}.shape), plane(4, 5));
  problem.kind = Kind::c2c;
  problem.modes[2] = 3;
  expect_error([&] { problem.check(); }, {"modes is 0 x 0 x 3", "all 4 along axis 2"});
}

TEST(OneLine, IsAGridOfItsDivisors) {
  EXPECT_EQ(line_grid(1), (Shape{1, 1, 1}));
  EXPECT_EQ(line_grid(36), (Shape{6, 1, 6}));
  EXPECT_EQ(line_grid(30), (Shape{5, 1, 6}));
  EXPECT_EQ(line_grid(31), (Shape{1, 1, 31}));
  EXPECT_EQ(line_grid(Index{1} << 33), (Shape{Index{1} << 16, 1, Index{1} << 17}));
  expect_error([] { line_grid(0); }, {"n is 0"});
  Problem problem = line_problem(30);
  EXPECT_EQ(problem.output_order, (MemoryOrder{2, 1, 0}));
  const Plan natural(problem, {}, 3);
  EXPECT_EQ(natural.input(), Layout::slab({5, 1, 6}, 3, 0));
  EXPECT_EQ(natural.output(), Layout::slab({5, 1, 6}, 3, 2));
  problem.output_order = {0, 1, 2};
  const Plan scrambled(problem, {.transposed = true}, 3);
  EXPECT_EQ(scrambled.output(), Layout::slab({5, 1, 6}, 3, 0));
  EXPECT_EQ(scrambled.data().forward.links.size() + 1, natural.data().forward.links.size());
  const auto refused = [](const std::function<void(Problem&)>& spoil, const char* part) {
    Problem bad{.shape = {5, 1, 6}, .one_line = true};
    spoil(bad);
    expect_error([&] { bad.check(); }, {part, "of one line only"});
  };
  refused([](Problem& p) { p.shape = {5, 2, 6}; }, "shape is 5 x 2 x 6");
  refused([](Problem& p) { p.kind = parse_kind("dct2"); }, "kind is dct2-dct2-dct2");
  refused([](Problem& p) { p.kind = Kind::r2c, p.padded_rows = true; }, "padded_rows is true");
  refused([](Problem& p) { p.modes = {4, 0, 0}; }, "modes is 4 x 0 x 0");
  refused([](Problem& p) { p.points = {4, 0, 0}; }, "points is 4 x 0 x 0");
}

TEST(OneLine, OfRealNumbersHasHalfTheModesInOrder) {
  const Problem problem = line_problem(30, {.kind = Kind::r2c, .batch = 2});
  EXPECT_EQ(problem.input_order, (MemoryOrder{2, 1, 0}));
  EXPECT_EQ(line_problem(30, {.kind = Kind::c2r}).output_order, (MemoryOrder{2, 1, 0}));
  const Plan natural(problem, {}, 3, 1);
  EXPECT_EQ(natural.input(), Layout::slab({5, 1, 6}, 3, 2));
  EXPECT_EQ(natural.output(), Layout::slab({1, 1, 16}, 3, 2));
  EXPECT_EQ(natural.output_boxes(), std::vector<Box>({{{0, 0, 6}, {1, 1, 11}}}));
  EXPECT_EQ(natural.input_size(), 2 * 10);
  EXPECT_EQ(natural.output_size(), 2 * 5);
  const Plan transposed(problem, {.transposed = true}, 3, 1);
  EXPECT_EQ(transposed.output(), Layout::slab({5, 1, 4}, 3, 2));
  EXPECT_EQ(transposed.data().forward.links.size(), 2);
  expect_error([&] { Plan(problem, {.transposed = true, .in_place = true}, 3); },
               {"in_place and transposed are true", "one of them"});
  // In place fields are as far apart as the larger end needs: here 10 numbers and 5 or 6 modes.
  const Plan in_place(problem, {.in_place = true}, 3, 0);
  EXPECT_EQ(in_place.input_size(), 2 * 12);
  EXPECT_EQ(in_place.output_size(), 2 * 6);
  expect_error([&] { Plan(problem, {.output = Layout::slab({5, 1, 4}, 3, 2)}, 3); },
               {"output is a layout", "transposed"});
  Problem turned = problem;
  turned.output_order = {2, 1, 0};
  expect_error([&] { Plan(turned, {}, 3); }, {"output_order is 210", "012"});
  Plan(turned, {.transposed = true}, 3);
}

TEST(OneLine, OfFewDivisorsIsAPartOfALongerOne) {
  EXPECT_EQ(line_grid(4093), (Shape{1, 1, 4093}));
  EXPECT_EQ(line_grid(2 * 2039), (Shape{2, 1, 2039}));
  EXPECT_EQ(line_grid(2 * 5003), (Shape{1, 1, 10006}));
  EXPECT_EQ(line_grid(Index{1} << 13), (Shape{64, 1, 128}));
  const Problem problem = line_problem(10007);
  const detail::PaddedLine line(problem, 3);
  const Shape grid = line.shape();
  EXPECT_GE(grid[0] * grid[2], 2 * 10007 - 1);
  EXPECT_LE(grid[0] * grid[2], 2 * 10007 * 1.1);
  // Whole columns of the grid, in order, at both ends; modes as well.
  const Plan plan(problem, {}, 3, 1);
  Index before = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const Box mine = plan.input().box(rank);
    EXPECT_EQ(plan.output().box(rank), mine);
    EXPECT_EQ(mine.lo, (Shape{0, 0, before}));
    EXPECT_EQ(mine.lo[2] % grid[0], 0);
    before = mine.hi[2];
  }
  EXPECT_EQ(before, 10007);
  EXPECT_EQ(plan.input_size(), plan.input().box(1).count());
  EXPECT_EQ(plan.data().forward.links.size(), 4);
  for (const detail::Link& link : plan.data().forward.links) EXPECT_EQ(link.direction, Direction::forward);
  for (const detail::Link& link : plan.data().backward.links) EXPECT_EQ(link.direction, Direction::backward);
  EXPECT_NE(plan.explain().find(detail::concat("padded     to one line of ", grid[0] * grid[2])), std::string::npos);
  // What lies behind the last number is less than a column: that is all that is sent for nothing.
  const Plan apart(problem, {.strategy = "alltoallv"}, 2, 0);
  EXPECT_LE(apart.traffic(Direction::forward).all_bytes, 16 * (10007 + grid[0] + grid[0] * grid[2] + 2 * grid[2]));
  // One rank with a short line, and layouts of the caller's, have the line as it is.
  EXPECT_EQ(Plan(problem, {}, 1).data().padded_line, nullptr);
  EXPECT_NE(Plan(line_problem(262147), {}, 1).data().padded_line, nullptr);
  EXPECT_EQ(Plan(problem, {.input = Layout::slab({1, 1, 10007}, 3, 2)}, 3).data().padded_line, nullptr);
}

TEST(OneLine, ItsChirpIsExactWhereSquaresLeave64Bits) {
  const Index n = (Index{1} << 33) - 9;
  const detail::PaddedLine line(line_problem(n), 2);
  // (n - d)^2 = n + d^2 modulo 2 n, n being odd.
  for (const Index d : {1, 2, 3, 1000}) {
    const double angle = std::numbers::pi * (1 + static_cast<double>(d * d) / static_cast<double>(n));
    const auto wanted = std::polar(1.0, angle);
    const auto forward = line.chirp({n - d, n - d + 1}, Direction::forward);
    const auto backward = line.chirp({n - d, n - d + 1}, Direction::backward);
    EXPECT_LT(std::abs(backward.front() - wanted), 1e-15);
    EXPECT_EQ(forward.front(), std::conj(backward.front()));
  }
  EXPECT_EQ(line.chirp({0, 3}, Direction::backward).size(), 3);
  const Index all = line.shape()[0] * line.shape()[2];
  // The kernel is even, and zero between its ends.
  const auto first = line.kernel({0, 4}), last = line.kernel({all - 4, all});
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(first[i], last[4 - i]);
  EXPECT_EQ(line.kernel({n, n + 1}).front(), std::complex<double>(0));
}

TEST(OneLine, ConjugatesComeFromTheirModes) {
  using detail::HalfLine;
  for (Index n = 1; n <= 60; ++n) {
    Problem problem = line_problem(n, {.kind = n % 2 == 0 ? Kind::r2c : Kind::c2r});
    for (const Shape& grid : {Shape(problem.shape), Shape{problem.shape[2], 1, problem.shape[0]}}) {
      problem.shape = grid;
      // A number that tells of its mode, and so its conjugate.
      const auto number = [&](Index mode) {
        return mode <= n / 2 ? std::complex<double>(static_cast<double>(mode), 1)
                             : std::complex<double>(static_cast<double>(n - mode), -1);
      };
      for (int ranks = 1; ranks <= 7; ++ranks) {
        for (int rank = 0; rank < ranks; ++rank) {
          SCOPED_TRACE(to_string(grid) + ", rank " + std::to_string(rank) + " of " + std::to_string(ranks));
          const HalfLine line(problem, ranks, rank);
          const Box mine = line.modes().box(rank);
          std::vector<std::complex<double>> modes, pieces, wanted;
          for (Index k = mine.lo[2]; k < mine.hi[2]; ++k) modes.push_back(number(k));
          for (const Box& box : line.pieces()->layout.boxes(rank)) {
            for (Index row = box.lo[0]; row < box.hi[0]; ++row) {
              for (Index k = box.lo[2]; k < box.hi[2]; ++k) wanted.push_back(number(row * grid[2] + k));
            }
          }
          pieces.resize(wanted.size());
          line.spread(modes.data(), pieces.data(), 1, 1, 0);
          EXPECT_EQ(pieces, wanted);
          std::vector<std::complex<double>> found(modes.size());
          line.gather(wanted.data(), found.data(), 1, 1, 0);
          EXPECT_EQ(found, modes);
        }
      }
    }
  }
}

TEST(PlanErrors, Arguments) {
  const auto bad = [](const std::function<void(Problem&, Options&)>& spoil, const std::vector<std::string>& parts) {
    Problem problem{.shape = {8, 6, 4}};
    Options options;
    spoil(problem, options);
    expect_error([&] { Plan(problem, options, 4); }, parts);
  };
  bad([](Problem& p, Options&) { p.shape = {8, 0, 4}; }, {"shape", "8 x 0 x 4", "at least 1"});
  bad([](Problem& p, Options&) { p.shape = {-8, 6, 4}; }, {"shape", "-8 x 6 x 4"});
  bad([](Problem& p, Options&) { p.batch = 0; }, {"batch", "0", "at least 1"});
  bad([](Problem& p, Options&) { p.batch = -2; }, {"batch", "-2", "at least 1"});
  bad([](Problem&, Options& o) { o.strategy = "telepathy"; }, {"strategy", "telepathy", join(strategies())});
  bad([](Problem&, Options& o) { o.backend = "abacus"; }, {"backend", "abacus", join(backends())});
  bad([](Problem&, Options& o) { o.tile = -1; }, {"tile", "-1", "from 0"});
  bad([](Problem&, Options& o) { o.fields = -1; }, {"fields", "-1", "from 0"});
  bad([](Problem&, Options& o) { o.window = -1; }, {"window", "-1", "from 0"});
  bad([](Problem&, Options& o) { o.tests = -1; }, {"tests", "-1", "from 0"});
  bad([](Problem&, Options& o) { o.cache = -1; }, {"cache", "-1", "from 0"});
  bad([](Problem&, Options& o) { o.node_size = -1; }, {"node_size", "-1", "from 0"});
  bad([](Problem&, Options& o) { o.nodes = {0, 0, 1}; }, {"nodes", "3", "4"});
  bad([](Problem&, Options& o) { o.grid = {3, 2}; }, {"grid", "3x2", "4"});
  bad([](Problem&, Options& o) { o.grid = {4, 0}; }, {"grid", "4x0", "4"});
  bad([](Problem&, Options& o) { o.grid = {-2, -2}; }, {"grid", "-2x-2", "4"});
  bad(
      [](Problem&, Options& o) {
        o.decomposition = Decomposition::slab;
        o.grid = {2, 2};
      },
      {"grid", "2x2", "slab", "4x1"});
  bad([](Problem&, Options& o) { o.input = Layout::slab({8, 6, 5}, 4, 0); }, {"input", "8 x 6 x 5", "8 x 6 x 4"});
  bad([](Problem&, Options& o) { o.output = Layout::slab({8, 6, 4}, 5, 0); }, {"output", "5 ranks", "4"});
  bad(
      [](Problem& p, Options& o) {
        p.kind = Kind::r2c;
        o.output = Layout::slab({8, 6, 4}, 4, 0);
      },
      {"output", "8 x 6 x 4", "8 x 6 x 3"});
  bad(
      [](Problem& p, Options& o) {
        p.kind = Kind::c2r;
        o.input = Layout::slab({8, 6, 4}, 4, 0);
      },
      {"input", "8 x 6 x 4", "8 x 6 x 3"});
  bad([](Problem& p, Options&) { p.input_order = {0, 1, 1}; }, {"input_order", "{0, 1, 1}", "0, 1 and 2", "once"});
  bad([](Problem& p, Options&) { p.output_order = {0, 1, 3}; }, {"output_order", "{0, 1, 3}"});
  bad(
      [](Problem& p, Options& o) {
        p.kind = Kind::r2c;
        p.input_order = {2, 1, 0};
        o.in_place = true;
      },
      {"input_order", "210", "in place", "012 and 102"});
  bad(
      [](Problem& p, Options&) {
        p.kind = Kind::c2r;
        p.output_order = {0, 2, 1};
        p.padded_rows = true;
      },
      {"output_order", "021", "padded_rows", "012 and 102"});
  const auto bad_groups = [&](const std::function<void(Problem&)>& spoil, const std::string& why) {
    bad(
        [&](Problem& p, Options& o) {
          o.groups = 2;
          p.batch = 2;
          spoil(p);
        },
        {"groups", "2", why, "only 1"});
  };
  bad_groups([](Problem& p) { p.interleaved = true; }, "interleaved");
  bad_groups([](Problem& p) { p.padded_rows = true; }, "padded_rows");
  bad_groups([](Problem& p) { p.output_order = {1, 0, 2}; }, "output_order");
  bad(
      [](Problem& p, Options&) {
        p.batch = Index{1} << 28;
        p.shape = {1, 1, 1};
        p.interleaved = true;
      },
      {"batch", "interleaved", "32-bit"});
  expect_error([] { Plan({.shape = {8, 6, 4}}, {}, 0); }, {"ranks", "0", "at least 1"});
  expect_error([] { Plan({.shape = {8, 6, 4}}, {}, 4, 4); }, {"rank", "4", "0 to 3"});
  expect_error([] { Plan({.shape = {8, 6, 4}}, {}, 4, -1); }, {"rank", "-1", "0 to 3"});
}

TEST(Plan, FieldsOfALargeBatchTakeTurnsInTheWorkspace) {
  for (const std::string strategy : {"alltoallv", "shared"}) {
    Options options = slab_transposed();
    options.strategy = strategy;
    options.node_size = 2;
    options.window = 1;
    const auto bytes = [&](Index fields) {
      return Plan({.shape = {32, 32, 32}, .batch = fields}, options, 2).workspace_bytes();
    };
    EXPECT_GT(bytes(3), bytes(1)) << strategy;
    EXPECT_EQ(bytes(100), bytes(4)) << strategy;
  }
}

TEST(Plan, AutomaticStrategyDependsOnNodesAndMessages) {
  const auto chosen = [](Index n, int ranks, int node_size, Index batch = 1) {
    Options options;
    options.node_size = node_size;
    return Plan({.shape = {n, n, n}, .batch = batch}, options, ranks).options().strategy;
  };
  EXPECT_EQ(chosen(32, 4, 0), "alltoallv");  // nobody knows who shares a node
  EXPECT_EQ(chosen(32, 1, 1), "alltoallv");
  EXPECT_EQ(chosen(32, 4, 4), "shared");
  EXPECT_EQ(chosen(32, 4, 4, 100), "shared");
  // Every rank has a node of its own: 32768 bytes, of two fields 65536.
  EXPECT_EQ(chosen(32, 4, 1), "alltoallv");
  EXPECT_EQ(chosen(32, 4, 1, 2), "ialltoallv");
  EXPECT_EQ(chosen(64, 4, 1), "ialltoallv");
  // 32^3 numbers of 16 bytes: 8192 for each pair of 8 ranks, 2048 of 16.
  EXPECT_EQ(chosen(32, 8, 4), "shared");
  EXPECT_EQ(chosen(32, 8, 4, 100), "shared");
  EXPECT_EQ(chosen(32, 16, 4), "node-shm");
  EXPECT_EQ(chosen(32, 16, 4, 17), "node-shm");
}

TEST(Plan, AutomaticStrategyTestsBetweenNodes) {
  const auto tests = [](Index n, int ranks, int node_size, const char* strategy = "auto", int given = 0) {
    Options options;
    options.node_size = node_size;
    options.strategy = strategy;
    options.tests = given;
    return Plan({.shape = {n, n, n}}, options, ranks).options().tests;
  };
  EXPECT_EQ(tests(64, 4, 4), 0) << "nothing leaves the node";
  EXPECT_EQ(tests(32, 4, 1), 0) << "alltoallv waits";
  EXPECT_EQ(tests(64, 4, 1), 4) << "ialltoallv";
  EXPECT_EQ(tests(32, 8, 4), 4) << "shared";
  EXPECT_EQ(tests(32, 16, 4), 4) << "node-shm";
  EXPECT_EQ(tests(64, 4, 1, "auto", 2), 2);
  EXPECT_EQ(tests(64, 4, 1, "ialltoallv"), 0) << "who names the strategy has what he says";
}

TEST(Plan, AutomaticStrategyDependsOnTheExchangesThatCrossNodes) {
  const auto options_of = [](std::array<int, 2> grid, int node_size, bool transposed) {
    Options options;
    options.decomposition = Decomposition::pencil;
    options.grid = grid;
    options.node_size = node_size;
    options.transposed = transposed;
    return options;
  };
  const auto chosen = [&](Index n, std::array<int, 2> grid, int node_size, bool transposed, Index batch = 1) {
    const Options options = options_of(grid, node_size, transposed);
    return Plan({.shape = {n, n, n}, .batch = batch}, options, grid[0] * grid[1]).options().strategy;
  };
  // Rows are nodes: the other exchange has one rank of each node. 4096 bytes for each of 4 others, then 32768.
  EXPECT_EQ(chosen(32, {4, 8}, 8, true), "alltoallv");
  EXPECT_EQ(chosen(64, {4, 8}, 8, true), "shared");
  EXPECT_EQ(chosen(64, {4, 8}, 8, true, 100), "shared");
  EXPECT_EQ(chosen(32, {16, 2}, 2, true), "alltoallv");
  // The way back from the spectrum is among all ranks.
  EXPECT_EQ(chosen(32, {16, 2}, 2, false), "node-shm");
  // A node is several rows: 8192 bytes for each of 16 others, then 65536.
  EXPECT_EQ(chosen(64, {16, 2}, 4, true), "node-shm");
  EXPECT_EQ(chosen(64, {16, 2}, 4, true, 17), "node-shm");
  EXPECT_EQ(chosen(128, {16, 2}, 4, true), "shared");
  // Rows across nodes, and so are columns.
  EXPECT_EQ(chosen(32, {4, 6}, 4, true), "node-shm");
  EXPECT_EQ(chosen(32, {4, 4}, 1, true), "alltoallv");
  EXPECT_EQ(chosen(32, {4, 4}, 16, true), "shared");
  // An operator has the same exchanges.
  const auto of_operator = [&](Index n, std::array<int, 2> grid, int node_size) {
    const Problem problem{.shape = {n, n, n}, .kind = Kind::c2c};
    const Options options = options_of(grid, node_size, false);
    return OperatorPlan(problem, At::wavenumbers, 1, 1, options, grid[0] * grid[1]).options().strategy;
  };
  EXPECT_EQ(of_operator(32, {16, 2}, 2), "alltoallv");
  EXPECT_EQ(of_operator(64, {16, 2}, 4), "node-shm");
  EXPECT_EQ(of_operator(128, {16, 2}, 4), "shared");
}

TEST(Plan, PencilsHaveTheirRowsInsideNodes) {
  using Parts = std::array<int, 3>;
  const auto parts = [](const Shape& shape, int ranks, const Options& options, Kind kind = Kind::c2c) {
    return Plan({.shape = shape, .kind = kind}, options, ranks).input().parts().value();
  };
  const auto on_nodes = [](int node_size) {
    Options options;
    options.node_size = node_size;
    return options;
  };
  const Shape cube{96, 96, 96};
  EXPECT_EQ(parts(cube, 288, {}), (Parts{12, 24, 1}));
  EXPECT_EQ(parts(cube, 288, on_nodes(24)), (Parts{96, 3, 1}));  // as even as any grid
  EXPECT_EQ(parts(cube, 288, on_nodes(16)), (Parts{36, 8, 1}));  // 3456 points instead of 3072
  // 16x18, 18x16, 36x8 and 72x4 are as even as each other.
  EXPECT_EQ(parts({64, 64, 64}, 288, {}), (Parts{16, 18, 1}));
  EXPECT_EQ(parts({64, 64, 64}, 288, on_nodes(16)), (Parts{72, 4, 1}));
  // The best with rows in nodes is 36x8, a quarter less even than 96x3.
  EXPECT_EQ(parts(cube, 288, on_nodes(16), Kind::r2c), (Parts{96, 3, 1}));
  // Nodes have some points for each other, no more.
  EXPECT_EQ(parts({128, 128, 128}, 1536, on_nodes(24)), (Parts{12, 128, 1}));
  // One node, and every rank on its own.
  EXPECT_EQ(parts(cube, 288, on_nodes(288)), (Parts{12, 24, 1}));
  EXPECT_EQ(parts(cube, 288, on_nodes(1)), (Parts{12, 24, 1}));
  // A node with fewer ranks than others; ranks dealt to the nodes in turn.
  EXPECT_EQ(parts(cube, 288, on_nodes(25)), (Parts{12, 24, 1}));
  Options options;
  for (int rank = 0; rank < 288; ++rank) options.nodes.push_back(rank % 12);
  EXPECT_EQ(parts(cube, 288, options), (Parts{12, 24, 1}));
  for (int rank = 0; rank < 288; ++rank) options.nodes[static_cast<std::size_t>(rank)] = rank / 24 * 24;
  EXPECT_EQ(parts(cube, 288, options), (Parts{96, 3, 1}));
  options = on_nodes(16);
  options.grid = {16, 18};
  EXPECT_EQ(parts(cube, 288, options), (Parts{16, 18, 1}));
  // Slabs are as they were, and pencils that are asked for are no slabs.
  EXPECT_EQ(parts(cube, 96, on_nodes(16)), (Parts{96, 1, 1}));
  options = on_nodes(16);
  options.decomposition = Decomposition::pencil;
  EXPECT_EQ(parts(cube, 96, options), (Parts{48, 2, 1}));
}

// The ranks of a group lie on nodes as they do among all ranks.
TEST(Plan, GroupsKnowTheirNodes) {
  Options by_size, by_name;
  by_size.groups = by_name.groups = 2;
  by_size.strategy = by_name.strategy = "node-shm";
  by_size.node_size = 4;
  by_name.nodes = {0, 0, 0, 0, 4, 4};
  const Problem problem{.shape = {12, 12, 12}, .batch = 2};
  const Plan::Traffic one = Plan(problem, by_size, 6).traffic(Direction::forward);
  const Plan::Traffic other = Plan(problem, by_name, 6).traffic(Direction::forward);
  EXPECT_GT(other.network_messages, 0);
  EXPECT_EQ(one.network_messages, other.network_messages);
  EXPECT_EQ(one.network_bytes, other.network_bytes);
}

TEST(Problems, SpectrumShape) {
  EXPECT_EQ((Problem{.shape = {4, 5, 8}}).spectrum_shape(), (Shape{4, 5, 8}));
  EXPECT_EQ((Problem{.shape = {4, 5, 8}, .kind = Kind::r2c}).spectrum_shape(), (Shape{4, 5, 5}));
  EXPECT_EQ((Problem{.shape = {4, 5, 7}, .kind = Kind::c2r}).spectrum_shape(), (Shape{4, 5, 4}));
  EXPECT_EQ((Problem{.shape = {4, 5, 1}, .kind = Kind::r2c}).spectrum_shape(), (Shape{4, 5, 1}));
}

}  // namespace
