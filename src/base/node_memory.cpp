#include "base/node_memory.hpp"

#include <algorithm>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

NodeMemory::NodeMemory(MPI_Comm node, MPI_Comm all, std::int64_t flags, std::int64_t workspace) {
  constexpr std::int64_t page = 4096;
  int rank = 0, size = 1;
  WEFT_MPI(node, MPI_Comm_rank(node, &rank));
  WEFT_MPI(node, MPI_Comm_size(node, &size));
  const auto whole_pages = [](std::int64_t bytes) { return (bytes + page - 1) / page * page; };
  const std::int64_t mine[2] = {whole_pages(flags), whole_pages(workspace)};
  std::vector<std::int64_t> sizes(2 * static_cast<std::size_t>(size));
  WEFT_MPI(node, MPI_Allgather(mine, 2, MPI_INT64_T, sizes.data(), 2, MPI_INT64_T, node));
  std::int64_t total = 0;
  for (std::int64_t bytes : sizes) total += bytes;

  // The first rank owns all of it and the others look it up: sizes that differ, and the address a rank gets for its own
  // part, are where MPI libraries and simulators go wrong. Pages still lie near the rank that writes them first.
  void* base = nullptr;
  const MPI_Aint owned = rank == 0 ? static_cast<MPI_Aint>(total) : 0;
  const int status = MPI_Win_allocate_shared(owned, 1, MPI_INFO_NULL, node, &base, &window_);
  all_or_none(all, [&] {
    if (status != MPI_SUCCESS) {
      throw Error(concat("out of shared memory: the node's ranks need ", total,
                         " bytes together (is /dev/shm large enough?)"));
    }
  });
  MPI_Aint queried = 0;
  int unit = 1;
  WEFT_MPI(node, MPI_Win_shared_query(window_, 0, &queried, &unit, &base));
  WEFT_MPI(node, MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  auto* next = static_cast<std::byte*>(base);
  for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r) {
    flags_.push_back(next);
    workspaces_.push_back(next + sizes[2 * r]);
    next += sizes[2 * r] + sizes[2 * r + 1];
  }
  std::fill_n(flags_[static_cast<std::size_t>(rank)], mine[0], std::byte{0});
  // Nobody may raise a flag before it has been cleared.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  WEFT_MPI(node, MPI_Barrier(node));
}

NodeMemory::~NodeMemory() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized || window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

}  // namespace weft::detail
