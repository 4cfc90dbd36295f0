// One rank's route: what each pass computes, how each exchange is cut into tiles, and who gets which block.
#include "plan/route.hpp"

#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "exchange/exchange.hpp"
#include "plan/schedule.hpp"

namespace weft::detail {

namespace {

constexpr std::array<int, 3> all_axes{0, 1, 2};

/// Part k of the box's range along `axis`.
Box cut(Box box, int axis, Index parts, Index k) {
  const Range range = split(std::max<Index>(box.extent(axis), 0), parts, k);
  const Index lo = box.lo[axis];
  box.lo[axis] = lo + range.lo;
  box.hi[axis] = lo + range.hi;
  return box;
}

bool transforms_along(const Stage& stage, int axis) {
  return std::any_of(stage.transforms.begin(), stage.transforms.end(),
                     [&](const LineTransform& t) { return t.axis == axis; });
}

/// Every rank holds the same range of this axis before and after, so that all it exchanges with do, too.
bool keeps_axis(const Layout& from, const Layout& to, int axis) {
  const auto a = from.parts(), b = to.parts();
  if (!a || !b) return false;
  const auto i = static_cast<std::size_t>(axis);
  if ((*a)[i] != (*b)[i]) return false;
  // A rank's place along the axis is (rank / stride) mod parts.
  const auto stride = [&](const std::array<int, 3>& parts) {
    Index product = 1;
    for (std::size_t later = i + 1; later < 3; ++later) product *= parts[later];
    return product;
  };
  return (*a)[i] == 1 || stride(*a) == stride(*b);
}

/// How the exchanges of a route are cut.
struct Cutting {
  Index group = 1;   ///< fields a tile carries
  Index groups = 1;
  int tiles = 1;     ///< a group
};

Cutting choose_cutting(const std::vector<Stage>& stages, const Options& options, Index howmany) {
  const bool overlaps = find_strategy(options.strategy).traits.overlaps;
  Cutting cutting;
  // Small fields share a tile, so that each message is worth its latency.
  constexpr Index worthwhile_bytes = Index{256} << 10;
  const Layout& layout = stages.front().out;
  const Shape shape = layout.shape();
  const Index field_bytes = std::max<Index>(
      1, static_cast<Index>(static_cast<double>(shape[0]) * static_cast<double>(shape[1]) *
                            static_cast<double>(shape[2]) * stages.front().out_bytes / layout.ranks()));
  cutting.group = options.fields > 0 ? options.fields : std::max<Index>(1, worthwhile_bytes / field_bytes);
  cutting.group = std::min(cutting.group, howmany);
  cutting.groups = (howmany + cutting.group - 1) / cutting.group;
  cutting.tiles = options.tile > 0 ? options.tile : (overlaps && cutting.groups < 4 ? 4 : 1);
  return cutting;
}

/// Tile axis, early or late, window: the same on all ranks.
void choose_tiling(ExchangePlan& exchange, const Stage& before, const Stage& after, bool last, bool must_wait,
                   const Options& options, const Cutting& cutting) {
  exchange.tiles_per_group = cutting.tiles;
  exchange.early = false;
  exchange.tile_axis = -1;
  if (options.consume != Consume::late && !must_wait) {
    for (int axis : all_axes) {
      // A copy at the end can take any piece; a transform needs whole lines, so the tile axis must be a third one.
      const bool whole = last && after.transforms.empty();
      if (transforms_along(before, axis) || transforms_along(after, axis)) continue;
      if (!whole && !keeps_axis(before.out, after.in, axis)) continue;
      if (before.out.shape()[static_cast<std::size_t>(axis)] == 1) continue;
      exchange.tile_axis = axis;
      exchange.early = true;
      break;
    }
  }
  for (int axis : all_axes) {
    if (exchange.tile_axis < 0 && !transforms_along(before, axis)) exchange.tile_axis = axis;
  }
  const bool overlaps = find_strategy(options.strategy).traits.overlaps;
  const int automatic = !overlaps ? 1 : exchange.early ? 2 : exchange.tiles_per_group;
  exchange.window = options.window > 0 ? options.window : automatic;
}

/// The ranks that `rank` exchanges data with, directly or through others: they share a communicator.
std::vector<int> component(const Layout& from, const Layout& to, int rank) {
  std::set<int> seen{rank};
  std::vector<int> open{rank};
  // All found is often seen at the first rank: without this, P ranks in one process would cost P^3 steps.
  while (!open.empty() && static_cast<int>(seen.size()) < from.ranks()) {
    const int r = open.back();
    open.pop_back();
    const auto visit = [&](const Layout& other, const Box& box) {
      for (const auto& overlap : other.overlaps(box)) {
        if (seen.insert(overlap.rank).second) open.push_back(overlap.rank);
      }
    };
    visit(to, from.box(r));
    visit(from, to.box(r));
  }
  return {seen.begin(), seen.end()};
}

Items group_items(const Cutting& cutting, Index group, Index howmany) {
  return {group * cutting.group, std::min(howmany, (group + 1) * cutting.group)};
}

/// Node of a rank, as far as the plan knows.
int node_of(const Options& options, int rank) {
  if (!options.nodes.empty()) return options.nodes[static_cast<std::size_t>(rank)];
  return options.node_size > 0 ? rank / options.node_size : 0;
}

/// Points of the largest block that any rank sends to any other in tile k of a field.
Index largest_block(const ExchangePlan& exchange, int k) {
  const auto from = exchange.from.parts(), to = exchange.to.parts();
  Index largest = 1;
  if (from && to) {
    // Every part meets every other along each axis by itself, so the largest overlaps come together in some block.
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index n = exchange.from.shape()[axis];
      Index longest = 0;
      for (int i = 0; i < (*from)[axis]; ++i) {
        Range a = split(n, (*from)[axis], i);
        if (static_cast<int>(axis) == exchange.tile_axis) {
          const Range part = split(a.hi - a.lo, exchange.tiles_per_group, k);
          a = {a.lo + part.lo, a.lo + part.hi};
        }
        for (int j = 0; j < (*to)[axis]; ++j) {
          const Range b = split(n, (*to)[axis], j);
          longest = std::max(longest, std::min(a.hi, b.hi) - std::max(a.lo, b.lo));
        }
      }
      largest *= longest;
    }
    return largest;
  }
  largest = 0;
  for (int rank = 0; rank < exchange.from.ranks(); ++rank) {
    const Box box = cut(exchange.from.box(rank), exchange.tile_axis, exchange.tiles_per_group, k);
    for (const auto& overlap : exchange.to.overlaps(box)) {
      if (overlap.rank != rank) largest = std::max(largest, overlap.box.count());
    }
  }
  return largest;
}

/// Gives every peer a slot of the same size in a tile's buffers.
void pad(Tile& tile, Index largest) {
  tile.padded = multiply(largest, tile.items.count(), "the size of a padded block");
  for (auto* blocks : {&tile.send, &tile.recv}) {
    for (Block& block : *blocks) block.offset = block.peer * tile.padded;
  }
  tile.send_count = tile.recv_count = multiply(tile.peers, tile.padded, "the size of a padded tile");
}

void make_tiles(ExchangePlan& exchange, const Options& options, const Cutting& cutting, Index howmany, int rank) {
  exchange.peers = component(exchange.from, exchange.to, rank);
  const auto index_of = [&](int r) {
    return static_cast<int>(std::lower_bound(exchange.peers.begin(), exchange.peers.end(), r) - exchange.peers.begin());
  };
  exchange.me = index_of(rank);
  const Box mine = exchange.from.box(rank), wanted = exchange.to.box(rank);
  const auto sources = exchange.from.overlaps(wanted);
  const bool padded = find_strategy(exchange.strategy).traits.padded;
  const int node = node_of(options, rank);
  const auto shares = [&](int peer) {
    return exchange.shared_memory && peer != rank && node_of(options, peer) == node;
  };
  const auto add = [&](std::vector<Block>& blocks, Index& count, int peer, const Box& box, const Items& items) {
    if (box.empty()) return;
    const Index size = multiply(box.count(), items.count(), "the size of a block");
    blocks.push_back({index_of(peer), box, count, size, shares(peer)});
    count += size;
  };
  for (Index group = 0; group < cutting.groups; ++group) {
    for (int k = 0; k < exchange.tiles_per_group; ++k) {
      Tile tile;
      tile.items = group_items(cutting, group, howmany);
      for (const auto& [peer, box] : exchange.to.overlaps(cut(mine, exchange.tile_axis, exchange.tiles_per_group, k))) {
        if (peer == rank) {
          add(tile.kept, tile.kept_count, peer, box, tile.items);
        } else {
          add(tile.send, tile.send_count, peer, box, tile.items);
        }
      }
      for (const auto& [peer, box] : sources) {
        if (peer == rank) continue;
        const Box part = cut(exchange.from.box(peer), exchange.tile_axis, exchange.tiles_per_group, k);
        Index no_room = 0;  // a shared block lies where it was written
        add(tile.recv, shares(peer) ? no_room : tile.recv_count, peer, intersect(part, wanted), tile.items);
      }
      tile.peers = static_cast<Index>(exchange.peers.size());
      if (padded && tile.peers > 1) pad(tile, largest_block(exchange, k));
      exchange.tiles.push_back(std::move(tile));
    }
  }
}

/// Units of a pass: cut by the tiles that come in and by the tiles that go out.
void make_units(Pass& pass, const ExchangePlan* before, const ExchangePlan* after, bool last, const Cutting& cutting,
                Index howmany) {
  const bool in_cut = before != nullptr && before->early;
  const Index in_parts = in_cut ? before->tiles_per_group : 1;
  const Index out_parts = after != nullptr ? after->tiles_per_group : 1;
  // Tiles that come and go along the same axis are the same cut: each goes on as soon as it has come.
  const bool same = in_cut && after != nullptr && before->tile_axis == after->tile_axis && in_parts == out_parts;
  // A copy at the end takes the blocks of each tile, whatever their shape.
  const bool by_blocks = in_cut && last && pass.transforms.empty();
  for (Index group = 0; group < cutting.groups; ++group) {
    for (Index i = 0; i < in_parts; ++i) {
      for (Index o = 0; o < (same ? 1 : out_parts); ++o) {
        Unit unit;
        unit.items = group_items(cutting, group, howmany);
        unit.in = pass.in;
        unit.out = pass.out;
        const auto narrow_to = [&](int axis, Index parts, Index k) {
          unit.in = cut(unit.in, axis, parts, k);
          unit.out = cut(unit.out, axis, parts, k);
        };
        if (in_cut && !by_blocks) narrow_to(before->tile_axis, in_parts, i);
        if (after != nullptr && !same) narrow_to(after->tile_axis, out_parts, o);
        if (before != nullptr) {
          const Index first = group * before->tiles_per_group;
          unit.first_in = in_cut ? first + i : first;
          unit.last_in = in_cut ? first + i + 1 : first + before->tiles_per_group;
        }
        if (after != nullptr) unit.out_tile = group * after->tiles_per_group + (same ? i : o);
        pass.units.push_back(unit);
      }
    }
  }
}

/// An intermediate array in the user's output where it fits, in the workspace otherwise.
Array place_array(const std::vector<Stage>& stages, std::size_t link, const RouteEnds& ends, int rank) {
  const Box box = stages[link].out.box(rank);
  Array array;
  array.box = box;
  array.element_bytes = stages[link].out_bytes;
  array.row = box.extent(2);
  array.item = box.count();
  bool to_the_end = true;  // everything after stays where it is
  for (std::size_t i = link + 1; i < stages.size(); ++i) {
    to_the_end = to_the_end && stages[i].in == stages[link].out && stages[i].out == stages[link].out &&
                 stages[i].out_bytes == array.element_bytes;
  }
  // In place, the output may hold it while nothing else is written there: before the first exchange, which waits for all
  // of the field to be read, and after the last one.
  const auto exchanges = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (stages[i].out != stages[i + 1].in) return true;
    }
    return false;
  };
  const bool alone = !exchanges(0, link) || !exchanges(link + 1, stages.size() - 1);
  const Index room = ends.output.item * ends.output.element_bytes;
  const Index row_bytes = ends.output.row * ends.output.element_bytes;
  const bool same_rows = row_bytes == array.row * array.element_bytes;
  if (to_the_end || (ends.in_place && alone && array.item * array.element_bytes <= room && same_rows)) {
    array.where = Array::Where::output;
    array.item = room / array.element_bytes;
  } else {
    array.where = Array::Where::work;
  }
  return array;
}

}  // namespace

