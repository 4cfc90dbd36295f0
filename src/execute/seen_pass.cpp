#include "execute/seen_pass.hpp"

#include <algorithm>
#include <utility>

#include "base/buffer.hpp"

namespace weft::detail {

namespace {

/// The pass as its runner sees it: what a point has are neighbours along axis 2.
Pass widened(Pass pass) {
  const Index in = pass.in_numbers, out = pass.out_numbers;
  pass.in_bytes = static_cast<int>(pass.in_bytes / in);
  pass.out_bytes = static_cast<int>(pass.out_bytes / out);
  pass.read_bytes /= static_cast<double>(in);
  pass.written_bytes /= static_cast<double>(out);
  const auto widen = [](Box& box, Index numbers) {
    box.lo[2] *= numbers;
    box.hi[2] *= numbers;
  };
  widen(pass.in, in);
  widen(pass.out, out);
  for (Unit& unit : pass.units) {
    widen(unit.in, in);
    widen(unit.out, out);
  }
  return pass;
}

/// Whether columns along axis 0 are all that a pass has, lie beside each other along both other axes, and profit if
/// kernels have more of them at once: then fewer are left over (of 17 one, which costs a third of the 16), and there
/// are fewer calls.
bool should_join_rows(const Pass& pass, const View& in, const View& out) {
  if (pass.special != nullptr || pass.transforms.size() != 1 || pass.transforms.front().axis != 0) return false;
  const auto whole = [&](const Box& box) {
    return box.empty() || (box.lo[2] == pass.in.lo[2] && box.hi[2] == pass.in.hi[2]);
  };
  for (const Unit& unit : pass.units) {
    if (!whole(unit.in) || !whole(unit.out)) return false;
  }
  const Index lo = pass.in.lo[2], hi = pass.in.hi[2], row_bytes = (hi - lo) * pass.out_bytes;
  constexpr Index of_vectors = 2 * cache_line, many = 8 * of_vectors;
  if (row_bytes % of_vectors == 0 && row_bytes >= many) return false;
  return pass.out.lo[2] == lo && pass.out.hi[2] == hi && in.rows_follow(lo, hi) && out.rows_follow(lo, hi);
}

/// Whether a pass has rows of planes that have one each: kernels have several at once only of one plane.
bool should_swap_planes_and_rows(const Pass& pass) {
  if (pass.special != nullptr || pass.transforms.size() != 1 || pass.transforms.front().axis != 2) return false;
  return pass.in.extent(0) > 1 && pass.in.extent(1) == 1 && pass.out.extent(1) == 1;
}

/// The pass whose planes are the rows of one.
Pass swapped(Pass pass) {
  for (Box* box : {&pass.in, &pass.out}) *box = with_planes_as_rows(*box);
  for (Unit& unit : pass.units) {
    for (Box* box : {&unit.in, &unit.out}) *box = with_planes_as_rows(*box);
  }
  return pass;
}

/// The pass whose rows are joined.
Pass joined(Pass pass) {
  for (Box* box : {&pass.in, &pass.out}) *box = with_rows_joined(*box);
  for (Unit& unit : pass.units) {
    for (Box* box : {&unit.in, &unit.out}) *box = with_rows_joined(*box);
  }
  return pass;
}

}  // namespace

const Pass& as_seen(const Pass& planned, View& in, View& out, std::deque<Pass>& seen) {
  const Pass* pass = &planned;
  in.widen(planned.in_numbers);
  out.widen(planned.out_numbers);
  if (planned.in_numbers > 1 || planned.out_numbers > 1) pass = &seen.emplace_back(widened(planned));
  if (should_swap_planes_and_rows(*pass)) {
    in.swap_planes_and_rows();
    out.swap_planes_and_rows();
    pass = &seen.emplace_back(swapped(*pass));
  } else if (should_join_rows(*pass, in, out)) {
    in.join_rows();
    out.join_rows();
    pass = &seen.emplace_back(joined(*pass));
  }
  return *pass;
}

}  // namespace weft::detail
