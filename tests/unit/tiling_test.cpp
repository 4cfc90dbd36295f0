// How exchanges are cut into tiles and passes into units, counted point by point over all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "exchange/exchange.hpp"
#include "exchange/messages.hpp"
#include "exchange/tiles.hpp"
#include "plan/groups.hpp"
#include "plan/options.hpp"
#include "routes.hpp"

namespace {

using namespace weft;
using namespace weft::detail;
using weft::test::for_points;
using weft::test::held;
using weft::test::Job;

/// How often each point of each field was counted.
class Count {
 public:
  Count(const Shape& shape, Index batch)
      : shape_(shape), times_(static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * batch)) {}
  void add(const Box& box, const Items& items) {
    for (Index item = items.lo; item < items.hi; ++item) {
      for_points(box, [&](const Shape& point) { ++times_[at(point, item)]; });
    }
  }
  int times(const Shape& point, Index item) const { return times_[at(point, item)]; }
  bool all(int times) const {
    return std::all_of(times_.begin(), times_.end(), [times](int one) { return one == times; });
  }

 private:
  std::size_t at(const Shape& point, Index item) const {
    return static_cast<std::size_t>(((item * shape_[0] + point[0]) * shape_[1] + point[1]) * shape_[2] + point[2]);
  }
  Shape shape_;
  std::vector<int> times_;
};

bool inside(const Box& box, const Box& of) { return intersect(box, of) == box; }

// Every number leaves the rank that has it and comes to the one that wants it, in one block of one tile.
TEST(Tiling, TilesCutEveryExchangeOnce) {
  weft::test::for_random_jobs(40, [](const Job& job) {
    for (std::size_t link = 0; link < job.links(); ++link) {
      if (!job.route.front()->links[link].is_exchange) continue;
      const ExchangePlan& any = job.exchange(0, link);
      Count sent(any.from.shape(), job.batch), received(any.from.shape(), job.batch);
      for (int rank = 0; rank < job.ranks(); ++rank) {
        const ExchangePlan& plan = job.exchange(rank, link);
        ASSERT_EQ(plan.tiles.size(), any.tiles.size());
        ASSERT_EQ(plan.peers[static_cast<std::size_t>(plan.me)], rank);
        ASSERT_TRUE(std::is_sorted(plan.peers.begin(), plan.peers.end()));
        for (std::size_t t = 0; t < plan.tiles.size(); ++t) {
          const Tile& tile = plan.tiles[t];
          ASSERT_EQ(tile.items.lo, any.tiles[t].items.lo);
          ASSERT_EQ(tile.items.hi, any.tiles[t].items.hi);
          const auto check = [&](const Block& block, int from, int to) {
            EXPECT_FALSE(block.box.empty());
            EXPECT_EQ(block.count, block.box.count() * tile.items.count());
            EXPECT_TRUE(held(plan.from, from, block.box) == block.box.count() &&
                        held(plan.to, to, block.box) == block.box.count())
                << to_string(block.box) << " from " << from << " to " << to;
          };
          const auto rank_of = [&](const Block& block) { return plan.peers[static_cast<std::size_t>(block.peer)]; };
          for (const Block& block : tile.send) {
            check(block, rank, rank_of(block));
            EXPECT_NE(block.peer, plan.me);
            sent.add(block.box, tile.items);
          }
          for (const Block& block : tile.recv) {
            check(block, rank_of(block), rank);
            received.add(block.box, tile.items);
          }
          ASSERT_LE(tile.kept.size(), 1u);
          for (const Block& block : tile.kept) {
            check(block, rank, rank);
            sent.add(block.box, tile.items);
            received.add(block.box, tile.items);
          }
        }
      }
      EXPECT_TRUE(sent.all(1)) << "link " << link;
      EXPECT_TRUE(received.all(1)) << "link " << link;
    }
  });
}

/// Both ends of a block.
struct Ends {
  const Block *sent = nullptr, *received = nullptr;
};
using Pair = std::pair<int, int>;  ///< from rank, to rank

