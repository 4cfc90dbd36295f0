// The machine a program runs on, for reports and for not running out of memory.
#pragma once

#include <string>

#include "program.hpp"

namespace weft::tools {

/// Most bytes that this process has occupied so far.
Index peak_memory();

/// MPI library and standard.
Json mpi_json();
/// Processor, cores, memory, and which ranks are where. Collective; complete on rank 0.
Json machine_json(const Job& job);
/// Versions of what the program was made with.
Json software_json();
/// Two lines for people, from the three above.
std::string header(const Job& job, const Json& mpi, const Json& machine);

}  // namespace weft::tools
