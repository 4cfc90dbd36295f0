// A thread that drives MPI while the rank computes.
#pragma once

#include <mpi.h>

#include <atomic>
#include <thread>

#include "base/mpi.hpp"

namespace weft::detail {

/// Most MPI libraries move messages only while some MPI function is called. This thread calls one again and again while
/// exchanges are on their way, and sleeps otherwise. It pays where a core is free; where none is, let the computation
/// call MPI from time to time (option `tests`).
class ProgressThread {
 public:
  /// Collective. Needs MPI_THREAD_MULTIPLE: Error, the same on all ranks, otherwise.
  explicit ProgressThread(MPI_Comm comm);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// So many more exchanges are on their way, or fewer.
  void on_their_way(int more);
  void none_on_their_way() { exchanges_.store(0, std::memory_order_release); }

 private:
  void run();

  Communicator comm_;  ///< nobody sends on it: what the thread asks for never comes
  std::atomic<int> exchanges_{0};
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace weft::detail