/// The blocks of a tile between all ranks.
std::map<Pair, Ends> blocks_of(const Job& job, std::size_t link, std::size_t t) {
  std::map<Pair, Ends> blocks;
  for (int rank = 0; rank < job.ranks(); ++rank) {
    const ExchangePlan& plan = job.exchange(rank, link);
    const auto rank_of = [&](const Block& block) { return plan.peers[static_cast<std::size_t>(block.peer)]; };
    for (const Block& block : plan.tiles[t].send) {
      EXPECT_EQ(blocks[Pair(rank, rank_of(block))].sent, nullptr) << "two blocks for one rank";
      blocks[Pair(rank, rank_of(block))].sent = &block;
    }
    for (const Block& block : plan.tiles[t].recv) {
      EXPECT_EQ(blocks[Pair(rank_of(block), rank)].received, nullptr) << "two blocks from one rank";
      blocks[Pair(rank_of(block), rank)].received = &block;
    }
  }
  return blocks;
}

TEST(Tiling, BothEndsOfABlockAgree) {
  weft::test::for_random_jobs(40, [](const Job& job) {
    for (std::size_t link = 0; link < job.links(); ++link) {
      if (!job.route.front()->links[link].is_exchange) continue;
      for (int rank = 1; rank < job.ranks(); ++rank)
        EXPECT_EQ(job.exchange(rank, link).order, job.exchange(0, link).order);
      for (std::size_t t = 0; t < job.exchange(0, link).tiles.size(); ++t) {
        for (const auto& [pair, ends] : blocks_of(job, link, t)) {
          SCOPED_TRACE("tile " + std::to_string(t) + " of link " + std::to_string(link) + ", from rank " +
                       std::to_string(pair.first) + " to " + std::to_string(pair.second));
          ASSERT_TRUE(ends.sent != nullptr && ends.received != nullptr) << "one end alone";
          EXPECT_EQ(ends.sent->box, ends.received->box);
          EXPECT_EQ(ends.sent->count, ends.received->count);
          EXPECT_EQ(ends.sent->shared, ends.received->shared);
          EXPECT_EQ(job.exchange(pair.first, link).tiles[t].padded, job.exchange(pair.second, link).tiles[t].padded);
        }
      }
    }
  });
}

/// Elements of a buffer that are taken; every one only once.
class Buffer {
 public:
  explicit Buffer(Index count) : taken_(static_cast<std::size_t>(count)) {}
  void take(Index element) {
    ASSERT_GE(element, 0);
    ASSERT_LT(element, static_cast<Index>(taken_.size())) << "outside of the buffer";
    ASSERT_FALSE(taken_[static_cast<std::size_t>(element)]) << "two blocks share a place";
    taken_[static_cast<std::size_t>(element)] = true;
  }
  Index unused() const { return std::count(taken_.begin(), taken_.end(), false); }
  void take(const Block& block, const Strides& strides, const Items& items) {
    for (Index item = 0; item < items.count(); ++item) {
      for_points(block.box, [&](const Shape& point) {
        Index element = block.offset + item * strides.item;
        for (std::size_t axis = 0; axis < 3; ++axis) element += (point[axis] - block.box.lo[axis]) * strides.axis[axis];
        take(element);
      });
    }
  }

 private:
  std::vector<bool> taken_;
};

