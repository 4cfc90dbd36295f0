// Views, number by number: where a pass writes and reads, and that what is written on one rank is read on another.
#include "execute/view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "exchange/exchange.hpp"
#include "execute/pass.hpp"
#include "routes.hpp"

namespace {

using namespace weft;
using namespace weft::detail;
using weft::test::for_points;
using weft::test::Job;

bool has(const Box& box, const Shape& point) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (point[axis] < box.lo[axis] || point[axis] >= box.hi[axis]) return false;
  }
  return true;
}

using Random = std::mt19937_64;
Index below(Random& random, Index n) { return static_cast<Index>(random() % static_cast<std::uint64_t>(n)); }

Box random_box(Random& random, const Box& of) {
  Box box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index extent = of.hi[axis] - of.lo[axis];
    const Index a = below(random, extent), b = below(random, extent);
    box.lo[axis] = of.lo[axis] + std::min(a, b);
    box.hi[axis] = of.lo[axis] + std::max(a, b) + 1;
  }
  return box;
}

TEST(Views, OfArraysHaveRowsAndFieldsWhereTheArrayHasThem) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Array array;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      array.box.lo[axis] = below(random, 5);
      array.box.hi[axis] = array.box.lo[axis] + 1 + below(random, 7);
    }
    array.where = static_cast<Array::Where>(below(random, 3));
    array.element_bytes = 8;
    array.row = array.box.extent(2) + below(random, 3);
    const Index rows = array.box.extent(0) * array.box.extent(1), gap = below(random, 4), batch = 1 + below(random, 4);
    array.item = rows * array.row + gap;
    array.offset_bytes = array.where == Array::Where::work ? 128 * below(random, 3) : 0;
    std::vector<double> memory(static_cast<std::size_t>(batch * (array.item + 5) + 1000)), other(1);
    std::byte* const bytes = reinterpret_cast<std::byte*>(memory.data());
    View view = View::of_array(array, batch, bytes);
    UserArrays arrays;
    arrays.input = array.where == Array::Where::input ? bytes : reinterpret_cast<std::byte*>(other.data());
    arrays.output = array.where == Array::Where::output ? bytes : reinterpret_cast<std::byte*>(other.data());
    const bool other_distance = array.where != Array::Where::work && below(random, 3) == 0;
    const Index item_distance = other_distance ? array.item + 5 : array.item;
    if (other_distance) (array.where == Array::Where::input ? arrays.input_item : arrays.output_item) = item_distance;
    view.bind(arrays);
    ASSERT_TRUE(view.is_array());
    EXPECT_EQ(view.distance(1), array.row);
    // In C order, one field after the other.
    for (Index item = 0; item < batch; ++item) {
      Index place = item * item_distance + array.offset_bytes / 8;
      for (Index i = array.box.lo[0]; i < array.box.hi[0]; ++i) {
        for (Index j = array.box.lo[1]; j < array.box.hi[1]; ++j) {
          for (Index k = array.box.lo[2]; k < array.box.hi[2]; ++k) {
            ASSERT_EQ(view.array().at<double>(item, {i, j, k}), memory.data() + place + (k - array.box.lo[2]));
          }
          place += array.row;
        }
      }
    }
    for (int attempt = 0; attempt < 20; ++attempt) {
      EXPECT_EQ(view.piece_of(0, 1, random_box(random, array.box)), &view.array());
    }
    Box larger = array.box;
    ++larger.hi[static_cast<std::size_t>(below(random, 3))];
    EXPECT_EQ(view.piece_of(0, 1, larger), nullptr);
    EXPECT_EQ(view.bytes(), array.item * batch * 8);
  }
}

