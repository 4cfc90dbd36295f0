// What an execution does, in words: for the trace and for the watchdog.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

/// Who the ranks of a part are: its rank i is rank first + i * step of all.
struct PartOfRanks {
  int first = 0, step = 1;
};

/// A route that the words are about.
struct WatchedRoute {
  std::string name;  ///< "forward"
  std::shared_ptr<const Route> route;
  int first_exchange = 0;  ///< number of its first link among those of routes with the same name
  PartOfRanks ranks;       ///< whose route it is
};

/// All that they are about.
struct WatchedRoutes {
  std::vector<WatchedRoute> routes;  ///< by number
  std::string what;                  ///< "8 x 6 x 4 c2c double"
  int rank = 0;
};

/// One rank's events as JSON objects of Chrome's trace event format, separated by commas; empty if there are none.
/// `offset` is added to all times.
std::string trace_events(const WatchedRoutes& watched, const Recorder& recorder, double offset);

/// What a rank does in a step of a route's schedule, which tile it is, and who takes part in it.
std::string describe_step(const WatchedRoutes& watched, int route, Index step);
/// The same of a call before or after the steps: a special step of Watchdog::Place.
std::string describe_call(const WatchedRoutes& watched, int route, Index call);

}  // namespace weft::detail
