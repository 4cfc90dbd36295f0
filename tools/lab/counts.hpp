// What a rank asks of MPI and of the C++ heap, counted: this program's own MPI functions and operator new stand before
// the real ones. In a simulation, where all ranks are one process, each rank is counted by itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace weft::tools {

/// Calls of one kind, and the bytes that this rank gets by them: an all-gather's are those of all ranks.
struct Calls {
  std::int64_t calls = 0, bytes = 0;
};

struct Counts {
  std::map<std::string, Calls> calls;  ///< by kind: "allreduce", "split", ...
  std::int64_t held = 0;               ///< bytes of the heap that were asked for and not given back
  std::int64_t most = 0;               ///< the most at any time
};

/// Counts this rank from now on. All ranks must have come here before any goes on, so that none is counted for another.
void start_counting();
/// What has been counted since; counting ends. Of the communicators and windows those that were made.
Counts stop_counting();

}  // namespace weft::tools
