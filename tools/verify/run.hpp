// Runs one case of the correctness matrix and says how wrong it was.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "case.hpp"
#include "door.hpp"
#include "reference.hpp"

namespace weft::verify {

struct Result {
  /// Largest difference from the reference over all points and ranks, relative to the reference's largest magnitude.
  double forward_error = 0, backward_error = 0;
  /// Of backward(forward(x)) from x (times N where nothing is normalised).
  double roundtrip_error = 0;
  /// What each error may be: kErrorFactor * eps * max(1, log2 N), and kWireFactor times what the wire formats of both
  /// directions may bring in.
  double limit = 0;
  /// What is wrong, errors over the limit included; empty if all is well. The same on all ranks.
  std::vector<std::string> failures;

  bool passed() const { return failures.empty(); }
  double worst() const;
};

/// A good FFT's largest error grows no faster than log N; measured over the matrix it stays below about 1 eps log2 N
/// with every backend, so that this factor has slack for other machines and none for a digit lost.
inline constexpr double kErrorFactor = 5;
/// Formats have bounds in the 2-norm of a field; of its numbers the worst is some times further off than most.
inline constexpr double kWireFactor = 4;
double error_limit(const Problem& problem);

/// Collective. Runs forward on one field, backward on another and the round trip of a third, and holds to account: the
/// values, the input (unchanged out of place), the memory around the arrays, the statistics against the plan's traffic,
/// and a plan made without MPI against the transform's own. Nothing is thrown: an Error of the library is a failure.
/// `make` makes the transform.
Result run_case(const Case& test, MPI_Comm comm, References& references, const DoorMaker& make = cxx_door);
Result run_case(const Case& test, MPI_Comm comm);

}  // namespace weft::verify
