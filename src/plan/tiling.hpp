// How the exchanges of a route are cut into tiles, and its passes into units.
#pragma once

#include "plan/route.hpp"

namespace weft::detail {

constexpr std::array<int, 3> all_axes{0, 1, 2};

/// How the exchanges of a route are cut.
struct Cutting {
  Index group = 1;  ///< fields a tile carries
  Index groups = 1;
  int tiles = 1;       ///< a group
  bool apart = false;  ///< each field of an application is worth tiles of its own
  bool sends = true;   ///< something travels: not all of it is read where neighbours have it
};

/// Whether rows of a box of so many points may have gaps between them for the cache's sake. They pay where rows are
/// written to memory and read from there; in a cache they are in the way.
bool worth_gaps(Index points, int element_bytes, const Options& options);

/// Of a route whose first link lies between `stages.front()` and the next.
Cutting choose_cutting(const std::vector<Stage>& stages, const Options& options, Index batch);

/// What the exchange is whatever its tiles: strategy and what the planner must know of it.
void describe_exchange(ExchangePlan& exchange, const Stage& before, const Stage& after, const RouteEnds& ends,
                       const Options& options);

/// So many tiles along an axis of what is sent, but no more than give some rank something in each of them.
int worthwhile_tiles(int wanted, const Layout& from, int axis);

/// Fills the exchange's tiles: who gets which block. Everything else of it is known.
void make_tiles(ExchangePlan& exchange, const RouteEnds& ends, const Options& options, const Cutting& cutting,
                Index batch, int rank);

/// Of an element in the blocks that a rank sends or receives, on average, and in what it keeps, unless the pass leaves
/// that where the user has it.
double bytes_in_blocks(const ExchangePlan& exchange, std::vector<Block> Tile::*blocks, bool leaves_kept);

/// Units of a pass: cut by the tiles that come in and by the tiles that go out.
void make_units(Pass& pass, const ExchangePlan* before, const ExchangePlan* after, bool last, const Cutting& cutting,
                Index batch);

}  // namespace weft::detail
