// Anonymous memory that several processes of a machine map.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace weft::detail {

/// Where the others find the file of the first rank, and how they know that it is the one meant: process numbers mean
/// something else in another container.
struct Invitation {
  std::int64_t process = 0, file = -1;  ///< -1: there is none
  std::int64_t device = 0, inode = 0;   ///< as fstat says
  std::int64_t bytes = 0;               ///< its length
  std::int64_t cookie = 0;              ///< a random number, which it begins with
};

/// Opens what is meant through /proc, or returns -1. What is not a file of this user with that identity and that
/// length is not even opened, which can do something to a device or a pipe. The cookie is for who maps it to check.
int open_invited(const Invitation& invitation);

/// Makes the whole huge pages among these bytes ones, where the system can, whatever it does by itself: with most
/// settings shared memory has small pages. The first byte of each is touched, so that it lies near this rank.
void use_huge_pages(std::byte* memory, std::int64_t bytes);

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
