// Plans with groups of ranks: fields are moved to their group's ranks, transformed there, and moved back. Those of all
// groups are on their way at once: a rank sends about as much as it receives, which is what is moved for its own group;
// for the others it has only the processor's part, while its link is at work.
#include <algorithm>
#include <optional>

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

bool of_processor(Term term) {
  return term == Term::computation || term == Term::memory || term == Term::node || term == Term::overhead;
}

/// Moving what is the own group's, and what is that of so many others, which are alike.
Stage moving(const char* name, const Site& site, const detail::Route& own, const detail::Route* other, int others,
             const Pace& pace) {
  const auto walked = [&](const detail::Route& route) {
    return walk(site, route, links_of(route, true), works_of(route), pace);
  };
  const Walk mine = walked(own);
  Stage stage{name, mine.terms, mine.hidden};
  if (other == nullptr) return stage;
  const Walk theirs = walked(*other);
  double beside = 0, waiting = 0;
  for (std::size_t i = 0; i < terms; ++i) {
    const Term term{static_cast<int>(i)};
    if (!of_processor(term)) {
      waiting += stage.terms[term];
      continue;
    }
    stage.terms[term] += others * theirs.terms[term];
    beside += others * theirs.terms[term];
  }
  const double hidden = std::min(beside, waiting);
  for (std::size_t i = 0; i < terms; ++i) {
    const Term term{static_cast<int>(i)};
    if (!of_processor(term) && waiting > 0) stage.terms[term] *= 1 - hidden / waiting;
  }
  stage.hidden += hidden;
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
  const int busy = static_cast<int>(std::min<Index>(grouping.size(), plan.problem().howmany));
  const int own = std::min(grouping.group_of(plan.rank()), busy - 1);
  const auto routes = [&](const Plan& whose, int group, Direction direction) {
    return detail::group_routes(whose.data(), grouping, group, direction);
  };
  const GroupRoutes forward = routes(plan, own, Direction::forward), backward = routes(plan, own, Direction::backward);

  Prediction found = price_together(forward.inside, site);
  found.memory_bytes += array_bytes(plan) + moving_bytes(forward, backward);

  // A group's first rank has some of its points from the beginning, its last one has not.
  const Plan far(plan.problem(), plan.options(), plan.ranks(),
                 static_cast<int>(grouping.ranks[static_cast<std::size_t>(own)].hi - 1));
  const GroupRoutes there = routes(far, own, Direction::forward), again = routes(far, own, Direction::backward);
  std::optional<GroupRoutes> others_there, others_again;
  if (busy > 1) {
    const int other = own > 0 ? 0 : 1;
    others_there = routes(far, other, Direction::forward);
    others_again = routes(far, other, Direction::backward);
    found.memory_bytes += (busy - 1) * moving_bytes(*others_there, *others_again);
  }
  const auto footprint = static_cast<double>(array_bytes(plan) + array_bytes(forward.inside));
  const Pace pace = pace_of(site, detail::moving_options(plan.options()), plan.problem().kind, footprint);
  const auto moved = [&](const char* name, const GroupRoutes& mine, const std::optional<GroupRoutes>& others,
                         detail::Route GroupRoutes::*way) {
    return moving(name, site, mine.*way, others ? &((*others).*way) : nullptr, busy - 1, pace);
  };
  add_first(found.forward, moved("to groups", there, others_there, &GroupRoutes::to));
  add_last(found.forward, moved("from groups", there, others_there, &GroupRoutes::back));
  add_first(found.backward, moved("to groups", again, others_again, &GroupRoutes::to));
  add_last(found.backward, moved("from groups", again, others_again, &GroupRoutes::back));
  return found;
}

}  // namespace weft::model
