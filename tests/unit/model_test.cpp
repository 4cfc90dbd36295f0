// The model, computed by hand on a small machine.
#include "weft/model.hpp"

#include <cmath>

#include "support.hpp"
#include "walk.hpp"

namespace weft::model {
namespace {

using test::expect_error;

/// One core a node; nothing is free, and all figures are round.
Machine small_machine() {
  return parse(R"(
name = "small"
nodes = 4
cores = 1
flops = 1e9
memory_bandwidth = 1e9
[network]
latency = 1e-6
bandwidth = 1e9
gap = 0.1e-6
overhead = 0.5e-6
[node]
latency = 0.0
bandwidth = 1e9
[mpi]
eager = 1000
alltoall_short = 0
)",
               "small.toml");
}

constexpr double us = 1e-6;

TEST(Model, PricesATransformAsOneDoesByHand) {
  Options options;
  options.transposed = true;
  options.decomposition = Decomposition::slab;
  options.strategy = "alltoallv";
  const Prediction found = predict({.shape = {4, 4, 4}}, options, small_machine(), 2, 1);
  ASSERT_EQ(found.forward.stages.size(), 3u);
  const Stage &first = found.forward.stages[0], &exchange = found.forward.stages[1], &last = found.forward.stages[2];
  // 32 points in lines of 4 along two axes, 10 operations each; 1024 bytes through memory, which hide them.
  EXPECT_NEAR(first.terms[Term::computation], 0.640 * us, 1e-15);
  EXPECT_NEAR(first.seconds(), 1.024 * us, 1e-15);
  EXPECT_NEAR(last.terms[Term::computation], 0.320 * us, 1e-15);
  EXPECT_NEAR(last.seconds(), 1.024 * us, 1e-15);
  // Half of it, 256 bytes, to the other node.
  EXPECT_NEAR(exchange.terms[Term::latency], 1 * us, 1e-15);
  EXPECT_NEAR(exchange.terms[Term::rate], 0.1 * us, 1e-15);
  EXPECT_NEAR(exchange.terms[Term::bandwidth], 0.256 * us, 1e-15);
  EXPECT_NEAR(exchange.terms[Term::overhead], 1 * us, 1e-15);
  EXPECT_NEAR(exchange.hidden, 0, 1e-15);
  // And a message there and back to agree on the arguments.
  EXPECT_NEAR(found.forward.seconds(), (1.024 + 2.356 + 1.024 + 2) * us, 1e-15);
  EXPECT_NEAR(found.seconds(), 2 * found.forward.seconds(), 1e-15);
  EXPECT_NEAR(found.terms().sum(), found.seconds(), 1e-15);
  // Two arrays of 32 points, a buffer to send from, one to receive into, and what the rank keeps.
  EXPECT_EQ(found.memory_bytes, 2 * 512 + Plan({.shape = {4, 4, 4}}, options, 2).workspace_bytes());
}

TEST(Model, BothDirectionsOfARealTransformDoTheSameOperations) {
  Options options;
  options.decomposition = Decomposition::slab;
  const Prediction found = predict({.shape = {4, 6, 8}, .kind = Kind::r2c}, options, small_machine(), 1, 1);
  const double lines = 5 * (24 * 4 * 3 + 20 * 6 * std::log2(6) + 30 * 4 * 2);  // along axis 2, 1 and 0
  EXPECT_NEAR(found.forward.terms[Term::computation], lines / 1e9, 1e-15);
  EXPECT_NEAR(found.backward.terms[Term::computation], lines / 1e9, 1e-15);
}

/// Two tiles of one second each behind two units of half a second, and one more unit in the end.
class Pipeline : public ::testing::Test {
 protected:
  Pipeline() {
    machine_.latency = machine_.gap = machine_.overhead = 0;
    using What = detail::Action::What;
    route_.schedule = {{What::compute, 0, 0}, {What::start, 0, 0},  {What::compute, 0, 1}, {What::start, 0, 1},
                       {What::finish, 0, 0},  {What::finish, 0, 1}, {What::compute, 1, 0}};
    LinkTraffic link;
    link.peers = 2;
    link.traits = detail::find_strategy("pairwise").traits;
    link.tiles.assign(2, {.network_messages = 1, .network_bytes = 1000000000});
    links_ = {link};
    detail::Unit half;
    half.items = {0, 1};
    half.in = half.out = {{0, 0, 0}, {500000000, 1, 1}};
    for (const std::size_t units : {2U, 1U}) {
      detail::Pass& pass = route_.passes.emplace_back();
      pass.read_bytes = 1;
      pass.units.assign(units, half);
    }
  }

