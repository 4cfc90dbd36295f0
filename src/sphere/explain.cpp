// A sphere's plan in words and as JSON.
#include <sstream>

#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "plan/explain.hpp"
#include "sphere/sphere.hpp"

namespace weft {

using detail::bytes_text;
using detail::Json;

namespace {

/// Bytes of a band that go through the exchanges of a direction, one or two, and what the full box would exchange
/// instead.
Index full_bytes(const detail::SphereData& d) {
  const Index number = d.backward.passes.front().out_bytes;
  const Index x = d.problem.gamma ? d.problem.grid[0] / 2 + 1 : d.problem.grid[0];
  return (d.on_grid() ? 2 : 1) * x * d.problem.grid[1] * d.problem.grid[2] * number;
}
Index sphere_bytes(const detail::SphereData& d) {
  const auto columns = static_cast<Index>(d.sticks.all.size()), lines = static_cast<Index>(d.lines.size());
  const Index of_plane = columns + (d.on_grid() ? lines * d.problem.grid[1] : 0);
  return of_plane * d.problem.grid[2] * d.backward.passes.front().out_bytes;
}

std::string percent(Index part, Index all) {
  return detail::text("%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace

std::string SpherePlan::explain() const {
  const auto& d = *data_;
  const auto& p = d.problem;
  std::ostringstream out;
  out << "Weft sphere plan: grid " << p.grid[0] << " x " << p.grid[1] << " x " << p.grid[2] << " (x, y, z), "
      << (p.gamma ? "real" : "complex") << " in space, " << to_string(p.precision) << " precision, " << p.howmany
      << (p.howmany == 1 ? " band" : " bands") << (p.spinors ? " of spinors" : "") << " at a time, normalization "
      << to_string(p.normalization) << ", rank " << d.rank << " of " << ranks() << '\n';
  out << "waves      this rank " << waves();
  if (d.waves.other_results) out << ", others that come back " << results() << ',';
  out << " in " << columns() << " of " << all_columns() << " columns\n";
  out << "space      [z][y][x] of " << to_string(d.space.shape()) << "; this rank " << to_string(space_box());
  if (p.padded != std::array<Index, 2>{}) out << ", in memory " << to_string(d.space_extents);
  if (d.on_grid()) out << "; a grid of " << d.process_grid[0] << " x " << d.process_grid[1] << " of processes";
  out << '\n';
  const Lines l = lines();
  out << "lines      of a band, all ranks:";
  Index sum = 0, full = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    out << (i == 0 ? " " : ", ") << l.lines[i] << " of " << l.full[i] << " along "
        << "xyz"[l.axis[i]];
    sum += l.lines[i];
    full += l.full[i];
  }
  out << "; together " << percent(sum, full) << " of the full box\n";
  out << "exchanged  " << bytes_text(sphere_bytes(d)) << " a band in each direction, "
      << percent(sphere_bytes(d), full_bytes(d)) << " of the full box\n";
  for (const Direction direction : {Direction::backward, Direction::forward}) {
    const bool backward = direction == Direction::backward;
    const Options& o = options(direction);
    out << (backward ? "backward (exponent +1), by " : "forward (exponent -1), by ") << o.strategy << ": "
        << detail::find_strategy(o.strategy).summary << '\n';
    detail::print_route(out, backward ? d.backward : d.forward, traffic(direction));
  }
  out << "workspace  " << bytes_text(workspace_bytes()) << " on this rank\n";
  return out.str();
}

std::string SpherePlan::json() const {
  const auto& d = *data_;
  const auto& p = d.problem;
  const Lines l = lines();
  Json lines = Json::list();
  for (std::size_t i = 0; i < 3; ++i) {
    lines.push_back({{"axis", std::string(1, "xyz"[l.axis[i]])}, {"lines", l.lines[i]}, {"full_box", l.full[i]}});
  }
  Json plan{{"grid", p.grid},
            {"gamma", p.gamma},
            {"precision", to_string(p.precision)},
            {"howmany", p.howmany},
            {"normalization", to_string(p.normalization)},
            {"padded", p.padded},
            {"spinors", p.spinors},
            {"ranks", ranks()},
            {"rank", rank()},
            {"options",
             {{"backward", detail::options_json(options(Direction::backward))},
              {"forward", detail::options_json(options(Direction::forward))}}},
            {"waves", waves()},
            {"results", results()},
            {"columns", columns()},
            {"columns_all", all_columns()},
            {"space_box", detail::box_json(space_box())},
            {"space_extents", space_extents()},
            {"process_grid", d.process_grid},
            {"lines", lines},
            {"bytes_exchanged_per_band", sphere_bytes(d)},
            {"bytes_of_full_box_per_band", full_bytes(d)},
            {"backward", detail::route_json(d.backward, traffic(Direction::backward))},
            {"forward", detail::route_json(d.forward, traffic(Direction::forward))},
            {"workspace_bytes", workspace_bytes()}};
  return plan.dump(2);
}

}  // namespace weft
