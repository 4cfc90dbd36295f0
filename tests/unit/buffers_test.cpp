// Where buffers lie: what lives at the same time never shares memory. Lives are found here from what reads and writes a
// buffer, not from the actions that the planner looks at.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "exchange/exchange.hpp"
#include "routes.hpp"

namespace {

using namespace weft;
using namespace weft::detail;
using weft::test::Job;
using What = Action::What;

/// Bytes of the workspace that hold something from one step of the schedule to another.
struct Life {
  std::string name;
  Index begin, end;
  Index first = std::numeric_limits<Index>::max(), last = -1;
  /// Of what neighbours read where it is: the link, and the steps from its first write to its last read by ranks at the
  /// same step.
  Index ring = -1, written = 0, read = 0;

  void at(Index step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

/// Whether they may lie in the same place: tiles wait only for earlier ones of the same ring.
bool apart(const Life& a, const Life& b) {
  if (a.ring >= 0 && a.ring == b.ring) return a.read < b.written || b.read < a.written;
  return a.last < b.first || b.last < a.first;
}

class Lives {
 public:
  explicit Lives(const Route& route, Index batch) : route_(route), batch_(batch) {
    for (std::size_t link = 0; link < route.links.size(); ++link) {
      if (route.links[link].is_exchange) {
        add_exchange(link);
      } else if (route.links[link].array.where == Array::Where::work) {
        add_array(link);
      }
    }
  }
  const std::vector<Life>& all() const { return all_; }

 private:
  /// Steps at which `what` happens to a tile or unit.
  Index step_of(What what, std::size_t stage, Index index) const {
    for (std::size_t step = 0; step < route_.schedule.size(); ++step) {
      const Action& action = route_.schedule[step];
      if (action.what == what && action.stage == static_cast<int>(stage) && action.index == index) {
        return static_cast<Index>(step);
      }
    }
    ADD_FAILURE() << "an action is missing";
    return 0;
  }

  void add(const std::string& name, std::size_t link, Index tile, Index offset, Index bytes, Life life) {
    if (bytes == 0) return;
    life.name = name + " of tile " + std::to_string(tile) + ", link " + std::to_string(link);
    life.begin = offset;
    life.end = offset + bytes;
    all_.push_back(std::move(life));
  }

  void add_exchange(std::size_t link) {
    const ExchangePlan& exchange = route_.links[link].exchange;
    const StrategyTraits& traits = find_strategy(exchange.strategy).traits;
    const Index bytes = exchange.element_bytes;
    for (std::size_t t = 0; t < exchange.tiles.size(); ++t) {
      const auto index = static_cast<Index>(t);
      const Tile& tile = exchange.tiles[t];
      Life sent{}, received{}, kept{}, staged{};
      const Index start = step_of(What::start, link, index), finish = step_of(What::finish, link, index);
      // Blocks are written by units, and read by MPI until the tile has come.
      for (std::size_t u = 0; u < route_.passes[link].units.size(); ++u) {
        const auto tiles = weft::test::tiles_written(route_.passes[link], route_.passes[link].units[u]);
        if (std::find(tiles.begin(), tiles.end(), index) == tiles.end()) continue;
        const Index step = step_of(What::compute, link, static_cast<Index>(u));
        sent.at(step);
        kept.at(step);
        if (traits.posts_early) received.at(step);
      }
      sent.at(finish);
      received.at(start);
      staged.at(start);
      for (std::size_t u = 0; u < route_.passes[link + 1].units.size(); ++u) {
        const Unit& unit = route_.passes[link + 1].units[u];
        if (index < unit.first_in || index >= unit.last_in) continue;
        const Index step = step_of(What::compute, link + 1, static_cast<Index>(u));
        received.at(step);
        kept.at(step);
        if (exchange.arrays) sent.at(step);  // which holds what is kept
        sent.read = std::max(sent.read, step);
      }
      received.at(finish);
      const Index ever = std::numeric_limits<Index>::max() - 1;
      if (traits.shared_memory) {
        // Neighbours read and write at their own pace.
        if (tile.send_runs.empty()) sent.ring = static_cast<Index>(link);
        sent.written = sent.first;
        for (Life* life : {&sent, &received}) {
          if (life == &received && tile.recv_runs.empty()) continue;
          life->first = -1;
          life->last = ever;
        }
      }
      add("send buffer", link, index, tile.send_offset_bytes, tile.send_count * bytes, sent);
      add("kept block", link, index, tile.kept_offset_bytes, tile.kept_count * exchange.local_bytes, kept);
      add("staging", link, index, tile.staging_offset_bytes, tile.staging_count * bytes, staged);
      if (!exchange.arrays) {
        add("receive buffer", link, index, tile.recv_offset_bytes, tile.recv_count * bytes, received);
      } else if (!exchange.into_output) {
        // All tiles of the same items are received into one array, which the first of them brings with it.
        const std::size_t first = t - t % static_cast<std::size_t>(exchange.tiles_per_group);
        add("received array", link, static_cast<Index>(first), tile.recv_offset_bytes,
            exchange.tiles[first].recv_count * bytes, received);
      }
    }
  }

  void add_array(std::size_t link) {
    const Array& array = route_.links[link].array;
    Life life{};
    for (const std::size_t pass : {link, link + 1}) {
      for (std::size_t u = 0; u < route_.passes[pass].units.size(); ++u) {
        life.at(step_of(What::compute, pass, static_cast<Index>(u)));
      }
    }
    add("array", link, 0, array.offset_bytes, array.bytes(batch_), life);
  }

  const Route& route_;
  Index batch_;
  std::vector<Life> all_;
};

TEST(Buffers, ThoseThatLiveAtTheSameTimeNeverOverlap) {
  std::size_t shared = 0;
  const weft::test::JobTest test = [&](const Job& job) {
    for (const Route* route : job.route) {
      const Lives lives(*route, job.batch);
      Index end = 0;
      for (std::size_t i = 0; i < lives.all().size(); ++i) {
        const Life& a = lives.all()[i];
        ASSERT_GE(a.begin, 0) << a.name;
        ASSERT_LE(a.end, route->workspace_bytes) << a.name;
        ASSERT_EQ(a.begin % 128, 0) << a.name << " shares a cache line, or a prefetched pair of them";
        end = std::max(end, a.end);
        for (std::size_t j = 0; j < i; ++j) {
          const Life& b = lives.all()[j];
          if (a.name == b.name) {
            ASSERT_EQ(a.begin, b.begin) << a.name << " is one, of several tiles";
            continue;
          }
          if (a.end <= b.begin || b.end <= a.begin) continue;
          ++shared;
          ASSERT_TRUE(apart(a, b)) << a.name << " in [" << a.begin << ", " << a.end << ") from step " << a.first
                                   << " to " << a.last << ", and " << b.name << " in [" << b.begin << ", " << b.end
                                   << ") from step " << b.first << " to " << b.last;
        }
      }
      ASSERT_EQ(end, route->workspace_bytes) << "memory that nothing uses";
    }
  };
  weft::test::for_random_jobs(60, test);
  weft::test::for_random_operators(30, test);
  weft::test::for_random_transforms(20, test, Wire::block20);
  EXPECT_GT(shared, 1000u) << "buffers share memory at different times, or nothing was tested";
}

/// What the user's array of one field holds, from its first write to its last read.
struct Content {
  std::size_t pass;  ///< that writes it; of the input: none
  bool input = false;
  MemoryOrder order{0, 1, 2};
  Index first = std::numeric_limits<Index>::max(), last = -1;
  void at(Index step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

// The user's output may hold what is between two passes, and in place the input, too: one at a time.
TEST(Buffers, TheUsersArrayHoldsOneThingAtATime) {
  std::size_t handed_over = 0, kept_there = 0;
  const auto test = [&](const Job& job) {
    for (const Route* route : job.route) {
      for (Index item = 0; item < job.batch; ++item) {
        std::vector<Content> contents;
        const auto use = [&](std::size_t pass, Content& content) {
          for (std::size_t step = 0; step < route->schedule.size(); ++step) {
            const Action& action = route->schedule[step];
            if (action.what != What::compute || action.stage != static_cast<int>(pass)) continue;
            const Unit& unit = route->passes[pass].units[static_cast<std::size_t>(action.index)];
            if (unit.items.lo <= item && item < unit.items.hi) content.at(static_cast<Index>(step));
          }
        };
        if (job.in_place) {
          contents.push_back({.pass = 0, .input = true, .order = route->input.order});
          use(0, contents.back());
          contents.back().first = -1;
        }
        for (std::size_t link = 0; link < route->links.size(); ++link) {
          const Link& one = route->links[link];
          if (one.is_exchange || one.array.where == Array::Where::work) continue;
          ASSERT_EQ(one.array.where, Array::Where::output);
          ASSERT_EQ(one.array.item * one.array.element_bytes, route->output.item * route->output.element_bytes);
          contents.push_back({.pass = link, .order = one.array.order});
          use(link, contents.back());
          use(link + 1, contents.back());
        }
        contents.push_back({.pass = route->passes.size() - 1, .order = route->output.order});
        use(route->passes.size() - 1, contents.back());
        for (std::size_t link = 0; link < route->links.size(); ++link) {
          if (!route->links[link].is_exchange) continue;
          const ExchangePlan::Kept kept = route->links[link].exchange.kept;
          ASSERT_FALSE(job.in_place && kept == ExchangePlan::Kept::input) << "what was overwritten is read";
          // The pass before the last one writes a part of it.
          if (kept != ExchangePlan::Kept::output) continue;
          ASSERT_EQ(link + 2, route->passes.size());
          use(link, contents.back());
          ++kept_there;
        }
        contents.back().last = std::numeric_limits<Index>::max();
        for (std::size_t i = 0; i + 1 < contents.size(); ++i) {
          const Content &a = contents[i], &b = contents[i + 1];
          // A pass may write where it reads: unit by unit, the same numbers.
          const bool same_pass = a.input ? b.pass == 0 : b.pass == a.pass + 1;
          handed_over += same_pass ? 1 : 0;
          if (same_pass) {
            // A pass that is all there is reads its one plane before it writes.
            const bool alone = route->passes.size() == 1;
            ASSERT_TRUE(alone || a.order == b.order) << "written to other places than it was read from";
            continue;
          }
          ASSERT_LT(a.last, b.first) << "field " << item << ": what pass " << b.pass << " writes meets what "
                                     << (a.input ? "is input" : "pass " + std::to_string(a.pass) + " wrote");
        }
      }
    }
  };
  weft::test::for_random_transforms(60, test);
  EXPECT_GT(handed_over, 0u);
  EXPECT_GT(kept_there, 0u);
}

}  // namespace
