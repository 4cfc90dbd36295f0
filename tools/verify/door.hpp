// A transform as one of Weft's languages has it: the cases of the matrix can be run through each of them.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "weft/weft.hpp"

namespace weft::verify {

class Door {
 public:
  virtual ~Door() = default;

  /// One end as this rank holds it, and who holds what of it.
  struct Side {
    Box box;
    Index size = 0;          ///< in elements
    Plan::Strides strides;   ///< the same
    std::vector<Box> boxes;  ///< of all ranks
  };
  virtual Side input() const = 0;
  virtual Side output() const = 0;
  virtual Index workspace_bytes() const = 0;
  virtual Plan::Traffic traffic(Direction direction) const = 0;

  /// Arrays of the problem's precision, real or complex by its kind; in place both are the same.
  virtual void execute(Direction direction, const void* in, void* out) = 0;
  virtual Statistics statistics() const = 0;
  virtual void reset_statistics() = 0;
};

/// Makes a transform; throws Error where it cannot. Collective.
using DoorMaker = std::function<std::unique_ptr<Door>(const Problem&, MPI_Comm, const Options&)>;

/// That of C++ itself.
std::unique_ptr<Door> cxx_door(const Problem& problem, MPI_Comm comm, const Options& options);

/// The boxes of all ranks.
std::vector<Box> boxes_of(const Layout& layout);

}  // namespace weft::verify
