// Spreads plane waves over ranks, by whole columns.
#include <algorithm>
#include <map>
#include <numeric>
#include <queue>

#include "base/text.hpp"
#include "weft/sphere.hpp"

namespace weft {

std::vector<std::vector<GVector>> deal_columns(std::span<const GVector> waves, int ranks) {
  if (ranks < 1) throw Error(detail::concat("ranks is ", ranks, "; at least 1 is needed"));
  std::map<std::array<Index, 2>, std::size_t> number;  // of a column, by x and y
  std::vector<std::size_t> column_of, length;
  for (const GVector& wave : waves) {
    const auto [at, fresh] = number.try_emplace({wave[0], wave[1]}, length.size());
    if (fresh) length.push_back(0);
    column_of.push_back(at->second);
    ++length[at->second];
  }
  std::vector<std::size_t> order(length.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
  // Among equals, the one with fewer columns, then the lower one.
  struct Load {
    std::size_t waves, columns;
    int rank;
    bool operator>(const Load& other) const {
      return std::tie(waves, columns, rank) > std::tie(other.waves, other.columns, other.rank);
    }
  };
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int rank = 0; rank < ranks; ++rank) loads.push({0, 0, rank});
  std::vector<int> rank_of(length.size());
  for (const std::size_t column : order) {
    Load load = loads.top();
    loads.pop();
    rank_of[column] = load.rank;
    load.waves += length[column];
    ++load.columns;
    loads.push(load);
  }
  std::vector<std::vector<GVector>> dealt(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < waves.size(); ++i) {
    dealt[static_cast<std::size_t>(rank_of[column_of[i]])].push_back(waves[i]);
  }
  return dealt;
}

}  // namespace weft
