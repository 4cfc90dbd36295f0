// What a plan may take: a problem whose plan would not fit is refused before any of it is made.
//
// Tiles, blocks, units and steps are made one by one, and lines have tables with an entry for each point. Arguments
// that ask for too many of them (2^31 fields of a few points, an axis of 2^40 points) would keep planning busy until
// memory runs out. The bounds are far above what can be used, and no option changes them.
#pragma once

#include "plan/route.hpp"

namespace weft::detail {

constexpr Index most_plan_bytes = Index{1} << 30;
/// To find places for the buffers of tiles: about a minute.
constexpr Index most_plan_steps = Index{1} << 36;

/// Error naming the extent, if what transforms of lines so long keep for each point does not fit. `rows`: the axis
/// whose lines are contiguous in memory, which need less.
void require_lines(const char* argument, const Extents& extents, int complex_bytes, int rows = -1);

/// Error if what planning keeps for each rank does not fit.
void require_ranks(int ranks);

/// Error naming batch, tile or ranks, if the tiles, blocks and units of one direction do not fit.
void require_route(const std::vector<Stage>& stages, const Options& options, Index batch, int rank);

}  // namespace weft::detail
