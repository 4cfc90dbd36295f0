#include "plan/tiling.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "base/buffer.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "exchange/message_count.hpp"
#include "exchange/wire_format.hpp"
#include "plan/flow.hpp"

namespace weft::detail {

namespace {

/// The items that travel, or are computed, together: of `fields` in each application, one by one if they are apart.
std::vector<Items> cut_items(const Cutting& cutting, Index batch, Index fields, bool apart) {
  std::vector<Items> all;
  for (Index group = 0; group < cutting.groups; ++group) {
    const Items items{fields * group * cutting.group, fields * std::min(batch, (group + 1) * cutting.group)};
    const Index step = apart ? 1 : items.count();
    for (Index lo = items.lo; lo < items.hi; lo += step) all.push_back({lo, lo + step});
  }
  return all;
}

/// Whether a block that is read where it was written is not encoded, where others of the buffer are.
bool as_it_is_beside_others(const Block& block, const ExchangePlan& exchange) {
  return block.shared && exchange.wire != Wire::same && !block.encoded;
}

/// Elements that a block takes, as others travel.
Index room_of(const Block& block, Index items, const ExchangePlan& exchange) {
  Index count = block.count;
  if (block.aligned) {
    const Strides strides = aligned_strides(block.box, exchange.order, exchange.local_bytes);
    count = multiply(strides.item, items, "the size of a block");
  }
  if (!as_it_is_beside_others(block, exchange)) return count;
  return (multiply(count, exchange.local_bytes, "the size of a block") + exchange.element_bytes - 1) /
         exchange.element_bytes;
}

/// The first place for it from an offset on.
Index start_of(const Block& block, Index offset, const ExchangePlan& exchange) {
  const bool begins_line = block.aligned || as_it_is_beside_others(block, exchange);
  return begins_line ? round_up(offset, elements_of_lines(exchange.element_bytes)) : offset;
}

/// Gives every peer a slot of the same size in a tile's buffers.
void pad(Tile& tile, std::size_t peers, Index largest) {
  tile.padded = multiply(largest, tile.items.count(), "the size of a padded block");
  for (auto* blocks : {&tile.send, &tile.recv}) {
    for (Block& block : *blocks) block.offset = block.peer * tile.padded;
  }
  tile.send_count = tile.recv_count = multiply(static_cast<Index>(peers), tile.padded, "the size of a padded tile");
}

/// Gives the blocks for other nodes, and the runs of this rank, their places: runs come first in the buffers of their
/// leaders, in the order of the nodes. Adds what this rank holds to the tile's counts.
void make_runs(Tile& tile, const ExchangePlan& exchange, const NodeMap& map, const NodeRuns& runs) {
  const int node = map.node(exchange.me);
  const Index items = tile.items.count();
  const auto place = [&](const std::vector<NodeRun>& list, bool out, std::vector<Block>& blocks, std::vector<Run>& mine,
                         Index& count) {
    std::map<int, Index> filled;                  // by leader
    std::map<int, std::pair<int, Index>> places;  // of this rank's blocks, by peer: with whom, where
    for (const NodeRun& run : list) {
      const int other = out ? run.to : run.from;
      if (other == node) continue;
      const int leader = map.leader(node, other, exchange.leaders);
      Index& next = filled[leader];
      if (leader == exchange.me) {
        mine.push_back(
            {map.leader(other, node, exchange.leaders), next, multiply(run.points, items, "the size of a run")});
      }
      for (const NodeRun::Part& part : run.parts) {
        if ((out ? part.from : part.to) == exchange.me) places[out ? part.to : part.from] = {leader, next};
        next += part.points * items;
      }
    }
    count = filled.contains(exchange.me) ? filled[exchange.me] : 0;
    for (Block& block : blocks) {
      const auto found = places.find(block.peer);
      if (found == places.end()) continue;
      block.offset = found->second.second;
      if (found->second.first != exchange.me) block.holder = found->second.first;
    }
  };
  place(runs.out, true, tile.send, tile.send_runs, tile.send_count);
  place(runs.in, false, tile.recv, tile.recv_runs, tile.recv_count);
  for (Block& block : tile.send) {
    if (!block.shared) continue;
    block.offset = tile.send_count = start_of(block, tile.send_count, exchange);
    tile.send_count += room_of(block, items, exchange);
  }
}

/// The room that a leader needs to sort what its node sends and gets: for what is gathered, sorted, arrived and
/// scattered. None if this rank does not lead.
void make_staging(Tile& tile, const NodeRuns& runs) {
  Index points = 0;
  for (const auto* list : {&runs.out, &runs.in}) {
    for (const NodeRun& run : *list) points += run.from == run.to ? run.points : 2 * run.points;
  }
  tile.staging_count = multiply(points, tile.items.count(), "the size of a leader's buffer");
}

/// Offsets of blocks that are parts of an array of `whole`.
void place_blocks(std::vector<Block>& blocks, const Box& whole, const Strides& strides) {
  for (Block& block : blocks) {
    block.offset = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      block.offset += (block.box.lo[axis] - whole.lo[axis]) * strides.axis[axis];
    }
  }
}

/// Places and counts of a tile whose blocks are parts of arrays.
void make_arrays(Tile& tile, const ExchangePlan& exchange, const Box& part, const Box& wanted, bool first_of_group,
                 const RouteEnds& ends) {
  const Box sent = exchange.from_input ? ends.input.box : part;
  tile.send_strides = exchange.from_input ? array_strides(ends.input) : block_strides(sent, all_axes);
  tile.recv_strides = exchange.into_output ? array_strides(ends.output) : block_strides(wanted, exchange.order);
  place_blocks(tile.send, sent, tile.send_strides);
  place_blocks(tile.kept, sent, tile.send_strides);
  place_blocks(tile.recv, wanted, tile.recv_strides);
  const Index items = tile.items.count();
  tile.send_count = exchange.from_input ? 0 : multiply(part.count(), items, "the size of a tile");
  tile.kept_count = 0;
  tile.recv_count =
      exchange.into_output || !first_of_group ? 0 : multiply(wanted.count(), items, "the size of what is received");
}

/// What a rank keeps lies in an array of the user.
void keep_in_array(Tile& tile, const ExchangePlan& exchange, const RouteEnds& ends) {
  const Array& array = exchange.kept == ExchangePlan::Kept::input ? ends.input : ends.output;
  place_blocks(tile.kept, array.box, exchange.kept_strides);
  for (Block& block : tile.kept) block.aligned = false;
  tile.kept_count = 0;
}

/// The parts of several boxes, by ascending rank of those who hold them in a layout.
std::vector<Layout::Overlap> by_rank(const std::vector<Box>& boxes, const Layout& layout) {
  std::vector<Layout::Overlap> all;
  for (const Box& box : boxes) {
    const auto found = layout.overlaps(box);
    all.insert(all.end(), found.begin(), found.end());
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return all;
}

/// What a rank sends of one field as that of several.
Sent times(Sent sent, Index items) {
  sent.elements *= items;
  sent.padding *= items;
  return sent;
}

/// Whether some of these ranks are on different nodes.
bool spans_nodes(const Options& options, const std::vector<int>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](int rank) { return node_of(options, rank) != node_of(options, ranks.front()); });
}

