// What users are told: on stderr, once for all ranks.
#pragma once

#include <mpi.h>

#include <string>

namespace weft::fftw {

/// Whether WEFT_FFTW_VERBOSE asks for a line about every plan.
bool verbose();
/// A line from rank 0 of `comm`.
void say(MPI_Comm comm, const std::string& line);
/// A line from this rank, and the end of the job: for functions that cannot return an error.
[[noreturn]] void fail(const std::string& line);

/// Ends the process with a message if the MPI library that runs here is not the one this library was compiled with:
/// their handles differ, so that nothing else could be done.
void require_same_mpi();

}  // namespace weft::fftw
