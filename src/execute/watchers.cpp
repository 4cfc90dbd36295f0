#include "execute/watchers.hpp"

#include <cstdio>
#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/ending.hpp"

namespace weft::detail {

Watchers::Watchers(const Communicators& communicators, const Options& options, std::string what)
    : communicators_(communicators), file_(options.trace) {
  watched_.rank = communicators.rank();
  watched_.what = std::move(what);
  const MPI_Comm all = communicators.all();
  if (options.progress == Progress::thread) progress_.emplace(all);
  if (!file_.empty()) {
    require_trace_file(all, file_);
    clock_offset_ = clock_offset(all, communicators.node(), options.nodes);
    recorder_.emplace();
  }
  if (options.watchdog > 0) {
    watchdog_.emplace(options.watchdog, all, communicators.node(), [this](const Watchdog::Place& place) {
      const std::lock_guard lock(changes_);
      return place.step < 0 ? describe_call(watched_, place.route, place.step)
                            : describe_step(watched_, place.route, place.step);
    });
  }
}

Watchers::~Watchers() {
  watchdog_.reset();
  if (!recorder_ || ends_by_exception()) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  std::string message = "the transform has lived longer than MPI";
  if (!finalized) {
    try {
      write_trace();
      return;
    } catch (const std::exception& error) {
      message = error.what();
    }
  }
  if (watched_.rank == 0) std::fprintf(stderr, "weft: no trace was written: %s\n", message.c_str());
}

int Watchers::add(WatchedRoute route) {
  const std::lock_guard lock(changes_);
  auto& routes = watched_.routes;
  std::size_t number = 0;
  while (number < routes.size() && routes[number].route != nullptr) ++number;
  if (number == routes.size()) routes.emplace_back();
  routes[number] = std::move(route);
  return static_cast<int>(number);
}

void Watchers::remove(int number) {
  if (recorder_) return;  // there may be events that tell of it
  const std::lock_guard lock(changes_);
  watched_.routes[static_cast<std::size_t>(number)] = {};
}

void Watchers::clear() {
  if (recorder_) recorder_->clear();
}

void Watchers::require_trace() const {
  if (!recorder_) throw Error("write_trace: there is no trace; the option trace must name a file");
}

void Watchers::write_trace() {
  require_trace();
  detail::write_trace(communicators_.all(), file_, trace_events(watched_, *recorder_, clock_offset_));
  recorder_->clear();
}

void Watchers::rest() {
  if (watchdog_) watchdog_->idle();
  if (progress_) progress_->none_on_their_way();
}

WatchedExecution::WatchedExecution(Watchers& watchers, std::size_t most_events, bool progress) : watchers_(watchers) {
  if (watchers.watchdog_) observers_.watchdog = &*watchers.watchdog_;
  if (watchers.progress_ && progress) observers_.progress = &*watchers.progress_;
  if (!watchers.recorder_) return;
  if (watchers.recorder_->make_room(most_events)) {
    observers_.recorder = &*watchers.recorder_;
  } else {
    watchers.recorder_->leave_out();
  }
}

WatchedCall::WatchedCall(Watchers& watchers, Event::What what, int route, double& seconds)
    : watchers_(watchers), what_(what), route_(route), seconds_(seconds), begin_(now()) {
  const std::int64_t step = what == Event::What::agree    ? Watchdog::Place::agreeing
                            : what == Event::What::add_up ? Watchdog::Place::adding_up
                                                          : Watchdog::Place::moving_parts;
  if (watchers.watchdog_) watchers.watchdog_->at(route, step);
}

WatchedCall::~WatchedCall() {
  if (watchers_.watchdog_) watchers_.watchdog_->idle();
  const double end = now();
  seconds_ += end - begin_;
  auto& recorder = watchers_.recorder_;
  if (recorder && recorder->make_room(1)) recorder->add({what_, route_, 0, -1, begin_, end});
}

}  // namespace weft::detail
