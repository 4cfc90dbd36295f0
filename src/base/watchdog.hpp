// A thread that notices when a rank makes no step any more, has all ranks say where they are, and ends the job.
#pragma once

#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/shared_mapping.hpp"

namespace weft::detail {

/// A flag for each rank of a node. Not in memory of MPI, which is gone after MPI_Finalize: a transform may live longer.
class AlarmBoard {
 public:
  /// Collective. Where ranks cannot share memory, each sees its own flag alone.
  explicit AlarmBoard(MPI_Comm node);
  AlarmBoard(const AlarmBoard&) = delete;
  AlarmBoard& operator=(const AlarmBoard&) = delete;

  void raise(bool alarm) { flag(rank_).store(alarm ? 1 : 0, std::memory_order_relaxed); }
  bool anyone_raised() const;

 private:
  std::atomic_ref<std::int64_t> flag(int rank) const { return std::atomic_ref(flags_[rank]); }
  SharedMapping mapping_;
  std::int64_t own_ = 0;
  std::int64_t* flags_ = nullptr;
  int rank_ = 0, size_ = 1;
};

/// Where a rank is, as its own thread last said. There only if the option `watchdog` asks for it. The helper thread
/// reads atomics, and what never changes; of MPI it calls MPI_Abort alone.
class Watchdog {
 public:
  /// Something that a rank is in the middle of: a step of a route, or a collective call before or after it.
  struct Place {
    static constexpr std::int64_t agreeing = -1, adding_up = -2, moving_parts = -3;
    int route;
    std::int64_t step;
  };
  /// A place in words. Called by the helper thread.
  using Describe = std::function<std::string(const Place&)>;

  /// `comm`, whose rank `rank` this is, and `node`, its ranks on this node, outlive it. Collective over both.
  Watchdog(int seconds, MPI_Comm comm, MPI_Comm node, Describe describe);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void at(int route, std::int64_t step) {
    const std::int64_t place = place_of(route, step);
    place_.store(place, std::memory_order_relaxed);
    beat();
    if (place == dies_at_) die();
  }
  void idle() { place_.store(nowhere, std::memory_order_relaxed); }
  /// A sign of life inside a step. One thread alone writes, so it needs no atomic addition.
  void beat() { beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t nowhere = -1, never = -2;
  static constexpr int route_shift = 40, calls = 2;  ///< places of a route that are not steps
  static constexpr std::int64_t place_of(int route, std::int64_t step) {
    return (static_cast<std::int64_t>(route) << route_shift) + step + calls;
  }
  /// Where WEFT_TEST_KILL_AT ("rank:route:step") has this rank die, for tests of what the others do then.
  static std::int64_t place_to_die(int rank);
  [[noreturn]] static void die();

  void watch();
  void stop();
  void say(const std::string& text) const;
  std::string whereabouts() const;
  [[noreturn]] void abort() const;

  const double seconds_;
  MPI_Comm comm_;
  int rank_;
  const std::int64_t dies_at_;
  Describe describe_;
  AlarmBoard board_;  ///< so that ranks of the node which wait for nothing speak, too
  std::atomic<std::int64_t> place_{nowhere}, beats_{0};

  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace weft::detail
