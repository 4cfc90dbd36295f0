// What a planner function of fftw3-mpi.h is asked for.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "weft/problem.hpp"

namespace weft::fftw {

enum class What { c2c, r2c, c2r, r2r, transpose };

/// FFTW has no limit, but reads as many extents as it is told that there are.
inline constexpr std::size_t most_dimensions = 64;

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
  std::vector<int> kinds{};  ///< of r2r, one for each axis
};

/// "fftwf_mpi_plan_dft_3d, 64 x 64 x 64 c2c forward, in place"
std::string describe(const Request& request, Precision precision, bool in_place);

/// All ranks have the same request, and it makes sense on them. Else an Error, the same on all ranks: FFTW's answer is
/// NULL. Collective.
void require_valid(const Request& request, Precision precision);

/// What Weft has no transform for, in words; empty if it has one.
std::string obstacle(const Request& request);

/// Whether the arrays are the same on every rank that holds numbers. Error if they are on some and not on others, the
/// same on all ranks. Collective.
bool agree_in_place(const Request& request, bool holds_numbers);

/// Error unless there are arrays for an execution: one for a plan in place, two for others. (Ranks that hold nothing
/// need none.) `plan` says which plan.
void require_arrays(const void* in, bool sends, const void* out, bool receives, bool in_place, const std::string& plan);

}  // namespace weft::fftw
