// What the passes of routes do with their points.
#pragma once

#include <vector>

#include "cost.hpp"
#include "sphere/sphere.hpp"

namespace weft::model {

std::vector<PassWork> works_of(const detail::Route& route);
std::vector<LinkTraffic> links_of(const detail::Route& route, bool busiest = false);

/// Of a sphere: only lines that are not all zero. Lines of all ranks are taken for evenly dealt.
std::vector<PassWork> sphere_works(const SpherePlan& plan, Direction direction);

/// 5 n log2 n of a line, for each of its points.
double operations_of_point(Index n);

}  // namespace weft::model