// Interleaved fields: whatever the order of an array's axes, its view has boxes whose axis 2 counts numbers.
TEST(Views, OfInterleavedFieldsCountNumbersAlongAxis2) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Box box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lo[axis] = below(random, 4);
      box.hi[axis] = box.lo[axis] + 1 + below(random, 4);
    }
    MemoryOrder order{0, 1, 2};
    std::shuffle(order.begin(), order.end(), random);
    const Index fields = 2 + below(random, 4);
    const auto where = static_cast<Array::Where>(below(random, 2));
    const Index row = box.extent(order[2]) + below(random, 2);
    const Array array = array_of(box, static_cast<int>(8 * fields), where, order, row);
    std::vector<double> memory(static_cast<std::size_t>(array.item * fields));
    std::byte* const bytes = reinterpret_cast<std::byte*>(memory.data());
    View view = View::of_array(array, 1, nullptr);
    view.widen(fields);
    UserArrays arrays;
    arrays.input = arrays.output = bytes;
    view.bind(arrays);
    const detail::Strides strides = array_strides(array);
    EXPECT_TRUE(view.has_rows());
    for_points(box, [&](const Shape& at) {
      Index point = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) point += (at[axis] - box.lo[axis]) * strides.axis[axis];
      for (Index field = 0; field < fields; ++field) {
        const Shape wide{at[0], at[1], at[2] * fields + field};
        Box one{wide, {wide[0] + 1, wide[1] + 1, wide[2] + 1}};
        const Piece* const piece = view.piece_of(0, 1, one);
        ASSERT_NE(piece, nullptr);
        ASSERT_EQ(piece->at<double>(0, wide), memory.data() + point * fields + field);
      }
    });
  }
}

/// The memory of every rank of a job, and views of it. A number of `bytes` bytes holds the name of its point and field.
class Memory {
 public:
  explicit Memory(const Job& job) : job_(job) {
    for (const Route* route : job.route) {
      workspace_.emplace_back(static_cast<std::size_t>(route->workspace_bytes));
      input_.emplace_back(static_cast<std::size_t>(route->input.bytes(job.batch)));
      output_.emplace_back(static_cast<std::size_t>(route->output.bytes(job.batch)));
    }
  }
  const Job& job() const { return job_; }
  std::byte* workspace(int rank) { return workspace_[static_cast<std::size_t>(rank)].data(); }
  UserArrays arrays(int rank) {
    UserArrays arrays;
    arrays.input = input_[static_cast<std::size_t>(rank)].data();
    arrays.output = output_[static_cast<std::size_t>(rank)].data();
    return arrays;
  }
  std::byte* input(int rank) { return input_[static_cast<std::size_t>(rank)].data(); }
  bool in_input(int rank, const std::byte* place) const {
    const auto& input = input_[static_cast<std::size_t>(rank)];
    return place >= input.data() && place < input.data() + input.size();
  }

 private:
  Job job_;
  std::vector<std::vector<std::byte>> workspace_, input_, output_;
};

/// Blocks where the strategies of all kinds have them, and an exchange that copies them.
class Copied final : public Exchange {
 public:
  Copied(Memory& memory, std::size_t link, int rank) : memory_(memory), link_(link), rank_(rank) {}

