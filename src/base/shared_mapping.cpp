#include "base/shared_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>
#include <utility>

#include "base/buffer.hpp"
#include "base/mpi.hpp"

namespace weft::detail {

namespace {

/// What kept a rank from the memory; what is worst on any rank counts for all.
enum Obstacle : int { none, no_such_file, no_memory };

/// Huge pages of the file are huge pages of the process only where both begin with one.
void* map(int file, std::int64_t bytes, int& obstacle) {
  const std::int64_t more = bytes >= huge_page_bytes ? huge_page_bytes : 0;
  void* const reserved = mmap(nullptr, static_cast<std::size_t>(bytes + more), PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  obstacle = reserved != MAP_FAILED ? none : no_memory;
  if (reserved == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(reserved);
  std::byte* begin = first;
  if (more > 0) {
    begin = reinterpret_cast<std::byte*>(
        round_up(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first)), huge_page_bytes));
  }
  void* const at =
      mmap(begin, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  obstacle = at != MAP_FAILED ? none : errno == ENOMEM ? no_memory : no_such_file;
  const auto give_back = [](std::byte* from, const std::byte* to) {
    if (from < to) munmap(from, static_cast<std::size_t>(to - from));
  };
  std::byte* const used = begin + (at != MAP_FAILED ? round_up(bytes, page_bytes) : 0);
  give_back(first, begin);
  give_back(used, first + bytes + more);
  return at == MAP_FAILED ? nullptr : at;
}

bool is_meant(const struct stat& status, const Invitation& invitation) {
  return S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_size == invitation.bytes &&
         static_cast<std::int64_t>(status.st_dev) == invitation.device &&
         static_cast<std::int64_t>(status.st_ino) == invitation.inode;
}

/// To a file of this process.
Invitation invitation_to(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) return {};
  std::random_device random;
  return {getpid(),
          file,
          static_cast<std::int64_t>(status.st_dev),
          static_cast<std::int64_t>(status.st_ino),
          status.st_size,
          static_cast<std::int64_t>(random()) << 31 ^ random()};
}

}  // namespace

int open_invited(const Invitation& invitation) {
  if (invitation.file < 0) return -1;
  const std::string path = "/proc/" + std::to_string(invitation.process) + "/fd/" + std::to_string(invitation.file);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !is_meant(status, invitation)) return -1;
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  // That process may have opened something else under the number meanwhile.
  if (fstat(file, &status) == 0 && is_meant(status, invitation)) return file;
  close(file);
  return -1;
}

void use_huge_pages([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::int64_t bytes) {
#if defined(__linux__) && !defined(WEFT_SIMULATED)
#ifdef MADV_COLLAPSE
  constexpr int collapse = MADV_COLLAPSE;
#else
  constexpr int collapse = 25;  // of Linux 6.1; those before know no such advice
#endif
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory));
  const std::int64_t first = round_up(address, huge_page_bytes) - address;
  std::int64_t page = first;
  for (; page + huge_page_bytes <= bytes; page += huge_page_bytes) {
    static_cast<void>(*static_cast<volatile std::byte*>(memory + page));
  }
  // All at once: each call makes all processors tell which pages they have at hand.
  if (page > first) madvise(memory + first, static_cast<std::size_t>(page - first), collapse);
#endif
}

SharedMapping::SharedMapping(MPI_Comm node, std::int64_t bytes) {
  int rank = 0;
  WEFT_MPI(node, MPI_Comm_rank(node, &rank));
  Invitation invitation;
  int file = -1, obstacle = no_such_file;
  void* at = nullptr;
#ifdef MFD_CLOEXEC
  if (rank == 0) {
    file = memfd_create("weft", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, bytes) == 0) at = map(file, bytes, obstacle);
    if (at != nullptr) {
      invitation = invitation_to(file);
      *static_cast<std::int64_t*>(at) = invitation.cookie;
    }
  }
#endif
  WEFT_MPI(node, MPI_Bcast(&invitation, sizeof invitation / sizeof(std::int64_t), MPI_INT64_T, 0, node));
  if (rank != 0 && invitation.bytes == bytes) {
    file = open_invited(invitation);
    if (file >= 0) at = map(file, bytes, obstacle);
    if (at != nullptr && *static_cast<std::int64_t*>(at) != invitation.cookie) {
      munmap(at, static_cast<std::size_t>(bytes));
      at = nullptr;
      obstacle = no_such_file;
    }
  }
  WEFT_MPI(node, MPI_Allreduce(MPI_IN_PLACE, &obstacle, 1, MPI_INT, MPI_MAX, node));
  if (file >= 0) close(file);  // only now: the others open it through this process
  out_of_memory_ = obstacle == no_memory;
  if (obstacle != none) {
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
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      out_of_memory_(other.out_of_memory_) {}

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(out_of_memory_, other.out_of_memory_);
  return *this;
}

}  // namespace weft::detail
