// How a batch is spread over groups of ranks. Pure data.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plan/stages.hpp"

namespace weft::detail {

/// Consecutive ranks and consecutive fields for each of options.groups groups. A group may have no fields.
struct Grouping {
  std::vector<Range> ranks, items;

  int size() const { return static_cast<int>(ranks.size()); }
  int group_of(int rank) const;
};
Grouping make_grouping(const Problem& problem, const Options& options, int ranks);

/// What a group transforms, and how.
Problem group_problem(Problem problem, const Grouping& grouping, int group);
Options group_options(Options options, const Grouping& grouping, int group);

/// How the fields of a group get to its ranks and back. Those of all groups do at once, so a strategy that waits for
/// each tile is no good: it would be one group after the other, each with a part of the network's links.
Options moving_options(const Options& options);
/// The same of the bands of a sphere: they lie as far apart as each call says, so they are packed, and go in one
/// message each way for a call.
Options band_moving_options(const Options& options);

/// A layout of a group's ranks as one of all ranks; those of other groups have nothing.
Layout spread_layout(const Layout& layout, const Range& ranks, int all);

/// The plan of a group's fields, which it must have, for this rank; in another group, for that group's first.
Plan group_plan(const PlanData& data, const Grouping& grouping, int group);

/// This rank's group, as `explain` has it.
struct OwnGroup {
  int number = 0, groups = 1;
  Range ranks, items;
  std::optional<Plan> plan;  ///< none without fields
};
OwnGroup own_group(const PlanData& data);

/// What happens to a group's fields in one direction: moved to its ranks, transformed there, moved back.
struct GroupRoutes {
  Route to;
  Plan inside;
  Route back;
};
GroupRoutes group_routes(const PlanData& data, const Grouping& grouping, int group, Direction direction);
/// The same where the plan of the group's fields is known.
GroupRoutes group_routes(const PlanData& data, const Grouping& grouping, int group, Direction direction,
                         const Plan& plan);

/// All that moves the fields of the groups which have some.
struct GroupMoves {
  std::vector<Range> items;  ///< of each group
  /// The routes of the groups: forward to them and from them, backward to them and from them.
  std::array<std::vector<std::shared_ptr<const Route>>, 4> runs;
};
GroupMoves group_moves(const PlanData& data);

/// What moves bands between the ranks that have the same place in their groups, with so many waves each: a route for
/// each group that has bands.
struct BandMoves {
  std::vector<std::shared_ptr<const Route>> to, from;
};
/// For rank `me` of these and `bands` of a call, dealt as `bands_of_group`; `moving` are band_moving_options of these
/// ranks.
BandMoves band_moves(std::span<const Index> waves, int number_bytes, Index bands, Index together, Options moving,
                     int me);
/// Which of the bands a group has. So many are never apart: the components of a spinor.
Range bands_of_group(Index bands, Index together, int groups, int group);

/// Bytes of the exchange buffers of moves, those of the routes of each run given, of plans with these options.
Index moving_bytes(std::span<const std::vector<Index>> runs, const Options& options);
/// Bytes of all exchange buffers, and of the arrays of a group's fields, for this rank.
Index grouped_workspace(const PlanData& data);

/// Bound of the error that wire formats bring into a direction: inside the groups, the largest of them all. Fields move
/// to them and back as they are.
double grouped_wire_error(const PlanData& data, Direction direction);

/// Traffic of one direction: to the groups, inside of them, and back.
Plan::Traffic grouped_traffic(const PlanData& data, Direction direction);
/// The same from rank to rank.
std::vector<Plan::Flow> grouped_flows(const PlanData& data, Direction direction);

}  // namespace weft::detail
