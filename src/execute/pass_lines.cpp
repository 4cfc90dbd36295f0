#include "execute/pass_lines.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text.hpp"
#include "execute/caches.hpp"
#include "execute/gather.hpp"

namespace weft::detail {

namespace {

/// Columns of a plane are turned in groups of this many bytes.
constexpr Index group_bytes = Index{128} << 10;
/// Long columns, of which the cache holds few, are copied from memory so many bytes wide: a piece of a row costs a
/// page's address and a row of the memory chip, however narrow it is.
constexpr Index wide_bytes = Index{1} << 10;

}  // namespace

PassLines::PassLines(const Pass& pass, View in, View out, Number block, Precision precision)
    : real_bytes_(precision == Precision::double_ ? 8 : 4),
      number_bytes_(block == Number::complex ? 2 * real_bytes_ : real_bytes_),
      block_number_(block),
      pass_(pass),
      in_(std::move(in)),
      out_(std::move(out)) {
  for (const LineTransform& transform : pass.transforms) {
    const LineTransform*& place = transform.axis == 2 ? row_ : column_;
    if (place != nullptr) {
      throw std::logic_error(concat("a pass has lines along axes ", place->axis, " and ", transform.axis,
                                    "; it transforms rows and one kind of columns at most"));
    }
    place = &transform;
  }
  // Complex transforms along two axes commute; only real rows fix the order.
  rows_first_ = row_ != nullptr && row_traits().out == block_number_;
}

PassBinding PassLines::decide(const ColumnKernel* columns, const ColumnKernel* columns_of_rows, const Options& options,
                              Index cache) const {
  PassBinding to;
  if (row_ != nullptr) to.rows = columns_of_rows != nullptr ? LineCalls::columns : LineCalls::lines;
  if (column_ != nullptr) to.columns = columns != nullptr ? LineCalls::columns : LineCalls::lines;
  to.in_rows = in_.has_rows() && !in_.encoded();
  to.out_rows = out_.has_rows() && !out_.encoded();
  to.streamed = out_.store() == Store::streamed;
  to.gathers = columns != nullptr && row_ == nullptr &&
               (!to.in_rows || collide(column_in(), in_.most_distance(column_->axis) * number_bytes_));
  to.columns_ahead = columns != nullptr && in_.streams(column_->axis);
  choose_chunk(to, cache);
  choose_ahead(to, columns, options);
  if (row_ != nullptr) place_rows(to);
  if (columns != nullptr) {
    to.lines_bytes = columns->scratch_bytes();
  } else if (column_ != nullptr) {
    place_columns(to);
  }
  if (columns_of_rows != nullptr) to.lines_bytes = std::max(to.lines_bytes, columns_of_rows->scratch_bytes());
  return to;
}

/// Extents of a chunk, and how it lies in scratch: lines of the transformed axes whole, the others as the cache
/// allows.
void PassLines::choose_chunk(PassBinding& to, Index cache) const {
  const bool calls = to.columns == LineCalls::columns;
  Shape n{0, 0, 0};  // of the largest unit
  for (const Unit& unit : pass_.units) {
    for (int axis = 0; axis < 3; ++axis) {
      auto& most = n[static_cast<std::size_t>(axis)];
      most = std::max(most, complex_end(unit).extent(axis));
    }
  }
  if (column_ != nullptr) n[column()] = std::max(column_in(), column_out());
  const auto fill = [&](Index bytes, Index most) { return std::clamp<Index>(cache / bytes, 1, most); };
  if (row_ != nullptr) {
    const Index distance = padded(std::max(n[2], block_numbers()), number_bytes_);
    const Index row = distance * number_bytes_;
    to.extent[2] = n[2];
    to.extent[1] = column_ != nullptr ? n[1] : fill(row, n[1]);
    const Index lanes = row_lanes();
    if (to.extent[1] < n[1] && to.extent[1] >= lanes) {
      to.extent[1] = even_width(n[1], to.extent[1] / lanes * lanes, lanes);
    }
    to.extent[0] = to.extent[1] == n[1] ? fill(row * n[1], n[0]) : 1;
    to.block_stride = {to.extent[1] * distance, distance, 1};
    to.block_bytes = to.extent[0] * to.block_stride[0] * number_bytes_;
  } else {
    // Columns side by side: all of axis 2 if it fits, else whole cache lines of it; then neighbours along the other.
    const Index bytes = n[column()] * number_bytes_;
    // Of one plane that is all, parts are copied, of which the next is there, too.
    if (to.gathers && n[beside()] == 1) cache /= 2;
    const Index most = std::max(cache, std::min(n[column()] * wide_bytes, 4 * second_level_cache()));
    const Index wide = std::clamp<Index>(most / bytes, 1, n[2]);
    to.extent[column()] = n[column()];
    to.extent[2] = wide == n[2] ? wide : even_width(n[2], wide, cache_line / number_bytes_);
    to.extent[beside()] = to.extent[2] == n[2] ? fill(bytes * n[2], n[beside()]) : 1;
    // Column kernels have planes one by one, straight from memory if they can.
    to.block_stride[column()] = padded(calls ? to.extent[2] : to.extent[beside()] * to.extent[2], number_bytes_);
    to.block_bytes = calls && !to.gathers && to.out_rows && !to.streamed
                         ? 0
                         : n[column()] * to.block_stride[column()] * number_bytes_;
  }
  to.block_bytes = ceil_divide(to.block_bytes, cache_line) * cache_line;
}

void PassLines::choose_ahead(PassBinding& to, const ColumnKernel* columns, const Options& options) const {
  if (columns == nullptr || !columns->asks_ahead()) return;
  to.looks_in = to.in_rows && !to.gathers && in_.asked_ahead();
  to.copies_ahead = to.in_rows && to.gathers && in_.asked_ahead();
  to.looks_out = to.out_rows && out_.asked_ahead();
  // Where rows go back to where they were read, the cache would have to hold the next chunk beside this one, twice.
  if (row_ != nullptr && in_.lies_where(out_, options.in_place) && 4 * to.block_bytes > second_level_cache()) {
    to.looks_in = false;
  }
}

/// Rows that kernels like to have at once: whole groups of lanes; real rows of odd lengths go in twos, and those that
/// end as real numbers as columns, of which kernels want some groups.
Index PassLines::row_lanes() const {
  const Index in_line = cache_line / real_bytes_;
  const bool twos = real_rows() && line_points() % 2 != 0;
  return block_number_ == Number::real ? 4 * in_line : twos ? 2 * in_line : in_line;
}

void PassLines::place_rows(PassBinding& to) const {
  const Index bytes = row_number_bytes();
  // What is done to rows before they are transformed is done to a copy.
  const bool changed = row_->kept.spreads(row_->way) || turns_before();
  // Rows that are aligned and follow each other, of blocks with gaps of an eighth at most, are transformed where they
  // lie; their distance is then theirs.
  const Index distance = in_.distance(1);
  to.direct = rows_first_ && !changed && to.in_rows && distance >= row_numbers() && distance * bytes % 16 == 0 &&
              (in_.is_array() || 8 * (distance - row_numbers()) <= row_numbers());
  to.rows_ahead = to.direct && in_.streams(1);
  to.row_distance = to.direct ? distance : padded(row_numbers(), bytes);
  const Index lanes = row_lanes();
  const Index in_piece = staging_bytes / (to.row_distance * bytes);
  to.staged_rows = std::min(
      to.extent[1], row_->inner.empty() ? std::max(lanes, in_piece / lanes * lanes) : std::max<Index>(1, in_piece));
  to.staging_bytes = ((to.staged_rows - 1) * to.row_distance + padded(row_numbers(), bytes)) * bytes;
}

void PassLines::place_columns(PassBinding& to) const {
  if (rows_come_last()) return;
  to.line_distance = padded(to.extent[column()], number_bytes_);
  if (row_ != nullptr) {
    const Index most = std::clamp<Index>(group_bytes / (to.line_distance * number_bytes_), 1, to.extent[2]);
    to.group = even_width(to.extent[2], most, cache_line / number_bytes_);
    to.lines_bytes = to.group * to.line_distance * number_bytes_;
  } else {
    to.lines_bytes = to.extent[beside()] * to.extent[2] * to.line_distance * number_bytes_;
  }
}

}  // namespace weft::detail
