// Those who watch executions or help them along, where the options ask for them.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/progress.hpp"
#include "base/trace.hpp"
#include "base/watchdog.hpp"
#include "execute/communicators.hpp"
#include "execute/narrate.hpp"

namespace weft::detail {

/// Those of a transform, with all its routes: one trace, one watchdog, one progress thread.
class Watchers {
 public:
  /// `what` is transformed: "8 x 6 x 4 c2c double". `communicators`, whose nodes have been found, outlives them.
  /// Collective.
  Watchers(const Communicators& communicators, const Options& options, std::string what);
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  /// Writes the trace if there is one; collective then.
  ~Watchers();

  /// A route that runs from now on; its number.
  int add(WatchedRoute route);
  /// It runs no more.
  void remove(int number);

  /// Forgets what has been traced.
  void clear();
  /// Error if nothing is traced.
  void require_trace() const;
  /// Writes it, and forgets it. Collective; the same Error.
  void write_trace();
  /// Forgets it, and writes none at the end.
  void drop_trace() { recorder_.reset(); }

 private:
  friend class WatchedExecution;
  friend class WatchedCall;
  /// Nothing is to be watched any more: at the end of something, which may be an Error.
  void rest();

  const Communicators& communicators_;
  std::string file_;
  WatchedRoutes watched_;
  std::mutex changes_;  ///< of `watched_`, which the watchdog's thread reads
  std::optional<ProgressThread> progress_;
  std::optional<Recorder> recorder_;
  double clock_offset_ = 0;  ///< of this rank's clock, for the trace
  std::optional<Watchdog> watchdog_;
};

/// Whom a route that runs tells what it does; null where there is none.
struct Observers {
  Recorder* recorder = nullptr;
  Watchdog* watchdog = nullptr;
  ProgressThread* progress = nullptr;
};

/// An execution that is watched from here to the end of a scope, which may be an Error.
class WatchedExecution {
 public:
  /// It has `most_events` events at most; `progress`: it wants the thread's help.
  WatchedExecution(Watchers& watchers, std::size_t most_events, bool progress);
  ~WatchedExecution() { watchers_.rest(); }
  WatchedExecution(const WatchedExecution&) = delete;
  WatchedExecution& operator=(const WatchedExecution&) = delete;

  const Observers& observers() const { return observers_; }
  /// It has come to its end; `route` is its first one's number.
  void ended(int route, double begin, double end) {
    if (observers_.recorder != nullptr) {
      observers_.recorder->add({Event::What::execution, route, 0, -1, begin, end});
    }
  }

 private:
  Watchers& watchers_;
  Observers observers_;
};

/// A collective call beside the schedule of a route, watched and traced from here to the end of a scope, which may be
/// an Error; its seconds are added to `seconds`.
class WatchedCall {
 public:
  WatchedCall(Watchers& watchers, Event::What what, int route, double& seconds);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;

 private:
  Watchers& watchers_;
  Event::What what_;
  int route_;
  double& seconds_;
  double begin_;
};

}  // namespace weft::detail
