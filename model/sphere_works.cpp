#include <algorithm>

#include "works.hpp"

namespace weft::model {

namespace {

/// One of the two passes: bytes at its end with the columns' side and at that with space's side, and its lines.
struct Side {
  double outer, inner;
  std::vector<int> lines;  ///< numbers in SpherePlan::Lines
};

}  // namespace

std::vector<PassWork> sphere_works(const SpherePlan& plan, Direction direction) {
  const detail::SphereData& sphere = plan.data();
  const bool backward = direction == Direction::backward, real = sphere.problem.gamma;
  const detail::Route& route = backward ? sphere.backward : sphere.forward;
  const auto& grid = sphere.problem.grid;
  const auto bands = static_cast<double>(sphere.problem.howmany);
  const double ranks = plan.ranks();
  const double number = sphere.problem.precision == Precision::double_ ? 16 : 8;
  const SpherePlan::Lines all = plan.lines();
  const auto nz = static_cast<double>(grid[2]);

  // From the plane waves through columns, blocks that have come, to space.
  const double waves = static_cast<double>(plan.waves()) * bands * number;
  const double columns = static_cast<double>(plan.columns()) * nz * bands * number;
  const double arrived = static_cast<double>(all.lines[0]) * nz / ranks * bands * number;
  const double space = static_cast<double>(plan.space_size()) * bands * (real ? number / 2 : number);
  std::vector<Side> sides{{waves, columns, {0}}, {arrived, space, {1, 2}}};
  if (!backward) {
    std::reverse(sides.begin(), sides.end());
    for (Side& side : sides) std::swap(side.outer, side.inner);
  }

  std::vector<PassWork> works;
  for (std::size_t i = 0; i < route.passes.size(); ++i) {
    PassWork& work = works.emplace_back();
    Points points;
    for (const detail::Unit& unit : route.passes[i].units) {
      work.units.push_back({unit.in.count() * unit.items.count(), unit.out.count() * unit.items.count()});
      points.in += work.units.back().in;
      points.out += work.units.back().out;
    }
    const auto in = static_cast<double>(std::max<Index>(1, points.in));
    const auto out = static_cast<double>(std::max<Index>(1, points.out));
    // Between the passes numbers may be in a wire format.
    work.in_bytes = sides[i].outer / in * (i == 0 ? 1 : route.passes[i].read_bytes / number);
    work.out_bytes = sides[i].inner / out * (i == 0 ? route.passes[i].written_bytes / number : 1);
    for (const int which : sides[i].lines) {
      const auto line = static_cast<std::size_t>(which);
      const int axis = all.axis[line];
      const Index n = grid[static_cast<std::size_t>(axis)];
      work.whole *= n;
      const double operations =
          operations_of_point(n) * static_cast<double>(n) * static_cast<double>(all.lines[line]) / ranks * bands;
      if (real && axis == 0) {
        // As everywhere, a real line has half of the operations, and is counted at its complex end.
        work.lines.push_back({LineKind::real_rows, n, operations / 2 / std::min(in, out)});
      } else {
        work.lines.push_back({LineKind::columns, n, operations / out});
      }
    }
  }
  return works;
}

}  // namespace weft::model
