// What the passes of a plan take of a machine: known from the plan alone.
#pragma once

#include "base/simulation.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

/// Operations (5 n log2 n a complex line, half of that a real one) and bytes, each read and written once, of one unit
/// of a pass. At most `items` of the batch are there.
Work work_of(const Pass& pass, Index unit, Index items);

}  // namespace weft::detail