// Of every buffer, also those that a leader has for its node.
TEST(Tiling, BlocksDoNotShareThePlacesOfABuffer) {
  weft::test::for_random_jobs(25, [](const Job& job) {
    for (std::size_t link = 0; link < job.links(); ++link) {
      if (!job.route.front()->links[link].is_exchange) continue;
      const ExchangePlan& any = job.exchange(0, link);
      for (std::size_t t = 0; t < any.tiles.size(); ++t) {
        SCOPED_TRACE("tile " + std::to_string(t) + " of link " + std::to_string(link));
        std::vector<Buffer> send, recv;
        std::vector<Index> gaps(static_cast<std::size_t>(job.ranks()), 0);  // at most, in what a rank sends
        for (int rank = 0; rank < job.ranks(); ++rank) {
          const Route& route = *job.route[static_cast<std::size_t>(rank)];
          const ExchangePlan& plan = job.exchange(rank, link);
          const Tile& tile = plan.tiles[t];
          const std::size_t first = t - t % static_cast<std::size_t>(plan.tiles_per_group);
          const Index fields = tile.items.count();
          send.emplace_back(plan.from_input ? route.input.item * fields : tile.send_count);
          recv.emplace_back(plan.into_output ? route.output.item * fields
                                             : plan.tiles[plan.arrays ? first : t].recv_count);
        }
        for (int rank = 0; rank < job.ranks(); ++rank) {
          const ExchangePlan& plan = job.exchange(rank, link);
          const Tile& tile = plan.tiles[t];
          const auto holder = [&](const Block& block) {
            return static_cast<std::size_t>(
                plan.peers[static_cast<std::size_t>(block.holder < 0 ? plan.me : block.holder)]);
          };
          for (const Block& block : tile.send) {
            const Strides strides = sent_strides(plan, tile, block);
            send[holder(block)].take(block, strides, tile.items);
            if (!block.aligned) continue;
            gaps[static_cast<std::size_t>(rank)] +=
                strides.item * tile.items.count() - block.count + elements_of_lines(plan.local_bytes) - 1;
          }
          for (const Block& block : tile.recv) {
            if (block.shared) continue;  // read where it was written
            recv[holder(block)].take(block, received_strides(plan, tile, block), tile.items);
          }
          const Route& route = *job.route[static_cast<std::size_t>(rank)];
          const bool stays = plan.kept == ExchangePlan::Kept::input, there = plan.kept == ExchangePlan::Kept::output;
          Buffer kept(stays   ? route.input.item * tile.items.count()
                      : there ? route.output.item * tile.items.count()
                              : tile.kept_count);
          for (const Block& block : tile.kept) {
            (plan.arrays ? send[static_cast<std::size_t>(rank)] : kept)
                .take(block, kept_strides(plan, tile, block), tile.items);
          }
          for (const Block& block : tile.send) {
            if (tile.padded == 0) break;
            EXPECT_LE(block.count, tile.padded);
            EXPECT_EQ(block.offset, block.peer * tile.padded);
          }
          if (testing::Test::HasFatalFailure()) return;
        }
        const StrategyTraits& traits = find_strategy(any.strategy).traits;
        if (traits.padded || traits.arrays) continue;
        for (std::size_t rank = 0; rank < send.size(); ++rank) {
          EXPECT_LE(send[rank].unused(), gaps[rank]) << "memory that nothing uses";
          EXPECT_EQ(recv[rank].unused(), 0) << "memory that nothing uses";
        }
      }
    }
  });
}

/// Where a block lies in a message between leaders: the message's ends, and the place in it.
using InRun = std::tuple<int, int, Index>;

InRun place_in_run(const Job& job, std::size_t link, std::size_t t, int rank, const Block& block, bool sent) {
  const ExchangePlan& plan = job.exchange(rank, link);
  const int leader = block.holder < 0 ? rank : plan.peers[static_cast<std::size_t>(block.holder)];
  const Tile& tile = job.exchange(leader, link).tiles[t];
  for (const detail::Run& run : sent ? tile.send_runs : tile.recv_runs) {
    if (block.offset < run.offset || block.offset + block.count > run.offset + run.count) continue;
    const int other = plan.peers[static_cast<std::size_t>(run.peer)];
    return sent ? InRun{leader, other, block.offset - run.offset} : InRun{other, leader, block.offset - run.offset};
  }
  ADD_FAILURE() << "in no run of rank " << leader;
  return {};
}

// What leaders send as one message is read where it was written.
TEST(Tiling, BlocksLieInTheRunsOfBothLeadersAlike) {
  Index blocks = 0;
  weft::test::for_random_jobs(60, [&](const Job& job) {
    for (std::size_t link = 0; link < job.links(); ++link) {
      if (!job.route.front()->links[link].is_exchange) continue;
      const ExchangePlan& any = job.exchange(0, link);
      if (!find_strategy(any.strategy).traits.node_runs) continue;
      for (std::size_t t = 0; t < any.tiles.size(); ++t) {
        std::map<Pair, Index> sent, received;  // messages, by leaders
        for (int rank = 0; rank < job.ranks(); ++rank) {
          const ExchangePlan& plan = job.exchange(rank, link);
          for (const detail::Run& run : plan.tiles[t].send_runs) {
            sent[Pair(rank, plan.peers[static_cast<std::size_t>(run.peer)])] += run.count;
          }
          for (const detail::Run& run : plan.tiles[t].recv_runs) {
            received[Pair(plan.peers[static_cast<std::size_t>(run.peer)], rank)] += run.count;
          }
        }
        EXPECT_EQ(sent, received) << "tile " << t << " of link " << link;
        for (const auto& [pair, ends] : blocks_of(job, link, t)) {
          if (ends.sent->shared) continue;
          ++blocks;
          EXPECT_EQ(place_in_run(job, link, t, pair.first, *ends.sent, true),
                    place_in_run(job, link, t, pair.second, *ends.received, false))
              << "tile " << t << " of link " << link << ", from rank " << pair.first << " to " << pair.second;
        }
      }
    }
  });
  EXPECT_GT(blocks, 1000) << "few problems have nodes";
}

