// Statistics of the parts of a transform.
#pragma once

#include "weft/weft.hpp"

namespace weft::detail {

/// Adds what a part has cost, but for the executions, their total time and the exchanges.
void add_costs(Statistics& all, const Statistics& part);

}  // namespace weft::detail
