// What the passes of a plan take of a machine, known from the plan alone. Said here and nowhere else: simulated
// machines are charged for it, and the model predicts from it.
#pragma once

#include <vector>

#include "base/simulation.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

struct Cost {
  struct Lines {
    LineType type = LineType::c2c;
    bool columns = false;  ///< lie side by side, so that vectors take several of them at once
    Index n = 1;           ///< points
    double count = 0;

    /// 5 n log2 n a complex line, half of that a real one.
    double flops() const { return count * traits_of(type).flops(n); }
  };
  std::vector<Lines> lines;
  double read = 0, written = 0;  ///< bytes, each once
  Index whole = 1;               ///< points that no two threads share: those of a line, or of all lines that cross
  Index pieces = 1;              ///< so many of these there are
  double piece_bytes = 0;        ///< at the end that has more of them
};

/// Of a unit, all of its items.
Cost cost_of(const Pass& pass, const Unit& unit);
/// In sum, if at most `items` of the batch are there.
Work work_of(const Pass& pass, const Unit& unit, Index items);

/// Points of the lines of a unit that cross, along all axes that the pass transforms.
Index crossing_points(const Pass& pass, const Unit& unit);

}  // namespace weft::detail