Strides array_strides(const Array& array) {
  return {{array.row * std::max<Index>(array.box.extent(1), 0), array.row, 1}, array.item};
}

Route make_route(const std::vector<Stage>& stages, const RouteEnds& ends, const Options& options, Index howmany,
                 int rank) {
  Route route;
  route.input = ends.input;
  route.output = ends.output;
  const Cutting cutting = choose_cutting(stages, options, howmany);

  bool exchanged = false;
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    const Stage &before = stages[i], &after = stages[i + 1];
    Link link;
    link.is_exchange = before.out != after.in;
    if (link.is_exchange) {
      ExchangePlan& exchange = link.exchange;
      exchange.from = before.out;
      exchange.to = after.in;
      exchange.strategy = options.strategy;
      exchange.element_bytes = before.out_bytes;
      // Lines along axis 0 are gathered plane by plane: a plane of fixed axis 1 should be one run of memory.
      if (transforms_along(after, 0)) exchange.order = {1, 0, 2};
      // In place, nothing may be written before all of the field has been read: the first exchange waits for it.
      const bool must_wait = ends.in_place && !exchanged;
      choose_tiling(exchange, before, after, i + 2 == stages.size(), must_wait, options, cutting);
      exchange.shared_memory = find_strategy(options.strategy).traits.shared_memory;
      make_tiles(exchange, options, cutting, howmany, rank);
      exchanged = true;
    } else {
      link.array = place_array(stages, i, ends, rank);
    }
    route.links.push_back(std::move(link));
  }

  for (std::size_t i = 0; i < stages.size(); ++i) {
    Pass pass;
    pass.transforms = stages[i].transforms;
    pass.sign = ends.sign;
    pass.in = stages[i].in.box(rank);
    pass.out = stages[i].out.box(rank);
    pass.layout = stages[i].out;
    pass.in_bytes = stages[i].in_bytes;
    pass.out_bytes = stages[i].out_bytes;
    const auto exchange = [&](std::size_t link) {
      return link < route.links.size() && route.links[link].is_exchange ? &route.links[link].exchange : nullptr;
    };
    const bool last = i + 1 == stages.size();
    make_units(pass, i == 0 ? nullptr : exchange(i - 1), exchange(i), last, cutting, howmany);
    route.passes.push_back(std::move(pass));
  }
  // The factor costs nothing in a pass that transforms, since the data is in cache.
  for (std::size_t i = route.passes.size(); i-- > 0;) {
    if (!route.passes[i].transforms.empty()) {
      route.passes[i].scale = ends.scale;
      break;
    }
  }
  make_schedule(route);
  place_buffers(route, howmany);
  return route;
}

