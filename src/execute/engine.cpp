#include "execute/engine.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/host.hpp"

namespace weft::detail {

Engine::Engine(const std::vector<NamedRoutes>& runs, const Problem& problem, const Options& options,
               Communicators& communicators, Watchers& watchers, PartOfRanks ranks, MemoryPool& pool)
    : watchers_(watchers),
      memory_(runs, find_strategy(options.strategy), communicators, pool),
      tests_(options.tests),
      progress_(options.progress == Progress::thread) {
  std::size_t place = 0;
  Index scratch = 0;
  int threads = 1;
  for (const NamedRoutes& run : runs) {
    BoundRun& bound = runs_.emplace_back();
    for (const auto& source : run.routes) {
      bound.routes.emplace_back(source, memory_.place(place++), problem, options, communicators);
      const BoundRoute& route = bound.routes.back();
      bound.most_events += route.most_events(tests_);
      scratch = std::max(scratch, route.scratch_bytes());
      threads = route.threads();
    }
  }
  warn_of_crowded_threads(communicators.all(), threads);
  scratch_ = pool.take_scratch(scratch * threads, communicators);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    int exchanges = 0;
    for (std::size_t j = 0; j < runs[i].routes.size(); ++j) {
      BoundRoute& route = runs_[i].routes[j];
      const auto& source = runs[i].routes[j];
      route.use_scratch(scratch_->buffer.data(), scratch);
      route.set_number(watchers_.add({runs[i].name, source, exchanges, ranks}));
      exchanges += static_cast<int>(source->links.size());
    }
  }
  reset_statistics();
}

Engine::~Engine() {
  for (const BoundRun& run : runs_) {
    for (const BoundRoute& route : run.routes) watchers_.remove(route.number());
  }
}

void Engine::reset_statistics() {
  statistics_ = {};
  for (BoundRun& run : runs_) {
    for (BoundRoute& route : run.routes) route.announce_exchanges(statistics_);
  }
}

void Engine::execute(std::size_t number, std::span<const UserArrays> arrays) {
  std::vector<BoundRoute>& routes = runs_[number].routes;
  memory_.begin();
  WatchedExecution watched(watchers_, runs_[number].most_events, progress_);
  const double begin = now();
  double end = begin;
  for (std::size_t i = 0; i < routes.size(); ++i) routes[i].begin(arrays[i]);
  // In a step, a rank waits only for what others do in the same step or an earlier one of the same route: so no two
  // ranks wait for each other in different routes.
  for (bool walking = true; walking;) {
    walking = false;
    for (BoundRoute& route : routes) {
      const auto time = route.advance(tests_, end, statistics_, watched.observers());
      if (!time) continue;
      end = *time;
      walking = true;
    }
  }
  end = now();
  statistics_.total += end - begin;
  ++statistics_.executions;
  watched.ended(routes.front().number(), begin, end);
}

}  // namespace weft::detail
