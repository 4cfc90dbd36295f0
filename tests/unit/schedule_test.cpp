// The order of everything, walked through action by action: what the engine and MPI rely on.
#include <gtest/gtest.h>

#include <algorithm>

#include "routes.hpp"

namespace {

using namespace weft;
using namespace weft::detail;
using weft::test::Job;
using What = Action::What;

/// What has happened so far on one rank, found from the actions alone.
class Walk {
 public:
  explicit Walk(const Route& route) : route_(route), done_(route.passes.size(), 0) {
    for (const Link& link : route.links) tiles_.emplace_back(link.exchange.tiles.size());
    for (std::size_t p = 0; p < route.passes.size(); ++p) {
      for (const Unit& unit : route.passes[p].units) {
        for (const Index tile : weft::test::tiles_written(route.passes[p], unit)) {
          ++tiles_[p][static_cast<std::size_t>(tile)].writers;
        }
        for (Index tile = unit.first_in; tile < unit.last_in; ++tile) {
          ++tiles_[p - 1][static_cast<std::size_t>(tile)].readers;
        }
      }
    }
  }

  void run() {
    for (step_ = 0; step_ < route_.schedule.size(); ++step_) {
      const Action& action = route_.schedule[step_];
      SCOPED_TRACE("action " + std::to_string(step_));
      ASSERT_GE(action.stage, 0);
      const auto stage = static_cast<std::size_t>(action.stage);
      if (action.what == What::compute) {
        ASSERT_LT(stage, route_.passes.size());
        compute(stage, action.index);
      } else {
        ASSERT_LT(stage, route_.links.size());
        ASSERT_TRUE(route_.links[stage].is_exchange);
        ASSERT_LT(static_cast<std::size_t>(action.index), tiles_[stage].size());
        change(action.what, stage, action.index);
      }
      if (testing::Test::HasFatalFailure()) return;
    }
    for (std::size_t p = 0; p < done_.size(); ++p) EXPECT_EQ(done_[p], route_.passes[p].units.size()) << "pass " << p;
    for (std::size_t link = 0; link < tiles_.size(); ++link) {
      for (std::size_t t = 0; t < tiles_[link].size(); ++t) {
        const State& tile = tiles_[link][t];
        EXPECT_TRUE(tile.acquired && tile.started && tile.finished && tile.released)
            << "tile " << t << " of link " << link;
        EXPECT_GT(tile.writers, 0) << "nobody writes tile " << t << " of link " << link;
        EXPECT_GT(tile.readers, 0) << "nobody reads tile " << t << " of link " << link;
      }
    }
  }

 private:
  struct State {
    bool acquired = false, started = false, finished = false, released = false;
    int writers = 0, readers = 0;  ///< units
    int written = 0, read = 0;     ///< by so many of them
  };

  bool ready(std::size_t pass) const {
    if (done_[pass] == route_.passes[pass].units.size()) return false;
    const Unit& unit = route_.passes[pass].units[done_[pass]];
    if (pass == 0) return true;
    if (route_.links[pass - 1].is_exchange) {
      for (Index tile = unit.first_in; tile < unit.last_in; ++tile) {
        if (!tiles_[pass - 1][static_cast<std::size_t>(tile)].finished) return false;
      }
      return true;
    }
    const auto& before = route_.passes[pass - 1].units;
    for (std::size_t u = done_[pass - 1]; u < before.size(); ++u) {
      if (before[u].items.lo < unit.items.hi && unit.items.lo < before[u].items.hi) return false;
    }
    return true;
  }

  void compute(std::size_t pass, Index index) {
    ASSERT_EQ(index, static_cast<Index>(done_[pass])) << "units of a pass are computed in order";
    ASSERT_TRUE(ready(pass)) << "unit " << index << " of pass " << pass << " reads what is not there";
    for (std::size_t later = pass + 1; later < done_.size(); ++later) {
      ASSERT_FALSE(ready(later)) << "pass " << later << " could go on: what is in cache is consumed first";
    }
    const Unit& unit = route_.passes[pass].units[done_[pass]++];
    for (Index in = unit.first_in; in < unit.last_in; ++in) {
      State& tile = tiles_[pass - 1][static_cast<std::size_t>(in)];
      ASSERT_FALSE(tile.released) << "tile " << in;
      ++tile.read;
    }
    if (unit.out_tile < 0) {
      ASSERT_TRUE(pass == route_.links.size() || !route_.links[pass].is_exchange) << "a unit that writes no tile";
      return;
    }
    for (const Index written : weft::test::tiles_written(route_.passes[pass], unit)) {
      State& tile = tiles_[pass][static_cast<std::size_t>(written)];
      ASSERT_TRUE(tile.acquired);
      ASSERT_FALSE(tile.started) << "written while it is on its way";
      ++tile.written;
    }
  }

