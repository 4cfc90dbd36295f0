// Timing forward plus backward transforms, one exchange strategy or several in turns.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "program.hpp"

namespace weft::tools {

struct Settings {
  Problem problem;
  Options options;
  std::vector<std::string> strategies;
  int repeats = 10, warmup = 2;
  double seconds = 0;  ///< 0: no limit
};

/// What one strategy did.
struct Result {
  std::string strategy;
  std::vector<double> seconds;  ///< of forward plus backward, on the slowest rank
  double planning = 0, error = 0;
  double wire_error = 0;               ///< that the wire format may bring into forward plus backward
  Index bytes_sent = 0, messages = 0;  ///< of forward plus backward, on the rank that sends most
  Index bytes_moved = 0;               ///< read and written by the transform itself, on the rank that moves most
  Statistics
      mean;  ///< seconds of forward plus backward, mean over ranks; of reshapes messages and bytes, most of any rank
  Json options, traffic;
  std::string layouts;
};

/// This rank's plan for each strategy.
std::vector<Plan> make_plans(const Settings& settings, const Job& job);

/// Bytes that a rank's arrays and the plans' workspaces will take.
Index memory_needed(const std::vector<Plan>& plans);

/// Times the strategies in turns, so that what disturbs the machine disturbs all of them. Collective.
std::vector<Result> measure(const Settings& settings, const std::vector<Plan>& plans, const Job& job);

/// What the machine could do at best, one rank while all are busy.
struct Machine {
  double copy_rate = 0;                ///< bytes read and written a second; 0 if not measured
  std::array<double, 3> line_rates{};  ///< operations a second, in cache, for lines along each axis; 0 if not measured
};
/// Collective.
Machine measure_machine(const Settings& settings, const Plan& plan, const Job& job);

}  // namespace weft::tools