  Walk walked(int tests, bool thread) const {
    const Site site{machine_, 2, 1};
    return walk(site, route_, links_, {.tests = tests, .thread = thread});
  }

  Machine machine_ = small_machine();
  detail::Route route_;
  std::vector<LinkTraffic> links_;
};

TEST_F(Pipeline, HidesWhatMovesByItself) {
  // The first is on its way from 0.5 to 1.5, the second from then to 2.5; computed is from 0.5 to 1.
  const Walk walk = walked(0, true);
  EXPECT_DOUBLE_EQ(walk.seconds(), 3);
  EXPECT_DOUBLE_EQ(walk.hidden, 0.5);
}

TEST_F(Pipeline, WithoutTestsLargeMessagesWait) {
  EXPECT_DOUBLE_EQ(walked(0, false).seconds(), 3.5);
  EXPECT_EQ(walked(0, false).hidden, 0);
  const double some = walked(1, false).seconds(), many = walked(100, false).seconds();
  EXPECT_LT(some, 3.5);
  EXPECT_LT(many, some);
  EXPECT_NEAR(many, 3, 0.02);
}

TEST_F(Pipeline, SmallMessagesNeedNoTests) {
  machine_.eager = 2000000000;
  EXPECT_DOUBLE_EQ(walked(0, false).seconds(), 3);
}

TEST_F(Pipeline, BlockingTilesHideNothing) {
  links_[0].traits = detail::find_strategy("alltoallv").traits;
  EXPECT_DOUBLE_EQ(walked(100, true).seconds(), 3.5);
  EXPECT_EQ(walked(100, true).hidden, 0);
}

TEST(Model, LeadersSendForTheirNode) {
  Machine machine = small_machine();
  machine.cores = 4;
  const Site site{machine, 8, 4};
  LinkTraffic link;
  link.traits = detail::find_strategy("pairwise").traits;
  link.peers = 8;
  link.node_peers = 4;
  const TileTraffic each{.network_messages = 4, .network_bytes = 400};
  const TileCost apart = tile_cost(site, link, each);
  EXPECT_NEAR(apart.network[Term::rate], 16 * 0.1 * us, 1e-15);
  EXPECT_NEAR(apart.network[Term::bandwidth], 1600 / 1e9, 1e-15);
  EXPECT_NEAR(apart.sending, 4 * 0.5 * us, 1e-15);
  EXPECT_NEAR(apart.alone()[Term::overhead], 1.25 * 4 * 0.5 * us, 1e-15);
  link.traits = detail::find_strategy("node-shm").traits;
  const TileTraffic one{.network_messages = 1, .network_bytes = 400};
  for (const int leaders : {1, 2}) {
    link.leaders = leaders;
    const TileCost led = tile_cost(site, link, one);
    EXPECT_NEAR(led.network[Term::rate], 0.1 * us, 1e-15);
    EXPECT_NEAR(led.network[Term::bandwidth], 1600 / 1e9, 1e-15);
    EXPECT_NEAR(led.alone()[Term::overhead], 2 * 0.5 * us / leaders, 1e-15);
    EXPECT_NEAR(led.network[Term::latency], 3 * 1 * us, 1e-15);  // 1600 bytes: the receiver is asked first
  }
}

TEST(Model, ShortBlocksAreStoredAndForwarded) {
  Machine machine = small_machine();
  machine.alltoall_short = 100;
  LinkTraffic link;
  link.traits = detail::find_strategy("padded").traits;
  link.peers = 8;
  // To the ranks 1, 2 and 4 further, four blocks each.
  const TileTraffic alone{.network_messages = 7, .network_bytes = 700};
  EXPECT_NEAR(tile_cost({machine, 8, 1}, link, alone).network[Term::bandwidth], 3 * 400 / 1e9, 1e-15);
  // Four ranks of a node: one sends to the next node's first, two to the second next, all to the fourth next.
  machine.cores = 4;
  link.node_peers = 4;
  const TileTraffic near{.node_messages = 3, .node_bytes = 300, .network_messages = 4, .network_bytes = 400};
  const TileCost cost = tile_cost({machine, 8, 4}, link, near);
  EXPECT_NEAR(cost.sending, (0.25 + 0.5 + 1) * 0.5 * us, 1e-15);
  machine.latency = 0;
  EXPECT_NEAR(tile_cost({machine, 8, 4}, link, near).network[Term::bandwidth], 7 * 400 / 1e9, 1e-15);
}

TEST_F(Pipeline, HandlesMessagesWhileOthersAreOnTheirWay) {
  machine_.eager = 2000000000;
  machine_.overhead = 0.125;
  links_[0].tiles.assign(1, {.network_messages = 4, .network_bytes = 1000000000});
  using What = detail::Action::What;
  route_.schedule = {{What::start, 0, 0}, {What::finish, 0, 0}};
  // One leaves after 0.125, all have come a second later; three have been handled then.
  EXPECT_DOUBLE_EQ(walked(0, false).seconds(), 0.125 + 1 + 0.125);
  // The last one leaves after 0.5 and takes a quarter of a second, all but the last have been handled then.
  machine_.bandwidth = 4e9;
  EXPECT_DOUBLE_EQ(walked(0, false).seconds(), 0.5 + 4 * 0.125);
}

TEST(Model, InterpolatesInLogarithms) {
  const Table rates{{10, 100}, {1000, 1}}, seconds{{10, 1}, {1000, 100}};
  EXPECT_DOUBLE_EQ(interpolated(rates, 1), 100);
  EXPECT_NEAR(interpolated(rates, 100), 10, 1e-12);
  EXPECT_DOUBLE_EQ(interpolated(rates, 1e6), 1);
  EXPECT_DOUBLE_EQ(interpolated(seconds, 1e6), 1e5);
  EXPECT_DOUBLE_EQ(interpolated({{3, 7}}, 100), 7);
  expect_error([] { interpolated({}, 1); }, {"table"});
}

TEST(Model, BlockingAllToAllsTakeWhatWasMeasured) {
  Machine machine = small_machine();
  machine.latency = machine.gap = machine.overhead = 0;
  const Site site{machine, 4, 1};
  LinkTraffic link;
  link.traits = detail::find_strategy("pairwise").traits;
  link.peers = 4;
  const TileTraffic tile{.network_messages = 3, .network_bytes = 30000};
  machine.calibration.ranks = 1;
  machine.calibration.alltoall_network = {{10, 3e-8}, {10000, 6e-5}};  // a GB/s; half of it
  EXPECT_NEAR(tile_cost(site, link, tile).network.sum(), 3e-5, 1e-15);
  link.traits = detail::find_strategy("alltoallv").traits;
  EXPECT_NEAR(tile_cost(site, link, tile).network.sum(), 6e-5, 1e-15);
}

TEST(Model, UsesWhatWasMeasured) {
  Machine machine = small_machine();
  machine.cores = 2;
  machine.calibration.ranks = 2;
  machine.calibration.copy_all = {{1000, 4e9}, {1000000, 1e9}};
  machine.calibration.copy_one = {{1000, 4e9}, {1000000, 2e9}};
  machine.calibration.lines["rows_double"] = {{4, 1e9}, {6, 5e8}, {16, 2e9}};
  EXPECT_DOUBLE_EQ(memory_rate(machine, 4e6, 1), 2e9);
  EXPECT_DOUBLE_EQ(memory_rate(machine, 4e6, 2), 1e9);
  const auto rate = [&](const char* backend, Precision precision, Index n) {
    const LineKind kind = precision == Precision::double_ ? LineKind::rows : LineKind::columns;
    return line_rate(machine, backend, kind, precision, n);
  };
  EXPECT_DOUBLE_EQ(rate("auto", Precision::double_, 12), 5e8);  // as 6, not as 16
  EXPECT_NEAR(rate("auto", Precision::double_, 8), std::sqrt(2) * 1e9, 1);
  EXPECT_DOUBLE_EQ(rate("auto", Precision::single_, 8), 2e9);
  // A backend has its own rates, or those of auto if it was not measured.
  machine.calibration.backends["fftw"]["rows_double"] = {{4, 2.5e8}};
  EXPECT_DOUBLE_EQ(rate("fftw", Precision::double_, 4), 2.5e8);
  EXPECT_DOUBLE_EQ(rate("lanes", Precision::double_, 4), 1e9);

  // Transforms that take twice what the formulas say, and a call of 3 us.
  Options none;
  const auto by_formula = [&](Index n) { return predict({.shape = {n, n, n}}, none, machine, 1, 1).seconds(); };
  machine.calibration.ranks = 1;
  machine.calibration.transforms["c2c_double"] = {{4, by_formula(4) + 6 * us}, {16, 2 * by_formula(16) + 6 * us}};
  const double before = by_formula(16);
  machine = fitted(machine);
  EXPECT_NEAR(machine.call, 3 * us, 1e-12);
  EXPECT_NEAR(by_formula(16), 2 * before + 6 * us, 1e-12);
}

/// A transform that is nothing but computation, on nodes of four cores.
class OnThreads : public ::testing::Test {
 protected:
  OnThreads() {
    machine_.cores = 4;
    machine_.memory_bandwidth = machine_.core_bandwidth = 1e18;
    machine_.node_latency = 1 * us;
  }
  /// `planes` planes of 64 x 64, of which a thread takes one at a time.
  Prediction priced(Index planes, int threads, const std::string& backend = "auto") const {
    Options options;
    options.threads = threads;
    options.cache = 64 * 64 * 16;
    options.check = false;
    options.backend = backend;
    return predict({.shape = {planes, 64, 64}}, options, machine_, 1, 1);
  }
  Machine machine_ = small_machine();
};

TEST_F(OnThreads, SharesLinesOut) {
  const Prediction one = priced(64, 1), four = priced(64, 4), eight = priced(64, 8);
  EXPECT_EQ(one.terms()[Term::synchronisation], 0);
  EXPECT_NEAR(four.terms()[Term::computation], one.terms()[Term::computation] / 4, 1e-12);
  // Two passes in each direction, in each of which four cores meet.
  EXPECT_NEAR(four.terms()[Term::synchronisation], 4 * 2 * us, 1e-15);
  // More threads than cores take turns.
  EXPECT_NEAR(eight.terms()[Term::computation], four.terms()[Term::computation], 1e-12);
}

TEST_F(OnThreads, WaitsForTheOneWithMostChunks) {
  // Of three planes one of two threads has two; and four have something to do for three.
  const double one = priced(3, 1).forward.stages[0].terms[Term::computation];
  EXPECT_NEAR(priced(3, 2).forward.stages[0].terms[Term::computation], one * 2 / 3, 1e-12);
  EXPECT_NEAR(priced(3, 4).forward.stages[0].terms[Term::computation], one / 3, 1e-12);
  EXPECT_NEAR(priced(1, 4).forward.stages[0].terms[Term::synchronisation], 0, 1e-15);
}

TEST_F(OnThreads, SharesTheNodesMemory) {
  machine_.flops = 1e18;
  machine_.core_bandwidth = 2e9;
  machine_.memory_bandwidth = 4e9;
  const auto memory = [&](int threads) { return priced(64, threads).terms()[Term::memory]; };
  EXPECT_NEAR(memory(2), memory(1) / 2, 1e-9);
  EXPECT_NEAR(memory(4), memory(1) / 2, 1e-9);
}

TEST_F(OnThreads, BackendsHaveTheirRates) {
  machine_.calibration.backends["fftw"] = {{"rows_double", {{64, 0.5e9}}}, {"columns_double", {{64, 0.5e9}}}};
  const double any = priced(64, 1).terms()[Term::computation];
  EXPECT_NEAR(priced(64, 1, "fftw").terms()[Term::computation], 2 * any, 1e-9);
  EXPECT_NEAR(priced(64, 1, "lanes").terms()[Term::computation], any, 1e-12);
}

// The same numbers are computed and moved; only columns have another rate than rows.
TEST(Model, PricesInterleavedFields) {
  Machine machine = small_machine();
  machine.calibration = {};
  for (const int ranks : {1, 4}) {
    Options options;
    options.fields = 3;
    Problem problem{.shape = {16, 16, 16}, .batch = 3};
    const Prediction apart = predict(problem, options, machine, ranks, 1);
    problem.interleaved = true;
    const Prediction together = predict(problem, options, machine, ranks, 1);
    EXPECT_NEAR(together.seconds(), apart.seconds(), 0.01 * apart.seconds());
    EXPECT_EQ(together.memory_bytes, apart.memory_bytes);
  }
  const Prediction plane_of_16 = predict({.shape = plane(16, 16)}, {}, machine, 1, 1);
  EXPECT_GT(predict({.shape = {16, 2, 16}}, {}, machine, 1, 1).seconds(), plane_of_16.seconds());
}

// A long batch is not planned, but priced by two shorter ones.
TEST(Model, PricesLongBatches) {
  const Machine machine = small_machine();
  const Problem large{.shape = {64, 64, 64}, .precision = Precision::single_, .batch = 5001};
  const Problem small{.shape = {8, 8, 8}, .precision = Precision::single_, .batch = 100001};
  for (const Problem& problem : {large, small}) {
    for (const char* strategy : {"alltoallv", "shared", "pairwise", "node-shm"}) {
      for (const int groups : {1, 2}) {
        SCOPED_TRACE(weft::to_string(problem.shape) + ", " + strategy + ", groups " + std::to_string(groups));
        Options options;
        options.strategy = strategy;
        options.groups = groups;
        const Prediction found = predict(problem, options, machine, 4, 2);
        options.node_size = 2;
        const Prediction planned = predict(Plan(problem, options, 4), machine, 2);
        EXPECT_NEAR(found.seconds(), planned.seconds(), 0.02 * planned.seconds());
        EXPECT_NEAR(found.hidden(), planned.hidden(), 0.02 * planned.seconds());
        EXPECT_NEAR(static_cast<double>(found.memory_bytes), static_cast<double>(planned.memory_bytes),
                    0.02 * static_cast<double>(planned.memory_bytes));
        ASSERT_EQ(found.forward.stages.size(), planned.forward.stages.size());
      }
    }
  }
}

TEST(Model, PricesGroups) {
  Options options;
  const Problem problem{.shape = {8, 8, 8}, .batch = 4};
  options.groups = 2;
  Machine machine = small_machine();
  machine.overhead = 0;
  options.strategy = "pairwise";
  options.tile = 1;
  const Prediction two = predict(problem, options, machine, 4, 1);
  const Plan inside({.shape = {8, 8, 8}, .batch = 2}, {}, 2);
  ASSERT_EQ(two.forward.stages.front().name, "to groups");
  ASSERT_EQ(two.backward.stages.back().name, "from groups");
  // Two fields come to the two ranks of either group at once, half of them to each.
  machine.memory_bandwidth = machine.core_bandwidth = 1e18;
  const Prediction at_once = predict(problem, options, machine, 4, 1);
  EXPECT_NEAR(at_once.forward.stages.front().terms[Term::bandwidth], 2 * 256 * 16 / 1e9, 1e-12);
  EXPECT_NEAR(at_once.forward.stages.front().hidden, 0, 1e-12);
  // A rank copies its part of all fields, that of the other group's while its own group's is on its way, and then what
  // has come.
  const double copied = 2 * 128 * 2 * 16 / 1e9;
  EXPECT_NEAR(two.forward.stages.front().terms[Term::memory], 2 * copied + 2 * 256 * 2 * 16 / 1e9, 1e-12);
  EXPECT_NEAR(two.forward.stages.front().hidden, copied, 1e-12);
  EXPECT_NEAR(two.forward.stages.front().seconds() - two.forward.stages.front().terms[Term::memory] + copied,
              at_once.forward.stages.front().seconds(), 1e-12);
  // A rank has its part of all fields, and half of its group's, twice.
  const Index arrays = 2 * (4 * 128 + 2 * 256) * 16;
  EXPECT_GT(two.memory_bytes, arrays + inside.workspace_bytes());
  options.groups = 4;
  const Prediction four = predict(problem, options, small_machine(), 4, 1);
  for (const Stage& stage : four.forward.stages) EXPECT_NE(stage.name.substr(0, 8), "exchange");

  SphereProblem sphere{.grid = {8, 8, 8}, .howmany = 4};
  const Cutoff cutoff{.lattice = {{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}}, .energy = 4};
  const auto waves = deal_columns(plane_waves(cutoff), 4);
  options.groups = 2;
  const Prediction bands = predict(sphere, waves, options, options, small_machine(), 1);
  EXPECT_EQ(bands.backward.stages.front().name, "to groups");
  EXPECT_EQ(bands.forward.stages.back().name, "from groups");
  const double sent = 2 * static_cast<double>(waves[0].size()) * 16;
  const Prediction bands_at_once = predict(sphere, waves, options, options, machine, 1);
  EXPECT_NEAR(bands_at_once.backward.stages.front().terms[Term::bandwidth], sent / 1e9, 1e-15);
  // Bands are packed, since they lie as far apart as each call says: a rank copies those that it sends, and those that
  // have come.
  EXPECT_GT(bands.backward.stages.front().terms[Term::memory], 2 * 2 * sent / 1e9);
  options.groups = 3;
  expect_error([&] { predict(sphere, waves, options, options, small_machine(), 1); }, {"groups is 3", "divide"});
}

TEST(Model, DirectionsOfASphereAreApart) {
  const SphereProblem problem{.grid = {12, 12, 12}, .howmany = 3};
  const Cutoff cutoff{.lattice = {{{8, 0, 0}, {0, 8, 0}, {0, 0, 8}}}, .energy = 6};
  const auto waves = deal_columns(plane_waves(cutoff), 4);
  const Machine machine = unmeasured(2, 2);
  Options tiled;
  tiled.strategy = "pairwise";
  tiled.tile = 4;
  const Prediction plain = predict(problem, waves, {}, {}, machine, 2),
                   one = predict(problem, waves, {}, tiled, machine, 2);
  EXPECT_EQ(plain.backward.seconds(), one.backward.seconds());
  EXPECT_NE(plain.forward.seconds(), one.forward.seconds());
  const SpherePlan plan(problem, waves, {}, {});
  EXPECT_EQ(predict(plan, {}, tiled, machine, 2).seconds(), one.seconds());
}

TEST(Model, PricesAnOperatorAsItsPasses) {
  Options options;
  options.decomposition = Decomposition::slab;
  options.strategy = "alltoallv";
  const auto priced = [&](Index inputs, Index outputs) {
    return predict(OperatorPlan({.shape = {4, 4, 4}}, At::wavenumbers, inputs, outputs, options, 2), small_machine(),
                   1);
  };
  const OperatorPrediction one = priced(1, 1);
  ASSERT_EQ(one.walk.stages.size(), 5u);
  // 32 points: lines of 4 along two axes, along one there and back, along two; each pass goes through 1024 bytes.
  for (const std::size_t pass : {0, 2, 4}) {
    EXPECT_NEAR(one.walk.stages[pass].terms[Term::computation], 0.640 * us, 1e-15) << pass;
    EXPECT_NEAR(one.walk.stages[pass].seconds(), 1.024 * us, 1e-15) << pass;
  }
  // As a transform's exchange, twice; and agreeing on the arguments once.
  EXPECT_NEAR(one.seconds(), (3 * 1.024 + 2 * 2.356 + 2) * us, 1e-15);
  // Three fields come from one.
  const OperatorPrediction three = priced(1, 3);
  EXPECT_NEAR(three.walk.stages[0].seconds(), 1.024 * us, 1e-15);
  EXPECT_NEAR(three.walk.stages[2].terms[Term::computation], 0.320 * (1 + 3) * us, 1e-15);
  EXPECT_NEAR(three.walk.stages[2].seconds(), 2 * 1.024 * us, 1e-15);
  EXPECT_NEAR(three.walk.stages[4].seconds(), 3 * 1.024 * us, 1e-15);
  // Arrays of 512 bytes a field, and what is exchanged.
  EXPECT_GT(three.memory_bytes, 4 * 512);
}

TEST(Model, NamesWhatIsWrongInAFile) {
  const std::string good = "name = 'a'\nnodes = 1\ncores = 1\nflops = 1\nmemory_bandwidth = 1\n";
  const std::string network = "[network]\nlatency = 1e-6\nbandwidth = inf\n";
  const Machine least = parse(good + network, "f");
  EXPECT_EQ(least.core_bandwidth, 1);
  EXPECT_EQ(least.eager, 16384);
  EXPECT_EQ(least.node_bandwidth, 5e9);
  const auto refuse = [&](const std::string& text, const std::vector<std::string>& words) {
    expect_error([&] { parse(text, "f.toml"); }, words);
  };
  refuse("nodes = ", {"f.toml", "line 1"});
  refuse(good, {"f.toml", "network is missing"});
  refuse(good + "colour = 1\n" + network, {"colour is unknown", "core_bandwidth, cores"});
  refuse(good + network + "gap = -1", {"network.gap is -1", "negative"});
  refuse(good + network + "shared = 1", {"network.shared is 1", "a bool"});
  refuse(good + network + "[node]\nlatency = 1", {"node.bandwidth is missing"});
  const std::string tables = good + network + "[calibration.tables]\n";
  refuse(tables + "ranks = 2\ncopy_all = [[2, 1], [1, 1]]", {"copy_all", "[ 1, 1 ]", "ascending"});
  refuse(tables + "copy_all = []", {"calibration.tables.ranks is missing"});
  refuse(tables + "ranks = 2\n[calibration.tables.transforms]\nc2z_double = []",
         {"transforms.c2z_double", "r2c_single"});
  refuse(tables + "ranks = 2\n[calibration.tables.backends.fftw]\nrow_double = []",
         {"backends.fftw.row_double", "real_rows_single"});
  refuse(tables + "ranks = 2\n[calibration.tables.backends]\nfftw = 1", {"fftw is 1", "a table"});
  const Machine with = parse(tables + "ranks = 2\n[calibration.tables.backends.fftw]\nrows_single = [[8, 3]]", "f");
  EXPECT_EQ(with.calibration.backends.at("fftw").at("rows_single"), (Table{{8, 3, 0}}));
  expect_error([] { read("/no/such.toml"); }, {"/no/such.toml"});
  expect_error([] { unmeasured(0, 1); }, {"cores_per_node is 0"});
  expect_error([] { predict(Problem{}, {}, unmeasured(1, 1), 1, 0); }, {"ranks_on_node is 0"});
}

}  // namespace
}  // namespace weft::model