Route make_redistribution(const Layout& from, const Layout& to, int element_bytes, Index howmany,
                          const Options& options, int rank) {
  const auto array = [&](const Layout& layout, Array::Where where) {
    const Box box = layout.box(rank);
    return Array{where, box, element_bytes, box.extent(2), box.count(), 0};
  };
  RouteEnds ends;
  ends.input = array(from, Array::Where::input);
  ends.output = array(to, Array::Where::output);
  std::vector<Stage> stages{{{}, from, from, element_bytes, element_bytes}};
  if (from != to) stages.push_back({{}, to, to, element_bytes, element_bytes});
  return make_route(stages, ends, options, howmany, rank);
}

namespace {

/// Adds what `rank` sends in an exchange to the totals.
void count_sent(const ExchangePlan& exchange, const Options& options, int rank, Plan::Traffic& traffic) {
  const bool padded = find_strategy(exchange.strategy).traits.padded;
  const std::vector<int> peers = padded ? component(exchange.from, exchange.to, rank) : std::vector<int>{};
  const auto count = [&](int peer, Index elements) {
    const bool same_node = node_of(options, rank) == node_of(options, peer);
    if (peer == rank || (same_node && exchange.shared_memory)) return;
    traffic.all_messages += 1;
    traffic.all_bytes += elements * exchange.element_bytes;
    if (same_node) return;
    traffic.network_messages += 1;
    traffic.network_bytes += elements * exchange.element_bytes;
  };
  for (std::size_t t = 0; t < exchange.tiles.size(); ++t) {
    const int k = static_cast<int>(t) % exchange.tiles_per_group;
    const Index items = exchange.tiles[t].items.count();
    if (padded) {
      const Index largest = largest_block(exchange, k);
      for (int peer : peers) {
        if (largest > 0) count(peer, largest * items);
      }
      continue;
    }
    const Box box = cut(exchange.from.box(rank), exchange.tile_axis, exchange.tiles_per_group, k);
    for (const auto& overlap : exchange.to.overlaps(box)) count(overlap.rank, overlap.box.count() * items);
  }
}

}  // namespace

Plan::Traffic route_traffic(const Route& route, const Options& options, int ranks) {
  Plan::Traffic traffic;
  for (const Link& link : route.links) {
    if (!link.is_exchange) continue;
    const ExchangePlan& exchange = link.exchange;
    for (const Tile& tile : exchange.tiles) {
      traffic.messages += tile.messages_sent();
      traffic.bytes += tile.elements_sent() * exchange.element_bytes;
    }
    for (int rank = 0; rank < ranks; ++rank) count_sent(exchange, options, rank, traffic);
  }
  return traffic;
}

}  // namespace weft::detail