  std::byte* send_block(Index tile, std::size_t block) override {
    const Tile& mine = plan(rank_).tiles[static_cast<std::size_t>(tile)];
    const Block& one = mine.send[block];
    return send_buffer(one.holder < 0 ? rank_ : rank_of(one.holder), tile) + one.offset * plan(rank_).element_bytes;
  }
  const std::byte* recv_block(Index tile, std::size_t block) override { return received(tile, block); }
  void start(Index tile) override {
    // As the receiver, after all have written.
    const Index bytes = plan(rank_).element_bytes;
    const Tile& mine = plan(rank_).tiles[static_cast<std::size_t>(tile)];
    for (const Run& run : mine.recv_runs) {
      const int from = rank_of(run.peer);
      for (const Run& theirs : plan(from).tiles[static_cast<std::size_t>(tile)].send_runs) {
        if (plan(from).peers[static_cast<std::size_t>(theirs.peer)] != rank_) continue;
        std::memcpy(recv_buffer(rank_, tile) + run.offset * bytes, send_buffer(from, tile) + theirs.offset * bytes,
                    static_cast<std::size_t>(run.count * bytes));
      }
    }
    for (std::size_t b = 0; b < mine.recv.size(); ++b) {
      const Block& block = mine.recv[b];
      const bool runs = find_strategy(plan(rank_).strategy).traits.node_runs;
      if (block.shared || runs) continue;
      const int from = rank_of(block.peer);
      const Tile& theirs = plan(from).tiles[static_cast<std::size_t>(tile)];
      const Block& sent = *sent_to_me(from, tile);
      const std::byte* source = send_buffer(from, tile) + sent.offset * bytes;
      if (!plan(rank_).arrays) {
        std::memcpy(received(tile, b), source, static_cast<std::size_t>(block.count * bytes));
        continue;
      }
      const Strides a = sent_strides(plan(from), theirs, sent), to = received_strides(plan(rank_), mine, block);
      for (Index item = 0; item < mine.items.count(); ++item) {
        for_points(block.box, [&](const Shape& point) {
          Index there = item * a.item, here = item * to.item;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            there += (point[axis] - sent.box.lo[axis]) * a.axis[axis];
            here += (point[axis] - block.box.lo[axis]) * to.axis[axis];
          }
          std::memcpy(received(tile, b) + here * bytes, source + there * bytes, static_cast<std::size_t>(bytes));
        });
      }
    }
  }
  void finish(Index) override {}

 private:
  const ExchangePlan& plan(int rank) const { return memory_.job().exchange(rank, link_); }
  int rank_of(int peer) const { return plan(rank_).peers[static_cast<std::size_t>(peer)]; }
  std::byte* send_buffer(int rank, Index tile) {
    std::byte* const base = plan(rank).from_input ? memory_.input(rank) : memory_.workspace(rank);
    return base + plan(rank).tiles[static_cast<std::size_t>(tile)].send_offset_bytes;
  }
  std::byte* recv_buffer(int rank, Index tile) {
    std::byte* const base = plan(rank).into_output ? memory_.arrays(rank).output : memory_.workspace(rank);
    return base + plan(rank).tiles[static_cast<std::size_t>(tile)].recv_offset_bytes;
  }
  const Block* sent_to_me(int from, Index tile) const {
    for (const Block& block : plan(from).tiles[static_cast<std::size_t>(tile)].send) {
      if (plan(from).peers[static_cast<std::size_t>(block.peer)] == rank_) return &block;
    }
    throw Error("no block for this rank");
  }
  std::byte* received(Index tile, std::size_t b) {
    const Block& block = plan(rank_).tiles[static_cast<std::size_t>(tile)].recv[b];
    const Index bytes = plan(rank_).element_bytes;
    if (block.shared) {
      const int from = rank_of(block.peer);
      return send_buffer(from, tile) + sent_to_me(from, tile)->offset * bytes;
    }
    return recv_buffer(block.holder < 0 ? rank_ : rank_of(block.holder), tile) + block.offset * bytes;
  }

  Memory& memory_;
  std::size_t link_;
  int rank_;
};

std::uint32_t name_of(const Shape& shape, Index item, const Shape& point) {
  return static_cast<std::uint32_t>(((item * shape[0] + point[0]) * shape[1] + point[1]) * shape[2] + point[2] + 1);
}

/// Address of a number in the only piece that has it.
template <class T>
T* place_of(const View& view, Index first, Index last, Index item, const Shape& point) {
  T* place = nullptr;
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) {
      if (!has(piece.box, point)) continue;
      EXPECT_EQ(place, nullptr) << "two pieces have it";
      place = piece.at<T>(item, point);
    }
  }
  return place;
}

