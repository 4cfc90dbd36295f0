// Passes as their runners see them.
#pragma once

#include <deque>

#include "execute/view.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

/// The pass, and both of its ends, as its runner sees them: numbers of a point, or rows, may be one row. A pass that is
/// not seen as it was planned is added to `seen`.
const Pass& as_seen(const Pass& planned, View& in, View& out, std::deque<Pass>& seen);

}  // namespace weft::detail
