// Memory into which other ranks can put.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "base/window.hpp"

namespace weft::detail {

/// Memory of each rank in one window over all of them, open for passive-target access from creation to end. Creation
/// and destruction are collective.
class WindowMemory {
 public:
  /// The same Error on all ranks if the memory cannot be had.
  WindowMemory(MPI_Comm all, std::int64_t bytes);

  std::byte* data() const { return data_; }
  MPI_Win window() const { return window_.get(); }
  void leave() { window_.leave(); }

 private:
  Window window_;
  std::byte* data_ = nullptr;
};

}  // namespace weft::detail
