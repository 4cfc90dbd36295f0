// Who else uses the processors of a machine: what is timed while others work is worth little.
#pragma once

#include <mpi.h>

#include <string>

#include "base/mpi.hpp"

namespace weft::detail {

/// Others may use so much of the processors: medians do not mind a little.
constexpr double busy_limit = 0.1;
/// The middle half of what was timed of one thing lies within such a part of its median, for half of the things, on a
/// machine that is quiet: 1 to 10 %.
constexpr double spread_limit = 0.3;

/// Parts of all processors of a machine.
struct Busy {
  double others = 0;  ///< what processes have used that are none of ours
  double stolen = 0;  ///< what the hypervisor has taken
  bool said = false;  ///< by WEFT_TEST_BUSY, for tests: then times are good, whatever they are

  bool too_much() const { return others + stolen > busy_limit; }
  /// "other processes used 40% of the processors, and the hypervisor took 0%"
  std::string text() const;
};

/// Watches the machines of a communicator's ranks from its making on.
class BusyWatch {
 public:
  /// Collective, as everything here.
  explicit BusyWatch(MPI_Comm comm);
  /// Of the busiest machine; nothing where the system does not tell.
  Busy seen() const;

 private:
  /// Processor seconds so far: of all processes of the machine, what the hypervisor took, and of this process.
  struct Use {
    double wall = 0, everybody = 0, stolen = 0, mine = 0;
  };
  static Use use();

  MPI_Comm comm_;
  Communicator machine_;  ///< the ranks whose processors are the same ones
  Use before_;
};

}  // namespace weft::detail