/// Where nothing leaves the node of this rank's peers, numbers may have to stay as they are.
void choose_wire(ExchangePlan& exchange, const Options& options) {
  if (exchange.wire == Wire::same) return;
  exchange.wire_error = format_of(exchange.wire).error;
  if (!exchange.exact_inside) return;
  const auto all = components(exchange.from, exchange.to);
  if (std::none_of(all.begin(), all.end(), [&](const auto& ranks) { return spans_nodes(options, ranks); })) {
    exchange.wire_error = 0;
    exchange.encoded_bytes = exchange.local_bytes;
  }
  if (spans_nodes(options, exchange.peers)) return;
  exchange.wire = Wire::same;
  exchange.element_bytes = exchange.local_bytes;
}

/// Most ranks among which a field is exchanged at once across nodes; 0 if none is. Of regular layouts.
Index peers_across_nodes(const std::vector<Stage>& stages, const Options& options) {
  Index most = 0;
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    const Layout &from = stages[i].out, &to = stages[i + 1].in;
    if (from == to || !from.parts() || !to.parts()) continue;
    const std::vector<int> peers = component(from, to, 0);
    if (spans_nodes(options, peers)) most = std::max(most, static_cast<Index>(peers.size()));
  }
  return most;
}

}  // namespace

bool worth_gaps(Index points, int element_bytes, const Options& options) {
  // Chunks are a quarter of a cache.
  const Index cache = options.cache > 0 ? 4 * options.cache : Index{2} << 20;
  return points >= cache / element_bytes;
}

