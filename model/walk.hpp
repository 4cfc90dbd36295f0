// Walks the schedule of a plan as the executor does, with a clock instead of work.
#pragma once

#include "cost.hpp"
#include "plan/stages.hpp"

namespace weft::model {

/// What holds for all of a walk.
struct Pace {
  double footprint = 0;  ///< bytes that the transform goes through
  int tests = 0;
  bool thread = false;  ///< one that keeps messages moving
  double factor = 1;    ///< by which passes take longer than the formulas say
  double inside = 1;    ///< the same of what the ranks of a node do together
};

/// One rank's schedule; all ranks do the same at the same time.
Walk walk(const Site& site, const detail::Route& route, const std::vector<LinkTraffic>& links, const Pace& pace);

}  // namespace weft::model
