// A route as Python data: what a cost model walks.
#include "exchange/exchange.hpp"
#include "plan/stages.hpp"

#include <set>

#include "bindings.hpp"

namespace weft::python {

namespace {

using detail::Block;
using detail::ExchangePlan;
using detail::Tile;

/// What this rank sends in one tile, to ranks of its node and to others, and what others of its node read from it.
/// Where leaders send for all of a node: this rank's part of the bytes, and all messages of the node, since who leads
/// depends on the pair of nodes.
nb::dict tile_dict(const ExchangePlan& exchange, const Tile& tile) {
  const detail::StrategyTraits& traits = detail::find_strategy(exchange.strategy).traits;
  const auto node_of = [&](int peer) { return exchange.nodes[static_cast<std::size_t>(peer)]; };
  struct Sum {
    Index messages = 0, bytes = 0;
  } inside, outside;
  Index shared = 0;
  const auto add = [&](int peer, Index elements) {
    Sum& sum = node_of(peer) == node_of(exchange.me) ? inside : outside;
    ++sum.messages;
    sum.bytes += elements * exchange.element_bytes;
  };
  std::set<int> nodes;
  if (traits.node_runs) {
    for (const int node : exchange.nodes) nodes.insert(node);
  } else {
    for (const detail::Run& run : tile.send_runs) add(run.peer, run.count);
  }
  for (const Block& block : tile.send) {
    if (block.shared) shared += block.count * exchange.element_bytes;
    if (block.shared || traits.gathers || traits.padded) continue;
    add(block.peer, block.count);
  }
  if (traits.node_runs) outside.messages = static_cast<Index>(nodes.size()) - 1;
  if (traits.padded && tile.padded > 0) {
    for (int peer = 0; peer < static_cast<int>(exchange.peers.size()); ++peer) {
      if (peer != exchange.me) add(peer, tile.padded);
    }
  }
  nb::dict out;
  out["node_messages"] = inside.messages;
  out["node_bytes"] = inside.bytes;
  out["network_messages"] = outside.messages;
  out["network_bytes"] = outside.bytes;
  out["shared_bytes"] = shared;
  out["kept_bytes"] = tile.kept_count * exchange.element_bytes;
  return out;
}

/// `parts`: units that take a part of the box each although they name all of it, as a last copy does that takes the
/// blocks of each tile.
nb::dict pass_dict(const detail::Pass& pass, Index parts) {
  nb::list transforms, units;
  for (const detail::LineTransform& transform : pass.transforms) {
    const int axis = transform.axis;
    const bool real = transform.type != detail::LineType::c2c;
    const Index n = transform.type == detail::LineType::c2r ? pass.out.extent(axis) : pass.in.extent(axis);
    transforms.append(nb::make_tuple(axis, n, real));
  }
  for (const detail::Unit& unit : pass.units) {
    units.append(
        nb::make_tuple(unit.in.count() * unit.items.count() / parts, unit.out.count() * unit.items.count() / parts));
  }
  nb::dict out;
  out["transforms"] = transforms;
  out["sphere"] = pass.sphere.work != detail::SphereWork::none;
  out["in_bytes"] = pass.in_bytes;
  out["out_bytes"] = pass.out_bytes;
  out["units"] = units;
  return out;
}

nb::dict link_dict(const detail::Link& link) {
  nb::dict out;
  out["exchange"] = link.is_exchange;
  if (!link.is_exchange) return out;
  const ExchangePlan& exchange = link.exchange;
  Index in_node = 0;
  for (const int node : exchange.nodes) in_node += node == exchange.nodes[static_cast<std::size_t>(exchange.me)];
  nb::list tiles;
  for (const Tile& tile : exchange.tiles) tiles.append(tile_dict(exchange, tile));
  out["strategy"] = exchange.strategy;
  out["peers"] = exchange.peers.size();
  out["node_peers"] = in_node;
  out["window"] = exchange.window;
  out["early"] = exchange.early;
  out["leaders"] = exchange.leaders;
  out["tiles"] = tiles;
  return out;
}

}  // namespace

nb::dict route_dict(const detail::Route& route) {
  static const char* const names[] = {"acquire", "compute", "start", "finish", "release"};
  nb::list passes, links, schedule;
  for (std::size_t i = 0; i < route.passes.size(); ++i) {
    const detail::Pass& pass = route.passes[i];
    const bool last = i > 0 && i + 1 == route.passes.size() && pass.transforms.empty();
    const bool by_blocks = last && route.links[i - 1].is_exchange && route.links[i - 1].exchange.early;
    passes.append(pass_dict(pass, by_blocks ? route.links[i - 1].exchange.tiles_per_group : 1));
  }
  for (const detail::Link& link : route.links) links.append(link_dict(link));
  for (const detail::Action& action : route.schedule) {
    schedule.append(nb::make_tuple(names[static_cast<int>(action.what)], action.stage, action.index));
  }
  nb::dict out;
  out["passes"] = passes;
  out["links"] = links;
  out["schedule"] = schedule;
  out["workspace_bytes"] = route.workspace_bytes;
  return out;
}

}  // namespace weft::python
