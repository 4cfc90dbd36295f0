#include "plan/cost.hpp"

#include <algorithm>
#include <cmath>

namespace weft::detail {

namespace {

/// Lines of several axes in each of so many rows.
void add_inner(Cost& cost, const LineTransform& rows, double count) {
  const bool is_complex = !traits_of(rows.type).between_reals();
  for (const InnerAxis& axis : rows.inner) {
    if (axis.line == Line::none) continue;
    const LineType type = type_of(axis.line, rows.way);
    double lines = is_complex && traits_of(type).between_reals() ? 2 * count : count;
    bool last = true;  // of those that are transformed
    for (const InnerAxis& other : rows.inner) {
      if (&other != &axis) lines *= static_cast<double>(other.in_spectrum);
      if (&other > &axis && other.in_spectrum > 1) last = false;
    }
    cost.lines.push_back({type, !last, axis.points, lines});
  }
}

/// Of one item. Each axis has its extent of the output from its own transform on.
Cost of_lines(const Pass& pass, const Unit& u) {
  const auto moved = [&](const Box& box) {
    return static_cast<double>(std::max<Index>(0, box.count() - u.left * u.sharing));
  };
  Cost cost{.lines = {},
            .read = moved(u.in) * pass.read_bytes,
            .written = moved(u.out) * pass.written_bytes,
            .whole = crossing_points(pass, u)};
  Box box = u.in;
  auto numbers = static_cast<double>(pass.in_numbers);
  for (const LineTransform& transform : pass.transforms) {
    if (!transform.inner.empty()) {
      add_inner(cost, transform, static_cast<double>(box.count() / box.extent(2)));
      numbers = static_cast<double>(pass.out_numbers);
      continue;
    }
    const auto axis = static_cast<std::size_t>(transform.axis);
    const Index in = u.in.extent(transform.axis), out = u.out.extent(transform.axis);
    // Numbers of interleaved fields lie side by side.
    const bool columns = transform.axis < 2 || (pass.interleaved > 1 && transform.type == LineType::c2c);
    const LineTraits& traits = traits_of(transform.type);
    const double parts = traits.between_reals() && !pass.of_reals() ? 2 : 1;  // of a complex number
    cost.lines.push_back(
        {transform.type, columns, transform.points(in, out), parts * numbers * static_cast<double>(box.count() / in)});
    box.lo[axis] = u.out.lo[axis];
    box.hi[axis] = u.out.hi[axis];
  }
  return cost;
}

Cost of_item(const Pass& pass, const Unit& unit) {
  if (unit.in.empty() || unit.out.empty()) return {};
  return pass.special != nullptr ? pass.special->cost_of(pass, unit) : of_lines(pass, unit);
}

}  // namespace

bool Pass::of_reals() const {
  return special == nullptr && !transforms.empty() &&
         std::all_of(transforms.begin(), transforms.end(),
                     [](const LineTransform& line) { return traits_of(line.type).between_reals(); });
}

Index crossing_points(const Pass& pass, const Unit& unit) {
  Index points = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const bool transformed = std::any_of(pass.transforms.begin(), pass.transforms.end(),
                                         [axis](const LineTransform& transform) { return transform.axis == axis; });
    if (transformed) points *= std::max(unit.in.extent(axis), unit.out.extent(axis));
  }
  return points;
}

Cost cost_of(const Pass& pass, const Unit& unit) {
  Cost cost = of_item(pass, unit);
  const double times = static_cast<double>(unit.items.count()) / static_cast<double>(unit.sharing);
  const auto in = static_cast<double>(unit.in.count());
  const auto out = static_cast<double>(unit.out.count() * pass.out_fields) / static_cast<double>(pass.in_fields);
  if (in > 0 && out > 0) {
    const auto whole = static_cast<double>(std::max<Index>(1, cost.whole));
    cost.pieces = static_cast<Index>(std::ceil(std::max(in, out) * times / whole));
    cost.piece_bytes = whole * std::max(cost.read / in, cost.written / out);
  }
  cost.read *= times;
  cost.written *= times;
  for (Cost::Lines& lines : cost.lines) lines.count *= times;
  return cost;
}

Work work_of(const Pass& pass, const Unit& unit, Index items) {
  const Cost one = of_item(pass, unit);
  Work work{.bytes = one.read + one.written};
  for (const Cost::Lines& lines : one.lines) work.flops += lines.flops();
  const auto there = static_cast<double>(std::clamp<Index>(items - unit.items.lo, 0, unit.items.count()));
  return Work{work.flops * there, work.bytes * there} / unit.sharing;
}

}  // namespace weft::detail
