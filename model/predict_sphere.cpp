// Transforms of spheres, also in groups of ranks: those at the same place in their groups put their waves together.
#include <algorithm>

#include "base/text.hpp"
#include "predict.hpp"
#include "sphere/sphere.hpp"

namespace weft::model {

namespace {

Index number_bytes(const SpherePlan& plan) { return plan.problem().precision == Precision::double_ ? 16 : 8; }

Index wave_bytes(const SpherePlan& plan) { return plan.waves() * plan.problem().howmany * number_bytes(plan); }

Index space_bytes(const SpherePlan& plan) {
  return plan.space_size() * plan.problem().howmany * number_bytes(plan) / (plan.problem().gamma ? 2 : 1);
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
    const Range bands = split(problem.howmany, groups, 0);
    problem.howmany = bands.hi - bands.lo;
  }
  const int first = sphere.rank() / ranks * ranks;
  return SpherePlan(
      detail::make_sphere(problem, inside(backward, first, ranks), inside(forward, first, ranks), std::move(parts)));
}

/// All groups' bands of this rank's waves to them, or back: messages of rows of waves, all at once.
Stage moving(const char* name, const Site& site, const SpherePlan& sphere, const SpherePlan& group) {
  const int ranks = group.ranks(), me = sphere.rank();
  LinkTraffic link;
  link.traits = detail::find_strategy("zerocopy").traits;
  TileTraffic tile;
  link.node_peers = 0;
  const Index bytes = sphere.waves() * group.problem().howmany * number_bytes(sphere);
  for (int peer = me % ranks; peer < sphere.ranks(); peer += ranks) {
    const bool near = peer / site.ranks_on_node == me / site.ranks_on_node;
    link.node_peers += near ? 1 : 0;
    if (peer == me) continue;
    ++link.peers;
    ++(near ? tile.node_messages : tile.network_messages);
    (near ? tile.node_bytes : tile.network_bytes) += bytes;
  }
  return {name, tile_cost(site, link, tile).alone(), 0};
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
    add_first(found.backward, moving("to groups", on(backward), sphere, plan));
    add_last(found.forward, moving("from groups", on(forward), sphere, plan));
  }
  return found;
}

Prediction predict(const SphereProblem& problem, const std::vector<std::vector<GVector>>& waves,
                   const Options& backward, const Options& forward, const Machine& machine, int ranks_on_node) {
  return predict(SpherePlan(problem, waves, {}, {}), backward, forward, machine, ranks_on_node);
}

}  // namespace weft::model