  void change(What what, std::size_t link, Index index) {
    const Index window = route_.links[link].exchange.window;
    State& tile = tiles_[link][static_cast<std::size_t>(index)];
    const auto is = [](bool State::*flag) { return [flag](const State& t) { return t.*flag; }; };
    const auto count = [&](auto which) { return std::count_if(tiles_[link].begin(), tiles_[link].end(), which); };
    switch (what) {
      case What::acquire:
        ASSERT_FALSE(tile.acquired);
        tile.acquired = true;
        break;
      case What::start:
        ASSERT_FALSE(tile.started);
        ASSERT_EQ(tile.written, tile.writers) << "sent before it was complete";
        ASSERT_EQ(index, count(is(&State::started))) << "tiles are started in ascending order";
        tile.started = true;
        ASSERT_LE(count(is(&State::started)) - count(is(&State::finished)), window);
        break;
      case What::finish:
        ASSERT_TRUE(tile.started);
        ASSERT_EQ(index, count(is(&State::finished))) << "tiles are finished in ascending order";
        // As late as may be: there is no room for the next one, or nothing more to compute before.
        ASSERT_TRUE(count(is(&State::started)) - index == window || !can_compute()) << "the window is not full";
        tile.finished = true;
        break;
      case What::release:
        ASSERT_FALSE(tile.released);
        ASSERT_TRUE(tile.finished);
        ASSERT_EQ(tile.read, tile.readers) << "released before it was read";
        tile.released = true;
        break;
      case What::compute: FAIL();
    }
  }

  bool can_compute() const {
    for (std::size_t pass = 0; pass < done_.size(); ++pass) {
      if (ready(pass)) return true;
    }
    return false;
  }

  const Route& route_;
  std::vector<std::size_t> done_;  ///< units, by pass
  std::vector<std::vector<State>> tiles_;
  std::size_t step_ = 0;
};

TEST(Schedule, EveryTileIsProducedSentAndConsumedOnceInOrder) {
  const auto test = [](const Job& job) {
    for (const Route* route : job.route) {
      Walk(*route).run();
      if (testing::Test::HasFailure()) return;
    }
  };
  weft::test::for_random_jobs(60, test);
  weft::test::for_random_operators(60, test);
}

// Otherwise the next field of an operator cannot be on its way while one is computed.
TEST(Schedule, FieldsOfAnOperatorTravelInTilesOfTheirOwnWherePointsAreFew) {
  Options options;
  options.strategy = "ialltoallv";
  options.node_size = 1;
  const auto tiles = [&](const Shape& shape, Index inputs, Index outputs, std::size_t link) {
    const OperatorPlan plan({.shape = shape}, At::wavenumbers, inputs, outputs, options, 32, 0);
    return plan.data().route.links[link].exchange.tiles.size();
  };
  // Two planes of a rank, worth four tiles: those of one field before those of the next.
  EXPECT_EQ(tiles({64, 64, 512}, 1, 3, 0), 2U);
  EXPECT_EQ(tiles({64, 64, 512}, 1, 3, 1), 2U * 3);
  EXPECT_EQ(tiles({64, 64, 512}, 3, 1, 0), 2U * 3);
  EXPECT_EQ(tiles({64, 64, 512}, 3, 1, 1), 2U);
  // So many on their way.
  const OperatorPlan plan({.shape = {64, 64, 512}}, At::wavenumbers, 1, 3, options, 32, 0);
  EXPECT_EQ(plan.data().route.links[0].exchange.window, 2);
  EXPECT_EQ(plan.data().route.links[1].exchange.window, 3);
  // Enough planes, and fields that are too small.
  EXPECT_EQ(tiles({128, 64, 256}, 3, 3, 0), 4U);
  // Messages of a tile that would have 2 KiB, of two planes.
  EXPECT_EQ(tiles({64, 64, 64}, 1, 3, 0), 1U);
  EXPECT_EQ(tiles({32, 32, 32}, 3, 3, 0), 1U);
}

// What a collective that waits needs: all ranks come to it in the same order.
TEST(Schedule, AllRanksTakeTheSameSteps) {
  const auto test = [](const Job& job) {
    const std::vector<Action>& first = job.route.front()->schedule;
    for (const Route* route : job.route) {
      ASSERT_EQ(route->schedule.size(), first.size());
      for (std::size_t step = 0; step < first.size(); ++step) {
        const Action &mine = route->schedule[step], &theirs = first[step];
        ASSERT_TRUE(mine.what == theirs.what && mine.stage == theirs.stage && mine.index == theirs.index)
            << "action " << step;
      }
    }
  };
  weft::test::for_random_jobs(60, test);
  weft::test::for_random_operators(60, test);
}

}  // namespace