Cutting choose_cutting(const std::vector<Stage>& stages, const Options& options, Index batch) {
  const StrategyTraits& traits = find_strategy(options.strategy).traits;
  Cutting cutting;
  // Small fields share a tile, so that each message is worth its latency. On a node this many bytes are; more would not
  // stay in cache.
  constexpr Index worthwhile_bytes = Index{256} << 10;
  // Across nodes each message should be. Only of all-to-alls that wait: what overlaps needs several tiles more.
  constexpr Index worthwhile_message = Index{64} << 10, most_bytes = Index{16} << 20;
  const Layout& layout = stages.front().out;
  const Shape shape = layout.shape();
  const Index field_bytes =
      std::max<Index>(1, static_cast<Index>(static_cast<double>(shape[0]) * static_cast<double>(shape[1]) *
                                            static_cast<double>(shape[2]) * stages.front().out_bytes *
                                            static_cast<double>(stages.front().out_fields) / layout.ranks()));
  Index together = std::max<Index>(1, worthwhile_bytes / field_bytes);
  const bool waits = traits.waits(options.window);
  if (traits.collective && waits && batch > together) {
    const Index enough = worthwhile_message * peers_across_nodes(stages, options);
    together = std::max(together, std::min(enough, most_bytes) / field_bytes);
  }
  Index at_once = 1;
  for (const Stage& stage : stages) at_once = std::max(at_once, stage.together);
  cutting.group = round_up(options.fields > 0 ? options.fields : together, at_once);
  cutting.group = std::min(cutting.group, batch);
  cutting.groups = (batch + cutting.group - 1) / cutting.group;
  cutting.apart =
      cutting.group == 1 && (options.tile > 0 || 2 * field_bytes > worthwhile_bytes * stages.front().out_fields);
  cutting.sends = !traits.shared_memory;
  for (int rank = 1; !cutting.sends && rank < layout.ranks(); ++rank) {
    cutting.sends = node_of(options, rank) != node_of(options, 0);
  }
  cutting.tiles = options.tile > 0 ? options.tile : 1;
  if (options.tile == 0 && !waits && cutting.groups < 4) {
    // Several are on their way while others are computed, if each is worth the step that it is.
    // Across nodes each message should be, unless those of a node's ranks travel together.
    constexpr Index worthwhile_across = Index{16} << 10, worthwhile_tile = Index{4} << 10;
    const Index peers = peers_across_nodes(stages, options);
    const bool alone = !traits.node_runs && !traits.gathers;
    const bool across = !traits.shared_memory || peers > 0;
    const Index tile_bytes =
        across ? std::max(worthwhile_across, alone ? worthwhile_tile * peers : 0) : worthwhile_bytes;
    cutting.tiles = static_cast<int>(std::clamp<Index>(field_bytes * cutting.group / tile_bytes, 1, 4));
  }
  return cutting;
}

void describe_exchange(ExchangePlan& exchange, const Stage& before, const Stage& after, const RouteEnds& ends,
                       const Options& options) {
  const StrategyTraits& traits = find_strategy(options.strategy).traits;
  exchange.from = before.out;
  exchange.to = after.in;
  exchange.strategy = options.strategy;
  exchange.local_bytes = exchange.element_bytes = exchange.encoded_bytes = before.out_bytes;
  if (ends.real_bytes > 0) {
    const bool is_complex = before.out_bytes == 2 * ends.real_bytes * before.out_numbers;
    const int bytes = wire_bytes(options.wire, before.out_bytes, ends.real_bytes, is_complex);
    if (bytes < exchange.local_bytes) {
      if (traits.arrays) {
        throw Error(concat("wire is ", options.get("wire"), "; with the strategy ", options.strategy,
                           ", which sends arrays as they are, only same is allowed"));
      }
      exchange.wire = options.wire;
      exchange.element_bytes = exchange.encoded_bytes = bytes;
      exchange.exact_inside = options.wire_inside == WireInside::same;
      exchange.real_bytes = ends.real_bytes;
    }
  }
  exchange.fields = before.out_fields;
  exchange.leaders = options.leaders;
  exchange.shared_memory = traits.shared_memory;
  exchange.posts_early = traits.posts_early;
  // Several boxes are no array: their blocks are.
  exchange.arrays = traits.arrays && !exchange.from.has_several() && !exchange.to.has_several();
}

