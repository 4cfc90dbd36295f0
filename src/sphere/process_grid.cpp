#include "sphere/process_grid.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "plan/options.hpp"

namespace weft::detail {

namespace {

Index largest_part(Index n, Index parts) { return split(n, parts, 0).hi; }

/// Of the part of `lines` that each x is in; -1 where no column is.
std::vector<int> parts_of(const std::vector<std::int32_t>& lines, Index nx, int parts) {
  std::vector<int> found(static_cast<std::size_t>(nx), -1);
  for (int part = 0; part < parts; ++part) {
    const Range range = split(static_cast<Index>(lines.size()), parts, part);
    for (Index i = range.lo; i < range.hi; ++i) {
      found[static_cast<std::size_t>(lines[static_cast<std::size_t>(i)])] = part;
    }
  }
  return found;
}

}  // namespace

std::array<int, 2> choose_process_grid(const SphereData& sphere, const std::array<int, 2>& asked, int ranks,
                                       bool planes_given) {
  const auto [nx, ny, nz] = sphere.problem.grid;
  const auto [rows, columns] = asked;
  if (rows != 0 || columns != 0) {
    require_grid("process_grid", asked, ranks);
    if (planes_given && columns > 1) {
      throw Error(concat("process_grid is ", rows, "x", columns, " and planes is given; with planes only ", ranks,
                         "x1 is allowed"));
    }
    return asked;
  }
  if (planes_given || ranks <= nz) return {ranks, 1};
  const auto lines = static_cast<Index>(deal_lines(sphere.sticks, 1).size());
  std::array<int, 2> best{ranks, 1};
  std::pair<Index, bool> least{std::numeric_limits<Index>::max(), true};
  for (int some = ranks; some >= 1; --some) {  // among equals most rows, whose ranks exchange with fewest others
    if (ranks % some != 0) continue;
    const int others = ranks / some;
    // Points of lines that the busiest rank transforms across its planes; and whether a tenth of the ranks have none.
    const Index work = largest_part(nz, some) * (largest_part(lines, others) * ny + largest_part(ny, others) * nx);
    const std::pair cost{work, 10 * (ranks - std::min<Index>(some, nz) * std::min<Index>(others, ny)) > ranks};
    if (cost >= least) continue;
    least = cost;
    best = {some, others};
  }
  return best;
}

std::vector<std::int32_t> deal_lines(const Sticks& sticks, int parts) {
  std::map<Index, Index> columns;  // by x
  for (const Stick& stick : sticks.all) ++columns[stick.x];
  std::vector<std::int32_t> lines;
  for (const auto& part : deal_lines({columns.begin(), columns.end()}, parts)) {
    lines.insert(lines.end(), part.begin(), part.end());
  }
  return lines;
}

std::vector<std::vector<Index>> deal_lines(std::vector<std::pair<Index, Index>> order, int parts) {
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  // In rounds, forth and back; the last one, which may not reach all, forth: the first parts have one more.
  std::vector<std::vector<Index>> dealt(static_cast<std::size_t>(parts));
  const std::size_t each = dealt.size(), rounds = order.size() / each;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t round = i / each, at = i % each;
    dealt[round % 2 == 1 && round < rounds ? each - 1 - at : at].push_back(order[i].first);
  }
  for (auto& part : dealt) std::sort(part.begin(), part.end());
  return dealt;
}

void sort_by_part(Sticks& sticks, Waves& mine, const std::vector<std::int32_t>& lines, int parts) {
  const std::vector<int> part = parts_of(lines, sticks.grid[0], parts);
  const auto key = [&](const Stick& stick) {
    return std::array<std::int32_t, 3>{part[static_cast<std::size_t>(stick.x)], stick.x, stick.y};
  };
  const auto before = [&](const Stick& a, const Stick& b) { return key(a) < key(b); };
  for (std::size_t r = 0; r + 1 < sticks.first.size(); ++r) {
    std::stable_sort(sticks.all.begin() + sticks.first[r], sticks.all.begin() + sticks.first[r + 1], before);
  }
  std::vector<std::size_t> order(mine.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return before(mine.columns[a], mine.columns[b]); });
  std::vector<std::int32_t> place(order.size());
  std::vector<Stick> columns;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<std::int32_t>(i);
    columns.push_back(mine.columns[order[i]]);
  }
  mine.columns = std::move(columns);
  const auto move = [&](std::vector<WavePlace>& places) {
    for (WavePlace& wave : places) wave.column = place[static_cast<std::size_t>(wave.column)];
  };
  move(mine.places);
  if (mine.other_results) move(*mine.other_results);
}

Layout layout_of_parts(const Shape& columns, const Sticks& sticks, const std::vector<std::int32_t>& lines,
                       const std::array<int, 2>& grid) {
  const std::vector<int> part = parts_of(lines, sticks.grid[0], grid[1]);
  Runs runs{grid[0], grid[1], {}, {}};
  for (std::size_t r = 0; r + 1 < sticks.first.size(); ++r) {
    for (Index i = sticks.first[r]; i < sticks.first[r + 1]; ++i) {
      const int here = part[static_cast<std::size_t>(sticks.all[static_cast<std::size_t>(i)].x)];
      if (i > sticks.first[r] && here == runs.column.back()) continue;
      runs.first.push_back(i);
      runs.column.push_back(here);
    }
  }
  runs.first.push_back(static_cast<Index>(sticks.all.size()));
  return layout_of_runs(columns, std::move(runs));
}

}  // namespace weft::detail
