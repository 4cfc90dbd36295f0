#include "sphere/sticks.hpp"

#include <algorithm>
#include <numeric>

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

Waves find_columns(const GridXyz& grid, bool real, std::span<const Wave> waves, int rank) {
  std::vector<Point> points;
  points.reserve(waves.size());
  for (std::size_t i = 0; i < waves.size(); ++i) points.push_back(point_of(grid, real, waves[i], i, rank));
  std::vector<std::size_t> order(waves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t i) {
    const Point& p = points[i];
    const auto column = key(real, p.x, p.y);
    return std::array<std::int32_t, 4>{column[0], column[1], p.z, p.conjugate ? 1 : 0};
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });

  Waves found;
  found.places.resize(waves.size());
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t i = order[n];
    const Point& p = points[i];
    if (n > 0 && place(i) == place(order[n - 1])) {
      const auto [a, b] = std::minmax(i, order[n - 1]);
      throw Error(concat("plane waves ", a, " and ", b, " of rank ", rank, ", ", text_of(waves[a]), " and ",
                         text_of(waves[b]), ", are the same point of the grid of ", grid_text(grid)));
    }
    if (found.columns.empty() || !(found.columns.back() == Stick{p.x, p.y})) found.columns.push_back({p.x, p.y});
    found.places[i] = {narrow<std::int32_t>(found.columns.size() - 1, "the number of columns"), p.z, p.conjugate};
  }
  return found;
}

void require_whole_columns(const Sticks& sticks, std::span<const Wave> waves, const Waves& mine, int rank) {
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
      const auto wave = std::find_if(mine.places.begin(), mine.places.end(), [&](const WavePlace& place) {
        return place.column == found - mine.columns.begin();
      });
      throw Error(concat("plane wave ", text_of(waves[static_cast<std::size_t>(wave - mine.places.begin())]),
                         " of rank ", rank, " lies in the column x = ", stick.x, ", y = ", stick.y,
                         " of the grid, which rank ", other, " has, too; a column",
                         sticks.real ? " and its mirror image" : "", " must be whole on one rank"));
    }
  }
}

}  // namespace weft::detail
