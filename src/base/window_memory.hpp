// Memory into which other ranks can put.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace weft::detail {

/// Memory of each rank in one window over all of them, open for passive-target access from creation to end. Creation
/// and destruction are collective.
class WindowMemory {
 public:
  /// The same Error on all ranks if the memory cannot be had.
  WindowMemory(MPI_Comm all, std::int64_t bytes);
  ~WindowMemory();
  WindowMemory(const WindowMemory&) = delete;
  WindowMemory& operator=(const WindowMemory&) = delete;

  std::byte* data() const { return data_; }
  MPI_Win window() const { return window_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* data_ = nullptr;
};

}  // namespace weft::detail
