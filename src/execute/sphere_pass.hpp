// What the passes of a sphere share: columns of lanes that lie side by side in small arrays in the first-level cache.
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <vector>

#include "execute/column_rows.hpp"
#include "execute/gather.hpp"
#include "execute/pass.hpp"
#include "execute/scratch.hpp"
#include "fft/serial.hpp"
#include "plan/sphere.hpp"

namespace weft::detail {

/// Columns that are transformed together: two cache lines of each row.
template <class Real>
constexpr Index lanes_together = 2 * cache_line / static_cast<Index>(sizeof(std::complex<Real>));

/// A row of zeroes to read, and one to write what nobody wants, as wide as any row.
template <class T>
struct EdgeRows {
  T* zero = nullptr;
  T* waste = nullptr;
};

/// Items of a unit that this execution has.
inline Index items_of(const Unit& unit, const UserArrays& arrays) {
  return std::clamp<Index>(arrays.items - unit.items.lo, 0, unit.items.count());
}

/// One number of a column in the pieces of an exchange, and its place in an array of lanes.
struct ColumnEntry {
  std::int32_t piece = 0;   ///< of the unit's tiles, one after the other
  std::int32_t offset = 0;  ///< in the piece's row
  std::int32_t at = 0;      ///< in the array of lanes
  bool conjugate = false;
};

/// Pieces of a unit's tiles, one after the other.
template <class Use>
void for_each_piece(const View& view, Index first, Index last, const Use& use) {
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) use(piece);
  }
}

/// Where the columns of a sphere lie in the rows of the pieces: piece and offset of each, in the order of all columns.
/// The same for all units of a pass that have points.
std::vector<ColumnEntry> columns_in_pieces(const SphereData& sphere, const View& view, Index first, Index last);

std::unique_ptr<PassRunner> make_sphere_columns(const Pass& pass, View in, View out, Precision precision,
                                                const Options& options);
std::unique_ptr<PassRunner> make_sphere_planes(const Pass& pass, View in, View out, Precision precision,
                                               const Options& options);
std::unique_ptr<PassRunner> make_sphere_real_planes(const Pass& pass, View in, View out, Precision precision,
                                                    const Options& options);

}  // namespace weft::detail
