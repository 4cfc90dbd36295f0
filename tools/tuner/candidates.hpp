// Which options are worth a try.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "weft/tuner.hpp"

namespace weft::tuner {

/// What the choice may change, and where.
struct Room {
  int ranks = 1;
  int ranks_on_node = 1;                ///< of the fullest node
  std::vector<std::string> strategies;  ///< that work among these ranks
  bool thread = false;                  ///< MPI may be called by several threads at once
  bool may_transpose = false;
  std::set<std::string> kept;  ///< options that stay
  bool wide = false;           ///< everything that could matter, not just the likely

  bool free(const std::string& name) const { return !kept.contains(name); }
};

/// Names of the options that a tuner may change.
const std::vector<std::string>& tuned_names();

/// Options that stay as given: those named, those that are not the default's, and those that the environment sets.
/// Error for an unknown name.
std::set<std::string> kept_names(const Options& given, const std::vector<std::string>& keep);

/// Options of a transform worth a try, the given ones first, none twice. Some may turn out not to fit the problem.
std::vector<Options> candidates(const Problem& problem, const Options& given, const Room& room);
/// The same of a sphere, for both directions at once.
std::vector<Options> candidates(const SphereProblem& problem, const Options& given, const Room& room);

/// Variations of one option at a time.
std::vector<Options> neighbours(const Options& options, Index howmany, bool sphere, const Room& room);

/// What differs from the defaults, of the options that a tuner may change or that are kept by name.
OptionTexts differences(const Options& options);
/// "strategy shared, tile 4"; "the defaults".
std::string label(const OptionTexts& texts);

}  // namespace weft::tuner
