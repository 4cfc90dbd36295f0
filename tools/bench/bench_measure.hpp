// Timing forward plus backward transforms, or an operator, by one exchange strategy or several in turns.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "program.hpp"
#include "weft/operator.hpp"

namespace weft::tools {

/// A function that the library has, with its parameters.
struct AppliedFunction {
  std::string name;
  std::vector<double> values;
  std::array<double, Extents::most_axes> lengths = Problem{}.lengths;  ///< of the box
};

struct Settings {
  Problem problem;
  std::optional<AppliedFunction> applied;  ///< an operator is timed; none: transforms
  Options options;
  std::vector<std::string> strategies;
  int repeats = 10, warmup = 2;
  double seconds = 0;  ///< 0: no limit
};

/// What will be timed, before anything large is allocated.
struct Planned {
  std::vector<Options> options;             ///< by strategy
  Index input_bytes = 0, output_bytes = 0;  ///< of a rank's arrays, the largest; in place there is no output
  Index field_bytes = 0;                    ///< of what the first strategy has as its input
  Index memory_bytes = 0;                   ///< of a rank: all arrays and workspaces
  Index inputs = 1, outputs = 1;            ///< fields of an operator
};

/// What one strategy did. An execution is forward plus backward, or an operator's.
struct Result {
  std::string strategy;
  std::vector<double> seconds;        ///< of each execution, on the slowest rank
  std::vector<double> steps_seconds;  ///< of an operator: those of the same in steps, in the same turns
  double planning = 0, error = 0;
  double wire_error = 0;               ///< that the wire format may bring into an execution
  Index bytes_sent = 0, messages = 0;  ///< of an execution, on the rank that sends most
  Index bytes_moved = 0;               ///< read and written by the transform itself, on the rank that moves most
  Statistics mean;  ///< seconds of an execution, mean over ranks; messages and bytes of exchanges, and what cores do,
                    ///< most of any rank
  Json options, traffic;
  std::string layouts;
};

/// Throws Error for what no plan can be made for.
Planned plan_all(const Settings& settings, const Job& job);

/// Times the strategies in turns, so that what disturbs the machine disturbs all of them. Collective.
std::vector<Result> measure(const Settings& settings, const Planned& planned, const Job& job);

/// What the machine could do at best, one rank while all are busy.
struct Machine {
  double copy_rate = 0;  ///< bytes read and written a second; 0 if not measured
  /// Operations a second, in cache, for lines along each axis; 0 if not measured.
  std::array<double, Extents::most_axes> line_rates{};
};
/// Collective.
Machine measure_machine(const Settings& settings, const Planned& planned, const Job& job);

}  // namespace weft::tools
