// Where the rows lie that columns run through.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "execute/view.hpp"

namespace weft::detail {

/// Points of axis 2 from `lo` on, up to `hi` at most, that lie in the same pieces of tiles [first, last).
inline Index same_pieces_until(const View& view, Index first, Index last, Index lo, Index hi) {
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) {
      if (piece.box.lo[2] > lo) hi = std::min(hi, piece.box.lo[2]);
      if (piece.box.hi[2] > lo) hi = std::min(hi, piece.box.hi[2]);
    }
  }
  return hi;
}

/// Fills `rows` with the addresses of the points of a line: those of an item from `start` on along `axis`, rows.size()
/// of them. Axis 2 must be contiguous.
template <class T>
void find_rows(const View& view, Index first, Index last, Index item, const Shape& start, int axis,
               std::vector<T*>& rows) {
  const auto along = static_cast<std::size_t>(axis);
  Box line{start, {start[0] + 1, start[1] + 1, start[2] + 1}};
  line.hi[along] = start[along] + static_cast<Index>(rows.size());
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) {
      const Box box = intersect(piece.box, line);
      if (box.empty()) continue;
      T* row = piece.at<T>(item, box.lo);
      for (Index i = box.lo[along]; i < box.hi[along]; ++i, row += piece.strides.axis[along]) {
        rows[static_cast<std::size_t>(i - start[along])] = row;
      }
    }
  }
}

/// Numbers from the beginning of rows to that of their next cache lines, where that is the same for all of them; -1
/// where it is not. 0: whole lines can be written past the cache. (Arrays from malloc begin 16 bytes behind a line.)
template <class T>
Index before_lines(const std::vector<T*>& rows) {
  const auto beyond = [](const T* row) { return reinterpret_cast<std::uintptr_t>(row) % cache_line; };
  const std::uintptr_t first = rows.empty() ? 0 : beyond(rows.front());
  if (first % sizeof(T) != 0 ||
      !std::all_of(rows.begin(), rows.end(), [&](const T* row) { return beyond(row) == first; }))
    return -1;
  return static_cast<Index>((cache_line - first) % cache_line / sizeof(T));
}

}  // namespace weft::detail
