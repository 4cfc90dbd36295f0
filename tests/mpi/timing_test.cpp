// Timing on a clock that only planning and running move: what the budget allows, and that one alone is no contest. And
// what a field makes of contests at different times.
#include "timing.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "field.hpp"
#include "support.hpp"

namespace {

const weft::test::OnRanks on_ranks(__FILE__, {1, 2});

using namespace weft;
using namespace weft::tuner;

/// Seconds of a candidate; it cannot be planned if they are below 0.
struct Cost {
  double planning = 0, running = 0, second = 0;  ///< of the second part, if there is one
};

/// A machine on which nothing happens but what costs say. Later all runs may take `slower` times as long.
class Machine {
 public:
  explicit Machine(std::vector<Cost> costs) : costs_(std::move(costs)) {}

  Clock clock() {
    return [this] { return now_; };
  }
  Budget budget(double seconds) { return {MPI_COMM_WORLD, seconds, clock()}; }
  /// A contest of these candidates, all of which are kept.
  std::unique_ptr<Timing> timing(const std::vector<int>& which, int parts = 1, int patience = 1) {
    return std::make_unique<Timing>(
        MPI_COMM_WORLD, static_cast<int>(which.size()), parts,
        [this, which](int i) { return plan(which[static_cast<std::size_t>(i)]); }, Index{1} << 30, patience);
  }
  double now() const { return now_; }
  int plans() const { return plans_; }

  double slower = 1;

 private:
  class Run final : public TimedTransform {
   public:
    Run(Machine& machine, const Cost& cost) : machine_(machine), cost_(cost) {}
    void run(int part) override { machine_.now_ += machine_.slower * (part == 0 ? cost_.running : cost_.second); }
    Index workspace_bytes() const override { return 1; }

   private:
    Machine& machine_;
    Cost cost_;
  };

  std::unique_ptr<TimedTransform> plan(int candidate) {
    const Cost& cost = costs_[static_cast<std::size_t>(candidate)];
    if (cost.planning < 0) throw Error("there is no such plan");
    now_ += cost.planning;
    ++plans_;
    return std::make_unique<Run>(*this, cost);
  }

  std::vector<Cost> costs_;
  double now_ = 0;
  int plans_ = 0;
};

int timed(const Timing& timing, int candidates) {
  int count = 0;
  for (int i = 0; i < candidates; ++i) count += timing.contest(0).standing(i).rounds > 0 ? 1 : 0;
  return count;
}

std::vector<int> numbers(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) all.push_back(i);
  return all;
}

TEST(Timing, APlanThatTakesMostOfTheBudgetLeavesTimeForTheOthers) {
  // The first plan pays for what the others find ready.
  std::vector<Cost> costs(16, {0.02, 0.03});
  costs[0].planning = 6;
  costs[3].running = 0.02;
  Machine machine(costs);
  const auto timing = machine.timing(numbers(16));
  timing->run(machine.budget(10), nullptr);
  EXPECT_EQ(timed(*timing, 16), 16);
  EXPECT_EQ(timing->contest(0).ranking().front(), 3);
  EXPECT_GE(timing->contest(0).standing(3).rounds, 3);
  EXPECT_LE(machine.now(), 10);
}

TEST(Timing, TwoAreTimedWhateverTheyTake) {
  Machine machine(std::vector<Cost>(16, {20, 5}));
  const auto timing = machine.timing(numbers(16));
  timing->run(machine.budget(10), nullptr);
  EXPECT_EQ(timed(*timing, 16), 2);
  EXPECT_FALSE(timing->left_out(0));
  EXPECT_FALSE(timing->left_out(1));
  for (int i = 2; i < 16; ++i) EXPECT_TRUE(timing->left_out(i)) << i;
  EXPECT_EQ(timing->contest(0).standing(1).rounds, 1);
}

TEST(Timing, WhoCannotBePlannedIsNoRival) {
  Machine machine({{20, 5}, {-1, 0}, {-1, 0}, {20, 5}, {20, 5}});
  const auto timing = machine.timing(numbers(5));
  timing->run(machine.budget(10), nullptr);
  EXPECT_EQ(timed(*timing, 5), 2);
  EXPECT_EQ(timing->contest(0).standing(3).rounds, 1);
  EXPECT_FALSE(timing->obstacle(1).empty());
  EXPECT_FALSE(timing->left_out(1));
  EXPECT_TRUE(timing->left_out(4));
}

TEST(Timing, WhatIsPlannedIsNotPlannedAgain) {
  // Planning both takes most of the budget, rounds take little: they go on.
  Machine machine({{4, 0.05}, {4, 0.05}});
  const auto timing = machine.timing(numbers(2));
  timing->run(machine.budget(9), nullptr);
  EXPECT_EQ(machine.plans(), 2);
  EXPECT_GE(timing->contest(0).standing(1).rounds, 5);
  EXPECT_LE(machine.now(), 9);
}

TEST(Timing, ARoundThatTheBudgetEndsDoesNotCount) {
  Machine machine(std::vector<Cost>(3, {0, 1}));
  const auto timing = machine.timing(numbers(3));
  // A visit takes two runs the first time, and one later: a round and a bit.
  timing->run(machine.budget(8.5), nullptr);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(timing->contest(0).standing(i).rounds, 1) << i;
}

/// Candidates that differ in their tile, and one, if it is named, that goes with none of the others.
std::vector<Options> candidates(int count, int alone = -1) {
  std::vector<Options> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)].tile = i;
  if (alone >= 0) all[static_cast<std::size_t>(alone)].backend = "another";
  return all;
}

