#include "plan/schedule.hpp"

#include <algorithm>
#include <utility>

namespace weft::detail {

namespace {

/// Walks the units of all passes, deepest first, as the tile loop would.
class Scheduler {
 public:
  explicit Scheduler(Route& route)
      : route_(route),
        next_unit_(route.passes.size(), 0),
        started_(route.links.size(), 0),
        finished_(route.links.size(), 0) {
    for (std::size_t p = 0; p < route.passes.size(); ++p) {
      first_writer_.emplace_back(tiles_after(p), Index{-1});
      last_writer_.emplace_back(tiles_after(p), Index{-1});
      last_reader_.emplace_back(p == 0 ? 0 : tiles_after(p - 1), Index{-1});
      const auto& units = route.passes[p].units;
      for (std::size_t u = 0; u < units.size(); ++u) {
        const auto unit = static_cast<Index>(u);
        for_each_written(p, units[u], [&](Index written) {
          const auto tile = static_cast<std::size_t>(written);
          if (first_writer_[p][tile] < 0) first_writer_[p][tile] = unit;
          last_writer_[p][tile] = unit;
        });
        for (Index tile = units[u].first_in; tile < units[u].last_in; ++tile) {
          last_reader_[p][static_cast<std::size_t>(tile)] = unit;
        }
      }
    }
  }

  void run() {
    advance(0);
    for (std::size_t link = 0; link < route_.links.size(); ++link) {
      while (started_[link] > finished_[link]) finish_oldest(link);
    }
  }

 private:
  std::size_t tiles_after(std::size_t pass) const {
    return pass < route_.links.size() && route_.links[pass].is_exchange ? route_.links[pass].exchange.tiles.size() : 0;
  }

  template <class Use>
  void for_each_written(std::size_t pass, const Unit& unit, const Use& use) const {
    if (unit.out_tile < 0) return;
    const Index fields = unit.out_step > 0 ? route_.passes[pass].out_fields : 1;
    for (Index field = 0; field < fields; ++field) use(unit.out_tile_of(field));
  }

  void emit(Action::What what, std::size_t stage, Index index) {
    route_.schedule.push_back({what, static_cast<int>(stage), index});
  }

  bool ready(std::size_t pass, const Unit& unit) const {
    if (pass == 0) return true;
    if (route_.links[pass - 1].is_exchange) return finished_[pass - 1] >= unit.last_in;
    // An array is ready for the fields that the pass before has finished.
    const auto& before = route_.passes[pass - 1].units;
    const std::size_t done = next_unit_[pass - 1];
    return done == before.size() || before[done].items.lo >= unit.items.hi;
  }

  void advance(std::size_t pass) {
    const auto& units = route_.passes[pass].units;
    while (next_unit_[pass] < units.size() && ready(pass, units[next_unit_[pass]])) run_unit(pass);
  }

  void run_unit(std::size_t pass) {
    const auto index = static_cast<Index>(next_unit_[pass]);
    const Unit& unit = route_.passes[pass].units[next_unit_[pass]];
    for_each_written(pass, unit, [&](Index tile) {
      if (first_writer_[pass][static_cast<std::size_t>(tile)] == index) emit(Action::What::acquire, pass, tile);
    });
    emit(Action::What::compute, pass, index);
    ++next_unit_[pass];
    for (Index in = unit.first_in; in < unit.last_in; ++in) {
      if (last_reader_[pass][static_cast<std::size_t>(in)] == index) emit(Action::What::release, pass - 1, in);
    }
    if (unit.out_tile >= 0) {
      // In their order: the tiles of the next field may be complete long before.
      const auto next = [&] { return static_cast<std::size_t>(started_[pass]); };
      while (next() < tiles_after(pass) && last_writer_[pass][next()] <= index) start(pass, started_[pass]);
    } else if (pass < route_.links.size()) {
      advance(pass + 1);
    }
  }

  void start(std::size_t link, Index tile) {
    while (started_[link] - finished_[link] >= route_.links[link].exchange.window) finish_oldest(link);
    emit(Action::What::start, link, tile);
    ++started_[link];
  }

  void finish_oldest(std::size_t link) {
    emit(Action::What::finish, link, finished_[link]++);
    advance(link + 1);
  }

