// One rank's route: what each pass computes, how each exchange is cut into tiles, and who gets which block.
#include "plan/route.hpp"

#include <algorithm>
#include <utility>

#include "exchange/exchange.hpp"
#include "plan/bounds.hpp"
#include "plan/schedule.hpp"
#include "plan/settle.hpp"
#include "plan/tiling.hpp"

namespace weft::detail {

namespace {

/// Or needs what lies along it for another reason.
bool transforms_along(const Stage& stage, int axis) {
  if (stage.by_planes && axis != 0) return true;
  return std::any_of(stage.transforms.begin(), stage.transforms.end(),
                     [&](const LineTransform& t) { return t.axis == axis; });
}

/// All that is held of the layout is whole along the axis.
bool has_whole(const Layout& layout, int axis) {
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    for (const Box& box : layout.boxes(rank)) {
      if (!box.empty() && box.extent(axis) != layout.shape()[static_cast<std::size_t>(axis)]) return false;
    }
  }
  return true;
}

/// Every rank holds the same range of this axis before and after, so that all it exchanges with do, too.
bool keeps_axis(const Layout& from, const Layout& to, int axis) {
  const auto a = from.parts(), b = to.parts();
  if (!a || !b) return has_whole(from, axis) && has_whole(to, axis);
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

/// Tile axis, early or late, window: the same on all ranks.
void choose_tiling(ExchangePlan& exchange, const Stage& before, const Stage& after, bool last, bool must_wait,
                   const Options& options, const Cutting& cutting) {
  exchange.early = false;
  exchange.tile_axis = -1;
  if (options.consume != Consume::late && !must_wait) {
    for (int axis : all_axes) {
      // A copy at the end can take any piece; a transform needs whole lines, so the tile axis must be a third one.
      const bool whole = last && after.transforms.empty();
      if (transforms_along(before, axis) || transforms_along(after, axis)) continue;
      if (!whole && !keeps_axis(before.out, after.in, axis)) continue;
      if (before.out.shape()[static_cast<std::size_t>(axis)] == 1) continue;
      // Short rows are worth it only where something travels meanwhile.
      if (axis == 2 && !whole && !cutting.sends && options.consume != Consume::early) continue;
      exchange.tile_axis = axis;
      exchange.early = true;
      break;
    }
  }
  // Otherwise any that is whole in what is computed before; best one that can be cut.
  for (int axis : {2, 1, 0}) {
    if (exchange.early || transforms_along(before, axis)) continue;
    if (exchange.tile_axis < 0 || before.out.shape()[static_cast<std::size_t>(axis)] > 1) exchange.tile_axis = axis;
  }
  // Where nothing travels, and nothing is consumed before all of it is there, tiles would only be waited for.
  const bool at_once = !exchange.early && !cutting.sends && options.tile == 0;
  exchange.tiles_per_group = worthwhile_tiles(at_once ? 1 : cutting.tiles, before.out, exchange.tile_axis);
  // One tile at least is on its way while the next one is computed.
  const bool waits = find_strategy(options.strategy).traits.waits(options.window);
  const int automatic = waits ? 1 : exchange.early ? 2 : std::max(2, exchange.tiles_per_group);
  exchange.window = options.window > 0 ? options.window : automatic;
}

/// Where what a rank keeps lies: a pass at an end that would only copy it leaves it where the user has it.
void choose_kept(ExchangePlan& exchange, const Stage& before, const Stage& after, bool first, bool last,
                 const RouteEnds& ends, bool exchanged) {
  using Kept = ExchangePlan::Kept;
  // What transforms read and write has rows.
  const auto copies = [](const Stage& stage, const Array& array) {
    return stage.transforms.empty() && stage.special == nullptr && array.order[2] == 2;
  };
  // In place, the input is overwritten while the rest of it is still to be read; and the output may be written once the
  // first exchange has waited for all of the field.
  if (exchange.from_input || (!exchange.arrays && first && !ends.in_place && copies(before, ends.input))) {
    exchange.kept = Kept::input;
    exchange.kept_strides = array_strides(ends.input);
  } else if (!exchange.arrays && last && (!ends.in_place || exchanged) && copies(after, ends.output)) {
    exchange.kept = Kept::output;
    exchange.kept_strides = array_strides(ends.output);
  }
}

/// Points of an item that a rank keeps of tiles [first, last), which are tiles of the same items.
Index kept_points(const ExchangePlan& exchange, Index first, Index last) {
  Index points = 0;
  for (Index tile = first; tile < last; ++tile) {
    for (const Block& block : exchange.tiles[static_cast<std::size_t>(tile)].kept) points += block.box.count();
  }
  return points;
}

/// Whether nothing moves between the passes of these stages, because one rank has all.
bool stays(const Stage& before, const Stage& after) {
  return before.out == after.in && before.out.ranks() == 1 && before.special == nullptr && after.special == nullptr;
}

/// An intermediate array in the user's output where it fits, in the workspace otherwise.
Array place_array(const std::vector<Stage>& stages, std::size_t link, const RouteEnds& ends, const Options& options,
                  int rank) {
  const Box box = stages[link].out.box(rank);
  Array array = array_of(box, stages[link].out_bytes, Array::Where::output, ends.output.order);
  array.fields = stages[link].out_fields;
  // In place, the output may hold it while nothing else is written there: before the first exchange, which waits for
  // all of the field to be read, and after the last one.
  const auto exchanges = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (through_blocks(stages[i], stages[i + 1])) return true;
    }
    return false;
  };
  const bool first = !exchanges(0, link), last = !exchanges(link + 1, stages.size() - 1);
  const bool alone = first || last;
  bool to_the_end = last;  // everything after stays where it is
  for (std::size_t i = link + 1; i < stages.size(); ++i) {
    to_the_end = to_the_end && stages[i].in == stages[link].out && stages[i].out == stages[link].out &&
                 stages[i].out_bytes == array.element_bytes;
  }
  // What has not been read yet stays as it is only if each number is written to where it was read.
  const bool leaves_out = std::any_of(stages.begin(), stages.end(), [](const Stage& stage) {
    return std::any_of(stage.transforms.begin(), stage.transforms.end(),
                       [](const LineTransform& line) { return static_cast<bool>(line.kept); });
  });
  const bool moves = ends.in_place && ((first && ends.input.order != ends.output.order) || leaves_out);
  // Passes would have to turn rows twice more.
  const bool turns = ends.output.order[2] != 2;
  const Index room = ends.output.item * ends.output.element_bytes;
  const Index row_bytes = ends.output.row * ends.output.element_bytes;
  const bool same_rows = row_bytes == array.row * array.element_bytes;
  const bool fits = ends.in_place && alone && array.item * array.element_bytes <= room && same_rows;
  if (!moves && !turns && (to_the_end || fits)) {
    // What is left to be copied within the output must find it as the output has it.
    if (to_the_end) array.row = ends.output.row;
    array.item = room / array.element_bytes;
    return array;
  }
  const int bytes = stages[link].out_bytes;
  const Index row = worth_gaps(box.count(), bytes, options) ? aligned_row(box.extent(2), bytes) : box.extent(2);
  array = array_of(box, bytes, Array::Where::work, {0, 1, 2}, row);
  array.fields = stages[link].out_fields;
  return array;
}

