// What users are told: on stderr, once for all ranks.
#pragma once

#include <mpi.h>

#include <string>

namespace weft::fftw {

/// Why MPI cannot do anything with this communicator, in words; empty if it can.
std::string unusable(MPI_Comm comm);
/// Throws that.
void require_usable(MPI_Comm comm);

/// Whether WEFT_FFTW_VERBOSE asks for a line about every plan.
bool verbose();
/// A line from rank 0 of `comm`, or from each process if it is unusable.
void say(MPI_Comm comm, const std::string& line);
/// A planner function has been called, and has given a plan of Weft's or not. A program before whose libraries this one
/// was put is told at its end if there was none.
void note_plan(bool of_weft);
/// A line from this rank, and the end of the job: for functions that cannot return an error.
[[noreturn]] void fail(const std::string& line);

/// Ends the process with a message if the MPI library that runs here is not the one this library was compiled with:
/// their handles differ, so that nothing else could be done.
void require_same_mpi();

}  // namespace weft::fftw