int worthwhile_tiles(int wanted, const Layout& from, int axis) {
  if (wanted == 1) return wanted;
  const auto i = static_cast<std::size_t>(axis);
  Index most = 1;
  if (const auto parts = from.parts()) {
    most = (from.shape()[i] + (*parts)[i] - 1) / (*parts)[i];
  } else {
    for (int rank = 0; rank < from.ranks(); ++rank) most = std::max(most, box_around(from, rank).extent(axis));
  }
  return static_cast<int>(std::min<Index>(wanted, most));
}

void make_tiles(ExchangePlan& exchange, const RouteEnds& ends, const Options& options, const Cutting& cutting,
                Index batch, int rank) {
  if (ends.among_all) {
    exchange.peers.resize(static_cast<std::size_t>(exchange.from.ranks()));
    std::iota(exchange.peers.begin(), exchange.peers.end(), 0);
  } else {
    exchange.peers = component(exchange.from, exchange.to, rank);
  }
  for (int peer : exchange.peers) exchange.nodes.push_back(node_of(options, peer));
  const auto index_of = [&](int r) {
    return static_cast<int>(std::lower_bound(exchange.peers.begin(), exchange.peers.end(), r) - exchange.peers.begin());
  };
  exchange.me = index_of(rank);
  choose_wire(exchange, options);
  const auto sources = by_rank(exchange.to.boxes(rank), exchange.from);
  const StrategyTraits& traits = find_strategy(exchange.strategy).traits;
  exchange.waits = exchange.peers.size() == 1 || traits.waits(exchange.window);
  const int node = node_of(options, rank);
  const auto shares = [&](int peer) {
    return exchange.shared_memory && peer != rank && node_of(options, peer) == node;
  };
  // What stays where it was written, of a rank that has enough.
  const auto has_gaps = [&](int from, int to) {
    const bool as_it_is = exchange.wire == Wire::same || exchange.exact_inside;
    const bool stays = from == to || ((shares(from) || shares(to)) && as_it_is);
    if (!stays || exchange.arrays) return false;
    Index points = 0;
    for (const Box& box : exchange.from.boxes(from)) points += box.count();
    return worth_gaps(points, exchange.local_bytes, options);
  };
  const auto add = [&](std::vector<Block>& blocks, Index& count, int from, int to, const Box& box, const Items& items) {
    if (box.empty()) return;
    const int peer = from == rank ? to : from;
    Block block;
    block.peer = index_of(peer);
    block.box = box;
    block.count = multiply(box.count(), items.count(), "the size of a block");
    block.shared = shares(peer);
    block.encoded = exchange.wire != Wire::same && from != to && !(block.shared && exchange.exact_inside);
    block.aligned = has_gaps(from, to);
    block.offset = count = start_of(block, count, exchange);
    count += room_of(block, items.count(), exchange);
    blocks.push_back(block);
  };
  const NodeMap map(exchange.nodes);
  const int my_node = map.node(exchange.me);
  const bool leads = traits.node_runs || (traits.gathers && map.members(my_node).front() == exchange.me);
  // The same for all fields, by tile of a field.
  struct OfField {
    std::vector<Layout::Overlap> parts;  ///< of this rank, with whom they go to
    NodeRuns runs;
    Index slot = 0;
    Sent sent, sent_across;
  };
  std::vector<OfField> of_field;
  for (int k = 0; k < exchange.tiles_per_group; ++k) {
    OfField& one = of_field.emplace_back();
    one.parts = by_rank(tile_parts(exchange, rank, k), exchange.to);
    if (leads) one.runs = node_runs(exchange, map, my_node, k);
    if (traits.padded && exchange.peers.size() > 1) one.slot = largest_block(exchange, k);
    MessageCount count(traits, map, exchange.leaders, one.slot);
    const auto add_run = [&](const NodeRun& run) {
      for (const NodeRun::Part& part : run.parts) count.add(part.from, part.to, part.points);
    };
    if (leads) {
      for (const NodeRun& run : one.runs.out) add_run(run);
      for (const NodeRun& run : one.runs.in) {
        if (run.from != my_node) add_run(run);
      }
    } else {
      for (const auto& [peer, box] : one.parts) count.add(exchange.me, index_of(peer), box.count());
    }
    one.sent = count.sent(exchange.me);
    one.sent_across = count.sent_across(exchange.me);
  }
  for (const Items& items : cut_items(cutting, batch, exchange.fields, exchange.apart)) {
    for (int k = 0; k < exchange.tiles_per_group; ++k) {
      const OfField& field = of_field[static_cast<std::size_t>(k)];
      Tile tile;
      tile.items = items;
      for (const auto& [peer, box] : field.parts) {
        if (peer == rank) {
          add(tile.kept, tile.kept_count, rank, peer, box, tile.items);
        } else {
          add(tile.send, tile.send_count, rank, peer, box, tile.items);
        }
      }
      for (const auto& [peer, box] : sources) {
        if (peer == rank) continue;
        Index no_room = 0;  // a shared block lies where it was written
        add(tile.recv, shares(peer) ? no_room : tile.recv_count, peer, rank,
            in_tile(exchange, box, tile_range(exchange, peer, k)), tile.items);
      }
      if (traits.padded && exchange.peers.size() > 1) pad(tile, exchange.peers.size(), field.slot);
      if (traits.node_runs) make_runs(tile, exchange, map, field.runs);
      if (traits.gathers) make_staging(tile, field.runs);
      if (exchange.arrays) {
        make_arrays(tile, exchange, tile_parts(exchange, rank, k).front(), exchange.to.box(rank), k == 0, ends);
      }
      if (exchange.kept != ExchangePlan::Kept::work) keep_in_array(tile, exchange, ends);
      tile.sent = times(field.sent, tile.items.count());
      tile.sent_across = times(field.sent_across, tile.items.count());
      exchange.tiles.push_back(std::move(tile));
    }
  }
}

