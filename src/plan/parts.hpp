// Ends whose arrays hold several boxes of a rank, or ghosts around them.
#pragma once

#include <string>

#include "base/json.hpp"
#include "plan/stages.hpp"
#include "weft/options.hpp"

namespace weft::detail {

/// Whether either end is one.
bool have_parts(const Options& options);
/// The options of the route between such ends: layouts that the planner chooses.
Options without_parts(Options options);
/// Such ends of a route that has these layouts at its ends; throws if they cannot be. `lines` has the line of each
/// axis, and the points that it has at a whole period.
PartsEnds parts_of(const Options& options, const Layout& input, const Layout& output, const Problem& lines);

/// The user's array at an end: the route's, the one box with its ghosts, or a row of all points of several.
Array users_array(const std::optional<PartsEnd>& end, int rank, const Array& of_route);

/// "parts      of the input: 9 patches of 4 ranks, ..." and so on, a line for each such end.
std::string parts_text(const PartsEnds& ends, int rank);
/// The same for machines: null for an end without parts.
Json parts_json(const PartsEnds& ends, int rank);

}  // namespace weft::detail
