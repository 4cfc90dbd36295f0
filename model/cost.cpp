#include "cost.hpp"

#include <algorithm>
#include <cmath>

namespace weft::model {

int Site::busy() const { return std::min(ranks, ranks_on_node); }
int Site::nodes() const { return (ranks + ranks_on_node - 1) / ranks_on_node; }
double Site::crowd() const { return std::max(1.0, static_cast<double>(busy()) / machine.cores); }
double Site::crowd_of_threads() const { return std::max(1.0, static_cast<double>(busy()) * threads / machine.cores); }

double meeting(const Site& site, double cores) {
  const Machine& machine = site.machine;
  const double steps = std::log2(cores);
  if (machine.calibration.barrier > 0) {
    const double known = std::log2(static_cast<double>(std::max(2, machine.calibration.ranks)));
    return machine.calibration.barrier * steps / known * site.crowd();
  }
  return machine.node_latency * steps * site.crowd();
}

namespace {

/// How a unit is shared out among threads, which take chunk after chunk.
struct Shares {
  Index threads;  ///< that have something to do
  double most;    ///< the part of the one that does most
};
Shares shares_of(const Site& site, const detail::Cost& unit) {
  if (site.threads == 1) return {1, 1};
  const Index pieces = unit.pieces;
  const auto bytes = std::max(Index{1}, static_cast<Index>(unit.piece_bytes));
  const Index in_chunk = std::clamp(site.chunk_bytes / bytes, Index{1}, pieces);
  const Index full = pieces / in_chunk, rest = pieces % in_chunk, chunks = full + (rest > 0 ? 1 : 0);
  const Index threads = std::min(chunks, static_cast<Index>(site.threads));
  // Whoever is free takes the smaller one in the end.
  const Index most = full % threads == 0 ? full / threads * in_chunk + rest : (full / threads + 1) * in_chunk;
  return {threads, static_cast<double>(most) / static_cast<double>(pieces)};
}

LineKind kind_of(const detail::Cost::Lines& lines) {
  const detail::LineTraits& traits = detail::traits_of(lines.type);
  if (traits.in != traits.out) return LineKind::real_rows;
  return lines.columns ? LineKind::columns : LineKind::rows;
}

}  // namespace

UnitCost unit_cost(const Site& site, const detail::Cost& unit, double footprint, double from_neighbours) {
  const Machine& machine = site.machine;
  const Shares shares = shares_of(site, unit);
  UnitCost cost;
  cost.memory = shares.most * (unit.read + unit.written) / memory_rate(machine, footprint, site.busy() * site.threads);
  if (from_neighbours > 0) cost.memory += neighbour_seconds(machine, shares.most * from_neighbours * unit.read);
  for (const detail::Cost::Lines& lines : unit.lines) {
    cost.computation +=
        shares.most * lines.flops() / line_rate(machine, site.backend, kind_of(lines), site.precision, lines.n);
  }
  cost.memory -= memory_hidden(machine) * std::min(cost.memory, cost.computation);
  cost.computation *= site.crowd_of_threads();
  cost.memory *= site.crowd_of_threads();
  if (shares.threads > 1) cost.region = meeting(site, static_cast<double>(shares.threads));
  return cost;
}

namespace {

/// Messages inside a node are copies by the processors of their ranks.
double inside(const Site& site, const LinkTraffic& link, const TileTraffic& tile) {
  const Machine& machine = site.machine;
  const auto count = static_cast<double>(tile.node_messages);
  const double size = static_cast<double>(tile.node_bytes) / count;
  double seconds = node_exchange(machine, std::max(1.0, size), link.traits.arrays, site.busy() >= machine.cores);
  // All ranks of a node copy at once: each byte is read and written, at best once.
  seconds = std::max(seconds, 2 * size * std::min(site.busy(), machine.cores) / machine.memory_bandwidth);
  // Two empty ones for each: it may be written, it has been.
  if (link.traits.window) seconds += 2 * node_exchange(machine, 1, false, false);
  return count * seconds * site.crowd();
}

/// Bytes on a wire that all nodes share, as a multiple of what one node sends.
double on_shared_wire(const Site& site) {
  const int nodes = site.nodes();
  const int of_segment = site.machine.nodes_per_segment > 0 ? site.machine.nodes_per_segment : nodes;
  const double segments = (nodes + of_segment - 1) / of_segment;
  // A frame to another segment crosses the wires of both.
  return std::min(of_segment, nodes) * (1 + (segments - 1) / segments);
}

/// Messages to other nodes: the ranks of a node share its link.
void add_across(const Site& site, const LinkTraffic& link, const TileTraffic& tile, TileCost& cost) {
  const Machine& machine = site.machine;
  const double busy = site.busy(), node_peers = static_cast<double>(link.node_peers);
  double count = static_cast<double>(tile.network_messages), sent = static_cast<double>(tile.network_bytes);
  // What all ranks of a node put on its link, and this rank's part of its processors' work.
  double together = busy * sent, messages = busy * count, mine = 1;
  if (link.traits.node_runs || link.traits.gathers) {
    // A message for each pair of nodes, of all ranks that exchange with each other; leaders share them out.
    const double groups = busy / node_peers;
    messages = groups * count;
    if (link.traits.gathers) {
      together = groups * sent;  // rank 0 leads, and has all of it
    } else {
      mine = 1 / std::min(static_cast<double>(link.leaders), node_peers);
      sent *= node_peers;
    }
  }
  const double size = sent / count;
  double rounds = 1;
  if (link.traits.padded && size <= static_cast<double>(machine.alltoall_short)) {
    // Stored and forwarded (Bruck): log2 P messages of half of all blocks instead of P - 1 of one, to the ranks 1, 2,
    // 4, ... further. The nearer ones are on other nodes for a part of the node's ranks only.
    count = rounds = 0;
    for (Index distance = 1; distance < link.peers; distance *= 2, ++rounds) {
      count += std::min(1.0, static_cast<double>(distance) / node_peers);
    }
    sent = count * size * static_cast<double>(link.peers) / 2;
    together = busy * sent;
    messages = busy * count;
  } else if (link.waits() && size >= static_cast<double>(machine.alltoall_pairwise)) {
    rounds = count;  // each waits for the one before
  }
  if (link.waits()) together *= alltoall_factor(machine, size);
  if (link.traits.window) {
    count *= 3;
    messages *= 3;
  }
  const int trips = size > static_cast<double>(machine.eager) ? 3 : 1;  // the receiver is asked first
  double on_wire = together / (machine.bandwidth * machine.efficiency);
  if (machine.shared) on_wire *= on_shared_wire(site);
  cost.network[Term::latency] = machine.latency * rounds * trips;
  cost.network[Term::rate] = messages * machine.gap;
  cost.network[Term::bandwidth] = on_wire;
  if (rounds > 1 && busy > 1) {
    // While one rank waits for its round, others of its node use the link: more than the longer of the two, less than
    // both.
    const double link_busy = messages * machine.gap + on_wire, waiting = cost.network[Term::latency];
    const double part = std::hypot(link_busy, waiting) / (link_busy + waiting);
    for (double& seconds : cost.network.by_term) seconds *= part;
  }
  cost.sending = mine * (count * machine.overhead + sent / machine.copy_bandwidth) * site.crowd();
  cost.receiving = cost.sending;
  cost.one = 1 / std::max(1.0, count);
}

/// The leader of a node gathers what its ranks send and scatters what they receive, one message after the other, and
/// sorts all of it: what stays in the node once, what leaves it once more where it arrives.
double gathered(const Site& site, const TileTraffic& tile) {
  const auto scattered = static_cast<double>(tile.node_messages), bytes = static_cast<double>(tile.node_bytes);
  // One message gathered and one scattered are an exchange.
  const double messages = scattered * node_exchange(site.machine, std::max(1.0, bytes / scattered), false, false);
  const double sorted = 2 * (bytes + static_cast<double>(tile.network_bytes));
  return (messages + sorted / memory_rate(site.machine, sorted, 1)) * site.crowd();
}

}  // namespace

Seconds TileCost::alone() const {
  Seconds all = processor;
  all += network;
  all[Term::overhead] += one * sending + receiving;
  return all;
}

TileCost tile_cost(const Site& site, const LinkTraffic& link, const TileTraffic& tile) {
  TileCost cost;
  if (link.peers == 1) return cost;
  // Peers do not come at the same time: waiting for them costs about what a barrier does.
  cost.processor[Term::synchronisation] = meeting(site, static_cast<double>(link.node_peers));
  double& node = cost.processor[Term::node];
  if (tile.node_messages > 0) node += link.traits.gathers ? gathered(site, tile) : inside(site, link, tile);
  const auto bytes = static_cast<double>(tile.node_bytes + tile.network_bytes);
  if (link.traits.padded) {
    // A collective moves a rank's own slot, too.
    const double copied = 2 * bytes / static_cast<double>(link.peers - 1);
    node += copied / memory_rate(site.machine, copied, site.busy()) * site.crowd();
  }
  if (tile.network_messages > 0) {
    add_across(site, link, tile, cost);
    const double all =
        static_cast<double>(tile.network_bytes) * (link.traits.node_runs ? static_cast<double>(link.node_peers) : 1);
    cost.eager = all / static_cast<double>(tile.network_messages) <= static_cast<double>(site.machine.eager);
  }
  return cost;
}

}  // namespace weft::model
