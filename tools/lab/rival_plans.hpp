// FFTW-MPI inside a simulator: what it computes between its messages is charged, and how it transposes can be chosen.
#pragma once

#include <string>

namespace weft::tools {

/// Lets FFTW-MPI's planner take this transposition alone: alltoall, pairwise, recurse; any: all of them, as it is by
/// itself. To be called before fftw_mpi_init.
void allow_transposition(const std::string& name);

}  // namespace weft::tools
