// Options where they are used.
#pragma once

#include <array>

#include "weft/options.hpp"

namespace weft::detail {

/// Error unless all that applies to the operation has a value that is allowed, and what does not is as if not given.
void check_options(const Options& options, Operation operation, int ranks);

/// Error unless the grid of processes of that option has as many places as there are ranks.
void require_grid(const char* option, const std::array<int, 2>& grid, int ranks);

/// The options with the defaults of what does not apply to the operation.
Options applicable(Options options, Operation operation);

}  // namespace weft::detail
