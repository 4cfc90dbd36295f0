// What the tuner does not keep.
#include "doubt.hpp"

#include <gtest/gtest.h>

namespace {

using namespace weft;
using weft::tuner::doubt;
using weft::tuner::Evidence;

/// A choice that was faster than what was given, and how its rounds went.
Tuned answer(double gain, double spread, int rounds) {
  Tuned tuned;
  tuned.seconds = 1;
  tuned.default_seconds = gain;
  for (const double seconds : {1.0, gain}) {
    Tried one;
    one.seconds = seconds;
    one.low = seconds * (1 - spread / 2);
    one.high = seconds * (1 + spread / 2);
    one.rounds = rounds;
    one.decisive = true;
    tuned.tried.push_back(one);
  }
  return tuned;
}

Evidence quiet(double predicted_gain = 1.2) { return {{0.02, 0.01, false}, predicted_gain, 10}; }

TEST(Doubt, WhatWasTimedOnAQuietMachineIsKept) {
  EXPECT_EQ(doubt(answer(1.5, 0.05, 6), quiet()), "");
  EXPECT_EQ(doubt(answer(1.5, 0.29, 3), quiet()), "");
}

TEST(Doubt, OthersUseTheProcessors) {
  Evidence evidence = quiet();
  evidence.busy = {0.4, 0.05, false};
  EXPECT_EQ(doubt(answer(1.5, 0.05, 6), evidence),
            "the machine was too busy to compare them: meanwhile other processes used 40% of the processors, and the "
            "hypervisor took 5%");
  evidence.busy = {0.4, 0, true};
  EXPECT_NE(doubt(answer(1.5, 0.05, 6), evidence), "");
}

TEST(Doubt, TimesSpread) {
  EXPECT_EQ(doubt(answer(1.5, 0.5, 6), quiet()),
            "the machine was too busy to compare them: half of them spread by 50% or more (usual are some per cent)");
}

TEST(Doubt, FewRoundsTellNothing) {
  EXPECT_EQ(
      doubt(answer(1.5, 0.05, 2), quiet()),
      "the choice could be timed only 2 times within the budget of 10 s, and 3 are needed to tell what disturbs it");
}

TEST(Doubt, RatiosThatTheModelCallsAbsurd) {
  EXPECT_EQ(
      doubt(answer(35.5, 0.05, 6), quiet()),
      "what was given took 35.5 times as long as the choice, and by the model it takes 1.2 times as long: something "
      "has disturbed it");
  EXPECT_EQ(doubt(answer(35.5, 0.05, 6), quiet(20)), "") << "the model has expected it";
  EXPECT_EQ(doubt(answer(35.5, 0.05, 6), quiet(0)), "") << "nobody knows";
}

/// Tests on machines that others use say that theirs is quiet.
TEST(Doubt, WhatIsSaidCountsMoreThanWhatIsTimed) {
  Evidence evidence = quiet();
  evidence.busy = {0, 0, true};
  EXPECT_EQ(doubt(answer(35.5, 0.9, 6), evidence), "");
  EXPECT_NE(doubt(answer(35.5, 0.9, 1), evidence), "");
}

}  // namespace
