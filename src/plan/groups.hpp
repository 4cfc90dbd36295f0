// How a batch is spread over groups of ranks. Pure data.
#pragma once

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

/// A layout of a group's ranks as one of all ranks; those of other groups have nothing.
Layout spread_layout(const Layout& layout, const Range& ranks, int all);

/// The plan of a group's fields for one of its ranks; the group must have fields.
Plan group_plan(const PlanData& data, const Grouping& grouping, int group, int rank_in_group);

/// Traffic of one direction: to the groups, inside of them, and back.
Plan::Traffic grouped_traffic(const PlanData& data, Direction direction);

}  // namespace weft::detail