  Route& route_;
  std::vector<std::size_t> next_unit_;
  std::vector<Index> started_, finished_;
  std::vector<std::vector<Index>> first_writer_, last_writer_, last_reader_;
};

/// A buffer, and the steps of the schedule between which it holds data.
struct Buffer {
  Index* offset;
  Index bytes;
  std::size_t first = SIZE_MAX, last = 0;

  void use(std::size_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

/// Where tiles lie in the arrays that they are parts of.
void place_in_arrays(ExchangePlan& exchange, const Route& route) {
  const auto per_group = static_cast<std::size_t>(exchange.tiles_per_group);
  const auto start = [](const Array& array, const Tile& tile) {
    return tile.items.lo * array.item * array.element_bytes;
  };
  for (std::size_t t = 0; t < exchange.tiles.size(); ++t) {
    Tile& tile = exchange.tiles[t];
    if (exchange.from_input) tile.send_offset_bytes = start(route.input, tile);
    tile.kept_offset_bytes = tile.send_offset_bytes;
    tile.recv_offset_bytes =
        exchange.into_output ? start(route.output, tile) : exchange.tiles[t - t % per_group].recv_offset_bytes;
  }
}

/// How far apart tiles must be to be sent from the same place, where others read them when they come to it: the earlier
/// one must be released, here and so in the steps of all ranks, before the later one is acquired. And one more, that a
/// rank may be ahead of its neighbours. Where this rank sends for its node, others write there, too: each tile has a
/// place of its own.
Index ring_of(const Route& route, std::size_t link) {
  const std::vector<Tile>& all = route.links[link].exchange.tiles;
  const std::size_t tiles = all.size();
  if (std::any_of(all.begin(), all.end(), [](const Tile& tile) { return !tile.send_runs.empty(); })) {
    return static_cast<Index>(tiles);
  }
  std::vector<bool> released(tiles, false);
  std::size_t first = 0;  // that is not released
  Index ring = 1;
  for (const Action& action : route.schedule) {
    if (action.stage != static_cast<int>(link)) continue;
    if (action.what == Action::What::acquire) ring = std::max(ring, action.index - static_cast<Index>(first) + 2);
    if (action.what != Action::What::release) continue;
    released[static_cast<std::size_t>(action.index)] = true;
    while (first < tiles && released[first]) ++first;
  }
  return std::min(ring, static_cast<Index>(tiles));
}

/// The next place that is aligned to two cache lines: the neighbour line is prefetched with each.
Index aligned(Index bytes) { return (bytes + 127) / 128 * 128; }

}  // namespace

void make_schedule(Route& route) {
  route.schedule.clear();
  Scheduler(route).run();
}

void place_buffers(Route& route, Index batch) {
  struct LinkBuffers {
    std::size_t array = SIZE_MAX;
    std::size_t tiles = SIZE_MAX;
  };
  // In the order in which the buffers of a tile are listed.
  enum : std::size_t { send, recv, kept, staging, of_tile };
  std::vector<Buffer> buffers;
  std::vector<LinkBuffers> of_link;
  for (Link& link : route.links) {
    LinkBuffers mine;
    if (link.is_exchange) {
      mine.tiles = buffers.size();
      for (Tile& tile : link.exchange.tiles) {
        const Index bytes = link.exchange.element_bytes;
        buffers.push_back({&tile.send_offset_bytes, tile.send_count * bytes});
        buffers.push_back({&tile.recv_offset_bytes, tile.recv_count * bytes});
        buffers.push_back({&tile.kept_offset_bytes, tile.kept_count * link.exchange.local_bytes});
        buffers.push_back({&tile.staging_offset_bytes, tile.staging_count * bytes});
      }
    } else if (link.array.where == Array::Where::work) {
      mine.array = buffers.size();
      buffers.push_back({&link.array.offset_bytes, link.array.bytes(batch)});
    }
    of_link.push_back(mine);
  }
  const auto tile_buffer = [&](std::size_t link, Index tile, std::size_t which) -> Buffer& {
    // Tiles that are received into the same array share its life.
    const ExchangePlan& exchange = route.links[link].exchange;
    if (which == recv && exchange.arrays) tile -= tile % exchange.tiles_per_group;
    return buffers[of_link[link].tiles + of_tile * static_cast<std::size_t>(tile) + which];
  };
  for (std::size_t step = 0; step < route.schedule.size(); ++step) {
    const Action& action = route.schedule[step];
    const auto stage = static_cast<std::size_t>(action.stage);
    const auto use = [&](std::initializer_list<std::size_t> some) {
      for (const std::size_t which : some) tile_buffer(stage, action.index, which).use(step);
    };
    switch (action.what) {
      case Action::What::acquire:
        use({send, kept});
        if (route.links[stage].exchange.posts_early) use({recv});
        break;
      case Action::What::start: use({recv, staging}); break;
      case Action::What::finish: use({send, recv}); break;
      case Action::What::release:
        use({recv, kept});
        if (route.links[stage].exchange.arrays) use({send});  // what is kept
        break;
      case Action::What::compute:
        if (stage > 0 && of_link[stage - 1].array != SIZE_MAX) buffers[of_link[stage - 1].array].use(step);
        if (stage < of_link.size() && of_link[stage].array != SIZE_MAX) buffers[of_link[stage].array].use(step);
        break;
    }
  }
  // What other ranks read in place must outlive this rank's own steps: nothing else may ever lie there but later tiles
  // of the ring, which wait until it has been read.
  const auto lasts = [&](Buffer& buffer) {
    buffer.first = 0;
    buffer.last = route.schedule.size();
  };
  for (std::size_t link = 0; link < route.links.size(); ++link) {
    if (!route.links[link].is_exchange || !route.links[link].exchange.shared_memory) continue;
    ExchangePlan& exchange = route.links[link].exchange;
    exchange.ring = ring_of(route, link);
    for (Index tile = 0; tile < static_cast<Index>(exchange.tiles.size()); ++tile) {
      Buffer& sent = tile_buffer(link, tile, send);
      lasts(sent);
      if (tile >= exchange.ring) {
        Buffer& place = tile_buffer(link, tile % exchange.ring, send);
        place.bytes = std::max(place.bytes, std::exchange(sent.bytes, 0));
      }
      // What is received is read by others only where it came for all of the node.
      if (!exchange.tiles[static_cast<std::size_t>(tile)].recv_runs.empty()) lasts(tile_buffer(link, tile, recv));
    }
  }
  // First what keeps its place for ever, then first fit in the order in which the others come alive.
  std::vector<std::size_t> order;
  route.workspace_bytes = 0;
  Index lasting = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Buffer& buffer = buffers[i];
    *buffer.offset = 0;
    if (buffer.bytes == 0) continue;
    if (buffer.first > 0 || buffer.last < route.schedule.size()) {
      order.push_back(i);
      continue;
    }
    *buffer.offset = lasting;
    route.workspace_bytes = lasting + buffer.bytes;
    lasting = aligned(route.workspace_bytes);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return buffers[a].first < buffers[b].first; });
  std::vector<std::size_t> alive;  // by ascending offset
  for (std::size_t i : order) {
    Buffer& buffer = buffers[i];
    std::erase_if(alive, [&](std::size_t j) { return buffers[j].last < buffer.first; });
    Index offset = lasting;
    auto place = alive.begin();
    for (; place != alive.end(); ++place) {
      const Buffer& other = buffers[*place];
      if (offset + buffer.bytes <= *other.offset) break;
      offset = aligned(*other.offset + other.bytes);
    }
    *buffer.offset = offset;
    alive.insert(place, i);
    route.workspace_bytes = std::max(route.workspace_bytes, offset + buffer.bytes);
  }
  for (Link& link : route.links) {
    if (!link.is_exchange) continue;
    std::vector<Tile>& tiles = link.exchange.tiles;
    for (auto t = static_cast<std::size_t>(link.exchange.ring); link.exchange.shared_memory && t < tiles.size(); ++t) {
      tiles[t].send_offset_bytes = tiles[t - static_cast<std::size_t>(link.exchange.ring)].send_offset_bytes;
    }
    if (link.exchange.arrays) place_in_arrays(link.exchange, route);
  }
}

}  // namespace weft::detail