// What every rank counts by itself is what any rank counts of all.
TEST(Traffic, RanksCountTogetherWhatEachCountsOfAll) {
  std::map<std::string, Index> messages;
  weft::test::for_random_jobs(30, [&](const Job& job) {
    Options options;  // who shares a node, by rank
    Sent all, across;
    for (int rank = 0; rank < job.ranks(); ++rank) {
      const Route& route = *job.route[static_cast<std::size_t>(rank)];
      for (const Link& link : route.links) {
        if (!link.is_exchange) continue;
        options.nodes.resize(static_cast<std::size_t>(job.ranks()));
        options.nodes[static_cast<std::size_t>(rank)] = link.exchange.nodes[static_cast<std::size_t>(link.exchange.me)];
        for (const Tile& tile : link.exchange.tiles) {
          for (auto [sum, sent] : {std::pair{&all, tile.sent}, std::pair{&across, tile.sent_across}}) {
            sent.elements *= link.exchange.element_bytes;
            *sum += sent;
          }
          messages[link.exchange.strategy] += tile.sent.messages;
          EXPECT_LE(tile.sent.with_data, tile.sent.messages);
          EXPECT_LE(tile.sent_across.messages, tile.sent.messages);
          EXPECT_LE(tile.sent_across.elements, tile.sent.elements);
        }
      }
    }
    if (options.nodes.empty()) return;
    const Plan::Traffic told = route_traffic(*job.route.back(), options);
    EXPECT_EQ(all.messages, told.all_messages);
    EXPECT_EQ(all.with_data, told.all_data_messages);
    EXPECT_EQ(all.elements, told.all_bytes);
    EXPECT_EQ(across.messages, told.network_messages);
    EXPECT_EQ(across.with_data, told.network_data_messages);
    EXPECT_EQ(across.elements, told.network_bytes);
  });
  for (const auto& strategy : strategies()) EXPECT_GT(messages[strategy], 0) << strategy << " is in no problem";
}

// Strategies without collectives post the messages that are counted.
TEST(Traffic, CountsTheMessagesThatArePosted) {
  weft::test::for_random_jobs(20, [](const Job& job) {
    for (std::size_t link = 0; link < job.links(); ++link) {
      if (!job.route.front()->links[link].is_exchange) continue;
      for (int rank = 0; rank < job.ranks(); ++rank) {
        const ExchangePlan& plan = job.exchange(rank, link);
        const StrategyTraits& traits = find_strategy(plan.strategy).traits;
        if (traits.collective || traits.gathers) continue;
        const auto posted = traits.node_runs ? run_messages(plan) : block_messages(plan);
        for (std::size_t t = 0; t < plan.tiles.size(); ++t) {
          const Sent& sent = plan.tiles[t].sent;
          EXPECT_EQ(sent.messages, static_cast<Index>(posted[t].send.size()));
          EXPECT_EQ(sent.with_data, sent.messages);
          Index across = 0, elements = 0;
          for (const Message& message : posted[t].send) {
            const auto node = [&](int peer) { return plan.nodes[static_cast<std::size_t>(peer)]; };
            if (node(message.peer) != node(plan.me)) ++across;
            Index count = 1;
            for (const Repeat& repeat : message.pattern) count *= repeat.count;
            elements += count;
          }
          EXPECT_EQ(plan.tiles[t].sent_across.messages, across);
          EXPECT_EQ(sent.elements, elements);
        }
      }
    }
  });
}

