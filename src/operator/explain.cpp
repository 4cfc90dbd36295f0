// An operator's plan in words and as JSON.
#include "plan/explain.hpp"

#include <algorithm>
#include <span>
#include <sstream>
#include <vector>

#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "operator/operator.hpp"
#include "plan/parts.hpp"

namespace weft {

namespace {

/// Bytes that the passes of this rank read and write, user's arrays, exchange buffers and intermediate arrays.
Index bytes_moved(const detail::Route& route) {
  Index bytes = 0;
  for (const detail::Pass& pass : route.passes) {
    for (const detail::Unit& unit : pass.units) {
      const Index in = unit.items.count(), out = in * pass.out_fields / pass.in_fields;
      bytes += (in * unit.in.count() * pass.in_bytes + out * unit.out.count() * pass.out_bytes) / unit.sharing;
    }
  }
  return bytes;
}

}  // namespace

std::string OperatorPlan::explain() const {
  const auto& d = *data_;
  const auto& p = d.problem;
  std::ostringstream out;
  out << "Weft operator plan: " << detail::shape_text(detail::as_transform(p)) << ' ' << to_string(p.kind) << ", "
      << to_string(p.precision) << " precision, " << d.inputs << (d.inputs == 1 ? " field" : " fields") << " to "
      << d.outputs << ", function at " << to_string(d.at) << ", " << p.batch
      << (p.batch == 1 ? " application" : " applications") << ", rank " << d.rank << " of " << d.ranks << '\n';
  const auto end = [&](const char* name, const Layout& layout, const detail::Array& array) {
    out << name << to_string(layout.shape());
    if (p.shape.rank() > 3) out << " points of " << d.end_numbers << " numbers";
    out << ", " << layout.describe() << "; this rank " << to_string(array.box) << ", "
        << detail::bytes_text(array.bytes(p.batch)) << '\n';
  };
  const std::span lengths = std::span(p.lengths).first(p.shape.size());
  if (std::any_of(lengths.begin(), lengths.end(), [](double length) { return length != Problem{}.lengths[0]; })) {
    std::string box;
    for (const double length : lengths) detail::append(box, detail::text(box.empty() ? "%g" : " x %g", length));
    out << "box        " << box << "; wave numbers are 2 pi i / length\n";
  }
  end("input      ", d.input, d.route.input);
  end("output     ", d.output, d.route.output);
  out << detail::parts_text(d.parts, d.rank);
  out << "function   on " << to_string(d.middle_shape) << ", " << d.middle.describe() << "; this rank "
      << to_string(d.middle.box(d.rank)) << ", tile by tile in cache: no array holds the spectrum\n";
  out << "strategy   " << d.options.strategy << ": " << detail::find_strategy(d.options.strategy).summary << '\n';
  out << "backend    " << d.options.backend << ", effort " << d.options.get("effort")
      << (d.options.in_place ? "; in place" : "; out of place") << '\n';
  detail::print_route(out, d.route, traffic());
  out << "memory     " << d.route.passes.size() << " trips, " << detail::bytes_text(bytes_moved(d.route))
      << " read and written by this rank\n";
  out << "workspace  " << detail::bytes_text(workspace_bytes()) << " on this rank\n";
  return out.str();
}

std::string OperatorPlan::json() const {
  const auto& d = *data_;
  const auto& p = d.problem;
  const auto end = [&](const Layout& layout, const detail::Array& array) {
    return detail::Json{{"shape", layout.shape()},
                        {"layout", layout.describe()},
                        {"box", detail::box_json(array.box)},
                        {"bytes", array.bytes(p.batch)}};
  };
  detail::Json plan{
      {"shape", p.shape},
      {"modes", p.kept_modes()},
      {"kind", to_string(p.kind)},
      {"precision", to_string(p.precision)},
      {"batch", p.batch},
      {"normalization", to_string(p.normalization)},
      {"lengths", std::vector<double>(p.lengths.begin(), p.lengths.begin() + p.shape.rank())},
      {"at", to_string(d.at)},
      {"inputs", d.inputs},
      {"outputs", d.outputs},
      {"ranks", d.ranks},
      {"rank", d.rank},
      {"options", detail::options_json(d.options)},
      {"input", end(d.input, d.route.input)},
      {"output", end(d.output, d.route.output)},
      {"parts", detail::parts_json(d.parts, d.rank)},
      {"middle",
       {{"shape", d.middle_shape}, {"layout", d.middle.describe()}, {"box", detail::box_json(d.middle.box(d.rank))}}},
      {"route", detail::route_json(d.route, traffic())},
      {"bytes_moved", bytes_moved(d.route)},
      {"workspace_bytes", workspace_bytes()}};
  return plan.dump(2);
}

}  // namespace weft
