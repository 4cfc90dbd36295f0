// Transforms of spheres, also in groups of ranks: those at the same place in their groups put their waves together.
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "plan/flow.hpp"
#include "plan/groups.hpp"
#include "plan/settle.hpp"
#include "predict.hpp"
#include "sphere/sphere.hpp"

namespace weft::model {

namespace {

Index number_bytes(const SpherePlan& plan) { return plan.problem().precision == Precision::double_ ? 16 : 8; }

Index wave_bytes(const SpherePlan& plan) { return plan.waves() * plan.problem().howmany * number_bytes(plan); }

Index space_bytes(const SpherePlan& plan) {
  return plan.space_box().count() * plan.problem().howmany * number_bytes(plan) / (plan.problem().gamma ? 2 : 1);
}

/// How many planes of space each rank has; empty if they are dealt evenly.
std::vector<Index> planes_of(const SpherePlan& plan) {
  std::vector<Index> planes;
  const Layout& space = plan.data().space;
  if (space.parts()) return planes;
  for (int rank = 0; rank < space.ranks(); ++rank) planes.push_back(space.box(rank).extent(0));
  return planes;
}

/// Options of a group's ranks, the first of which is `first`.
Options inside(Options options, int first, int ranks) {
  if (!options.nodes.empty()) options.nodes = {options.nodes.begin() + first, options.nodes.begin() + first + ranks};
  options.groups = 1;
  return options;
}

/// The same sphere with other options; with groups, what the rank's group does.
SpherePlan planned(const SpherePlan& sphere, const Options& backward, const Options& forward) {
  const detail::SphereData& data = sphere.data();
  const int groups = backward.groups, ranks = sphere.ranks() / groups;
  detail::SphereParts parts{data.sticks, data.waves, planes_of(sphere), sphere.rank()};
  SphereProblem problem = sphere.problem();
  if (groups > 1) {
    parts.rank = sphere.rank() % ranks;
    parts.planes.clear();
    parts.sticks.all.clear();
    parts.sticks.first = {0};
    // Numbers count, not which columns and waves they are: others' waves are taken for as many as this rank's.
    for (int rank = 0; rank < ranks; ++rank) {
      for (int other = rank; other < sphere.ranks(); other += ranks) {
        const auto begin = data.sticks.all.begin();
        const auto i = static_cast<std::size_t>(other);
        parts.sticks.all.insert(parts.sticks.all.end(), begin + data.sticks.first[i], begin + data.sticks.first[i + 1]);
      }
      parts.sticks.first.push_back(static_cast<Index>(parts.sticks.all.size()));
    }
    const auto i = static_cast<std::size_t>(parts.rank);
    const auto begin = parts.sticks.all.begin();
    parts.waves.columns.assign(begin + parts.sticks.first[i], begin + parts.sticks.first[i + 1]);
    parts.waves.places.resize(data.waves.places.size() * static_cast<std::size_t>(groups));
    if (parts.waves.other_results)
      parts.waves.other_results->resize(parts.waves.other_results->size() * static_cast<std::size_t>(groups));
    const Range bands = detail::bands_of_group(problem.howmany, detail::together(problem), groups, 0);
    problem.howmany = bands.hi - bands.lo;
  }
  const int first = sphere.rank() / ranks * ranks;
  return SpherePlan(
      detail::make_sphere(problem, inside(backward, first, ranks), inside(forward, first, ranks), std::move(parts)));
}

/// All groups' bands of this rank's waves to them, and back, as SphereGroups moves them: others' waves are taken for as
/// many as this rank's.
struct Moves {
  Stage to, from;
};
Moves moves_of(const Site& site, const SpherePlan& sphere, const Options& options, double footprint) {
  const int groups = options.groups, ranks = sphere.ranks() / groups;
  const std::vector<int> all = detail::nodes_of(options, sphere.ranks());
  Options moving = detail::band_moving_options(detail::settled(options, sphere.ranks()));
  moving.nodes.clear();
  for (int rank = sphere.rank() % ranks; rank < sphere.ranks(); rank += ranks) {
    moving.nodes.push_back(all[static_cast<std::size_t>(rank)]);
  }
  const std::vector<Index> waves(static_cast<std::size_t>(groups), std::max<Index>(1, sphere.waves()));
  const Index bands = sphere.problem().howmany, together = detail::together(sphere.problem());
  const int busy = static_cast<int>(std::min<Index>(groups, (bands + together - 1) / together)),
            me = sphere.rank() / ranks;
  const detail::BandMoves routes =
      detail::band_moves(waves, static_cast<int>(number_bytes(sphere)), bands, together, moving, me);
  const auto own = static_cast<std::size_t>(std::min(me, busy - 1)), other = std::size_t{own == 0};
  const Pace pace = pace_of(site, moving, Kind::c2c, footprint);
  const auto stage = [&](const char* name, const std::vector<std::shared_ptr<const detail::Route>>& all_groups,
                         bool to) {
    return model::moving(name, site, *all_groups[own], busy > 1 ? all_groups[other].get() : nullptr, busy - 1, to,
                         pace);
  };
  return {stage("to groups", routes.to, true), stage("from groups", routes.from, false)};
}

}  // namespace

Prediction predict(const SpherePlan& sphere, const Options& backward, const Options& forward, const Machine& machine,
                   int ranks_on_node) {
  detail::check_groups(backward, forward, sphere.ranks());
  const auto on = [&](const Options& options) {
    return site_of(machine, options, sphere.ranks(), ranks_on_node, sphere.problem().precision);
  };
  const int on_node = on(backward).ranks_on_node;
  const SpherePlan plan = planned(sphere, on_nodes(backward, on_node), on_nodes(forward, on_node));
  Prediction found;
  found.memory_bytes = wave_bytes(plan) + space_bytes(plan) + plan.workspace_bytes();
  const double of_band = static_cast<double>(found.memory_bytes) / static_cast<double>(plan.problem().howmany);
  const auto walked = [&](const detail::Route& route, Direction direction) {
    const Options& options = plan.options(direction);
    const Site site = on(options);
    Walk walk = model::walk(site, route, links_of(route), pace_of(site, options, Kind::c2c, of_band));
    walk.terms += call_seconds(site, options.check);
    return walk;
  };
  found.backward = walked(plan.data().backward, Direction::backward);
  found.forward = walked(plan.data().forward, Direction::forward);
  if (backward.groups > 1) {
    found.memory_bytes += wave_bytes(sphere);
    Moves moves = moves_of(on(backward), sphere, on_nodes(backward, on_node), of_band);
    add_first(found.backward, std::move(moves.to));
    add_last(found.forward, std::move(moves.from));
  }
  return found;
}

Prediction predict(const SphereProblem& problem, const std::vector<std::vector<GVector>>& waves,
                   const Options& backward, const Options& forward, const Machine& machine, int ranks_on_node) {
  return predict(SpherePlan(problem, waves, {}, {}), backward, forward, machine, ranks_on_node);
}

}  // namespace weft::model
