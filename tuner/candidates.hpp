// Which options are worth a try.
#pragma once

#include <vector>

#include "search_space.hpp"
#include "weft/tuner.hpp"

namespace weft::tuner {

/// Options of a transform worth a try, the given ones first, none twice. Some may turn out not to fit the problem.
std::vector<Options> candidates(const Problem& problem, const Options& given, const SearchSpace& search_space);
/// The same of a sphere, for both directions at once.
std::vector<Options> candidates(const SphereProblem& problem, const Options& given, const SearchSpace& search_space);
/// The same of an operator.
std::vector<Options> candidates(const Problem& problem, At at, const Options& given, const SearchSpace& search_space);

/// Variations of one option at a time.
std::vector<Options> neighbours(const Options& options, Index howmany, bool sphere, const SearchSpace& search_space);

}  // namespace weft::tuner
