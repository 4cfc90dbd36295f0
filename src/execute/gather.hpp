// Between the pieces of a view and a strided array that holds a region.
#pragma once

#include "execute/copy.hpp"
#include "execute/view.hpp"

namespace weft::detail {

inline Index ceil_divide(Index a, Index b) { return (a + b - 1) / b; }

/// Offset of a point of `region` in an array that holds it.
inline Index offset_in(const Box& region, const Shape& point, const Shape& strides) {
  return (point[0] - region.lo[0]) * strides[0] + (point[1] - region.lo[1]) * strides[1] +
         (point[2] - region.lo[2]) * strides[2];
}

/// Reads `region` of an item from the pieces of tiles [first, last).
template <class T>
void gather(const View& view, Index first, Index last, Index item, const Box& region, T* to, const Shape& strides) {
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) {
      const Box box = intersect(piece.box, region);
      if (box.empty()) continue;
      copy_box<T>(to + offset_in(region, box.lo, strides), strides, piece.at<const T>(item, box.lo), piece.strides.axis,
                  box.extents());
    }
  }
}

/// Writes `region` of an item, times `scale`, to the pieces of a tile.
template <class T, class Real>
void scatter(const View& view, Index tile, Index item, const Box& region, const T* from, const Shape& strides,
             Real scale) {
  for (const auto& pieces : view.tiles(tile, tile + 1)) {
    for (const Piece& piece : pieces) {
      const Box box = intersect(piece.box, region);
      if (box.empty()) continue;
      T* const to = piece.at<T>(item, box.lo);
      const T* const start = from + offset_in(region, box.lo, strides);
      if (scale == 1) {
        copy_box<T>(to, piece.strides.axis, start, strides, box.extents(), view.store());
      } else {
        copy_box<T, true>(to, piece.strides.axis, start, strides, box.extents(), view.store(), scale);
      }
    }
  }
}

}  // namespace weft::detail
