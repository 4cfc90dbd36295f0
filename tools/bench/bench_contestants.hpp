// Who is timed: transforms, or an operator and the same in steps, each in one strategy's options.
#pragma once

#include <memory>

#include "bench_measure.hpp"

namespace weft::tools {

/// One of them, on arrays that all of a contest share. Everything is collective.
class Timed {
 public:
  virtual ~Timed() = default;
  /// To be called before each run.
  virtual void restore_input() {}
  virtual void run() = 0;
  /// What is known before it runs.
  virtual void tell(Result& result) const = 0;
};

/// One whose results are checked, and whose time is told in parts.
class Contestant : public Timed {
 public:
  /// How wrong the last run was, over the largest number that it should give.
  virtual double error() const = 0;
  virtual const Statistics& statistics() const = 0;
  virtual void reset_statistics() = 0;
};

/// Makes them, and has their arrays. It outlives them.
class Contest {
 public:
  virtual ~Contest() = default;
  virtual std::unique_ptr<Contestant> contestant(const Options& options) = 0;
  /// Who does the same in another way; nobody.
  virtual std::unique_ptr<Timed> rival(const Options&) { return nullptr; }
  /// Random numbers, the same for all, by the first one that was made. Collective.
  virtual void make_input() = 0;
};

std::unique_ptr<Contest> contest_of_transforms(const Settings& settings, const Planned& planned, const Job& job);
std::unique_ptr<Contest> contest_of_operators(const Settings& settings, const Planned& planned, const Job& job);

/// This rank's plan for each strategy.
Planned plan_transforms(const Settings& settings, const Job& job);
Planned plan_operators(const Settings& settings, const Job& job);
/// The options of each strategy.
std::vector<Options> options_by_strategy(const Settings& settings, const Job& job);

}  // namespace weft::tools
