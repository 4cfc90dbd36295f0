#include "plan/work.hpp"

#include <algorithm>

namespace weft::detail {

namespace {

/// Of one item. Each axis has its extent of the output from its own transform on.
Work of_lines(const Pass& pass, const Unit& u) {
  const auto moved = [&](const Box& box) {
    return static_cast<double>(std::max<Index>(0, box.count() - u.left * u.sharing));
  };
  Work work{.bytes = moved(u.in) * pass.read_bytes + moved(u.out) * pass.written_bytes};
  Box box = u.in;
  const auto fields = static_cast<double>(pass.interleaved);
  for (const LineTransform& transform : pass.transforms) {
    const LineTraits& line = traits_of(transform.type);
    const auto axis = static_cast<std::size_t>(transform.axis);
    const Index in = u.in.extent(transform.axis), out = u.out.extent(transform.axis);
    work.flops += fields * static_cast<double>(box.count() / in) * line.flops(line.points(in, out));
    box.lo[axis] = u.out.lo[axis];
    box.hi[axis] = u.out.hi[axis];
  }
  return work;
}

}  // namespace

Work work_of(const Pass& pass, Index unit, Index items) {
  const Unit& u = pass.units[static_cast<std::size_t>(unit)];
  if (u.in.empty() || u.out.empty()) return {};
  const Work one = pass.special != nullptr ? pass.special->work_of(pass, u) : of_lines(pass, u);
  const auto there = static_cast<double>(std::clamp<Index>(items - u.items.lo, 0, u.items.count()));
  return Work{one.flops * there, one.bytes * there} / u.sharing;
}

}  // namespace weft::detail
