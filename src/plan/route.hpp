// From problem and options to the chain of stages, and from the chain to one rank's route.
#pragma once

#include <vector>

#include "plan/stages.hpp"

namespace weft::detail {

/// One stage of a chain, the same on all ranks: transforms along axes that the layout keeps whole, or nothing (a copy).
struct Stage {
  std::vector<LineTransform> transforms;
  Layout in, out;  ///< differ in axis 2's extent where real becomes complex
  int in_bytes = 0, out_bytes = 0;
};

/// What the ends of a route look like.
struct RouteEnds {
  int sign = -1;
  double scale = 1;
  bool in_place = false;
  bool among_all = false;  ///< exchanges are among all ranks, whoever has something for whom
  Array input, output;
};

/// The factor of a direction.
double scale_of(Normalization normalization, Direction direction, double points);

/// The stages from real space to the spectrum, ends in the layouts that the options ask for.
std::vector<Stage> analysis_stages(const Problem& problem, const Options& options, int ranks);
/// The same backwards.
std::vector<Stage> reversed(std::vector<Stage> stages);

/// One rank's passes, links, tiles, units, schedule and buffers.
Route make_route(const std::vector<Stage>& stages, const RouteEnds& ends, const Options& options, Index howmany,
                 int rank);

}  // namespace weft::detail
