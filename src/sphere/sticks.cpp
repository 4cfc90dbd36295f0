#include "sphere/sticks.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/checked.hpp"

namespace weft::detail {

namespace {

using Wave = std::array<Index, 3>;

std::string text_of(const Wave& wave) { return concat('(', wave[0], ", ", wave[1], ", ", wave[2], ')'); }
std::string grid_text(const GridXyz& grid) { return concat(grid[0], " x ", grid[1], " x ", grid[2]); }

/// A wave's place in the grid.
struct Point {
  std::int32_t x, y, z;
  bool conjugate;
};

Point point_of(const GridXyz& grid, bool real, const Wave& wave, std::size_t number, int rank) {
  Wave at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index n = grid[axis];
    if (wave[axis] < -(n / 2) || wave[axis] >= n) {
      throw Error(concat("plane wave ", number, " of rank ", rank, " is ", text_of(wave), "; along ", "xyz"[axis],
                         " indices from ", -(n / 2), " to ", n - 1, " are allowed on the grid of ", grid_text(grid)));
    }
    at[axis] = wave[axis] < 0 ? wave[axis] + n : wave[axis];
  }
  bool conjugate = false;
  if (real) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (is_own_mirror(at[axis], grid[axis])) continue;
      conjugate = 2 * at[axis] > grid[axis];
      break;
    }
  }
  if (conjugate) {
    for (std::size_t axis = 0; axis < 3; ++axis) at[axis] = (grid[axis] - at[axis]) % grid[axis];
  }
  return {static_cast<std::int32_t>(at[0]), static_cast<std::int32_t>(at[1]), static_cast<std::int32_t>(at[2]),
          conjugate};
}

/// Sorts as the columns of a rank are.
std::array<std::int32_t, 2> key(bool real, std::int32_t x, std::int32_t y) {
  return real ? std::array{x, y} : std::array{y, x};
}

}  // namespace

namespace {

/// The columns of a list of waves, sorted. Error if two of the waves are the same point.
std::vector<Stick> columns_of(const GridXyz& grid, bool real, std::span<const Wave> waves,
                              const std::vector<Point>& points, int rank) {
  std::vector<std::size_t> order(waves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t i) {
    const Point& p = points[i];
    const auto column = key(real, p.x, p.y);
    return std::array<std::int32_t, 4>{column[0], column[1], p.z, p.conjugate ? 1 : 0};
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  std::vector<Stick> columns;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const Stick column{points[order[n]].x, points[order[n]].y};
    if (columns.empty() || !(columns.back() == column)) columns.push_back(column);
    if (n == 0 || place(order[n]) != place(order[n - 1])) continue;
    const auto [a, b] = std::minmax(order[n], order[n - 1]);
    throw Error(concat("plane waves ", a, " and ", b, " of rank ", rank, ", ", text_of(waves[a]), " and ",
                       text_of(waves[b]), ", are the same point of the grid of ", grid_text(grid)));
  }
  return columns;
}

}  // namespace

Waves find_columns(const GridXyz& grid, bool real, const WaveLists& waves, int rank) {
  const auto before = [&](const Stick& a, const Stick& b) { return key(real, a.x, a.y) < key(real, b.x, b.y); };
  Waves found;
  const auto points_of = [&](std::span<const Wave> list) {
    std::vector<Point> points;
    points.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) points.push_back(point_of(grid, real, list[i], i, rank));
    std::vector<Stick> both;
    std::ranges::set_union(found.columns, columns_of(grid, real, list, points, rank), std::back_inserter(both), before);
    found.columns = std::move(both);
    return points;
  };
  const std::vector<Point> given = points_of(waves.given),
                           results = points_of(waves.results.value_or(std::span<const Wave>{}));
  narrow<std::int32_t>(found.columns.size(), "the number of columns");
  const auto places_of = [&](const std::vector<Point>& points) {
    std::vector<WavePlace> places;
    places.reserve(points.size());
    for (const Point& p : points) {
      const auto column = std::lower_bound(found.columns.begin(), found.columns.end(), Stick{p.x, p.y}, before);
      places.push_back({static_cast<std::int32_t>(column - found.columns.begin()), p.z, p.conjugate});
    }
    return places;
  };
  found.places = places_of(given);
  if (waves.results) found.other_results = places_of(results);
  return found;
}

void require_whole_columns(const Sticks& sticks, const WaveLists& waves, const Waves& mine, int rank) {
  const auto before = [&](const Stick& a, const Stick& b) {
    return key(sticks.real, a.x, a.y) < key(sticks.real, b.x, b.y);
  };
  for (int other = 0; other < sticks.ranks(); ++other) {
    if (other == rank) continue;
    const auto o = static_cast<std::size_t>(other);
    for (Index s = sticks.first[o]; s < sticks.first[o + 1]; ++s) {
      const Stick& stick = sticks.all[static_cast<std::size_t>(s)];
      const auto found = std::lower_bound(mine.columns.begin(), mine.columns.end(), stick, before);
      if (found == mine.columns.end() || !(*found == stick)) continue;
      const auto of_column = [&](const WavePlace& place) { return place.column == found - mine.columns.begin(); };
      auto wave = std::find_if(mine.places.begin(), mine.places.end(), of_column);
      std::size_t number = static_cast<std::size_t>(wave - mine.places.begin());
      std::span<const Wave> list = waves.given;
      if (wave == mine.places.end()) {
        list = *waves.results;
        wave = std::find_if(mine.results().begin(), mine.results().end(), of_column);
        number = static_cast<std::size_t>(wave - mine.results().begin());
      }
      throw Error(concat("plane wave ", text_of(list[number]), " of rank ", rank, " lies in the column x = ", stick.x,
                         ", y = ", stick.y, " of the grid, which rank ", other, " has, too; a column",
                         sticks.real ? " and its mirror image" : "", " must be whole on one rank"));
    }
  }
}

}  // namespace weft::detail
