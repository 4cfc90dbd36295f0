// What a choice may change, and where.
#pragma once

#include <mpi.h>

#include <set>
#include <span>
#include <string>
#include <vector>

#include "weft/tuner.hpp"

namespace weft::tuner {

struct SearchSpace {
  int ranks = 1;
  int ranks_on_node = 1;                ///< of the fullest node
  std::string nodes;                    ///< which ranks share a node, as one word
  std::vector<std::string> strategies;  ///< that work among these ranks
  bool thread = false;                  ///< MPI may be called by several threads at once
  bool may_transpose = false;
  double tolerance = 0;        ///< of errors that formats for the wire may bring in
  std::set<std::string> kept;  ///< options that stay
  bool wide = false;           ///< everything that could matter, not just the likely

  bool free(const std::string& name) const { return !kept.contains(name); }
};

/// Options that stay as given: those named, those that are not the default's, and those that the environment sets.
/// Error for an unknown name.
std::set<std::string> kept_names(const Options& given, const std::vector<std::string>& keep);

/// Of these ranks. `given`: the options of each part. Collective.
SearchSpace find_search_space(MPI_Comm comm, std::span<const Options> given, const Tuning& tuning);
/// Of ranks that are only thought of. Calls no MPI function. Error unless both numbers are above 0.
SearchSpace imagine_search_space(int ranks, int ranks_on_node, const Options& given, const Tuning& tuning);

}  // namespace weft::tuner
