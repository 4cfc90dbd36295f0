#include "plan/flow.hpp"

#include <algorithm>
#include <set>

namespace weft::detail {

std::vector<int> component(const Layout& from, const Layout& to, int rank) {
  std::set<int> seen{rank};
  std::vector<int> open{rank};
  // All found is often seen at the first rank: without this, P ranks in one process would cost P^3 steps.
  while (!open.empty() && static_cast<int>(seen.size()) < from.ranks()) {
    const int r = open.back();
    open.pop_back();
    const auto visit = [&](const Layout& other, const Box& box) {
      for (const auto& overlap : other.overlaps(box)) {
        if (seen.insert(overlap.rank).second) open.push_back(overlap.rank);
      }
    };
    visit(to, from.box(r));
    visit(from, to.box(r));
  }
  return {seen.begin(), seen.end()};
}

int node_of(const Options& options, int rank) {
  if (!options.nodes.empty()) return options.nodes[static_cast<std::size_t>(rank)];
  return options.node_size > 0 ? rank / options.node_size : 0;
}

Index largest_block(const ExchangePlan& exchange, int k) {
  const auto from = exchange.from.parts(), to = exchange.to.parts();
  Index largest = 1;
  if (from && to) {
    // Every part meets every other along each axis by itself, so the largest overlaps come together in some block.
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index n = exchange.from.shape()[axis];
      Index longest = 0;
      for (int i = 0; i < (*from)[axis]; ++i) {
        Range a = split(n, (*from)[axis], i);
        if (static_cast<int>(axis) == exchange.tile_axis) {
          const Range part = split(a.hi - a.lo, exchange.tiles_per_group, k);
          a = {a.lo + part.lo, a.lo + part.hi};
        }
        for (int j = 0; j < (*to)[axis]; ++j) {
          const Range b = split(n, (*to)[axis], j);
          longest = std::max(longest, std::min(a.hi, b.hi) - std::max(a.lo, b.lo));
        }
      }
      largest *= longest;
    }
    return largest;
  }
  largest = 0;
  for (int rank = 0; rank < exchange.from.ranks(); ++rank) {
    const Box box = cut(exchange.from.box(rank), exchange.tile_axis, exchange.tiles_per_group, k);
    for (const auto& overlap : exchange.to.overlaps(box)) {
      if (overlap.rank != rank) largest = std::max(largest, overlap.box.count());
    }
  }
  return largest;
}

}  // namespace weft::detail
