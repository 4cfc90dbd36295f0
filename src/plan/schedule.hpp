// The one loop, unrolled at plan time.
#pragma once

#include "plan/stages.hpp"

namespace weft::detail {

/// Fills `route.schedule` from its passes, units and links. The order is the same on all ranks, since it depends on
/// numbers of tiles and units only, never on their sizes.
void make_schedule(Route& route);

/// Gives every buffer of the route its place in the workspace: buffers whose lives do not meet share memory, so that a
/// stream of tiles runs through a small ring that stays in cache. Fills `route.workspace_bytes`.
void place_buffers(Route& route, Index batch);

}  // namespace weft::detail
