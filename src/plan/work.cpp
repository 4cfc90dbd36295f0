#include "plan/work.hpp"

#include <algorithm>
#include <cmath>

#include "plan/sphere.hpp"

namespace weft::detail {

namespace {

double line_flops(Index lines, Index n) {
  return 5 * static_cast<double>(lines * n) * std::log2(static_cast<double>(n));
}

/// Of one item. Axis 2 is real at one end of a pass at most; all other axes are transformed at the complex end.
Work of_lines(const Pass& pass, const Unit& u) {
  Work work{.bytes = static_cast<double>(u.in.count() * pass.in_bytes + u.out.count() * pass.out_bytes)};
  const bool real_in = !pass.transforms.empty() && pass.transforms.front().type == LineType::r2c;
  const Box& complex_end = real_in ? u.out : u.in;
  const Box& real_end = real_in ? u.in : u.out;
  for (const LineTransform& transform : pass.transforms) {
    const bool real = transform.type != LineType::c2c;
    const Box& box = real ? real_end : complex_end;
    const Index n = box.extent(transform.axis);
    work.flops += line_flops(box.count() / n, n) / (real ? 2 : 1);
  }
  return work;
}

/// Of one band.
Work of_sphere(const Pass& pass, const Unit& u) {
  const SphereData& sphere = *pass.sphere.sphere;
  const auto [nx, ny, nz] = sphere.problem.grid;
  const Index number = sphere.problem.precision == Precision::double_ ? 16 : 8;
  const bool real = sphere.problem.gamma;
  if (pass.sphere.work == SphereWork::waves_to_blocks || pass.sphere.work == SphereWork::blocks_to_waves) {
    const Index columns = u.in.extent(2);
    const Index waves = static_cast<Index>(sphere.waves.places.size()) * columns /
                        std::max<Index>(1, static_cast<Index>(sphere.waves.columns.size()));
    return {line_flops(columns, nz), static_cast<double>((columns * nz + waves) * number)};
  }
  const Index planes = u.in.extent(0);
  const auto lines = static_cast<Index>(sphere.lines.size());
  const auto columns = static_cast<Index>(sphere.sticks.all.size());
  // Lines that are not empty first; across them all of the other axis, which at Gamma is real in space.
  const double plane =
      real ? line_flops(lines, ny) + line_flops(ny, nx) / 2 : line_flops(lines, nx) + line_flops(nx, ny);
  const bool twice = pass.sphere.work == SphereWork::multiply;
  const Index space = nx * ny * number / (real ? 2 : 1);
  return {static_cast<double>(planes) * plane * (twice ? 2 : 1),
          static_cast<double>(planes * (columns * number * (twice ? 2 : 1) + space))};
}

}  // namespace

Work work_of(const Pass& pass, Index unit, Index items) {
  const Unit& u = pass.units[static_cast<std::size_t>(unit)];
  if (u.in.empty() || u.out.empty()) return {};
  const Work one = pass.sphere.work == SphereWork::none ? of_lines(pass, u) : of_sphere(pass, u);
  const auto there = static_cast<double>(std::clamp<Index>(items - u.items.lo, 0, u.items.count()));
  return Work{one.flops * there, one.bytes * there} / u.sharing;
}

}  // namespace weft::detail
