#include "works.hpp"

#include <cmath>

namespace weft::model {

double operations_of_point(Index n) { return n > 1 ? 5 * std::log2(static_cast<double>(n)) : 0; }

namespace {

PassWork::Lines lines_of(const detail::Pass& pass, const detail::LineTransform& transform) {
  using detail::Number;
  const detail::LineTraits& line = detail::traits_of(transform.type);
  const bool real = line.in == Number::real || line.out == Number::real;
  const Index n = line.points(pass.in.extent(transform.axis), pass.out.extent(transform.axis));
  const bool columns = transform.axis < 2 || (pass.interleaved > 1 && !real);
  const LineKind kind = columns ? LineKind::columns : real ? LineKind::real_rows : LineKind::rows;
  const auto complex_points = [](Index real_points) { return static_cast<double>(real_points / 2 + 1); };
  double part = 1;
  if (real) {
    part = static_cast<double>(n) / 2 / complex_points(n);
  } else if (detail::traits_of(pass.transforms.back().type).out == Number::real && !pass.out.empty()) {
    // Real points are written, of which there are more than of those that complex lines have.
    part = complex_points(pass.out.extent(2)) / static_cast<double>(pass.out.extent(2));
  }
  return {kind, n, operations_of_point(n) * part * static_cast<double>(pass.interleaved)};
}

}  // namespace

std::vector<PassWork> works_of(const detail::Route& route) {
  std::vector<PassWork> works;
  for (const detail::Pass& pass : route.passes) {
    PassWork& work = works.emplace_back();
    work.in_bytes = pass.in_bytes;
    work.out_bytes = pass.out_bytes;
    for (const detail::LineTransform& transform : pass.transforms) work.lines.push_back(lines_of(pass, transform));
    for (const detail::Unit& unit : pass.units) {
      const Index items = unit.items.count();
      work.units.push_back({unit.in.count() * items / unit.sharing, unit.out.count() * items / unit.sharing});
    }
  }
  return works;
}

std::vector<LinkTraffic> links_of(const detail::Route& route, bool busiest) {
  std::vector<LinkTraffic> links;
  for (const detail::Link& link : route.links) links.push_back(traffic_of(link, busiest));
  return links;
}

}  // namespace weft::model
