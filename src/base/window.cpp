#include "base/window.hpp"

#include <utility>

#include "base/ending.hpp"
#include "base/mpi.hpp"

namespace weft::detail {

Window::Window(MPI_Win window, MPI_Comm comm) : window_(window) {
  WEFT_MPI(comm, MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
}

Window::~Window() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized || window_ == MPI_WIN_NULL || ends_anyhow()) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

Window::Window(Window&& other) noexcept : window_(std::exchange(other.window_, MPI_WIN_NULL)) {}

Window& Window::operator=(Window&& other) noexcept {
  std::swap(window_, other.window_);
  return *this;
}

}  // namespace weft::detail
