#include "base/window_memory.hpp"

#include "base/mpi.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

WindowMemory::WindowMemory(MPI_Comm all, std::int64_t bytes) {
  // Whole pages, and never none: MPICH 4.0 loses its way with others where ranks share memory.
  constexpr std::int64_t page = 4096;
  const std::int64_t rounded = bytes / page * page + page;
  void* base = nullptr;
  const int status = MPI_Win_allocate(static_cast<MPI_Aint>(rounded), 1, MPI_INFO_NULL, all, &base, &window_);
  all_or_none(all, [&] {
    if (status != MPI_SUCCESS) throw Error(concat("out of memory: no window of ", bytes, " bytes could be made"));
  });
  data_ = static_cast<std::byte*>(base);
  WEFT_MPI(all, MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
}

WindowMemory::~WindowMemory() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized || window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

}  // namespace weft::detail