// A tile that overlaps others costs steps of its own, which small ones are not worth.
TEST(Tiles, AreAsManyAsTheyAreWorth) {
  const auto tiles = [](Index n, Index batch, const std::string& strategy, int node_size, int tile = 0) {
    Options options;
    options.strategy = strategy;
    options.node_size = node_size;
    options.tile = tile;
    options.decomposition = Decomposition::slab;
    const Plan plan(Problem{.shape = {n, n, n}, .batch = batch}, options, 4);
    return plan.data().forward.links.front().exchange.tiles.size();
  };
  // A rank has 16 KiB of 16^3, 128 KiB of 32^3, 432 KiB of 48^3 and 3456 KiB of 96^3.
  EXPECT_EQ(tiles(16, 1, "shared", 4), 1u);
  EXPECT_EQ(tiles(32, 1, "shared", 4), 1u);
  EXPECT_EQ(tiles(48, 1, "shared", 4), 1u);
  EXPECT_EQ(tiles(64, 1, "shared", 4), 1u) << "nothing travels meanwhile";
  EXPECT_EQ(tiles(16, 1, "shared", 2), 1u);
  EXPECT_EQ(tiles(32, 1, "shared", 2), 4u) << "across nodes";
  EXPECT_EQ(tiles(16, 1, "ialltoallv", 4), 1u);
  EXPECT_EQ(tiles(32, 1, "ialltoallv", 4), 4u);
  EXPECT_EQ(tiles(16, 2, "ialltoallv", 4), 2u) << "two fields travel together";
  EXPECT_EQ(tiles(8, 1, "shared", 4, 2), 2u) << "as the caller says";

  // To normal order: a copy takes each tile as it comes. Back: early tiles would cut rows, where a copy comes first.
  const auto of = [](int node_size, Consume consume) {
    Options options;
    options.strategy = "shared";
    options.node_size = node_size;
    options.consume = consume;
    options.decomposition = Decomposition::slab;
    const Plan plan(Problem{.shape = {64, 64, 64}}, options, 4);
    const ExchangePlan &last = plan.data().forward.links.back().exchange,
                       &first = plan.data().backward.links.front().exchange;
    EXPECT_TRUE(last.early || consume == Consume::late);
    EXPECT_EQ(last.tiles.size(), last.early || node_size < 4 ? 4u : 1u);
    EXPECT_EQ(first.tiles.size(), first.early || node_size < 4 ? 4u : 1u);
    if (first.early) {
      EXPECT_EQ(first.tile_axis, 2);
    }
    return first.early;
  };
  EXPECT_FALSE(of(4, Consume::automatic));
  EXPECT_TRUE(of(4, Consume::early)) << "as the caller says";
  EXPECT_TRUE(of(2, Consume::automatic)) << "across nodes it is on its way meanwhile";
  EXPECT_FALSE(of(4, Consume::late));
  EXPECT_FALSE(of(2, Consume::late));
}

// Whether a strategy waits is one fact, which all that depends on it follows.
TEST(Waiting, IsWhatTheStrategySays) {
  const Problem problem{.shape = {64, 64, 64}};
  for (const auto& strategy : strategies()) {
    for (const int window : {0, 1, 2, 5}) {
      SCOPED_TRACE(strategy + ", window " + std::to_string(window));
      const bool waits = strategy == "alltoallv" || strategy == "node-gather" || (strategy == "padded" && window < 2);
      EXPECT_EQ(find_strategy(strategy).traits.waits(window), waits);
      Options options;
      options.strategy = strategy;
      options.window = window;
      options.decomposition = Decomposition::slab;
      options.node_size = 2;
      const Plan plan(problem, options, 4);
      for (const Link& link : plan.data().forward.links) {
        if (!link.is_exchange) continue;
        EXPECT_EQ(link.exchange.waits, waits);
        EXPECT_EQ(link.exchange.tiles.size(), waits ? 1u : 4u) << "tiles are for what overlaps";
        if (window == 0) {
          EXPECT_EQ(link.exchange.window > 1, !waits);
        }
      }
      const Plan alone(problem, options, 1);
      for (const Link& link : alone.data().forward.links) EXPECT_TRUE(!link.is_exchange || link.exchange.waits);
      // Groups' fields move at once, by what does not wait: the caller's strategy, if it is such.
      options.tile = 3;
      options.transposed = true;
      options.groups = 2;
      options.grid = {4, 1};
      const Options moving = moving_options(options);
      EXPECT_EQ(moving.strategy, waits ? "pairwise" : strategy);
      EXPECT_EQ(moving.tile, waits ? 0 : 3);
      EXPECT_EQ(moving.window, waits ? 0 : window);
      EXPECT_NO_THROW(check_options(moving, Operation::redistribution, 4));
    }
  }
}

