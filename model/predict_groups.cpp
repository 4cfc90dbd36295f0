// Plans with groups of ranks: fields are moved to their group's ranks, transformed there, and moved back. Those of all
// groups are on their way at once: a rank sends about as much as it receives, which is what is moved for its own group;
// for the others it has only the processor's part, while its link is at work.
#include <algorithm>
#include <optional>
#include <utility>

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

/// Bytes between a group's rank and other nodes, as the mean over those of the group that share this rank's node: some
/// points are on the group's nodes from the beginning, and not every rank has as many of them.
double mean_crossing(const detail::ExchangePlan& exchange, const Layout& group, const Layout& all, Index items) {
  const auto node = [&](int rank) {
    const auto at = std::lower_bound(exchange.peers.begin(), exchange.peers.end(), rank);
    return exchange.nodes[static_cast<std::size_t>(at - exchange.peers.begin())];
  };
  const int here = exchange.nodes[static_cast<std::size_t>(exchange.me)];
  Index points = 0, ranks = 0;
  for (std::size_t i = 0; i < exchange.peers.size(); ++i) {
    const Box box = group.box(exchange.peers[i]);
    if (exchange.nodes[i] != here || box.empty()) continue;
    ++ranks;
    for (const auto& part : all.overlaps(box)) points += node(part.rank) == here ? 0 : part.box.count();
  }
  return ranks == 0 ? 0 : static_cast<double>(points * items * exchange.element_bytes) / static_cast<double>(ranks);
}

/// What a rank of the group moves, if all ranks of its node have as much to do with other nodes.
std::vector<LinkTraffic> moved(const detail::Route& route, bool to_group) {
  std::vector<LinkTraffic> links = links_of(route, true);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const detail::ExchangePlan& exchange = route.links[i].exchange;
    Index crossing = 0;
    for (const TileTraffic& tile : links[i].tiles) crossing += tile.network_bytes;
    if (crossing == 0) continue;
    const double mean =
        mean_crossing(exchange, to_group ? exchange.to : exchange.from, to_group ? exchange.from : exchange.to,
                      route.passes.front().units.back().items.hi);
    for (TileTraffic& tile : links[i].tiles) {
      const auto network =
          static_cast<Index>(static_cast<double>(tile.network_bytes) * mean / static_cast<double>(crossing));
      Index& inside = links[i].traits.shared_memory ? tile.shared_bytes : tile.node_bytes;
      inside = std::max<Index>(0, inside + tile.network_bytes - network);
      if (tile.node_bytes > 0) tile.node_messages = std::max<Index>(1, tile.node_messages);
      tile.network_bytes = network;
    }
  }
  return links;
}

bool of_processor(Term term) {
  return term == Term::computation || term == Term::memory || term == Term::node || term == Term::overhead;
}

}  // namespace

Stage moving(const char* name, const Site& site, const detail::Route& own, const detail::Route* other, int others,
             bool to_group, const Pace& pace) {
  const Walk mine = walk(site, own, moved(own, to_group), pace);
  Stage stage{name, mine.terms, mine.hidden};
  if (other == nullptr) return stage;
  const Walk theirs = walk(site, *other, links_of(*other, true), pace);
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

namespace {

/// Of one group whose exchanges have these buffers, and of so many others: what is walked at once lies side by side.
Index all_moving_bytes(const Options& options, const GroupRoutes& forward, const GroupRoutes& backward,
                       const std::optional<GroupRoutes>& others_forward,
                       const std::optional<GroupRoutes>& others_backward, int others) {
  std::vector<std::vector<Index>> runs;
  for (const auto& [mine, theirs] : {std::pair{&forward, &others_forward}, std::pair{&backward, &others_backward}}) {
    for (detail::Route GroupRoutes::*const way : {&GroupRoutes::to, &GroupRoutes::back}) {
      const Index other = *theirs ? ((**theirs).*way).workspace_bytes : 0;
      runs.emplace_back(static_cast<std::size_t>(1 + others), other).front() = (mine->*way).workspace_bytes;
    }
  }
  return detail::moving_bytes(runs, options);
}

}  // namespace

Prediction price_in_groups(const Plan& plan, const Site& site) {
  const detail::Grouping grouping = detail::make_grouping(plan.problem(), plan.options(), plan.ranks());
  // The first groups have as many fields as any.
  const int busy = static_cast<int>(std::min<Index>(grouping.size(), plan.problem().batch));
  const int own = std::min(grouping.group_of(plan.rank()), busy - 1);
  const auto routes = [&](const Plan& whose, int group, Direction direction) {
    return detail::group_routes(whose.data(), grouping, group, direction);
  };
  const GroupRoutes forward = routes(plan, own, Direction::forward), backward = routes(plan, own, Direction::backward);

  Prediction found = price_together(forward.inside, site);
  found.memory_bytes += array_bytes(plan);

  // A group's first rank has some of its points from the beginning, its last one has not.
  const Plan far(plan.problem(), plan.options(), plan.ranks(),
                 static_cast<int>(grouping.ranks[static_cast<std::size_t>(own)].hi - 1));
  const GroupRoutes there = routes(far, own, Direction::forward), again = routes(far, own, Direction::backward);
  std::optional<GroupRoutes> others_there, others_again;
  if (busy > 1) {
    const int other = own > 0 ? 0 : 1;
    others_there = routes(far, other, Direction::forward);
    others_again = routes(far, other, Direction::backward);
  }
  found.memory_bytes += all_moving_bytes(plan.options(), forward, backward, others_there, others_again, busy - 1);
  const auto footprint = static_cast<double>(array_bytes(plan) + array_bytes(forward.inside));
  const Pace pace = pace_of(site, detail::moving_options(plan.options()), plan.problem().kind, footprint);
  const auto add = [&](Walk& walk, const GroupRoutes& mine, const std::optional<GroupRoutes>& theirs) {
    add_first(walk, moving("to groups", site, mine.to, theirs ? &theirs->to : nullptr, busy - 1, true, pace));
    add_last(walk, moving("from groups", site, mine.back, theirs ? &theirs->back : nullptr, busy - 1, false, pace));
  };
  add(found.forward, there, others_there);
  add(found.backward, again, others_again);
  return found;
}

}  // namespace weft::model