/// Fields of an application get tiles of their own, as those of a batch have, where points alone do not make as many
/// tiles as are wanted: then the next fields are on their way while one is computed, as many tiles at least as there
/// are fields. `wanted`: by link; `window`: what the user says, or 0.
void set_fields_apart(Route& route, const std::vector<Stage>& stages, const Cutting& cutting,
                      const std::vector<int>& wanted, int window) {
  const auto function = std::find_if(stages.begin(), stages.end(),
                                     [](const Stage& stage) { return stage.pointwise == Pointwise::function; });
  if (function == stages.end() || !cutting.apart) return;
  const auto middle = static_cast<std::size_t>(function - stages.begin());
  // The same on the way to the function, and on the way from it, so that the units of a pass are those of its tiles.
  for (const auto& [first, last] : {std::pair{std::size_t{0}, middle}, std::pair{middle, route.links.size()}}) {
    bool fewer = false, joined = false;
    for (std::size_t i = first; i < last; ++i) {
      const Link& link = route.links[i];
      if (!link.is_exchange) continue;
      fewer = fewer || link.exchange.tiles_per_group < wanted[i];
      // A function takes the points of all fields as they come.
      joined = joined || (i + 1 == middle && link.exchange.early);
    }
    for (std::size_t i = first; i < last; ++i) {
      if (!route.links[i].is_exchange) continue;
      ExchangePlan& exchange = route.links[i].exchange;
      exchange.apart = exchange.fields > 1 && fewer && !joined;
      const bool waits = find_strategy(exchange.strategy).traits.waits(window);
      if (exchange.apart && window == 0 && !waits) {
        exchange.window = std::max(exchange.window, static_cast<int>(exchange.fields));
      }
    }
  }
}

}  // namespace

