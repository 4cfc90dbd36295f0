#include "base/node_memory.hpp"

#include <algorithm>

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

NodeMemory::NodeMemory(MPI_Comm node, MPI_Comm all, std::int64_t flags, std::int64_t workspace) {
  int rank = 0, size = 1;
  WEFT_MPI(node, MPI_Comm_rank(node, &rank));
  WEFT_MPI(node, MPI_Comm_size(node, &size));
  // Whole pages, huge ones where it is worth it, so that each lies near the rank that writes it first.
  constexpr std::int64_t small_page = 4096, huge_page = std::int64_t{2} << 20;
  const std::int64_t page = workspace >= 2 * huge_page ? huge_page : small_page;
  const auto whole_pages = [&](std::int64_t bytes) { return (bytes + page - 1) / page * page; };
  const std::int64_t mine[2] = {whole_pages(flags), whole_pages(workspace)};
  std::vector<std::int64_t> sizes(2 * static_cast<std::size_t>(size));
  WEFT_MPI(node, MPI_Allgather(mine, 2, MPI_INT64_T, sizes.data(), 2, MPI_INT64_T, node));
  std::int64_t total = 0;
  for (std::int64_t bytes : sizes) total += bytes;

  if (total > 0) mapping_ = SharedMapping(node, total);
  void* base = mapping_.data();
  int windows = total > 0 && !mapping_.valid() ? 1 : 0;
  WEFT_MPI(all, MPI_Allreduce(MPI_IN_PLACE, &windows, 1, MPI_INT, MPI_MAX, all));
  int status = MPI_SUCCESS;
  if (total > 0 && !mapping_.valid()) {
    // The first rank owns all of it and the others look it up: sizes that differ, and the address a rank gets for its
    // own part, are where MPI libraries and simulators go wrong.
    const MPI_Aint owned = rank == 0 ? static_cast<MPI_Aint>(total) : 0;
    status = MPI_Win_allocate_shared(owned, 1, MPI_INFO_NULL, node, &base, &window_);
  }
  if (windows != 0) {
    all_or_none(all, [&] {
      if (status != MPI_SUCCESS) {
        throw Error(concat("out of shared memory: the node's ranks need ", total,
                           " bytes together (is /dev/shm large enough?)"));
      }
    });
  }
  if (window_ != MPI_WIN_NULL) {
    MPI_Aint queried = 0;
    int unit = 1;
    WEFT_MPI(node, MPI_Win_shared_query(window_, 0, &queried, &unit, &base));
    WEFT_MPI(node, MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  }
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
