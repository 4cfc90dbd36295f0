#include "base/shared_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <string>
#include <utility>

#include "base/mpi.hpp"

namespace weft::detail {

namespace {

/// Where the others find the file of the first rank, and how they know that it is the right one: process numbers mean
/// something else in another container.
struct Invitation {
  std::int64_t process = 0, file = -1, cookie = 0;
};

void* map(int file, std::int64_t bytes) {
  void* const at = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace

SharedMapping::SharedMapping(MPI_Comm node, std::int64_t bytes) {
  int rank = 0;
  WEFT_MPI(node, MPI_Comm_rank(node, &rank));
  Invitation invitation;
  int file = -1;
  void* at = nullptr;
#ifdef MFD_CLOEXEC
  if (rank == 0) {
    file = memfd_create("weft", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, bytes) == 0) at = map(file, bytes);
    if (at != nullptr) {
      std::random_device random;
      invitation = {getpid(), file, static_cast<std::int64_t>(random()) << 31 ^ random()};
      *static_cast<std::int64_t*>(at) = invitation.cookie;
    }
  }
#endif
  WEFT_MPI(node, MPI_Bcast(&invitation, 3, MPI_INT64_T, 0, node));
  if (rank != 0 && invitation.file >= 0) {
    const std::string path = "/proc/" + std::to_string(invitation.process) + "/fd/" + std::to_string(invitation.file);
    file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size == bytes) at = map(file, bytes);
    if (at != nullptr && *static_cast<std::int64_t*>(at) != invitation.cookie) {
      munmap(at, static_cast<std::size_t>(bytes));
      at = nullptr;
    }
  }
  int mapped = at != nullptr ? 1 : 0;
  WEFT_MPI(node, MPI_Allreduce(MPI_IN_PLACE, &mapped, 1, MPI_INT, MPI_MIN, node));
  if (file >= 0) close(file);  // only now: the others open it through this process
  if (mapped == 0) {
    if (at != nullptr) munmap(at, static_cast<std::size_t>(bytes));
    return;
  }
  data_ = static_cast<std::byte*>(at);
  bytes_ = bytes;
  if (rank == 0) *static_cast<std::int64_t*>(at) = 0;
  madvise(at, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
}

SharedMapping::~SharedMapping() {
  if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(bytes_));
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace weft::detail
