#include "works.hpp"

#include <algorithm>
#include <cmath>

namespace weft::model {

double operations_of_point(Index n) { return n > 1 ? 5 * std::log2(static_cast<double>(n)) : 0; }

namespace {

/// Of a point at the complex end of real rows, else of one that is written.
PassWork::Lines lines_of(const detail::Pass& pass, std::size_t which) {
  using detail::Number;
  const detail::LineTransform& transform = pass.transforms[which];
  const detail::LineTraits& line = detail::traits_of(transform.type);
  const bool real = line.in == Number::real || line.out == Number::real;
  const Index n = line.points(pass.in.extent(transform.axis), pass.out.extent(transform.axis));
  const bool columns = transform.axis < 2 || (pass.interleaved > 1 && !real);
  const LineKind kind = columns ? LineKind::columns : real ? LineKind::real_rows : LineKind::rows;
  if (pass.in.empty()) return {kind, n, 0};
  // Axes have their extent of the output from their own transform on.
  double points = static_cast<double>(n) * (real ? 0.5 : 1.0);
  for (int axis = 0; axis < 3; ++axis) {
    const auto end = pass.transforms.begin() + static_cast<std::ptrdiff_t>(which);
    const bool done =
        std::any_of(pass.transforms.begin(), end, [&](const auto& before) { return before.axis == axis; });
    if (axis != transform.axis) points *= static_cast<double>((done ? pass.out : pass.in).extent(axis));
  }
  const Index counted = real ? std::min(pass.in.count(), pass.out.count()) : pass.out.count();
  return {kind, n,
          operations_of_point(n) * points / static_cast<double>(counted) * static_cast<double>(pass.interleaved)};
}

}  // namespace

std::vector<PassWork> works_of(const detail::Route& route) {
  std::vector<PassWork> works;
  for (const detail::Pass& pass : route.passes) {
    PassWork& work = works.emplace_back();
    work.in_bytes = pass.read_bytes;
    work.out_bytes = pass.written_bytes;
    for (std::size_t i = 0; i < pass.transforms.size(); ++i) work.lines.push_back(lines_of(pass, i));
    for (int axis = 0; axis < 3; ++axis) {
      const bool transformed = std::any_of(pass.transforms.begin(), pass.transforms.end(),
                                           [&](const auto& transform) { return transform.axis == axis; });
      if (transformed) work.whole *= std::max(pass.in.extent(axis), pass.out.extent(axis));
    }
    for (const detail::Unit& unit : pass.units) {
      const Index items = unit.items.count();
      const auto moved = [&](const Box& box) {
        return std::max<Index>(0, box.count() - unit.left * unit.sharing) * items / unit.sharing;
      };
      work.units.push_back({moved(unit.in), moved(unit.out)});
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
