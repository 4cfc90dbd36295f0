#include "base/node_memory.hpp"

#include <algorithm>
#include <cstddef>

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

NodeMemory::NodeMemory(MPI_Comm node, MPI_Comm all, std::int64_t flags, std::int64_t workspace) {
  int rank = 0, size = 1;
  WEFT_MPI(node, MPI_Comm_rank(node, &rank));
  WEFT_MPI(node, MPI_Comm_size(node, &size));
  // Whole pages, huge ones where it is worth it, so that each lies near the rank that writes it first.
  const std::int64_t page = workspace >= 2 * huge_page_bytes ? huge_page_bytes : page_bytes;
  const std::int64_t mine[2] = {round_up(flags, page), round_up(workspace, page)};
  std::vector<std::int64_t> sizes(2 * static_cast<std::size_t>(size));
  WEFT_MPI(node, MPI_Allgather(mine, 2, MPI_INT64_T, sizes.data(), 2, MPI_INT64_T, node));
  std::int64_t total = 0;
  for (std::int64_t bytes : sizes) total += bytes;

  if (total > 0) mapping_ = SharedMapping(node, total);
  void* base = mapping_.data();
  MPI_Win window = MPI_WIN_NULL;
  int status = MPI_SUCCESS;
  // Where a rank cannot have the memory, the others would wait for it in MPI for ever.
  const bool needs_window = total > 0 && !mapping_.valid() && !mapping_.out_of_memory();
  if (needs_window) {
    // The first rank owns all of it and the others look it up: sizes that differ, and the address a rank gets for its
    // own part, are where MPI libraries and simulators go wrong.
    const MPI_Aint owned = rank == 0 ? static_cast<MPI_Aint>(total) : 0;
    status = MPI_Win_allocate_shared(owned, 1, MPI_INFO_NULL, node, &base, &window);
  }
  all_or_none(all, [&] {
    if (status != MPI_SUCCESS || mapping_.out_of_memory()) {
      throw Error(concat("out of shared memory: the node's ranks need ", total, " bytes together",
                         mapping_.out_of_memory() ? "" : " (is /dev/shm large enough?)"));
    }
  });
  if (needs_window) {
    window_ = Window(window, node);
    MPI_Aint queried = 0;
    int unit = 1;
    WEFT_MPI(node, MPI_Win_shared_query(window, 0, &queried, &unit, &base));
  }
  auto* next = static_cast<std::byte*>(base);
  for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r) {
    flags_.push_back(next);
    workspaces_.push_back(next + sizes[2 * r]);
    next += sizes[2 * r] + sizes[2 * r + 1];
  }
  if (mapping_.valid()) own_ = {workspaces_[static_cast<std::size_t>(rank)], static_cast<std::size_t>(mine[1])};
  std::fill_n(flags_[static_cast<std::size_t>(rank)], mine[0], std::byte{0});
  // Nobody may raise a flag before it has been cleared.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  WEFT_MPI(node, MPI_Barrier(node));
}

void NodeMemory::use_huge_pages(std::byte* part, std::int64_t bytes) const {
  if (bytes == 0 || own_.empty()) return;
  std::byte *const begin = own_.data(), *const end = begin + own_.size();
  // Pages that the part begins and ends in, too.
  constexpr std::ptrdiff_t most = huge_page_bytes - 1;
  std::byte* const from = part - std::min(part - begin, most);
  std::byte* const to = part + bytes + std::min(end - (part + bytes), most);
  detail::use_huge_pages(from, to - from);
}

}  // namespace weft::detail