double bytes_in_blocks(const ExchangePlan& exchange, std::vector<Block> Tile::*blocks, bool leaves_kept) {
  Index elements = 0, bytes = 0;
  for (const Tile& tile : exchange.tiles) {
    for (const auto* some : {&(tile.*blocks), &tile.kept}) {
      if (leaves_kept && some == &tile.kept) continue;
      for (const Block& block : *some) {
        const Index points = block.box.count() * tile.items.count();
        elements += points;
        bytes += points * (block.encoded ? exchange.element_bytes : exchange.local_bytes);
      }
    }
  }
  return elements == 0 ? exchange.local_bytes : static_cast<double>(bytes) / static_cast<double>(elements);
}

void make_units(Pass& pass, const ExchangePlan* before, const ExchangePlan* after, bool last, const Cutting& cutting,
                Index batch) {
  const bool in_cut = before != nullptr && before->early;
  const Index in_parts = in_cut ? before->tiles_per_group : 1;
  const Index out_parts = after != nullptr ? after->tiles_per_group : 1;
  // Tiles that come and go along the same axis are the same cut: each goes on as soon as it has come.
  const bool same = in_cut && after != nullptr && before->tile_axis == after->tile_axis && in_parts == out_parts;
  // A copy at the end takes the blocks of each tile, whatever their shape.
  const bool by_blocks = in_cut && last && pass.transforms.empty();
  // Fields that have tiles of their own are computed one by one, except where a function needs all of them.
  const bool all = pass.pointwise == Pointwise::function;
  const bool in_apart = before != nullptr && before->apart, out_apart = after != nullptr && after->apart;
  const Index in_tiles = before != nullptr ? (all && in_apart ? pass.in_fields : 1) * before->tiles_per_group : 0;
  const Index out_tiles = all && out_apart ? pass.out_fields * out_parts : out_parts;
  const std::vector<Items> items = cut_items(cutting, batch, pass.in_fields, !all && (in_apart || out_apart));
  for (std::size_t g = 0; g < items.size(); ++g) {
    const auto group = static_cast<Index>(g);
    for (Index i = 0; i < in_parts; ++i) {
      for (Index o = 0; o < (same ? 1 : out_parts); ++o) {
        Unit unit;
        unit.items = items[g];
        unit.in = pass.in;
        unit.out = pass.out;
        if (by_blocks) unit.sharing = in_parts;
        const auto narrow_to = [&](int axis, Index parts, Index k) {
          unit.in = cut(unit.in, axis, parts, k);
          unit.out = cut(unit.out, axis, parts, k);
        };
        if (in_cut && !by_blocks) narrow_to(before->tile_axis, in_parts, i);
        if (after != nullptr && !same) narrow_to(after->tile_axis, out_parts, o);
        if (before != nullptr) {
          const Index first = group * in_tiles;
          unit.first_in = in_cut ? first + i : first;
          unit.last_in = in_cut ? first + i + 1 : first + in_tiles;
          if (all && in_apart) unit.in_step = before->tiles_per_group;
        }
        if (after != nullptr) unit.out_tile = group * out_tiles + (same ? i : o);
        if (all && out_apart) unit.out_step = out_parts;
        pass.units.push_back(unit);
      }
    }
  }
}

}  // namespace weft::detail