template <std::size_t bytes>
void carry(const Job& job, std::size_t link) {
  using Number = std::array<std::uint32_t, bytes / 4>;
  Memory memory(job);
  std::vector<std::unique_ptr<Copied>> exchanges;
  std::vector<View> sent, received;
  const ExchangePlan& any = job.exchange(0, link);
  const Shape& shape = any.from.shape();
  for (int rank = 0; rank < job.ranks(); ++rank) {
    exchanges.push_back(std::make_unique<Copied>(memory, link, rank));
    const ExchangePlan& plan = job.exchange(rank, link);
    sent.push_back(View::of_sent(plan, *exchanges.back(), memory.workspace(rank)));
    received.push_back(View::of_received(plan, *exchanges.back(), memory.workspace(rank)));
    sent.back().bind(memory.arrays(rank));
    received.back().bind(memory.arrays(rank));
    if (plan.kept != ExchangePlan::Kept::input) continue;
    View input = View::of_array(job.route[static_cast<std::size_t>(rank)]->input, job.batch, nullptr);
    input.bind(memory.arrays(rank));
    for (Index item = 0; item < job.batch; ++item) {
      for_points(input.array().box,
                 [&](const Shape& at) { input.array().at<Number>(item, at)->front() = name_of(shape, item, at); });
    }
  }
  for (std::size_t t = 0; t < any.tiles.size(); ++t) {
    SCOPED_TRACE("tile " + std::to_string(t) + " of link " + std::to_string(link));
    const auto tile = static_cast<Index>(t);
    for (int rank = 0; rank < job.ranks(); ++rank) {
      if (any.from_input) break;
      const auto& units = job.route[static_cast<std::size_t>(rank)]->passes[link].units;
      for (const Unit& unit : units) {
        if (unit.out_tile != tile) continue;
        for (Index item = unit.items.lo; item < unit.items.hi; ++item) {
          const ExchangePlan& plan = job.exchange(rank, link);
          const bool stays = plan.kept == ExchangePlan::Kept::input;  // where it has its name
          for_points(unit.out, [&](const Shape& at) {
            if (weft::test::held(plan.from, rank, {at, {at[0] + 1, at[1] + 1, at[2] + 1}}) == 0) return;
            Number* place = place_of<Number>(sent[static_cast<std::size_t>(rank)], tile, tile + 1, item, at);
            if (stays && weft::test::held(plan.to, rank, {at, {at[0] + 1, at[1] + 1, at[2] + 1}}) > 0) {
              ASSERT_EQ(place, nullptr) << "rank " << rank << " copies what it keeps";
              return;
            }
            ASSERT_NE(place, nullptr) << "no place for what rank " << rank << " writes";
            place->front() = name_of(shape, item, at);
          });
        }
      }
    }
    for (auto& exchange : exchanges) exchange->start(tile);
    for (int rank = 0; rank < job.ranks(); ++rank) {
      const ExchangePlan& plan = job.exchange(rank, link);
      View output = View::of_array(job.route[static_cast<std::size_t>(rank)]->output, job.batch, nullptr);
      output.bind(memory.arrays(rank));
      for (const auto* blocks : {&plan.tiles[t].recv, &plan.tiles[t].kept}) {
        const bool in_output =
            blocks == &plan.tiles[t].recv ? plan.into_output : plan.kept == ExchangePlan::Kept::output;
        for (const Block& block : *blocks) {
          for (Index item = plan.tiles[t].items.lo; item < plan.tiles[t].items.hi; ++item) {
            for_points(block.box, [&](const Shape& at) {
              const View& view = in_output ? output : received[static_cast<std::size_t>(rank)];
              const Number* place = place_of<const Number>(view, tile, tile + 1, item, at);
              ASSERT_NE(place, nullptr) << "rank " << rank << " finds nothing";
              ASSERT_EQ(place->front(), name_of(shape, item, at)) << "rank " << rank << " reads another number";
            });
          }
        }
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Views, WhatOneRankWritesAnotherReads) {
  std::set<int> sizes;
  const weft::test::JobTest test = [&](const Job& job) {
    for (std::size_t link = 0; link < job.links(); ++link) {
      if (!job.route.front()->links[link].is_exchange) continue;
      const int bytes = job.exchange(0, link).element_bytes;
      sizes.insert(bytes);
      // One number, or those of three or eight fields side by side.
      const auto carry_any = [&]<int... any>(std::integer_sequence<int, any...>) {
        ((bytes == any ? carry<any>(job, link) : void()), ...);
      };
      carry_any(std::integer_sequence<int, 4, 8, 16, 12, 24, 48, 32, 64, 128>());
    }
  };
  weft::test::for_random_jobs(25, test);
  // Real numbers of three fields in single precision, which are not in the sample of every build.
  Problem problem{.shape = {6, 5, 4}, .kind = Kind::r2c, .precision = Precision::single_, .batch = 3};
  problem.interleaved = true;
  Options options;
  options.input = Layout::slab(problem.shape, 3, 2);
  std::vector<Plan> plans;
  for (int rank = 0; rank < 3; ++rank) plans.emplace_back(problem, options, 3, rank);
  Job job;
  for (const Plan& plan : plans) job.route.push_back(&plan.data().forward);
  test(job);
  // Points of more than three axes have any number of bytes.
  const std::set<int> carried{4, 8, 12, 16, 24, 32, 48, 64, 128};
  EXPECT_TRUE(std::includes(sizes.begin(), sizes.end(), carried.begin(), carried.end()));
}

TEST(Views, PiecesAndTheirStridesAgainstBruteForce) {
  Random random(7);
  weft::test::for_random_jobs(15, [&](const Job& job) {
    Memory memory(job);
    for (std::size_t link = 0; link < job.links(); ++link) {
      if (!job.route.front()->links[link].is_exchange) continue;
      for (int rank = 0; rank < job.ranks(); ++rank) {
        const ExchangePlan& plan = job.exchange(rank, link);
        Copied exchange(memory, link, rank);
        View view = View::of_received(plan, exchange, memory.workspace(rank));
        view.bind(memory.arrays(rank));
        const auto tiles = static_cast<Index>(plan.tiles.size());
        std::set<Index> distances;
        // In the workspace, and in the user's input.
        const std::byte *first[2] = {}, *last[2] = {};
        for (Index t = 0; t < tiles; ++t) {
          const Items& items = plan.tiles[static_cast<std::size_t>(t)].items;
          for (const Piece& piece : view.tiles(t, t + 1).front()) {
            distances.insert(piece.strides.axis[1]);
            for (const Index item : {items.lo, items.hi - 1}) {
              for_points(piece.box, [&](const Shape& at) {
                const std::byte* place = piece.base + (piece.at<std::byte>(item, at) - piece.base) * plan.element_bytes;
                const std::size_t users = memory.in_input(rank, place) ? 1 : 0;
                if (first[users] == nullptr || place < first[users]) first[users] = place;
                last[users] = std::max(last[users], place + plan.element_bytes);
              });
            }
          }
        }
        EXPECT_EQ(view.distance(1), distances.size() == 1 ? *distances.begin() : 0);
        EXPECT_EQ(view.bytes(), last[0] - first[0] + (last[1] - first[1]));
        const std::vector<Box> boxes = plan.to.boxes(rank);
        if (boxes.empty() || boxes.front().empty()) continue;
        const Box mine = boxes.front();
        for (int attempt = 0; attempt < 10; ++attempt) {
          const Index from = below(random, tiles), to = from + 1 + below(random, tiles - from);
          const Box box = random_box(random, mine);
          const Piece* found = view.piece_of(from, to, box);
          bool any = false;
          for (const auto& tile : view.tiles(from, to)) {
            for (const Piece& piece : tile) {
              bool all = true;
              for_points(box, [&](const Shape& at) { all = all && has(piece.box, at); });
              any = any || all;
              EXPECT_TRUE(&piece != found || all) << to_string(piece.box) << " has not all of " << to_string(box);
            }
          }
          EXPECT_EQ(found != nullptr, any);
        }
      }
    }
  });
}

// A pass has rows and one kind of columns: a stage with two kinds would lose a transform without a word.
TEST(Passes, RefuseTwoKindsOfColumns) {
  Pass pass;
  pass.in = pass.out = {{0, 0, 0}, {4, 4, 4}};
  const auto make = [&] { make_transform_pass(pass, View(), View(), Problem{}, Options{}, 1 << 16); };
  for (const auto& axes : std::vector<std::array<int, 2>>{{0, 1}, {1, 0}, {2, 2}}) {
    pass.transforms.clear();
    for (const int axis : axes) pass.transforms.push_back({.axis = axis});
    EXPECT_THROW(make(), std::logic_error);
  }
}

}  // namespace
