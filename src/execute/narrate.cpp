#include "execute/narrate.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "base/watchdog.hpp"

namespace weft::detail {

namespace {

/// JSON text; names here have nothing that would need escapes.
std::string quoted(const std::string& text) { return concat('"', text, '"'); }

std::string microseconds(double seconds) { return text("%.3f", seconds * 1e6); }

/// What a pass is to the exchanges around it.
const char* role(const Route& route, std::size_t pass) {
  const bool consumes = pass > 0 && route.links[pass - 1].is_exchange;
  const bool produces = pass < route.links.size() && route.links[pass].is_exchange;
  if (consumes) return produces ? "consume + produce" : "consume";
  return produces ? "produce" : "compute";
}

std::string compute_arguments(const Route& route, std::size_t stage, std::size_t index) {
  const Pass& pass = route.passes[stage];
  const Unit& unit = pass.units[index];
  std::string text = concat(R"("pass":)", stage, R"(,"unit":)", index, R"(,"work":)", quoted(transforms_text(pass)));
  if (stage > 0 && route.links[stage - 1].is_exchange) {
    text += concat(R"(,"first_tile_in":)", unit.first_in, R"(,"tiles_in":)", unit.last_in - unit.first_in);
  }
  if (unit.out_tile >= 0) text += concat(R"(,"tile_out":)", unit.out_tile);
  return text;
}

/// As the trace counts the exchanges of routes with the same name.
std::size_t exchange_number(const WatchedRoute& part, std::size_t stage) {
  return static_cast<std::size_t>(part.first_exchange) + stage;
}

std::string tile_arguments(const WatchedRoute& part, std::size_t stage, std::size_t index) {
  const ExchangePlan& exchange = part.route->links[stage].exchange;
  const Tile& tile = exchange.tiles[index];
  return concat(R"("exchange":)", exchange_number(part, stage), R"(,"tile":)", index, R"(,"bytes":)",
                tile.sent.elements * exchange.element_bytes, R"(,"messages":)", tile.sent.messages, R"(,"peers":)",
                exchange.peers.size() - 1, R"(,"strategy":)", quoted(exchange.strategy));
}

/// Writes the events of one rank.
class Writer {
 public:
  Writer(const WatchedRoutes& watched, double offset) : watched_(watched), offset_(offset) {}

  void slice(const char* name, const char* category, const Event& event, const std::string& arguments) {
    begin(name, category);
    text_ += concat(R"("ph":"X","ts":)", microseconds(event.begin + offset_), R"(,"dur":)",
                    microseconds(event.end - event.begin), R"(,"args":{"direction":)", quoted(direction(event)),
                    arguments.empty() ? "" : ",", arguments, "}}");
  }
  /// A tile on its way. These overlap, so they are drawn beside the rank's own row.
  void flight(const Event& start, double end, const std::string& arguments) {
    const WatchedRoute& part = watched_.routes[static_cast<std::size_t>(start.route)];
    const std::string name = concat(
        part.name, " exchange ", exchange_number(part, static_cast<std::size_t>(start.stage)), " tile ", start.index);
    const std::string id = concat(watched_.rank, '.', flights_++);
    for (const bool first : {true, false}) {
      begin(name, "flight");
      text_ += concat(R"("ph":)", first ? R"("b")" : R"("e")", R"(,"id":)", quoted(id), R"(,"ts":)",
                      microseconds((first ? start.begin : end) + offset_));
      if (first) text_ += concat(R"(,"args":{"direction":)", quoted(direction(start)), ',', arguments, '}');
      text_ += '}';
    }
  }
  void note(const std::string& name, const Event& at, const std::string& arguments) {
    begin(name, "note");
    text_ += concat(R"("ph":"i","s":"p","ts":)", microseconds(at.end + offset_), R"(,"args":{)", arguments, "}}");
  }
  void metadata(const char* name, const std::string& arguments) {
    begin(name, "__metadata");
    text_ += concat(R"("ph":"M","ts":0,"args":{)", arguments, "}}");
  }
  std::string take() { return std::move(text_); }

 private:
  void begin(const std::string& name, const char* category) {
    if (!text_.empty()) text_ += ",\n";
    text_ += concat(R"({"name":)", quoted(name), R"(,"cat":)", quoted(category), R"(,"pid":)", watched_.rank,
                    R"(,"tid":0,)");
  }
  const std::string& direction(const Event& event) const {
    return watched_.routes[static_cast<std::size_t>(event.route)].name;
  }