Array array_of(const Box& box, int element_bytes, Array::Where where, const MemoryOrder& order, Index row) {
  const Index item = box.empty() ? 0 : row * box.extent(order[1]) * box.extent(order[0]);
  return {.where = where, .box = box, .element_bytes = element_bytes, .row = row, .item = item, .order = order};
}

Array array_of(const Box& box, int element_bytes, Array::Where where, const MemoryOrder& order) {
  return array_of(box, element_bytes, where, order, box.extent(order[2]));
}

Strides array_strides(const Array& array) {
  Strides strides;
  strides.item = array.item;
  const auto at = [&](int axis) -> Index& { return strides.axis[static_cast<std::size_t>(axis)]; };
  at(array.order[2]) = 1;
  at(array.order[1]) = array.row;
  at(array.order[0]) = array.row * std::max<Index>(array.box.extent(array.order[1]), 0);
  return strides;
}

bool through_blocks(const Stage& before, const Stage& after) {
  return before.out != after.in || before.special != nullptr || transforms_along(after, 0);
}

Route make_route(const std::vector<Stage>& stages, const RouteEnds& ends, const RouteOptions& both, Index batch,
                 int rank) {
  const auto options_after = [&](std::size_t stage) -> const Options& {
    return stages[stage].direction == Direction::forward ? both.forward : both.backward;
  };
  require_route(stages, options_after(0), batch, rank);
  Route route;
  route.input = ends.input;
  route.output = ends.output;
  // Fields that travel together are the same in all exchanges.
  const Cutting cutting = choose_cutting(stages, options_after(0), batch);

  bool exchanged = false;
  std::vector<int> wanted(stages.size() - 1, 0);  // tiles of each link
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    const Stage &before = stages[i], &after = stages[i + 1];
    Link link;
    link.direction = before.direction;
    link.is_exchange = through_blocks(before, after);
    if (!link.is_exchange || stays(before, after)) {
      link.array = place_array(stages, i, ends, options_after(i), rank);
      // Passes that write where they read need no blocks.
      if (link.array.where == Array::Where::output) link.is_exchange = false;
    }
    if (link.is_exchange) {
      ExchangePlan& exchange = link.exchange;
      const Options& options = options_after(i);
      Cutting of_link = cutting;
      of_link.tiles = wanted[i] = choose_cutting(stages, options, batch).tiles;
      describe_exchange(exchange, before, after, ends, options);
      // Lines along axis 0 are gathered plane by plane: a plane of fixed axis 1 should be one run of memory.
      if (transforms_along(after, 0)) exchange.order = {1, 0, 2};
      // In place, nothing may be written before all of the field has been read: the first exchange waits for it.
      const bool must_wait = ends.in_place && !exchanged;
      choose_tiling(exchange, before, after, i + 2 == stages.size(), must_wait, options, of_link);
      // In place, the user's array is read and written at once.
      exchange.from_input = exchange.arrays && !ends.in_place && i == 0 && before.transforms.empty();
      exchange.into_output = exchange.arrays && !ends.in_place && i + 2 == stages.size() && after.transforms.empty();
      choose_kept(exchange, before, after, i == 0, i + 2 == stages.size(), ends, exchanged);
      exchanged = true;
    }
    route.links.push_back(std::move(link));
  }
  set_fields_apart(route, stages, cutting, wanted, options_after(0).window);
  for (std::size_t i = 0; i < route.links.size(); ++i) {
    Link& link = route.links[i];
    if (link.is_exchange) make_tiles(link.exchange, ends, options_after(i), cutting, batch, rank);
  }

  for (std::size_t i = 0; i < stages.size(); ++i) {
    Pass pass;
    pass.transforms = stages[i].transforms;
    pass.pointwise = stages[i].pointwise;
    pass.special = stages[i].special;
    pass.in = box_around(stages[i].in, rank);
    pass.out = box_around(stages[i].out, rank);
    pass.layout = stages[i].out;
    pass.in_bytes = stages[i].in_bytes;
    pass.out_bytes = stages[i].out_bytes;
    pass.in_fields = stages[i].in_fields;
    pass.out_fields = stages[i].out_fields;
    pass.together = stages[i].together;
    pass.in_numbers = stages[i].in_numbers;
    pass.out_numbers = stages[i].out_numbers;
    if (pass.of_reals() && ends.real_bytes > 0) {
      pass.in_numbers = pass.in_bytes / ends.real_bytes;
      pass.out_numbers = pass.out_bytes / ends.real_bytes;
    }
    const bool in_one_go = std::any_of(pass.transforms.begin(), pass.transforms.end(),
                                       [](const LineTransform& line) { return !line.inner.empty(); });
    if (!in_one_go) pass.interleaved = pass.in_numbers;
    const auto exchange = [&](std::size_t link) {
      return link < route.links.size() && route.links[link].is_exchange ? &route.links[link].exchange : nullptr;
    };
    const bool last = i + 1 == stages.size();
    make_units(pass, i == 0 ? nullptr : exchange(i - 1), exchange(i), last, cutting, batch);
    const ExchangePlan *from = i == 0 ? nullptr : exchange(i - 1), *to = exchange(i);
    const bool leaves_input = to != nullptr && to->kept == ExchangePlan::Kept::input;
    const bool leaves_output = from != nullptr && from->kept == ExchangePlan::Kept::output;
    for (Unit& unit : pass.units) {
      if (to != nullptr && to->from_input) {
        // Blocks are sent from where they are.
        unit.in = unit.out = Box{};
      } else if (leaves_input) {
        unit.left = kept_points(*to, unit.out_tile, unit.out_tile + 1);
      } else if (leaves_output) {
        unit.left = kept_points(*from, unit.first_in, unit.last_in);
      }
    }
    pass.read_bytes = from == nullptr ? pass.in_bytes : bytes_in_blocks(*from, &Tile::recv, leaves_output);
    pass.written_bytes = to == nullptr ? pass.out_bytes : bytes_in_blocks(*to, &Tile::send, leaves_input);
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
  place_buffers(route, batch);
  return route;
}

Route make_redistribution(const Layout& from, const Layout& to, int element_bytes, Index batch, const Options& asked,
                          int rank, bool among_all, Index numbers) {
  const Options options = settled(asked, from.ranks());
  RouteEnds ends;
  ends.among_all = among_all;
  ends.input = array_of(from.box(rank), element_bytes, Array::Where::input);
  ends.output = array_of(to.box(rank), element_bytes, Array::Where::output);
  std::vector<Stage> stages{{{}, from, from, element_bytes, element_bytes}};
  if (from != to) stages.push_back({{}, to, to, element_bytes, element_bytes});
  for (Stage& stage : stages) stage.in_numbers = stage.out_numbers = numbers;
  return make_route(stages, ends, {options, options}, batch, rank);
}

}  // namespace weft::detail
