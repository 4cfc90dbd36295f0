// The columns of a sphere in a plane: one number of each in the blocks of an exchange, and in arrays of lanes where the
// first transform of the plane wants them (or the last one leaves them).
#pragma once

#include <vector>

#include "sphere/pass.hpp"

namespace weft::detail {

/// Lines of a plane that hold columns, in groups of as many as are transformed together. Along a line runs x, or y
/// where lines along y come first (SphereData::y_first); a column's place is there, its lane is its line's.
class SphereLines {
 public:
  SphereLines(const SphereData& sphere, Index lanes);
  /// Those lines only.
  SphereLines(const SphereData& sphere, Index lanes, const Range& lines);

  Index count() const { return count_; }
  Index groups() const { return ceil_divide(count(), lanes_); }
  Index in_group(Index group) const { return std::min(lanes_, count() - group * lanes_); }
  Index lanes() const { return lanes_; }
  /// Number of the line at a place across the lines, or -1.
  const std::vector<Index>& numbers() const { return number_; }
  /// Places along the lines where some line has a column, or the mirror image of one.
  const PresentRows& present() const { return present_; }

 private:
  friend class SphereEnds;
  /// Of a column: group, and number in an array of lanes; and where its mirror image is, or -1.
  struct Place {
    Index group, at, mirror;
  };
  Place place(const Stick& stick) const;

  const SphereData* sphere_;
  Index lanes_, count_;
  std::vector<Index> number_;
  PresentRows present_;
};

/// The ways between the pieces of a unit and the arrays of lanes. The same for all units of a pass that have points.
class SphereEnds {
 public:
  SphereEnds() = default;
  SphereEnds(const SphereData& sphere, const SphereLines& lines, const View& view, Index first, Index last);

  /// Rows of the pieces of tiles [first, last) in plane z of an item, to be read; those of encoded pieces are copied to
  /// `copies`, which has room for all numbers of a plane.
  template <class T>
  static void find(const View& view, Index first, Index last, Index item, Index z, Rows<T>& rows, T* copies) {
    for_rows(view, first, last, z, rows, copies, item,
             [&](const Piece& piece, const Box& row, T* copy) { read_piece(view, piece, item, row, copy, {0, 0, 1}); });
  }
  /// The same to be written.
  template <class T>
  static void find_sent(const View& view, Index tile, Index item, Index z, Rows<T>& rows, T* copies) {
    for_rows(view, tile, tile + 1, z, rows, copies, item, [](const Piece&, const Box&, T*) {});
  }
  /// Once they have been written: puts copies where they belong.
  template <class T>
  static void put_copies(const View& view, Index tile, Index item, Index z, Rows<T>& rows, T* copies) {
    if (!view.encoded()) return;
    for_rows(view, tile, tile + 1, z, rows, copies, item, [&](const Piece& piece, const Box& row, T* copy) {
      write_piece(view, piece, item, row, copy, {0, 0, 1}, Unscaled{});
    });
  }

  /// All other numbers of the array are left as they are.
  template <class T>
  void gather(const Rows<T>& pieces, Index group, T* ends) const {
    for (const Segment* s = segments(group); s != segments(group + 1); ++s) {
      const T* const from = pieces[static_cast<std::size_t>(s->piece)] + s->offset;
      const std::int32_t* const at = at_.data() + s->first;
      for (Index i = 0; i < s->count; ++i) move_number(ends + at[i], from + i);
    }
    for (const Mirror* m = mirrors(group); m != mirrors(group + 1); ++m) ends[m->to] = std::conj(ends[m->from]);
  }
  template <class T>
  void scatter(const T* ends, Index group, const Rows<T>& pieces) const {
    for (const Segment* s = segments(group); s != segments(group + 1); ++s) {
      T* const to = pieces[static_cast<std::size_t>(s->piece)] + s->offset;
      const std::int32_t* const at = at_.data() + s->first;
      for (Index i = 0; i < s->count; ++i) move_number(to + i, ends + at[i]);
    }
  }

 private:
  /// Finds the rows, and calls `use(piece, row, copy)` for those that are copies.
  template <class T, class Use>
  static void for_rows(const View& view, Index first, Index last, Index z, Rows<T>& rows, T* copies, Index item,
                       const Use& use) {
    rows.clear();
    for (const auto& tile : view.tiles(first, last)) {
      for (const Piece& piece : tile) {
        const Box row{{z, 0, piece.box.lo[2]}, {z + 1, 1, piece.box.hi[2]}};
        if (!piece.encoded) {
          rows.push_back(piece.at<T>(item, row.lo));
          continue;
        }
        rows.push_back(copies);
        use(piece, row, copies);
        copies += row.extent(2);
      }
    }
  }

  /// Columns that follow each other in a piece.
  struct Segment {
    Index piece, offset, count;
    Index first;  ///< of their places
  };
  struct Mirror {
    std::int32_t from, to;
  };
  const Segment* segments(Index group) const {
    return segments_.data() + first_segment_[static_cast<std::size_t>(group)];
  }
  const Mirror* mirrors(Index group) const { return mirrors_.data() + first_mirror_[static_cast<std::size_t>(group)]; }

  std::vector<Segment> segments_;
  std::vector<std::int32_t> at_;
  std::vector<Mirror> mirrors_;
  std::vector<std::size_t> first_segment_, first_mirror_;  ///< of each group, and the end
};

}  // namespace weft::detail
