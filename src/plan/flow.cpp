#include "plan/flow.hpp"

#include <algorithm>
#include <numeric>

namespace weft::detail {

std::vector<int> component(const Layout& from, const Layout& to, int rank) {
  std::vector<char> seen(static_cast<std::size_t>(from.ranks()));
  std::vector<int> found{rank};
  seen[static_cast<std::size_t>(rank)] = 1;
  // All found is often seen at the first rank: without this, P ranks in one process would cost P^3 steps.
  for (std::size_t next = 0; next < found.size() && static_cast<int>(found.size()) < from.ranks(); ++next) {
    const auto visit = [&](const Layout& other, const Layout& own, int r) {
      for (const Box& box : own.boxes(r)) {
        for (const int peer : other.overlapping(box)) {
          char& known = seen[static_cast<std::size_t>(peer)];
          if (known == 0) found.push_back(peer);
          known = 1;
        }
      }
    };
    const int r = found[next];
    visit(to, from, r);
    visit(from, to, r);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::vector<int>> components(const Layout& from, const Layout& to) {
  // Ranks point to lower ranks of the same component, the lowest to itself.
  std::vector<int> lower(static_cast<std::size_t>(from.ranks()));
  std::iota(lower.begin(), lower.end(), 0);
  const auto lowest = [&](int rank) {
    while (lower[static_cast<std::size_t>(rank)] != rank) {
      int& next = lower[static_cast<std::size_t>(rank)];
      next = lower[static_cast<std::size_t>(next)];
      rank = next;
    }
    return rank;
  };
  for (int rank = 0; rank < from.ranks(); ++rank) {
    for (const Box& box : from.boxes(rank)) {
      for (const int peer : to.overlapping(box)) {
        const auto [low, high] = std::minmax({lowest(rank), lowest(peer)});
        lower[static_cast<std::size_t>(high)] = low;
      }
    }
  }
  std::vector<std::vector<int>> by_lowest(lower.size());
  for (int rank = 0; rank < from.ranks(); ++rank) by_lowest[static_cast<std::size_t>(lowest(rank))].push_back(rank);
  std::erase_if(by_lowest, [](const std::vector<int>& ranks) { return ranks.empty(); });
  return by_lowest;
}

int node_of(const Options& options, int rank) {
  if (!options.nodes.empty()) return options.nodes[static_cast<std::size_t>(rank)];
  return options.node_size > 0 ? rank / options.node_size : 0;
}

std::vector<int> nodes_of(const Options& options, int ranks) {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(node_of(options, rank));
  return nodes;
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
    for (const Box& part : tile_parts(exchange, rank, k)) {
      for (const auto& overlap : exchange.to.overlaps(part)) {
        if (overlap.rank != rank) largest = std::max(largest, overlap.box.count());
      }
    }
  }
  return largest;
}

}  // namespace weft::detail
