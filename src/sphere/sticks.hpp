// Columns of plane waves: who holds which, and where each wave lies in its own. Integers only, no MPI.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/index.hpp"

namespace weft::detail {

using GridXyz = std::array<Index, 3>;

/// A column along z, by its place in the grid, 0 ... n-1.
struct Stick {
  std::int32_t x = 0, y = 0;
  friend bool operator==(const Stick&, const Stick&) = default;
};

/// The columns of all ranks, rank after rank. Those of a rank are sorted by y, then x; by x, then y if `real`: columns
/// that are transformed together across the planes lie together.
struct Sticks {
  GridXyz grid{1, 1, 1};
  bool real = false;
  std::vector<Stick> all;
  std::vector<Index> first;  ///< of each rank, and the end
  int ranks() const { return static_cast<int>(first.size()) - 1; }
};

/// Where a plane wave lies: number of the column among its rank's, and z. `conjugate`: there lies the conjugate.
struct WavePlace {
  std::int32_t column = 0, z = 0;
  bool conjugate = false;
};

/// One rank's plane waves.
struct Waves {
  std::vector<Stick> columns;                           ///< sorted as in Sticks, of all
  std::vector<WavePlace> places;                        ///< of those given, in the caller's order
  std::optional<std::vector<WavePlace>> other_results;  ///< of those that come back, if they are others

  const std::vector<WavePlace>& results() const { return other_results ? *other_results : places; }
};

/// A rank's plane waves as its caller lists them: those given, and those that come back, if they are others.
struct WaveLists {
  std::span<const std::array<Index, 3>> given;
  std::optional<std::span<const std::array<Index, 3>>> results;
};

/// Whether the point -i is the point i.
inline bool is_own_mirror(Index i, Index n) { return i == 0 || 2 * i == n; }

/// If `real`, of the pair G, -G the one with x in the first half is kept; where x is its own mirror, y; then z. Error
/// naming wave and rank: out of the box, or the same point twice.
Waves find_columns(const GridXyz& grid, bool real, const WaveLists& waves, int rank);

/// Error naming a wave and both ranks if a column of this rank's is another's, too.
void require_whole_columns(const Sticks& sticks, const WaveLists& waves, const Waves& mine, int rank);

}  // namespace weft::detail
