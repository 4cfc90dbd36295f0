// Between the pieces of a view and a strided array that holds a region.
#pragma once

#include <algorithm>
#include <type_traits>

#include "base/buffer.hpp"
#include "execute/copy.hpp"
#include "execute/view.hpp"

namespace weft::detail {

inline Index ceil_divide(Index a, Index b) { return (a + b - 1) / b; }

/// A width of about `most` that cuts `n` into parts of about the same size, in whole groups.
inline Index even_width(Index n, Index most, Index group) {
  const Index width = ceil_divide(n, ceil_divide(n, most));
  return std::min(n, ceil_divide(width, group) * group);
}

/// Rows are staged in pieces of this many bytes, so that they stay in the first-level cache between copy and transform.
constexpr Index staging_bytes = Index{16} << 10;

/// Offset of a point of `region` in an array that holds it.
inline Index offset_in(const Box& region, const Shape& point, const Shape& strides) {
  return (point[0] - region.lo[0]) * strides[0] + (point[1] - region.lo[1]) * strides[1] +
         (point[2] - region.lo[2]) * strides[2];
}

/// Numbers of a run between two formats, in the first-level cache.
template <class T>
struct RunPart {
  static constexpr Index most = 64;
  alignas(T) std::byte bytes[most * sizeof(T)];
  T* numbers() { return reinterpret_cast<T*>(bytes); }
};

/// The scale of numbers of which only the size is known.
struct Unscaled {};

/// Numbers of an encoded run, to neighbours that are `step` numbers apart.
template <class T>
void decode_run(const WireCodec& codec, const std::byte* from, T* to, Index step, Index count) {
  if (step == 1) {
    codec.decode(from, reinterpret_cast<std::byte*>(to), count * codec.reals);
    return;
  }
  RunPart<T> part;
  for (Index first = 0; first < count; first += part.most) {
    const Index here = std::min(part.most, count - first);
    codec.decode(from + first * codec.bytes, part.bytes, here * codec.reals);
    for (Index i = 0; i < here; ++i) to[(first + i) * step] = part.numbers()[i];
  }
}

inline void encode_numbers(const WireCodec& codec, const std::byte* from, std::byte* to, Index count) {
  codec.encode(from, to, count * codec.reals);
  if (codec.worst == nullptr) return;
  const double error = largest_error(codec, from, to, count);
  double worst = *codec.worst;
  while (error > worst && !codec.worst->compare_exchange_weak(worst, error)) {
  }
}

/// The other way, times `scale`.
template <class T, class Scale>
void encode_run(const WireCodec& codec, const T* from, Index step, Index count, [[maybe_unused]] Scale scale,
                std::byte* to) {
  bool as_is = step == 1;
  if constexpr (!std::is_same_v<Scale, Unscaled>) as_is = as_is && scale == 1;
  if (as_is) {
    encode_numbers(codec, reinterpret_cast<const std::byte*>(from), to, count);
    return;
  }
  RunPart<T> part;
  for (Index first = 0; first < count; first += part.most) {
    const Index here = std::min(part.most, count - first);
    for (Index i = 0; i < here; ++i) {
      if constexpr (std::is_same_v<Scale, Unscaled>) {
        part.numbers()[i] = from[(first + i) * step];
      } else {
        part.numbers()[i] = from[(first + i) * step] * scale;
      }
    }
    encode_numbers(codec, part.bytes, to + first * codec.bytes, here);
  }
}

/// A box of an item between a piece of the view and a strided array, which is in cache if the piece is encoded: the
/// conversion then costs no trip through memory.
template <class T>
void read_piece(const View& view, const Piece& piece, Index item, const Box& box, T* to, const Shape& strides) {
  if (!piece.encoded) {
    copy_box<T>(to, strides, piece.at<const T>(item, box.lo), piece.strides.axis, box.extents());
    return;
  }
  const WireCodec& codec = view.codec();
  const std::byte* const start = piece.base + piece.offset(item, box.lo) * codec.bytes;
  for_runs(piece.strides.axis, strides, box.extents(), [&](Index there, Index here, Index step, Index count) {
    decode_run(codec, start + there * codec.bytes, to + here, step, count);
  });
}

/// The other way, times `scale`.
template <class T, class Scale>
void write_piece(const View& view, const Piece& piece, Index item, const Box& box, const T* from, const Shape& strides,
                 Scale scale) {
  if (!piece.encoded) {
    T* const to = piece.at<T>(item, box.lo);
    if constexpr (!std::is_same_v<Scale, Unscaled>) {
      if (scale != 1) {
        copy_box<T, true>(to, piece.strides.axis, from, strides, box.extents(), view.store(), scale);
        return;
      }
    }
    copy_box<T>(to, piece.strides.axis, from, strides, box.extents(), view.store());
    return;
  }
  const WireCodec& codec = view.codec();
  std::byte* const start = piece.base + piece.offset(item, box.lo) * codec.bytes;
  for_runs(piece.strides.axis, strides, box.extents(), [&](Index there, Index here, Index step, Index count) {
    encode_run(codec, from + here, step, count, scale, start + there * codec.bytes);
  });
}

/// Brings memory into the cache, where a part that fits it is wanted: a number of each cache line is read, one line
/// after the other. So the processor's own prefetchers see a stream, and keep far more of it on its way than a program
/// that asks for rows as it goes (docs/design/passes.md).
inline void read_ahead(const void* memory, Index bytes) {
  const auto* const at = static_cast<const volatile char*>(memory);
  for (Index byte = 0; byte < bytes; byte += cache_line) static_cast<void>(at[byte]);
  if (bytes > 0) static_cast<void>(at[bytes - 1]);
}

/// Calls `use` with where each row of `region` of an item begins, its bytes, and its first point. The tiles [first,
/// last) of the view hold it, and its rows lie side by side.
template <class Use>
void for_view_rows(const View& view, Index first, Index last, Index item, const Box& region, const Use& use) {
  const Index bytes = view.number_bytes();
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) {
      const Box box = intersect(piece.box, region);
      if (box.empty()) continue;
      for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
          const Shape point{i, j, box.lo[2]};
          use(reinterpret_cast<const char*>(piece.base) + piece.offset(item, point) * bytes, box.extent(2) * bytes,
              point);
        }
      }
    }
  }
}

/// Reads `region` of an item ahead; for views that stream.
inline void read_ahead(const View& view, Index first, Index last, Index item, const Box& region) {
  for_view_rows(view, first, last, item, region,
                [](const char* at, Index bytes, const Shape&) { read_ahead(at, bytes); });
}

/// Reads `region` of an item from the pieces of tiles [first, last).
template <class T>
void gather(const View& view, Index first, Index last, Index item, const Box& region, T* to, const Shape& strides) {
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) {
      const Box box = intersect(piece.box, region);
      if (!box.empty()) read_piece(view, piece, item, box, to + offset_in(region, box.lo, strides), strides);
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
      if (!box.empty()) write_piece(view, piece, item, box, from + offset_in(region, box.lo, strides), strides, scale);
    }
  }
}

}  // namespace weft::detail
