// Layouts by name, for the command line.
#pragma once

#include <string>

#include "weft/layout.hpp"

namespace weft::tools {

/// "slab0": axis 0 split over all ranks; "pencil0": axis 0 local, the other two split as squarely as the ranks allow.
/// Error naming the flag and what is allowed.
Layout parse_layout(const std::string& name, const std::string& flag, const Shape& shape, int ranks);

}  // namespace weft::tools
