// What a planner function of fftw3-mpi.h is asked for.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>

#include "weft/plan.hpp"

namespace weft::fftw {

enum class What { c2c, r2c, c2r, r2r, transpose };

struct Request {
  const char* function;  ///< without its prefix
  What what;
  std::span<const std::ptrdiff_t> n;  ///< of space: of the real numbers, where there are some
  std::ptrdiff_t howmany;
  std::ptrdiff_t in_block, out_block;  ///< of the axis along which each side is dealt
  void *in, *out;
  MPI_Comm comm;
  int sign;
  unsigned flags;
};

/// "fftwf_mpi_plan_dft_3d, 64 x 64 x 64 c2c forward, in place"
std::string describe(const Request& request, Precision precision, bool in_place);

/// Whether the request makes sense on these ranks; where not, FFTW's answer is NULL.
bool valid(const Request& request, int ranks);

/// What Weft has no transform for, in words; empty if it has one.
std::string obstacle(const Request& request);

/// Whether the arrays are the same on every rank that holds numbers. Error if they are on some and not on others, the
/// same on all ranks. Collective.
bool agree_in_place(const Request& request, bool holds_numbers);

}  // namespace weft::fftw
