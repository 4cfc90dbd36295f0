#include "plan/groups.hpp"

#include <algorithm>
#include <climits>

#include "exchange/exchange.hpp"
#include "plan/flow.hpp"
#include "plan/options.hpp"
#include "plan/workspace.hpp"

namespace weft::detail {

int Grouping::group_of(int rank) const {
  int group = 0;
  while (ranks[static_cast<std::size_t>(group)].hi <= rank) ++group;
  return group;
}

Grouping make_grouping(const Problem& problem, const Options& options, int ranks) {
  Grouping grouping;
  for (int group = 0; group < options.groups; ++group) {
    grouping.ranks.push_back(split(ranks, options.groups, group));
    grouping.items.push_back(split(problem.batch, options.groups, group));
  }
  return grouping;
}

Problem group_problem(Problem problem, const Grouping& grouping, int group) {
  const Range& items = grouping.items[static_cast<std::size_t>(group)];
  problem.batch = items.hi - items.lo;
  return problem;
}

Options group_options(Options options, const Grouping& grouping, int group) {
  const Range& ranks = grouping.ranks[static_cast<std::size_t>(group)];
  // What speaks of all ranks: the caller's layouts and grid, and who shares a node.
  options.groups = 1;
  options.grid = {0, 0};
  options.input.reset();
  options.output.reset();
  if (!options.nodes.empty() || options.node_size > 0) {
    const std::vector<int> nodes = nodes_of(options, static_cast<int>(ranks.hi));
    options.nodes = {nodes.begin() + ranks.lo, nodes.end()};
  }
  options.check = false;  // arguments have been agreed upon
  return options;
}

Options moving_options(const Options& options) {
  Options moving = applicable(options, Operation::redistribution);
  moving.check = false;
  if (find_strategy(moving.strategy).traits.waits(moving.window)) {
    moving.strategy = "pairwise";
    moving.tile = moving.window = 0;  // those of the other strategy say nothing about this one
  }
  return moving;
}

Options band_moving_options(const Options& options) {
  Options moving = moving_options(options);
  if (find_strategy(moving.strategy).traits.arrays) moving.strategy = "pairwise";
  moving.tile = 1;
  moving.window = 0;
  return moving;
}

Layout spread_layout(const Layout& layout, const Range& ranks, int all) {
  std::vector<Box> boxes(static_cast<std::size_t>(all));
  for (Index rank = ranks.lo; rank < ranks.hi; ++rank) {
    boxes[static_cast<std::size_t>(rank)] = layout.box(static_cast<int>(rank - ranks.lo));
  }
  return Layout::bricks(layout.shape(), std::move(boxes));
}

Plan group_plan(const PlanData& data, const Grouping& grouping, int group) {
  const Range& ranks = grouping.ranks[static_cast<std::size_t>(group)];
  const Index rank = grouping.group_of(data.rank) == group ? data.rank - ranks.lo : 0;
  return {group_problem(data.problem, grouping, group), group_options(data.options, grouping, group),
          static_cast<int>(ranks.hi - ranks.lo), static_cast<int>(rank)};
}

OwnGroup own_group(const PlanData& data) {
  const Grouping grouping = make_grouping(data.problem, data.options, data.ranks);
  const int group = grouping.group_of(data.rank);
  const auto i = static_cast<std::size_t>(group);
  OwnGroup own{group, grouping.size(), grouping.ranks[i], grouping.items[i], {}};
  if (own.items.lo < own.items.hi) own.plan = group_plan(data, grouping, group);
  return own;
}

GroupRoutes group_routes(const PlanData& data, const Grouping& grouping, int group, Direction direction) {
  return group_routes(data, grouping, group, direction, group_plan(data, grouping, group));
}

GroupRoutes group_routes(const PlanData& data, const Grouping& grouping, int group, Direction direction,
                         const Plan& plan) {
  const bool forward = direction == Direction::forward;
  const Route& route = forward ? data.forward : data.backward;
  const Range& ranks = grouping.ranks[static_cast<std::size_t>(group)];
  const Range& items = grouping.items[static_cast<std::size_t>(group)];
  const Options moving = moving_options(data.options);
  const auto between = [&](const Layout& from, const Layout& to, int bytes, Index numbers) {
    return make_redistribution(from, to, bytes, items.hi - items.lo, moving, data.rank, true, numbers);
  };
  const Layout in = spread_layout(forward ? plan.input() : plan.output(), ranks, data.ranks);
  const Layout out = spread_layout(forward ? plan.output() : plan.input(), ranks, data.ranks);
  return {
      between(forward ? data.input : data.output, in, route.input.element_bytes, route.passes.front().in_numbers), plan,
      between(out, forward ? data.output : data.input, route.output.element_bytes, route.passes.back().out_numbers)};
}

GroupMoves group_moves(const PlanData& data) {
  const Grouping grouping = make_grouping(data.problem, data.options, data.ranks);
  GroupMoves moves;
  for (int group = 0; group < grouping.size(); ++group) {
    const Range& items = grouping.items[static_cast<std::size_t>(group)];
    if (items.lo == items.hi) continue;
    moves.items.push_back(items);
    const Plan plan = group_plan(data, grouping, group);
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      GroupRoutes routes = group_routes(data, grouping, group, direction, plan);
      const std::size_t first = direction == Direction::forward ? 0 : 2;
      moves.runs[first].push_back(std::make_shared<const Route>(std::move(routes.to)));
      moves.runs[first + 1].push_back(std::make_shared<const Route>(std::move(routes.back)));
    }
  }
  return moves;
}

