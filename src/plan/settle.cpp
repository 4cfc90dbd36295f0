#include "plan/settle.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "exchange/strategy.hpp"
#include "plan/flow.hpp"
#include "plan/options.hpp"

namespace weft::detail {

namespace {

/// Of a field, from one rank to another. Pencils have more planes than slabs of as many ranks, so their messages are
/// cut into more tiles.
constexpr double short_among_all = 4096, short_among_some = 16384;

/// Of a batch, between ranks that have a node each: from here on it pays to compute while messages are on their way.
constexpr double long_alone = 65536;

/// MPI libraries move long messages between nodes inside MPI calls only. On one node tests bring
/// nothing.
constexpr int tests_across_nodes = 4;

void take(Options& options, const std::string& strategy) {
  const std::vector<std::string> usable = strategies();
  options.strategy = std::find(usable.begin(), usable.end(), strategy) != usable.end() ? strategy : "alltoallv";
}

/// What exchanges across nodes have: short messages between ranks that share nodes, and between others; and bytes of
/// the shortest ones.
struct Messages {
  bool short_together = false, short_alone = false;
  double shortest = HUGE_VAL;
};

Messages across_nodes(std::span<const Stage> stages, const std::vector<int>& nodes) {
  Messages found;
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    const Layout &from = stages[i].out, &to = stages[i + 1].in;
    if (from == to) continue;
    double bytes = stages[i].out_bytes;
    for (const Index n : from.shape()) bytes *= static_cast<double>(n);
    std::vector<std::vector<int>> all{component(from, to, 0)};
    if (static_cast<int>(all.front().size()) < from.ranks()) all = components(from, to);
    const double limit = all.size() == 1 ? short_among_all : short_among_some;
    for (const std::vector<int>& ranks : all) {
      std::set<int> theirs;
      for (const int rank : ranks) theirs.insert(nodes[static_cast<std::size_t>(rank)]);
      const double message = bytes / from.ranks() / static_cast<double>(ranks.size());
      if (theirs.size() < 2) continue;
      found.shortest = std::min(found.shortest, message);
      if (message < limit) (theirs.size() < ranks.size() ? found.short_together : found.short_alone) = true;
    }
  }
  return found;
}

}  // namespace

Options settled(Options options, int ranks) {
  if (options.strategy != automatic_strategy) return options;
  options.strategy = "alltoallv";
  if (ranks == 1 || (options.nodes.empty() && options.node_size == 0)) return options;
  const std::vector<int> nodes = nodes_of(options, ranks);
  const bool one_node = std::set<int>(nodes.begin(), nodes.end()).size() == 1;
  if (one_node) take(options, "shared");
  return options;
}

Options settled(Options options, std::span<const Stage> stages, Index batch) {
  const int ranks = stages.front().in.ranks();
  const bool chosen = options.strategy == automatic_strategy;
  options = settled(std::move(options), ranks);
  if (!chosen || (options.nodes.empty() && options.node_size == 0)) return options;
  const std::vector<int> nodes = nodes_of(options, ranks);
  const auto several = static_cast<int>(std::set<int>(nodes.begin(), nodes.end()).size());
  if (several == 1) return options;
  const Messages messages = across_nodes(stages, nodes);
  if (several == ranks) {
    if (messages.shortest * static_cast<double>(batch) >= long_alone) take(options, "ialltoallv");
  } else if (messages.short_together) {
    take(options, "node-shm");
  } else if (!messages.short_alone) {
    take(options, "shared");
  }
  const bool overlaps = !find_strategy(options.strategy).traits.waits(options.window);
  if (overlaps && options.tests == 0) options.tests = tests_across_nodes;
  return options;
}

}  // namespace weft::detail
