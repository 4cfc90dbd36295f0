#include "base/watchdog.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::detail {

namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  WEFT_MPI(comm, MPI_Comm_size(comm, &size));
  return size;
}

std::size_t board_bytes(int size) { return static_cast<std::size_t>(size) * sizeof(std::int64_t); }

/// Makes zeroed shared memory of that size under the name `name`, empty if it cannot be had.
void make_shared_memory(char* name, std::size_t length, std::size_t bytes, const void* unique) {
  std::snprintf(name, length, "/weft-watchdog-%ld-%p", static_cast<long>(getpid()), unique);
  const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0) {
    close(file);
    return;
  }
  if (file >= 0) {
    close(file);
    shm_unlink(name);
  }
  name[0] = '\0';
}

}  // namespace

AlarmBoard::AlarmBoard(MPI_Comm all, MPI_Comm node) : rank_(rank_in(node)), size_(size_of(node)) {
  char name[64] = "";
  if (rank_ == 0) make_shared_memory(name, sizeof(name), board_bytes(size_), this);
  WEFT_MPI(node, MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, node));
  const auto map = [&] {
    const int file = name[0] == '\0' ? -1 : shm_open(name, O_RDWR, 0);
    if (file < 0) throw Error("watchdog: there is no shared memory to be had (is /dev/shm there?)");
    void* memory = mmap(nullptr, board_bytes(size_), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) throw Error(concat("watchdog: mmap failed: ", std::strerror(errno)));
    flags_ = static_cast<std::int64_t*>(memory);
  };
  try {
    all_or_none(all, map);
  } catch (...) {
    if (flags_ != nullptr) munmap(flags_, board_bytes(size_));
    if (rank_ == 0 && name[0] != '\0') shm_unlink(name);
    throw;
  }
  if (rank_ == 0) shm_unlink(name);  // the memory lives as long as somebody has it mapped
}

AlarmBoard::~AlarmBoard() { munmap(flags_, board_bytes(size_)); }

bool AlarmBoard::anyone_raised() const {
  for (int rank = 0; rank < size_; ++rank) {
    if (flag(rank).load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

Watchdog::Watchdog(int seconds, MPI_Comm comm, MPI_Comm node, Describe describe)
    : seconds_(seconds), comm_(comm), rank_(rank_in(comm)), describe_(std::move(describe)), board_(comm, node) {
  // Signals are the program's own business: its threads get them, not this one.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    all_or_none(comm, [&] { thread_ = std::thread([this] { watch(); }); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    stop();
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() { stop(); }

void Watchdog::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::watch() {
  constexpr auto tick = std::chrono::milliseconds(100);
  // Ranks stop at different times: the last one gets a moment to notice, too.
  const double grace = std::clamp(seconds_ / 4, 1.0, 10.0);
  std::int64_t last = -1;
  double since = now(), raised_at = 0;
  bool raised = false, reported = false;
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, tick, [&] { return stop_; })) {
    const std::int64_t beats = beats_.load(std::memory_order_relaxed);
    if (beats != last || place_.load(std::memory_order_relaxed) == nowhere) {
      last = beats;
      since = now();
      if (raised) {
        board_.raise(raised = false);
        say("goes on after all");
      }
    } else if (!raised && now() - since >= seconds_) {
      board_.raise(raised = true);
      raised_at = now();
      say(concat("no step for ", seconds_, " s: ", whereabouts()));
      reported = true;
    }
    if (!board_.anyone_raised()) {
      reported = false;
    } else if (!reported) {
      reported = true;
      say(concat("while others wait: ", whereabouts()));
    }
    if (raised && now() - raised_at >= grace) abort();
  }
}

std::string Watchdog::whereabouts() const {
  const std::int64_t place = place_.load(std::memory_order_relaxed);
  if (place == nowhere) return "not inside an execution";
  constexpr std::int64_t steps = std::int64_t{1} << route_shift;
  return describe_({static_cast<int>(place / steps), place % steps - 1});
}

void Watchdog::say(const std::string& text) const {
  // One call a line, or lines of several ranks would mix.
  const std::string line = concat("weft watchdog: rank ", rank_, ": ", text, '\n');
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void Watchdog::abort() const {
  say("aborting");
  // MPI_Abort may itself wait for what hangs.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    std::_Exit(EXIT_FAILURE);
  }).detach();
  MPI_Abort(comm_, EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace weft::detail
