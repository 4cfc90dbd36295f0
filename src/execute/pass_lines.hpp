// The lines of a pass, and where it is decided how they run.
#pragma once

#include "base/buffer.hpp"
#include "execute/pass.hpp"
#include "execute/pass_binding.hpp"
#include "fft/columns.hpp"
#include "problem/lines.hpp"

namespace weft::detail {

/// A pass's rows, its columns, and where they lie.
class PassLines {
 public:
  /// `block`: what the numbers in cache are. `pass` outlives it.
  PassLines(const Pass& pass, View in, View out, Number block, Precision precision);

  /// Decides how the pass runs with these kernels for columns, where it has them. `cache`: bytes that a chunk may fill.
  PassBinding decide(const ColumnKernel* columns, const ColumnKernel* columns_of_rows, const Options& options,
                     Index cache) const;

 protected:
  const LineTraits& column_traits() const { return traits_of(column_->type); }
  const LineTraits& row_traits() const { return traits_of(row_->type); }
  bool rows_come_last() const { return row_ != nullptr && !rows_first_; }
  /// Rows are real where they meet memory, and complex in the block.
  bool real_rows() const { return (rows_first_ ? row_traits().in : row_traits().out) != block_number_; }
  /// Rows of one line are turned before they are transformed, or afterwards: the line's other axis was before them or
  /// comes after them.
  bool turns_before() const { return row_->one_line > 0 && (row_->way == Way::to_spectrum) != row_->rows_first; }
  /// The box as its complex end sees it.
  Box complex_end(const Unit& unit) const { return rows_come_last() ? unit.in : unit.out; }
  Box whole() const { return rows_come_last() ? pass_.in : pass_.out; }
  /// The same as its rows' end sees it.
  Box row_end(const Unit& unit) const { return rows_first_ ? unit.in : unit.out; }
  /// Rows of a column where it comes in, and where it goes out.
  Index column_in() const { return pass_.in.extent(column_->axis); }
  Index column_out() const { return pass_.out.extent(column_->axis); }
  /// A chunk, or a plane of it, as one end of the unit has it: there may be fewer modes than points of columns.
  Box with_columns(Box box, const Box& end) const {
    if (column_ == nullptr) return box;
    box.lo[column()] = end.lo[column()];
    box.hi[column()] = end.hi[column()];
    return box;
  }
  /// The same, rows as well.
  Box at_end(const Box& box, const Box& end) const {
    Box there = with_columns(box, end);
    if (row_ != nullptr) {
      there.lo[2] = end.lo[2];
      there.hi[2] = end.hi[2];
    }
    return there;
  }
  /// Numbers of a row where it meets memory, and points of each line in it.
  Index row_numbers() const {
    if (row_->kept) return row_->kept.points * pass_.interleaved;
    return row_traits().points(pass_.in.extent(2), pass_.out.extent(2));
  }
  /// Numbers that a row of the block may have: those of a whole spectrum.
  Index block_numbers() const {
    if (!row_->inner.empty()) return whole().extent(2);
    return row_traits().spectrum_points(line_points()) * pass_.interleaved;
  }
  Index line_points() const { return row_numbers() / pass_.interleaved; }
  Index row_number_bytes() const { return real_rows() ? real_bytes_ : number_bytes_; }
  std::size_t column() const { return static_cast<std::size_t>(column_->axis); }
  /// Without rows: the axis that is neither transformed nor axis 2.
  std::size_t beside() const { return column_->axis == 0 ? 1 : 0; }

  /// Calls `use` with every extent along `axis` that pieces of `width` of a unit's box can have.
  template <class Use>
  void for_each_extent(std::size_t axis, Index width, const Use& use) const {
    for (const Unit& unit : pass_.units) {
      const Box box = axis == 1 ? row_end(unit) : complex_end(unit);
      if (box.empty()) continue;
      const Index extent = box.extent(static_cast<int>(axis));
      if (extent >= width) use(width);
      if (extent % width != 0) use(extent % width);
    }
  }

  Index real_bytes_, number_bytes_;
  Number block_number_;
  const Pass& pass_;
  View in_, out_;
  const LineTransform *row_ = nullptr, *column_ = nullptr;  ///< along axis 2, and along another one
  bool rows_first_ = false;

 private:
  void choose_chunk(PassBinding& to, Index cache) const;
  void choose_ahead(PassBinding& to, const ColumnKernel* columns, const Options& options) const;
  Index row_lanes() const;
  void place_rows(PassBinding& to) const;
  void place_columns(PassBinding& to) const;
};

}  // namespace weft::detail
