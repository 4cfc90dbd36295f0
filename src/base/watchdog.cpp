#include "base/watchdog.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/mpi.hpp"
#include "base/text.hpp"

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

}  // namespace

AlarmBoard::AlarmBoard(MPI_Comm node)
    : mapping_(node, (size_of(node) + 1) * static_cast<std::int64_t>(sizeof(std::int64_t))), flags_(&own_) {
  if (!mapping_.valid()) return;
  rank_ = rank_in(node);
  size_ = size_of(node);
  // The first word was the mapping's own while it was made.
  flags_ = reinterpret_cast<std::int64_t*>(mapping_.data()) + 1;
}

bool AlarmBoard::anyone_raised() const {
  for (int rank = 0; rank < size_; ++rank) {
    if (flag(rank).load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

Watchdog::Watchdog(int seconds, MPI_Comm comm, MPI_Comm node, Describe describe)
    : seconds_(seconds),
      comm_(comm),
      rank_(rank_in(comm)),
      dies_at_(place_to_die(rank_)),
      describe_(std::move(describe)),
      board_(node) {
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

std::int64_t Watchdog::place_to_die(int rank) {
  const char* const text = std::getenv("WEFT_TEST_KILL_AT");
  int who = -1, route = 0;
  long long step = 0;
  if (text == nullptr || std::sscanf(text, "%d:%d:%lld", &who, &route, &step) != 3 || who != rank) return never;
  return place_of(route, step);
}

void Watchdog::die() {
  raise(SIGKILL);
  std::abort();
}

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
  return describe_({static_cast<int>(place / steps), place % steps - calls});
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
  abort_processes(comm_);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace weft::detail