/// Candidates 0 to 3 in one contest, then 0 and 1 in another, when the machine was half as fast.
class FieldOfTwoContests : public ::testing::Test {
 protected:
  void SetUp() override {
    field_.consider(candidates(4));
    enter({0, 1, 2, 3}, {}, 1000);
  }
  void enter(const std::vector<int>& which, const std::vector<int>& needed, double budget) {
    const auto timing = machine_.timing(which);
    timing->run(machine_.budget(budget), nullptr);
    field_.enter(which, *timing, needed);
  }

  Machine machine_{{{0, 1.0}, {0, 0.6}, {0, 0.8}, {0, 0.7}}};
  Field field_{1};
};

TEST_F(FieldOfTwoContests, MediansOfDifferentOnesAreNotCompared) {
  machine_.slower = 2;
  enter({0, 1}, {1}, 1000);
  // By the clock the losers of the first contest were faster than the winner of the second.
  EXPECT_GT(field_[1].result[0].standing.median, field_[2].result[0].standing.median);
  EXPECT_EQ(field_.ranking(0), (std::vector<int>{1, 0, 3, 2})) << "the last contest's first, then by their ratios";
  EXPECT_EQ(field_.best(), std::vector<int>{1});
  EXPECT_NEAR(field_.figure(1, 0), 1.2, 1e-9);
  EXPECT_NEAR(field_.figure(0, 0), 2.0, 1e-9);
  EXPECT_NEAR(field_.figure(2, 0), 1.6, 1e-9) << "as it would have been then";
  EXPECT_NEAR(field_[2].result[0].relative(), 0.8, 1e-9);
  EXPECT_TRUE(field_.decisive(1, 0));
  EXPECT_FALSE(field_.decisive(2, 0));
}

TEST_F(FieldOfTwoContests, AContestThatTellsLessDoesNotCount) {
  const int rounds = field_[1].result[0].standing.rounds;
  ASSERT_GT(rounds, 2);
  machine_.slower = 2;
  // Time for one round only, of what has been in many.
  enter({0, 1}, {1}, 1);
  EXPECT_EQ(field_[1].result[0].standing.rounds, rounds);
  EXPECT_NEAR(field_.figure(0, 0), 1.0, 1e-9) << "the default's time is of the same contest as the choice's";
  EXPECT_NEAR(field_.figure(1, 0), 0.6, 1e-9);
  EXPECT_TRUE(field_.decisive(2, 0));
}

/// A contest of two parts.
void enter_pairs(Field& field, Machine& machine, const std::vector<int>& which, const std::vector<int>& needed = {},
                 int patience = 1) {
  const auto timing = machine.timing(which, 2, patience);
  timing->run(machine.budget(1000), nullptr);
  field.enter(which, *timing, needed);
}

TEST(FieldOfPairs, OneThatIsSlowByItselfIsTimedAsOftenAsTheOther) {
  // Candidate 1 goes with nobody else: the fastest of one part by far, the slowest of the other, the best of both.
  Machine machine({{0, 6, 1}, {0, 0.1, 5}, {0, 6, 1.1}, {0, 6, 1.2}});
  Field field(2);
  field.consider(candidates(4, 1));
  enter_pairs(field, machine, numbers(4));
  EXPECT_EQ(field.best(), (std::vector<int>{1, 1}));
  EXPECT_EQ(field[1].result[1].standing.rounds, 1) << "this part had not waited for it";
  EXPECT_EQ(field.of_pairs(1), (std::vector<int>{1, 1}));
  EXPECT_EQ(field.of_pairs(5).size(), 4U) << "two kinds";

  enter_pairs(field, machine, numbers(4), field.best(), fewest_of_winner);
  EXPECT_EQ(field.best(), (std::vector<int>{1, 1}));
  EXPECT_TRUE(field.decisive(1, 1));
  EXPECT_GE(field[1].result[1].standing.rounds, fewest_of_winner);
}

TEST(FieldOfPairs, ThoseOfTheLastContestComeBeforeOthers) {
  Machine machine({{0, 3, 3}, {0, 1, 1}, {0, 0.9, 0.9}});
  Field field(2);
  field.consider(candidates(3, 2));
  enter_pairs(field, machine, numbers(3));
  enter_pairs(field, machine, {0, 1});
  EXPECT_EQ(field.best(), (std::vector<int>{1, 1}));
  EXPECT_FALSE(field.decisive(2, 0));
}

TEST(TunedText, KeepsContestsApart) {
  Tuned tuned;
  tuned.source = "timed";
  tuned.chosen = {{"tile", "1"}};
  const auto tried = [](const char* tile, double seconds, double relative, bool decisive) {
    Tried one;
    one.options = {{"tile", tile}};
    one.seconds = one.low = one.high = seconds;
    one.relative = relative;
    one.decisive = decisive;
    one.rounds = seconds > 0 ? 7 : 0;
    return one;
  };
  tuned.tried = {tried("1", 0.152, 0.6, true), tried("2", 0.113, 0.8, false), tried("3", 0, 0, false)};
  tuned.tried[2].left_out = true;
  const std::string text = tuned.text();
  EXPECT_NE(text.find("152.000 ms"), std::string::npos);
  EXPECT_EQ(text.find("113.000 ms"), std::string::npos) << "it cannot be compared with the other" << text;
  EXPECT_NE(text.find("0.80x"), std::string::npos);
  EXPECT_NE(text.find("not compared: 1 of the 3 that were to be timed, e.g. tile 3"), std::string::npos) << text;
}

}  // namespace
