// How routes share memory.
#pragma once

#include <span>
#include <vector>

#include "plan/stages.hpp"

namespace weft::detail {

/// Where the workspaces of routes lie in the memory of a rank.
struct Workspaces {
  std::vector<Index> offsets;  ///< of the routes of the first run, of the second, ...
  Index bytes = 0;
};

/// Of routes that need so many bytes. Those of a run are walked at once, runs one after the other: so runs share their
/// memory, unless `shared`: other ranks may still read there what one run wrote while this rank is at the next.
Workspaces place_workspaces(std::span<const std::vector<Index>> runs, bool shared);

}  // namespace weft::detail
