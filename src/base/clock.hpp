// The clock of everything that Weft measures.
#pragma once

#include <chrono>

#include "base/simulation.hpp"

namespace weft::detail {

/// Seconds since some moment in the past, the same one for all processes of a machine; never set back. Not MPI_Wtime:
/// each process of Open MPI begins its own at zero.
inline double now() {
#ifdef WEFT_SIMULATED
  return simulated_now();
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

}  // namespace weft::detail