// Units cut what a pass reads and what it writes, and what they read is what their tiles bring.
TEST(Tiling, UnitsCutEveryPassOnce) {
  weft::test::for_random_jobs(40, [](const Job& job) {
    for (int rank = 0; rank < job.ranks(); ++rank) {
      const Route* const route = job.route[static_cast<std::size_t>(rank)];
      for (std::size_t p = 0; p < route->passes.size(); ++p) {
        SCOPED_TRACE("pass " + std::to_string(p));
        const Pass& pass = route->passes[p];
        const auto exchange = [&](std::size_t link) {
          return link < route->links.size() && route->links[link].is_exchange ? &route->links[link].exchange : nullptr;
        };
        const ExchangePlan* before = p == 0 ? nullptr : exchange(p - 1);
        const ExchangePlan* after = exchange(p);
        if (after != nullptr && after->from_input) {
          for (const Unit& unit : pass.units) EXPECT_TRUE(unit.in.empty() && unit.out.empty()) << "nothing is copied";
          continue;
        }
        Count in(pass.in.hi, job.batch), out(pass.out.hi, job.batch);
        Index sharing = 1;
        for (const Unit& unit : pass.units) {
          in.add(unit.in, unit.items);
          out.add(unit.out, unit.items);
          sharing = unit.sharing;
          ASSERT_TRUE(inside(unit.in, pass.in) || unit.in.empty());
          ASSERT_TRUE(inside(unit.out, pass.out) || unit.out.empty());
          if (unit.out_tile >= 0) {
            const Tile& tile = after->tiles[static_cast<std::size_t>(unit.out_tile)];
            EXPECT_EQ(tile.items.lo, unit.items.lo);
            EXPECT_EQ(tile.items.hi, unit.items.hi);
            Index there = 0;
            for (const auto* blocks : {&tile.send, &tile.kept}) {
              for (const Block& block : *blocks) there += intersect(block.box, unit.out).count();
            }
            EXPECT_EQ(there, held(after->from, rank, unit.out))
                << "the tile has no block for a part of what is written";
          }
          // What a copy leaves where it is is kept by the exchange.
          Index left = 0;
          if (after != nullptr && after->kept == ExchangePlan::Kept::input) {
            for (const Block& block : after->tiles[static_cast<std::size_t>(unit.out_tile)].kept)
              left += block.box.count();
          }
          if (before != nullptr && before->kept == ExchangePlan::Kept::output) {
            for (Index t = unit.first_in; t < unit.last_in; ++t) {
              for (const Block& block : before->tiles[static_cast<std::size_t>(t)].kept) left += block.box.count();
            }
          }
          EXPECT_EQ(unit.left, left);
          EXPECT_TRUE(left == 0 || pass.transforms.empty()) << "transforms leave nothing";
          if (before == nullptr) continue;
          Index there = 0;
          for (Index t = unit.first_in; t < unit.last_in; ++t) {
            const Tile& tile = before->tiles[static_cast<std::size_t>(t)];
            EXPECT_LE(tile.items.lo, unit.items.lo);
            EXPECT_GE(tile.items.hi, unit.items.hi);
            for (const auto* blocks : {&tile.recv, &tile.kept}) {
              for (const Block& block : *blocks) there += intersect(block.box, unit.in).count();
            }
          }
          // Those that share a box take what their tiles brought; that is all, since tiles cut exchanges.
          if (unit.sharing == 1) {
            EXPECT_EQ(there, held(before->to, rank, unit.in)) << "the tiles have not brought all that is read";
          } else {
            EXPECT_EQ(unit.last_in - unit.first_in, 1);
          }
        }
        for (Index item = 0; item < job.batch; ++item) {
          for_points(pass.in, [&](const Shape& at) { ASSERT_EQ(in.times(at, item), sharing); });
          for_points(pass.out, [&](const Shape& at) { ASSERT_EQ(out.times(at, item), sharing); });
        }
        EXPECT_LE(sharing, static_cast<Index>(pass.units.size()));
      }
    }
  });
}

}  // namespace
