// Anonymous memory that several processes of a machine map.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace weft::detail {

/// One file without a name, mapped by all ranks of a communicator, in huge pages where the system allows them: memory
/// of MPI windows lies in a file system that has none (Linux mounts /dev/shm so), and strided passes touch a page a
/// row.
class SharedMapping {
 public:
  SharedMapping() = default;
  /// Collective. Not valid, on all ranks alike, where the system has no such files or ranks cannot see each other's.
  SharedMapping(MPI_Comm node, std::int64_t bytes);
  ~SharedMapping();
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&& other) noexcept;

  bool valid() const { return data_ != nullptr; }
  /// It is not valid because a rank may not have so much memory.
  bool out_of_memory() const { return out_of_memory_; }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  bool out_of_memory_ = false;
};

}  // namespace weft::detail
