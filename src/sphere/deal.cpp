// Spreads plane waves over ranks, by whole columns.
#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "sphere/process_grid.hpp"
#include "weft/sphere.hpp"

namespace weft {

namespace {

/// To ranks that share planes: first the x, as they are dealt to the columns of the grid, then the columns of these.
std::vector<std::vector<GVector>> deal_to_grid(std::span<const GVector> waves, int rows, int sharing) {
  // The order of a grid has the negative ones last.
  const auto before = [](Index a, Index b) { return std::pair(a < 0, a) < std::pair(b < 0, b); };
  std::map<Index, std::set<Index>, decltype(before)> columns(before);
  for (const GVector& wave : waves) columns[wave[0]].insert(wave[1]);
  std::vector<std::pair<Index, Index>> counts;
  for (const auto& [x, ys] : columns) counts.emplace_back(x, static_cast<Index>(ys.size()));
  std::map<Index, std::size_t> part_of_x;
  const auto parts = detail::deal_lines(std::move(counts), sharing);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const Index x : parts[part]) part_of_x[x] = part;
  }
  std::vector<std::vector<GVector>> of_part(parts.size()), dealt(parts.size() * static_cast<std::size_t>(rows));
  for (const GVector& wave : waves) of_part[part_of_x[wave[0]]].push_back(wave);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    auto of_rows = deal_columns(of_part[part], rows);
    for (std::size_t row = 0; row < of_rows.size(); ++row) dealt[row * parts.size() + part] = std::move(of_rows[row]);
  }
  return dealt;
}

}  // namespace

std::vector<std::vector<GVector>> deal_columns(std::span<const GVector> waves, int ranks, int sharing) {
  if (sharing < 1 || (ranks >= 1 && ranks % sharing != 0)) {
    throw Error(detail::concat("sharing is ", sharing, "; it must divide the number of ranks, ", ranks));
  }
  if (sharing > 1 && ranks >= 1) return deal_to_grid(waves, ranks / sharing, sharing);
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
