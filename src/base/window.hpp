// MPI windows that free themselves.
#pragma once

#include <mpi.h>

namespace weft::detail {

/// A window that is open for passive-target access from beginning to end. The end is collective; where an exception or
/// the end of the program brings it about, the window stays as it is until MPI_Finalize, which frees it.
class Window {
 public:
  Window() = default;
  /// Takes over `window`, which belongs to `comm`, and opens it.
  Window(MPI_Win window, MPI_Comm comm);
  ~Window();
  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;

  MPI_Win get() const { return window_; }
  /// Lets go of the window: it stays as it is until MPI_Finalize, and the end of this waits for nobody.
  void leave() { window_ = MPI_WIN_NULL; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace weft::detail