  const WatchedRoutes& watched_;
  double offset_;
  std::string text_;
  Index flights_ = 0;
};

}  // namespace

std::string trace_events(const WatchedRoutes& watched, const Recorder& recorder, double offset) {
  if (recorder.events().empty()) return {};
  Writer writer(watched, offset);
  writer.metadata("process_name", concat(R"("name":"rank )", watched.rank, '"'));
  writer.metadata("process_sort_index", concat(R"("sort_index":)", watched.rank));
  writer.metadata("thread_name", R"("name":"Weft")");
  using What = Event::What;
  std::map<std::tuple<int, int, Index>, const Event*> started;
  for (const Event& event : recorder.events()) {
    const WatchedRoute& part = watched.routes[static_cast<std::size_t>(event.route)];
    const Route& route = *part.route;
    const auto stage = static_cast<std::size_t>(event.stage), index = static_cast<std::size_t>(event.index);
    const auto tile = [&] { return tile_arguments(part, stage, index); };
    switch (event.what) {
      case What::execution:
        writer.slice(part.name.c_str(), "execution", event, concat(R"("what":)", quoted(watched.what)));
        break;
      case What::agree: writer.slice("agree", "synchronisation", event, ""); break;
      case What::add_up: writer.slice("add up", "wait", event, ""); break;
      case What::parts: writer.slice("parts", "wait", event, ""); break;
      case What::acquire: writer.slice("acquire", "wait", event, tile()); break;
      case What::compute:
        writer.slice(role(route, stage), "compute", event, compute_arguments(route, stage, index));
        break;
      case What::start:
        writer.slice("start", "start", event, tile());
        started[{event.route, event.stage, event.index}] = &event;
        if (route.links[stage].exchange.waits) writer.flight(event, event.end, tile());
        break;
      case What::test:
        writer.slice("test", "test", event, concat(R"("exchange":)", exchange_number(part, stage)));
        break;
      case What::finish:
        writer.slice("wait", "wait", event, tile());
        if (!route.links[stage].exchange.waits) {
          writer.flight(*started.at({event.route, event.stage, event.index}), event.end, tile());
        }
        break;
    }
  }
  if (recorder.left_out() > 0) {
    writer.note(concat(recorder.left_out(), " executions were left out"), recorder.events().back(),
                concat(R"("executions":)", recorder.left_out(), R"(,"events_kept_at_most":)", Recorder::limit));
  }
  return writer.take();
}

namespace {

/// "ranks 0, 2, 3", or how many more there are where the list would not be read.
std::string ranks_text(const std::set<int>& ranks) {
  constexpr std::size_t shown = 16;
  std::vector<std::string> names;
  for (const int rank : ranks) {
    if (names.size() == shown) break;
    names.push_back(std::to_string(rank));
  }
  std::string text = concat(ranks.size() == 1 ? "rank " : "ranks ", join(names));
  if (ranks.size() > shown) text += concat(" and ", ranks.size() - shown, " more");
  return text;
}

/// Who has to do with a tile: those whose blocks are in it, or all of the exchange where it is empty, since collective
/// calls wait for them too.
std::string partners(const ExchangePlan& exchange, const Tile& tile, const PartOfRanks& part) {
  std::set<int> ranks;
  const auto add = [&](int peer) {
    ranks.insert(part.first + part.step * exchange.peers[static_cast<std::size_t>(peer)]);
  };
  for (const auto* blocks : {&tile.send, &tile.recv}) {
    for (const Block& block : *blocks) add(block.peer);
  }
  if (ranks.empty()) {
    for (int peer = 0; peer < static_cast<int>(exchange.peers.size()); ++peer) {
      if (peer != exchange.me) add(peer);
    }
  }
  return ranks.empty() ? "with nobody" : "with " + ranks_text(ranks);
}

/// Tiles that were on their way before a step.
std::string on_their_way(const WatchedRoute& part, std::size_t step) {
  const Route& route = *part.route;
  std::string text;
  for (std::size_t link = 0; link < route.links.size(); ++link) {
    if (route.links[link].exchange.waits) continue;
    std::vector<std::string> tiles;
    for (std::size_t i = 0; i < step; ++i) {
      const Action& action = route.schedule[i];
      if (static_cast<std::size_t>(action.stage) != link) continue;
      if (action.what == Action::What::start) tiles.push_back(std::to_string(action.index));
      if (action.what == Action::What::finish) tiles.erase(tiles.begin());
    }
    if (tiles.empty()) continue;
    text += concat(text.empty() ? "; on their way: " : ", ", "exchange ", link,
                   tiles.size() == 1 ? " tile " : " tiles ", join(tiles));
  }
  return text;
}

}  // namespace

std::string describe_call(const WatchedRoutes& watched, int route, Index call) {
  const char* const does = call == Watchdog::Place::agreeing    ? ": agrees on the arguments, with all ranks"
                           : call == Watchdog::Place::adding_up ? ": adds up what the groups have, with a rank of each"
                                                                : ": moves parts with ghosts, or several boxes";
  return concat(watched.routes[static_cast<std::size_t>(route)].name, " of ", watched.what, does);
}

std::string describe_step(const WatchedRoutes& watched, int number, Index step) {
  const WatchedRoute& part = watched.routes[static_cast<std::size_t>(number)];
  const Route& route = *part.route;
  const auto at = static_cast<std::size_t>(step);
  const Action& action = route.schedule[at];
  const auto stage = static_cast<std::size_t>(action.stage), index = static_cast<std::size_t>(action.index);
  std::string text = concat(part.name, " of ", watched.what, ", step ", step + 1, " of ", route.schedule.size(), ": ");
  if (action.what == Action::What::compute) {
    text += concat("computes unit ", index, " of pass ", stage, " (", transforms_text(route.passes[stage]), ')');
    return text + on_their_way(part, at);
  }
  switch (action.what) {
    case Action::What::acquire: text += "waits until others have read"; break;
    case Action::What::start: text += "starts"; break;
    case Action::What::release: text += "releases"; break;
    default: text += "waits for"; break;
  }
  const ExchangePlan& exchange = route.links[stage].exchange;
  text += concat(" tile ", index, " of exchange ", stage, " (", exchange.tiles.size(),
                 exchange.tiles.size() == 1 ? " tile, " : " tiles, ", exchange.strategy, ") ",
                 partners(exchange, exchange.tiles[index], part.ranks));
  return text + on_their_way(part, at);
}

}  // namespace weft::detail