Range bands_of_group(Index bands, Index together, int groups, int group) {
  const Range some = split((bands + together - 1) / together, groups, group);
  return {std::min(bands, together * some.lo), std::min(bands, together * some.hi)};
}

BandMoves band_moves(std::span<const Index> waves, int number_bytes, Index bands, Index together, Options moving,
                     int me) {
  BandMoves moves;
  Index all_waves = 0;
  std::vector<Box> parts;
  for (const Index mine : waves) {
    parts.push_back({{0, 0, all_waves}, {1, 1, all_waves + mine}});
    all_waves += mine;
  }
  if (all_waves == 0) return moves;
  const Shape shape{1, 1, all_waves};
  const int groups = static_cast<int>(waves.size());
  moving.fields = static_cast<int>(std::min<Index>(bands, INT_MAX));
  const Layout all = Layout::bricks(shape, parts), whole = Layout::slab(shape, 1, 0);
  for (int group = 0; group < groups; ++group) {
    const Range here = bands_of_group(bands, together, groups, group);
    if (here.lo == here.hi) continue;
    const Layout there = spread_layout(whole, {group, group + 1}, groups);
    const auto route = [&](const Layout& from, const Layout& to) {
      return std::make_shared<const Route>(
          make_redistribution(from, to, number_bytes, here.hi - here.lo, moving, me, true));
    };
    moves.to.push_back(route(all, there));
    moves.from.push_back(route(there, all));
  }
  return moves;
}

Index moving_bytes(std::span<const std::vector<Index>> runs, const Options& options) {
  return place_workspaces(runs, find_strategy(moving_options(options).strategy).traits.shared_memory).bytes;
}

double grouped_wire_error(const PlanData& data, Direction direction) {
  const Grouping grouping = make_grouping(data.problem, data.options, data.ranks);
  double error = 0;
  for (int group = 0; group < grouping.size(); ++group) {
    const Range& items = grouping.items[static_cast<std::size_t>(group)];
    if (items.lo < items.hi) error = std::max(error, group_plan(data, grouping, group).wire_error(direction));
  }
  return error;
}

Index grouped_workspace(const PlanData& data) {
  std::vector<std::vector<Index>> runs;
  for (const auto& run : group_moves(data).runs) {
    runs.emplace_back();
    for (const auto& route : run) runs.back().push_back(route->workspace_bytes);
  }
  const Index bytes = moving_bytes(runs, data.options);
  const OwnGroup own = own_group(data);
  if (!own.plan) return bytes;
  const Route& inside = own.plan->data().forward;
  const Index fields = own.items.hi - own.items.lo;
  return bytes + inside.input.bytes(fields) + inside.output.bytes(fields) + own.plan->workspace_bytes();
}

Plan::Traffic grouped_traffic(const PlanData& data, Direction direction) {
  const Grouping grouping = make_grouping(data.problem, data.options, data.ranks);
  const int mine = grouping.group_of(data.rank);
  const Options moving = moving_options(data.options);
  Plan::Traffic total;
  const auto add = [&](const Plan::Traffic& traffic, bool my_own) {
    using T = Plan::Traffic;
    if (my_own) {
      for (const auto part : {&T::messages, &T::data_messages, &T::bytes}) total.*part += traffic.*part;
    }
    for (const auto part : {&T::all_messages, &T::all_data_messages, &T::all_bytes, &T::network_messages,
                            &T::network_data_messages, &T::network_bytes}) {
      total.*part += traffic.*part;
    }
  };
  for (int group = 0; group < grouping.size(); ++group) {
    const Range& items = grouping.items[static_cast<std::size_t>(group)];
    if (items.lo == items.hi) continue;
    const GroupRoutes routes = group_routes(data, grouping, group, direction);
    add(routes.inside.traffic(direction), group == mine);
    add(route_traffic(routes.to, moving), true);
    add(route_traffic(routes.back, moving), true);
  }
  return total;
}

std::vector<Plan::Flow> grouped_flows(const PlanData& data, Direction direction) {
  const Grouping grouping = make_grouping(data.problem, data.options, data.ranks);
  std::vector<Plan::Flow> flows;
  const auto add = [&](const std::vector<Plan::Flow>& more, int exchange, Index rank) {
    for (const Plan::Flow& flow : more) {
      const int first = static_cast<int>(rank);
      flows.push_back({exchange + flow.exchange, first + flow.from, first + flow.to, flow.bytes});
    }
  };
  // The way back has the number behind the last of any group.
  int last = 0;
  std::vector<std::vector<Plan::Flow>> back;
  for (int group = 0; group < grouping.size(); ++group) {
    const Range& items = grouping.items[static_cast<std::size_t>(group)];
    if (items.lo == items.hi) continue;
    const GroupRoutes routes = group_routes(data, grouping, group, direction);
    const std::vector<Plan::Flow> inside = routes.inside.flows(direction);
    add(route_flows(routes.to), 0, 0);
    add(inside, 1, grouping.ranks[static_cast<std::size_t>(group)].lo);
    for (const Plan::Flow& flow : inside) last = std::max(last, 1 + flow.exchange);
    back.push_back(route_flows(routes.back));
  }
  for (const std::vector<Plan::Flow>& more : back) add(more, last + 1, 0);
  std::stable_sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.exchange < b.exchange; });
  return flows;
}

}  // namespace weft::detail
