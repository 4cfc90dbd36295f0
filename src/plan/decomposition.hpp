// When slabs are good, for planner and tuner.
#pragma once

#include "weft/problem.hpp"

namespace weft::detail {

/// The slab decomposition leaves ranks idle as soon as there are more of them than planes on either side. Of a grid of
/// two dimensions pencils would leave more of them so.
/// With `whole`, lines that are not transformed become whole, too.
bool slab_fits(const Problem& problem, int ranks, bool whole = false);

}  // namespace weft::detail
