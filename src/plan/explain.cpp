// A plan in words and as JSON.
#include "plan/explain.hpp"

#include <array>
#include <sstream>

#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "exchange/wire_format.hpp"
#include "plan/groups.hpp"
#include "plan/half_line.hpp"
#include "plan/padded_line.hpp"
#include "plan/parts.hpp"

namespace weft {

namespace detail {

std::string transforms_text(const Pass& pass) {
  if (pass.transforms.empty()) return "copy";
  std::string text;
  Way way = pass.transforms.front().way;
  for (const auto& transform : pass.transforms) {
    if (pass.pointwise == Pointwise::function && transform.way != way) text += ", function";
    way = transform.way;
    const auto add = [&](LineType type, std::size_t axis) {
      text += concat(text.empty() ? "" : ", ", traits_of(type).name, " along axis ", axis);
    };
    if (transform.inner.empty()) add(transform.type, static_cast<std::size_t>(transform.axis));
    for (std::size_t axis = 0; axis < transform.inner.size(); ++axis) {
      const Line line = transform.inner[axis].line;
      if (line != Line::none) add(type_of(line, transform.way), 2 + axis);
    }
  }
  return text;
}

namespace {

std::string where_text(const Array& array) {
  switch (array.where) {
    case Array::Where::input: return "input";
    case Array::Where::output: return "output";
    case Array::Where::work: return "workspace";
  }
  return "?";
}

/// What the routes begin or end with; of a padded line the user's.
const Array& end_array(const PlanData& data, std::size_t end) {
  if (data.padded_line) return end == 0 ? data.input_array : data.output_array;
  return end == 0 ? data.forward.input : data.forward.output;
}

Index messages_of(const ExchangePlan& exchange) {
  Index messages = 0;
  for (const auto& tile : exchange.tiles) messages += tile.sent.messages;
  return messages;
}

Index padding_of(const ExchangePlan& exchange) {
  Index elements = 0;
  for (const auto& tile : exchange.tiles) elements += tile.sent.padding;
  return elements * exchange.element_bytes;
}

Index bytes_of(const ExchangePlan& exchange) {
  Index bytes = 0;
  for (const auto& tile : exchange.tiles) bytes += tile.sent.elements * exchange.element_bytes;
  return bytes;
}

}  // namespace

std::string bytes_text(Index bytes) {
  static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return text("%.*f %s", unit == 0 ? 0 : 1, value, units[unit]);
}

std::string shape_text(const Problem& problem) {
  std::string text = to_string(problem.shape);
  if (problem.one_line) text += concat(", one line of ", problem.shape[0] * problem.shape[2], " points,");
  const Shape modes = problem.kept_modes(), points = problem.kept_points();
  const Shape all = problem.shape;
  if (points != all) text += concat(" of ", to_string(points), " points");
  if (modes != all) text += concat(" with ", to_string(modes), " modes");
  return text;
}

Json options_json(const Options& options) {
  Json json = Json::object();
  for (const auto& description : Options::describe()) json[description.name] = options.get(description.name);
  return json;
}

Json box_json(const Box& box) { return {{"lo", box.lo}, {"hi", box.hi}}; }

Json route_json(const Route& route, const Plan::Traffic& traffic) {
  Json stages = Json::list();
  for (std::size_t i = 0; i < route.passes.size(); ++i) {
    const auto& pass = route.passes[i];
    stages.push_back({{"stage", "pass"},
                      {"transforms", transforms_text(pass)},
                      {"layout", pass.layout.describe()},
                      {"box", box_json(pass.out)},
                      {"scale", pass.scale}});
    if (i == route.links.size()) break;
    const auto& link = route.links[i];
    if (link.is_exchange) {
      const auto& exchange = link.exchange;
      stages.push_back({{"stage", "exchange"},
                        {"from", exchange.from.describe()},
                        {"to", exchange.to.describe()},
                        {"strategy", exchange.strategy},
                        {"peers", exchange.peers.size()},
                        {"tiles", exchange.tiles.size()},
                        {"tile_axis", exchange.tile_axis},
                        {"window", exchange.window},
                        {"consume", exchange.early ? "early" : "late"},
                        {"messages", messages_of(exchange)},
                        {"bytes", bytes_of(exchange)},
                        {"wire", format_of(exchange.wire).name},
                        {"wire_error", exchange.wire_error},
                        {"padding_bytes", padding_of(exchange)}});
    } else {
      stages.push_back({{"stage", "array"}, {"where", where_text(link.array)}});
    }
  }
  return {{"stages", stages},
          {"messages_per_rank", traffic.messages},
          {"messages_per_rank_with_data", traffic.data_messages},
          {"bytes_per_rank", traffic.bytes},
          {"messages_all", traffic.all_messages},
          {"messages_all_with_data", traffic.all_data_messages},
          {"bytes_all", traffic.all_bytes},
          {"messages_network", traffic.network_messages},
          {"messages_network_with_data", traffic.network_data_messages},
          {"bytes_network", traffic.network_bytes},
          {"workspace_bytes", route.workspace_bytes}};
}

void print_traffic(std::ostream& out, const Plan::Traffic& traffic) {
  out << "  traffic    " << traffic.messages << " messages, " << bytes_text(traffic.bytes) << " from this rank; "
      << traffic.all_messages << " messages, " << bytes_text(traffic.all_bytes) << " in all, of which "
      << traffic.network_messages << ", " << bytes_text(traffic.network_bytes) << " between nodes";
  if (traffic.all_data_messages != traffic.all_messages) {
    out << "; with data " << traffic.all_data_messages << ", between nodes " << traffic.network_data_messages;
  }
  out << '\n';
}

void print_route(std::ostream& out, const Route& route, const Plan::Traffic& traffic) {
  for (std::size_t i = 0; i < route.passes.size(); ++i) {
    const auto& pass = route.passes[i];
    out << "  pass " << i << "     " << transforms_text(pass) << "; " << pass.layout.describe() << ", this rank "
        << to_string(pass.out) << '\n';
    if (i == route.links.size()) break;
    const auto& link = route.links[i];
    if (link.is_exchange) {
      const auto& exchange = link.exchange;
      out << "  exchange " << i << "  " << exchange.from.describe() << " -> " << exchange.to.describe() << " by "
          << exchange.strategy << " among " << exchange.peers.size() << " ranks: " << exchange.tiles.size()
          << (exchange.tiles.size() == 1 ? " tile" : " tiles") << " along axis " << exchange.tile_axis << ", window "
          << exchange.window << ", consumed " << (exchange.early ? "early" : "late") << "; this rank sends "
          << messages_of(exchange) << (messages_of(exchange) == 1 ? " message, " : " messages, ")
          << bytes_text(bytes_of(exchange));
      if (exchange.wire != Wire::same) {
        const WireFormat& format = format_of(exchange.wire);
        out << " as " << format.name << " (" << exchange.element_bytes << " bytes a point instead of "
            << exchange.local_bytes << ", each rounded by at most " << text("%.1e", format.error) << " of its magnitude"
            << (exchange.exact_inside && exchange.shared_memory ? ", but for what stays inside a node" : "") << ")";
      }
      if (padding_of(exchange) > 0) out << ", of which " << bytes_text(padding_of(exchange)) << " padding";
      out << '\n';
    } else {
      out << "  array " << i << "    in the " << where_text(link.array) << '\n';
    }
  }
  print_traffic(out, traffic);
}

}  // namespace detail

using detail::bytes_text;
using detail::print_route;
using detail::print_traffic;

std::string Plan::explain() const {
  const auto& d = *data_;
  std::ostringstream out;
  out << "Weft plan: " << detail::shape_text(d.problem) << ' ' << to_string(d.problem.kind) << ", "
      << to_string(d.problem.precision) << " precision, " << d.problem.batch
      << (d.problem.batch == 1    ? " field"
          : d.problem.interleaved ? " interleaved fields"
                                  : " fields")
      << ", normalization " << to_string(d.problem.normalization) << ", rank " << d.rank << " of " << d.ranks << '\n';
  const auto end = [&](const char* name, const Layout& layout, const detail::Array& array) {
    out << name << to_string(layout.shape());
    const Index numbers = array.element_bytes / (array.where == detail::Array::Where::input ? d.problem.input_bytes()
                                                                                            : d.problem.output_bytes());
    if (d.problem.shape.rank() > 3) out << " points of " << numbers << " numbers";
    out << ", " << layout.describe() << "; this rank " << to_string(array.box) << ", rows of " << array.row;
    if (array.order != MemoryOrder{0, 1, 2}) out << ", axes in memory " << to_string(array.order);
    out << ", " << bytes_text(array.bytes(detail::arrays_of(d.problem))) << '\n';
  };
  end("input      ", d.input, detail::end_array(d, 0));
  end("output     ", d.output, detail::end_array(d, 1));
  out << detail::parts_text(d.parts, d.rank);
  if (d.half_line) out << detail::half_line_text(*d.half_line, d.rank);
  if (d.padded_line) {
    out << d.padded_line->text() << "           beside the workspace " << bytes_text(d.padded_line->bytes(d.rank))
        << " on this rank\n";
  }
  out << "strategy   " << d.options.strategy << ": " << detail::find_strategy(d.options.strategy).summary << '\n';
  out << "backend    " << d.options.backend << ", effort " << d.options.get("effort")
      << (d.options.in_place ? "; in place" : "; out of place") << '\n';
  if (d.options.groups > 1) {
    const detail::OwnGroup own = own_group(d);
    out << "groups     " << own.groups << "; this rank is in group " << own.number << ", ranks " << own.ranks.lo
        << " to " << own.ranks.hi - 1 << ", which transforms " << own.items.hi - own.items.lo << " of the fields\n";
    print_traffic(out << "forward, to the groups, inside of them and back\n", traffic(Direction::forward));
    print_traffic(out << "backward\n", traffic(Direction::backward));
    if (own.plan) out << "inside the group: " << own.plan->explain();
    return out.str();
  }
  out << "forward (exponent -1)\n";
  print_route(out, d.forward, traffic(Direction::forward));
  out << "backward (exponent +1)\n";
  print_route(out, d.backward, traffic(Direction::backward));
  out << "workspace  " << bytes_text(workspace_bytes()) << " on this rank\n";
  return out.str();
}

namespace detail {

namespace {

Json end_json(const Layout& layout, const Array& array, Index arrays) {
  return {{"shape", layout.shape()}, {"layout", layout.describe()}, {"box", box_json(array.box)},
          {"row", array.row},        {"order", array.order},        {"bytes", array.bytes(arrays)}};
}

Json plan_json(const Plan& plan) {
  const PlanData& d = plan.data();
  Json json{{"shape", d.problem.shape},
            {"modes", d.problem.kept_modes()},
            {"points", d.problem.kept_points()},
            {"kind", to_string(d.problem.kind)},
            {"precision", to_string(d.problem.precision)},
            {"batch", d.problem.batch},
            {"normalization", to_string(d.problem.normalization)},
            {"interleaved", d.problem.interleaved},
            {"padded_rows", d.problem.padded_rows},
            {"one_line", d.problem.one_line},
            {"ranks", d.ranks},
            {"rank", d.rank},
            {"options", options_json(d.options)},
            {"input", end_json(d.input, end_array(d, 0), arrays_of(d.problem))},
            {"output", end_json(d.output, end_array(d, 1), arrays_of(d.problem))},
            {"padded_line", d.padded_line ? Json(d.padded_line->shape()) : Json()},
            {"parts", parts_json(d.parts, d.rank)},
            {"forward", route_json(d.forward, plan.traffic(Direction::forward))},
            {"backward", route_json(d.backward, plan.traffic(Direction::backward))},
            {"workspace_bytes", plan.workspace_bytes()}};
  if (d.options.groups > 1) {
    // What is done is done inside the groups; the stages of all ranks together are not.
    const OwnGroup own = own_group(d);
    json["group"] = {{"number", own.number},
                     {"ranks", std::array{own.ranks.lo, own.ranks.hi}},
                     {"fields", std::array{own.items.lo, own.items.hi}}};
    if (own.plan) json["group"]["plan"] = plan_json(*own.plan);
    for (const char* direction : {"forward", "backward"}) json[direction]["stages"] = Json::list();
  }
  return json;
}

}  // namespace

}  // namespace detail

std::string Plan::json() const { return detail::plan_json(*this).dump(2); }

}  // namespace weft
