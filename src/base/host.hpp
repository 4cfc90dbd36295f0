// The node that a process runs on.
#pragma once

#include <string>

#include "weft/layout.hpp"

namespace weft::detail {

/// Bytes that this process's node (or control group) can still give out; a huge number where the system does not say.
Index available_memory();
/// Bytes of the node; 0 where the system does not say.
Index total_memory();
/// Bytes of the node's largest cache; 0 where the system does not say.
Index last_level_cache();
/// The model's name, e.g. "AMD EPYC 7763 64-Core Processor".
std::string processor();
/// Name and version of the MPI library.
std::string mpi_library();

}  // namespace weft::detail
