// What an execution does, in words: for the trace and for the watchdog.
#pragma once

#include <string>
#include <vector>

#include "base/trace.hpp"
#include "plan/stages.hpp"

namespace weft::detail {

/// What the words are about.
struct Story {
  struct Part {
    std::string name;  ///< "forward"
    const Route* route;
    std::vector<bool> blocks;  ///< by link: a tile has come when it has been started
  };
  std::vector<Part> routes;  ///< by number
  std::string what;          ///< "8 x 6 x 4 c2c double"
  int rank = 0;
};

/// One rank's events as JSON objects of Chrome's trace event format, separated by commas; empty if there are none.
/// `offset` is added to all times.
std::string trace_events(const Story& story, const Recorder& recorder, double offset);

/// What a rank does in a step of a route's schedule, which tile it is, and who takes part in it.
std::string describe_step(const Story& story, int route, Index step);
/// The same before the first step.
std::string describe_agreement(const Story& story, int route);

}  // namespace weft::detail
