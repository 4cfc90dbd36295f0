// Plans with groups of ranks: fields are moved to their group's ranks, transformed there, and moved back. Groups take
// turns in that, because a group's ranks have most to do in their own turn, and all others wait for them.
#include <algorithm>

#include "plan/groups.hpp"
#include "predict.hpp"

namespace weft::model {

void add_first(Walk& walk, Stage stage) {
  walk.terms += stage.terms;
  walk.hidden += stage.hidden;
  walk.stages.insert(walk.stages.begin(), std::move(stage));
}

void add_last(Walk& walk, Stage stage) {
  walk.terms += stage.terms;
  walk.hidden += stage.hidden;
  walk.stages.push_back(std::move(stage));
}

namespace {

using detail::GroupRoutes;

/// The turns of all groups, which are alike.
Stage moving(const char* name, const Site& site, const detail::Route& route, const Pace& pace, int turns) {
  const Walk one = walk(site, route, links_of(route, true), works_of(route), pace);
  Stage stage{name, one.terms, one.hidden * turns};
  for (double& seconds : stage.terms.by_term) seconds *= turns;
  return stage;
}

Index moving_bytes(const GroupRoutes& forward, const GroupRoutes& backward) {
  return forward.to.workspace_bytes + forward.back.workspace_bytes + backward.to.workspace_bytes +
         backward.back.workspace_bytes;
}

}  // namespace

Prediction price_in_groups(const Plan& plan, const Site& site) {
  const detail::Grouping grouping = detail::make_grouping(plan.problem(), plan.options(), plan.ranks());
  // The first groups have as many fields as any.
  const int turns = static_cast<int>(std::min<Index>(grouping.size(), plan.problem().howmany));
  const int own = std::min(grouping.group_of(plan.rank()), turns - 1);
  const auto routes = [&](const Plan& whose, int group, Direction direction) {
    return detail::group_routes(whose.data(), grouping, group, direction);
  };
  const GroupRoutes forward = routes(plan, own, Direction::forward), backward = routes(plan, own, Direction::backward);

  Prediction found = price_together(forward.inside, site);
  found.memory_bytes += array_bytes(plan) + moving_bytes(forward, backward);
  if (turns > 1) {
    const int other = own > 0 ? 0 : 1;
    found.memory_bytes +=
        (turns - 1) * moving_bytes(routes(plan, other, Direction::forward), routes(plan, other, Direction::backward));
  }

  const int ranks = forward.inside.ranks();
  const Site turn{site.machine, ranks, std::min(site.ranks_on_node, ranks), site.precision};
  const auto footprint = static_cast<double>(array_bytes(plan) + array_bytes(forward.inside));
  const Pace pace = pace_of(turn, plan.options(), plan.problem().kind, footprint);
  // A group's first rank has some of its points from the beginning, its last one has not.
  const Plan far(plan.problem(), plan.options(), plan.ranks(),
                 static_cast<int>(grouping.ranks[static_cast<std::size_t>(own)].hi - 1));
  const GroupRoutes there = routes(far, own, Direction::forward), again = routes(far, own, Direction::backward);
  add_first(found.forward, moving("to groups", turn, there.to, pace, turns));
  add_last(found.forward, moving("from groups", turn, there.back, pace, turns));
  add_first(found.backward, moving("to groups", turn, again.to, pace, turns));
  add_last(found.backward, moving("from groups", turn, again.back, pace, turns));
  return found;
}

}  // namespace weft::model
