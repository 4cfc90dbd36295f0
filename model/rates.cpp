#include "rates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/factors.hpp"

namespace weft::model {

namespace {

/// Lengths of a sort are alike: powers of two, products of small primes, and those with a large prime.
enum class LengthSort { power, smooth, rough };

LengthSort sort_of(Index n) {
  if (n < 1 || std::has_single_bit(static_cast<std::uint64_t>(n))) return LengthSort::power;
  return detail::without_factors(n, {2, 3, 5, 7}) == 1 ? LengthSort::smooth : LengthSort::rough;
}

const char* name_of(LineKind kind) {
  switch (kind) {
    case LineKind::rows: return "rows";
    case LineKind::real_rows: return "real_rows";
    case LineKind::columns: return "columns";
  }
  return "";
}

double factor_of(const std::map<std::string, Table>& tables, const std::string& name, double footprint) {
  const auto found = tables.find(name);
  return found == tables.end() || found->second.empty() ? 1 : interpolated(found->second, footprint);
}

}  // namespace

double interpolated(const Table& table, double size) {
  if (table.empty()) throw Error("a table is empty; at least one row is needed");
  if (table.size() == 1 || size <= table.front().size) return table.front().value;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const Sample &a = table[i - 1], &b = table[i];
    if (size <= b.size)
      return a.value * std::pow(b.value / a.value, std::log(size / a.size) / std::log(b.size / a.size));
  }
  const Sample &a = table[table.size() - 2], &b = table.back();
  const double slope = std::log(b.value / a.value) / std::log(b.size / a.size);
  return slope > 0.7 ? b.value * (size / b.size) : b.value;
}

double memory_rate(const Machine& machine, double footprint, int ranks) {
  const int working = std::min(ranks, machine.cores);
  const Calibration& measured = machine.calibration;
  if (measured.copy_all.empty()) return std::min(machine.core_bandwidth, machine.memory_bandwidth / working);
  // A copied array is half of what a copy touches.
  const double busy = interpolated(measured.copy_all, footprint / 2);
  const double alone = measured.copy_one.empty() ? busy : interpolated(measured.copy_one, footprint / 2);
  if (machine.cores == 1 || ranks == 1) return alone;
  return alone + (busy - alone) * (working - 1) / (machine.cores - 1);
}

double memory_hidden(const Machine& machine) { return machine.calibration.copy_all.empty() ? 1 : 0; }

double neighbour_seconds(const Machine& machine, double size) {
  const Calibration& measured = machine.calibration;
  if (measured.neighbour.empty() || measured.copy_all.empty()) return 0;
  return std::max(0.0, interpolated(measured.neighbour, size) - 2 * size / interpolated(measured.copy_all, size));
}

double line_rate(const Machine& machine, const std::string& backend, LineKind kind, Precision precision, Index n) {
  const Calibration& measured = machine.calibration;
  const auto own = measured.backends.find(backend);
  const std::map<std::string, Table>& lines = own == measured.backends.end() ? measured.lines : own->second;
  const auto found = lines.find(std::string(name_of(kind)) + "_" + to_string(precision));
  if (found == lines.end() || found->second.empty()) {
    return machine.flops * (precision == Precision::single_ ? 2 : 1);
  }
  Table alike;
  for (const Sample& row : found->second) {
    if (sort_of(std::llround(row.size)) == sort_of(n)) alike.push_back(row);
  }
  return interpolated(alike.empty() ? found->second : alike, static_cast<double>(n));
}

double node_exchange(const Machine& machine, double size, bool pieces, bool busy) {
  const Calibration& measured = machine.calibration;
  if (measured.exchange_node.empty()) return machine.node_latency + machine.node_gap + size / machine.node_bandwidth;
  double seconds = interpolated(measured.exchange_node, size);
  if (busy && measured.ranks > 1 && !measured.alltoall.empty()) {
    seconds *= std::max(1.0, interpolated(measured.alltoall, size) / ((measured.ranks - 1) * seconds));
  }
  if (pieces && !measured.pieces_node.empty()) {
    Table ratio = measured.pieces_node;
    for (Sample& row : ratio) row.value /= interpolated(measured.exchange_node, row.size);
    seconds *= std::max(1.0, interpolated(ratio, size));
  }
  return seconds;
}

double alltoall_factor(const Machine& machine, double size) {
  const Calibration& measured = machine.calibration;
  if (measured.alltoall_network.empty() || machine.nodes < 2) return 1;
  const double ranks = measured.ranks, messages = ranks * (machine.nodes - 1);
  const double link = ranks * (machine.gap + size / (machine.bandwidth * machine.efficiency));
  return std::max(1.0, interpolated(measured.alltoall_network, size) / (messages * (machine.latency + link)));
}

double pass_factor(const Machine& machine, Kind kind, Precision precision, double footprint) {
  const std::string lines = kind == Kind::c2c ? "c2c_" : "r2c_";
  return factor_of(machine.pass_factors, lines + to_string(precision), footprint);
}

double strategy_factor(const Machine& machine, const std::string& strategy, double footprint) {
  return factor_of(machine.strategy_factors, strategy, footprint);
}

}  // namespace weft::model
