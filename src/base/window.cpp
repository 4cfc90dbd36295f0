#include "base/window.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "base/ending.hpp"
#include "base/mpi.hpp"
#include "base/simulation.hpp"

namespace weft::detail {

namespace {

/// The windows of this process that are open. MPI wants all of them freed before it ends (MPICH over UCX aborts
/// otherwise), also those that an exception or an object of the whole program has left.
class OpenWindows {
 public:
  void add(MPI_Win window) {
    if constexpr (simulated) return;  // all ranks share this, and the simulator's network ends before their attributes
    const std::lock_guard lock(mutex_);
    if (!awaits_end_) {
      // MPI_Finalize begins with the attributes of MPI_COMM_SELF.
      int key = MPI_KEYVAL_INVALID;
      WEFT_MPI(MPI_COMM_SELF, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &OpenWindows::at_end, &key, nullptr));
      WEFT_MPI(MPI_COMM_SELF, MPI_Comm_set_attr(MPI_COMM_SELF, key, this));
      WEFT_MPI(MPI_COMM_SELF, MPI_Comm_free_keyval(&key));
      awaits_end_ = true;
    }
    windows_.push_back(window);
  }

  void free(MPI_Win window) {
    {
      const std::lock_guard lock(mutex_);
      std::erase(windows_, window);
    }
    free_one(window);
  }

 private:
  static int at_end(MPI_Comm, int, void* windows, void*) {
    auto& open = static_cast<OpenWindows*>(windows)->windows_;
    // Each end is collective: all ranks have the same order, and most that still have objects end the newest first.
    while (!open.empty()) {
      free_one(open.back());
      open.pop_back();
    }
    return MPI_SUCCESS;
  }

  static void free_one(MPI_Win window) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }

  std::mutex mutex_;
  std::vector<MPI_Win> windows_;  ///< the newest last
  bool awaits_end_ = false;
};

/// Never destroyed: MPI may end after the objects of the program.
OpenWindows& open_windows() {
  static auto* const windows = new OpenWindows;
  return *windows;
}

}  // namespace

Window::Window(MPI_Win window, MPI_Comm comm) : window_(window) {
  WEFT_MPI(comm, MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  open_windows().add(window_);
}

Window::~Window() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized || window_ == MPI_WIN_NULL || ends_anyhow()) return;
  open_windows().free(window_);
}

Window::Window(Window&& other) noexcept : window_(std::exchange(other.window_, MPI_WIN_NULL)) {}

Window& Window::operator=(Window&& other) noexcept {
  std::swap(window_, other.window_);
  return *this;
}

}  // namespace weft::detail
