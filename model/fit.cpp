// What whole transforms take beyond the model's formulas, from the calibration's own transforms.
#include <algorithm>

#include "predict.hpp"

namespace weft::model {

namespace {

struct Modelled {
  double seconds, footprint;
};

/// There and back by what is known so far, without calls.
Modelled round_trip(const Site& site, double n, Kind kind, int ranks, const Options& options) {
  const auto extent = static_cast<Index>(n);
  const Plan plan({.shape = {extent, extent, extent}, .kind = kind, .precision = site.precision}, options, ranks);
  Pace pace;
  pace.footprint = static_cast<double>(array_bytes(plan) + plan.workspace_bytes());
  pace.factor = pass_factor(site.machine, kind, site.precision, pace.footprint);
  double seconds = 0;
  for (const detail::Route* route : {&plan.data().forward, &plan.data().backward}) {
    seconds += walk(site, *route, links_of(*route), pace).seconds();
  }
  return {seconds, pace.footprint};
}

/// Factors below this are no property of the machine.
constexpr double least_factor = 0.2;

void add_factor(Table& table, const Modelled& modelled, double seconds) {
  table.push_back({modelled.footprint, std::max(least_factor, seconds / modelled.seconds), 0});
}

void sort_by_size(std::map<std::string, Table>& tables) {
  for (auto& [name, table] : tables) {
    std::sort(table.begin(), table.end(), [](const Sample& a, const Sample& b) { return a.size < b.size; });
  }
}

}  // namespace

Machine fitted(Machine machine) {
  const Calibration& measured = machine.calibration;
  if (measured.transforms.empty()) return machine;
  machine.call = 0;
  machine.pass_factors.clear();
  machine.strategy_factors.clear();

  // All of a node's ranks transformed at once, each by itself.
  std::vector<double> calls;
  std::map<std::string, Table> factors;
  for (const auto& [name, table] : measured.transforms) {
    const auto dash = name.find('_');
    const Kind kind = parse_kind(name.substr(0, dash));
    const Precision precision = parse_precision(dash == std::string::npos ? "" : name.substr(dash + 1));
    const Site site{machine, measured.ranks, measured.ranks, precision};
    for (const Sample& row : table) {
      const Modelled modelled = round_trip(site, row.size, kind, 1, {});
      if (row.size <= 4) {
        // So small that it is nothing but calling.
        calls.push_back(std::max(0.0, row.value - modelled.seconds) / 2);
      } else {
        add_factor(factors[name], modelled, row.value - 2 * (calls.empty() ? 0 : calls.back()));
      }
    }
  }
  std::sort(calls.begin(), calls.end());
  machine.call = calls.empty() ? 0 : calls[calls.size() / 2];
  sort_by_size(factors);
  machine.pass_factors = std::move(factors);

  // And all together. What was measured may be by a build that has more strategies.
  const std::vector<std::string> usable = strategies();
  const Site site{machine, measured.ranks, measured.ranks};
  std::map<std::string, Table> together;
  for (const auto& [name, table] : measured.strategies) {
    if (std::find(usable.begin(), usable.end(), name) == usable.end()) continue;
    Options options;
    options.strategy = name;
    for (const Sample& row : table) {
      const Modelled modelled = round_trip(site, row.size, Kind::c2c, measured.ranks, options);
      add_factor(together[name], modelled, row.value - 2 * (machine.call + measured.allreduce));
    }
  }
  sort_by_size(together);
  machine.strategy_factors = std::move(together);
  return machine;
}

}  // namespace weft::model
