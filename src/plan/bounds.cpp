#include "plan/bounds.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "exchange/exchange.hpp"
#include "plan/explain.hpp"
#include "plan/route.hpp"
#include "plan/tiling.hpp"

namespace weft::detail {

namespace {

/// In floating point, so that no estimate overflows.
void require_bytes(double bytes, const std::string& cause) {
  if (bytes <= static_cast<double>(most_plan_bytes)) return;
  throw Error(concat(cause, " would need ", text("%.0f", bytes), " bytes; at most ", most_plan_bytes, " (",
                     bytes_text(most_plan_bytes), ") are allowed"));
}

/// Most tiles of a group of fields that an exchange after this stage can have: the axis along which they are cut is not
/// one that the stage transforms.
Index most_tiles(const Stage& stage, int wanted) {
  int most = 1;
  for (const int axis : all_axes) {
    const bool transformed = std::any_of(stage.transforms.begin(), stage.transforms.end(),
                                         [&](const LineTransform& t) { return t.axis == axis; });
    if (!transformed) most = std::max(most, worthwhile_tiles(wanted, stage.out, axis));
  }
  return most;
}

}  // namespace

void require_lines(const char* argument, const Extents& extents, int complex_bytes, int rows) {
  // Of columns, in each direction: factors, the order of points, and where each row is read and written. Of rows, the
  // arrays that serial libraries plan with, and their factors.
  const Index of_columns = 2 * (2 * complex_bytes + 4 + 2 * 8), of_rows = 3 * complex_bytes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const Index of_point = static_cast<int>(axis) == rows ? of_rows : of_columns;
    require_bytes(static_cast<double>(of_point) * static_cast<double>(extents[axis]),
                  concat(argument, '[', axis, "] is ", extents[axis], ": a plan of lines so long"));
  }
}

void require_ranks(int ranks) {
  // Who exchanges with whom, and the node of each.
  require_bytes(40.0 * ranks, concat("ranks is ", ranks, ": a plan for so many"));
}

void require_route(const std::vector<Stage>& stages, const Options& options, Index batch, int rank) {
  const Stage& first = stages.front();
  const Shape shape = first.out.shape();
  multiply(shape[0] * shape[1] * shape[2], multiply(first.out_bytes, batch, "the size of the batch in bytes"),
           "the size of the batch in bytes");
  const Cutting cutting = choose_cutting(stages, options, batch);
  const auto groups = static_cast<double>(cutting.groups);
  // With its buffers' places in memory and time, the scheduler's notes, and its steps of the schedule.
  constexpr double tile_bytes = sizeof(Tile) + 4 * 48 + 3 * 8 + 4 * sizeof(Action);
  constexpr double unit_bytes = sizeof(Unit) + sizeof(Action);
  double group_bytes = 0, tiles = 0, blocks = 0, alive = 0, in = 1;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    double out = 1;
    // Of an operator, each field may have tiles of its own.
    const double fields = cutting.apart ? static_cast<double>(stages[i].out_fields) : 1;
    if (i + 1 < stages.size() && through_blocks(stages[i], stages[i + 1])) {
      const Layout &from = stages[i].out, &to = stages[i + 1].in;
      out = static_cast<double>(most_tiles(stages[i], cutting.tiles));
      double peers = 0;
      for (const Box& box : from.boxes(rank)) peers += static_cast<double>(to.overlapping(box).size());
      for (const Box& box : to.boxes(rank)) peers += static_cast<double>(from.overlapping(box).size());
      group_bytes += fields * out * (tile_bytes + peers * sizeof(Block));
      tiles += fields * out;
      blocks += fields * out * peers;
      alive += std::min(groups * fields * out, std::max<double>(options.window, fields * out) + 2);
    }
    group_bytes += fields * in * out * unit_bytes;
    in = out;
  }
  const bool many_groups = groups >= tiles;
  const std::string cause =
      concat(many_groups        ? concat("batch (of spheres howmany) is ", batch)
             : options.tile > 0 ? concat("tile is ", options.tile)
                                : concat("ranks is ", first.out.ranks()),
             ": ", cutting.groups, cutting.groups == 1 ? " group" : " groups", " of ", cutting.group,
             " fields, each exchanged in ", text("%.0f", tiles), " tiles with ", text("%.0f", blocks), " blocks,");
  require_bytes(groups * group_bytes, cause);
  const double steps = groups * tiles * alive;
  if (steps > static_cast<double>(most_plan_steps)) {
    throw Error(concat(cause, " would need ", text("%.3g", steps), " steps to find places for; at most ",
                       text("%.3g", static_cast<double>(most_plan_steps)), " are allowed"));
  }
}

}  // namespace weft::detail
