// Which options are worth a try.
#pragma once

#include <vector>

#include "room.hpp"
#include "weft/tuner.hpp"

namespace weft::tuner {

/// Options of a transform worth a try, the given ones first, none twice. Some may turn out not to fit the problem.
std::vector<Options> candidates(const Problem& problem, const Options& given, const Room& room);
/// The same of a sphere, for both directions at once.
std::vector<Options> candidates(const SphereProblem& problem, const Options& given, const Room& room);

/// Variations of one option at a time.
std::vector<Options> neighbours(const Options& options, Index howmany, bool sphere, const Room& room);

}  // namespace weft::tuner
