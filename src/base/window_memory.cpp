#include "base/window_memory.hpp"

#include "base/buffer.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

WindowMemory::WindowMemory(MPI_Comm all, std::int64_t bytes) {
  // Whole pages, and never none: MPICH 4.0 loses its way with others where ranks share memory.
  const std::int64_t rounded = round_up(bytes + 1, page_bytes);
  void* base = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  const int status = MPI_Win_allocate(static_cast<MPI_Aint>(rounded), 1, MPI_INFO_NULL, all, &base, &window);
  all_or_none(all, [&] {
    if (status != MPI_SUCCESS) throw Error(concat("out of memory: no window of ", bytes, " bytes could be made"));
  });
  data_ = static_cast<std::byte*>(base);
  window_ = Window(window, all);
}

}  // namespace weft::detail
