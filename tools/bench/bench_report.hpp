// The results of weft-bench: as a table for people, as JSON, as CSV.
#pragma once

#include <string>
#include <vector>

#include "bench_measure.hpp"

namespace weft::tools {

/// The figures that are said of one strategy.
struct Figures {
  const Result& result;
  double min = 0, median = 0, max = 0, gflops = 0;
  /// The least time that the machine allows: for the bytes that the transform moves, and for its operations.
  double memory_limit = 0, compute_limit = 0;
  /// Of an operator: the median of the same in steps, and the median of how many times as long they took in each turn.
  double steps_median = 0, steps_ratio = 0;
  double limit() const;
  /// Median over limit; 0 if the limit was not measured.
  double ratio() const;
};

/// Works on any rank; what it says of the machine is complete on rank 0.
class Report {
 public:
  Report(const Settings& settings, const Planned& planned, const std::vector<Result>& results, const Machine& machine,
         int ranks);

  std::string table() const;
  std::string csv() const;
  /// The fastest strategy's figures at the top, all strategies' under "runs".
  Json json() const;

 private:
  Json json(const Figures& figures) const;
  std::string breakdown() const;
  /// What is timed, in words.
  std::string execution() const;

  const Settings& settings_;
  const Problem& problem_;
  const Planned& planned_;
  const Machine& machine_;
  int ranks_;
  double operations_;  ///< of an execution, all ranks
  std::vector<Figures> figures_;
};

}  // namespace weft::tools
