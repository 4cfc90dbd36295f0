// Columns between memory and a plane of a block in cache, transformed on the way.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "execute/caches.hpp"
#include "execute/column_rows.hpp"
#include "execute/gather.hpp"
#include "execute/look_ahead.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

/// Where the rows of a column run lie. Of a thread.
template <class Element>
struct RunRows {
  std::vector<Element*> far, near;  ///< in memory, and in the block
  LookAhead ahead;                  ///< what runs ask for that load and store this chunk
  bool asked = false;               ///< this chunk was asked for by those before
  RunRows() = default;
  explicit RunRows(Index far_rows, Index near_rows)
      : far(static_cast<std::size_t>(far_rows)), near(static_cast<std::size_t>(std::max(far_rows, near_rows))) {}
};

/// Transforms of columns along axis 0 or 1, from a view or to it. A plane has one point along the axis that is neither
/// that nor axis 2; its row j lies in the block from `j * stride` on. `Element` is what a point has.
template <class Element>
class BlockColumns {
  using Real = typename NumberOf<Element>::Real;

 public:
  BlockColumns() = default;
  /// The view outlives it. Columns come in with so many rows and go out with so many: fewer at the end that holds only
  /// what is kept. The block has room for the larger end.
  BlockColumns(const View& view, const Backend& backend, const LineTransform& line, Index in, Index out,
               Precision precision, Effort effort)
      : view_(&view),
        axis_(line.axis),
        in_(in),
        out_(out),
        has_rows_(view.has_rows() && !view.encoded()),
        gathers_(!has_rows_ || collide(in, view.most_distance(line.axis) * static_cast<Index>(sizeof(Element)))),
        reads_ahead_(view.streams(line.axis)),
        kernel_(line.kept ? make_kept_columns(backend, line.type, NumberOf<Element>::number, line.kept, line.way,
                                              line.sign, precision, effort)
                          : make_column_kernel(backend, line.type, NumberOf<Element>::number, in, line.sign, precision,
                                               effort)),
        looks_ahead_(!gathers_ && view.asked_ahead() && kernel_->asks_ahead()) {}

  explicit operator bool() const { return kernel_ != nullptr; }
  Index in() const { return in_; }
  Index out() const { return out_; }
  /// Whether what is loaded next should be asked for.
  bool looks_ahead() const { return looks_ahead_; }
  Index scratch_bytes() const { return kernel_ ? kernel_->scratch_bytes() : 0; }

  /// From the tiles [first, last) of the view.
  void load(Index first, Index last, Index item, const Box& plane, Element* block, Index stride, double scale,
            RunRows<Element>& rows, void* scratch) const {
    const View& view = *view_;
    if (gathers_) {
      gather<Element>(view, first, last, item, plane, block, strides(stride));
      in_place(block, stride, plane.extent(2), scale, rows, scratch);
      return;
    }
    const bool asked = looks_ahead_ && rows.asked;
    if (reads_ahead_ && !asked) read_ahead(view, first, last, item, plane);
    for (Index k = plane.lo[2], next = 0; k < plane.hi[2]; k = next) {
      next = same_pieces_until(view, first, last, k, plane.hi[2]);
      find_rows(view, first, last, item, {plane.lo[0], plane.lo[1], k}, axis_, rows.far);
      rows_of(block + (k - plane.lo[2]), stride, rows.near);
      ColumnRun run = run_between(rows.far, rows.near, next - k, scale);
      run.fetch_in = !reads_ahead_ && !asked;
      rows.ahead.give(run);
      kernel_->run(run, scratch);
    }
  }

  /// To a tile of the view, or all of an array.
  void store(Index tile, Index item, const Box& plane, Element* block, Index stride, double scale,
             RunRows<Element>& rows, void* scratch) const {
    const View& view = *view_;
    if (!has_rows_) {
      in_place(block, stride, plane.extent(2), scale, rows, scratch);
      scatter<Element>(view, tile, item, plane, block, strides(stride), Real(1));
      return;
    }
    for (Index k = plane.lo[2], next = 0; k < plane.hi[2]; k = next) {
      next = same_pieces_until(view, tile, tile + 1, k, plane.hi[2]);
      find_rows(view, tile, tile + 1, item, {plane.lo[0], plane.lo[1], k}, axis_, rows.far);
      Element* const from = block + (k - plane.lo[2]);
      const bool streamed = view.store() == Store::streamed;
      if (streamed && (out_ < in_ || before_lines(rows.far) != 0)) {
        // Only a copy can write rows past the cache that do not begin with cache lines, or not all rows.
        in_place(from, stride, next - k, scale, rows, scratch);
        Box part = plane;
        part.lo[2] = k;
        part.hi[2] = next;
        scatter<Element>(view, tile, item, part, from, strides(stride), Real(1));
        continue;
      }
      rows_of(from, stride, rows.near);
      ColumnRun run = run_between(rows.near, rows.far, next - k, scale);
      run.fetch_out = !streamed;
      run.streamed = streamed;
      rows.ahead.give(run);
      kernel_->run(run, scratch);
    }
  }

 private:
  Shape strides(Index stride) const {
    Shape all{0, 0, 1};
    all[static_cast<std::size_t>(axis_)] = stride;
    return all;
  }
  static void rows_of(Element* block, Index stride, std::vector<Element*>& rows) {
    for (std::size_t j = 0; j < rows.size(); ++j) rows[j] = block + static_cast<Index>(j) * stride;
  }
  static ColumnRun run_between(const std::vector<Element*>& from, const std::vector<Element*>& to, Index columns,
                               double scale) {
    ColumnRun run;
    run.in = reinterpret_cast<const void* const*>(from.data());
    run.out = reinterpret_cast<void* const*>(to.data());
    run.columns = columns;
    run.scale = scale;
    return run;
  }
  void in_place(Element* block, Index stride, Index columns, double scale, RunRows<Element>& rows,
                void* scratch) const {
    rows_of(block, stride, rows.near);
    ColumnRun run = run_between(rows.near, rows.near, columns, scale);
    rows.ahead.give(run);
    kernel_->run(run, scratch);
  }

  const View* view_ = nullptr;
  int axis_ = 0;
  Index in_ = 0, out_ = 0;
  bool has_rows_ = false;
  bool gathers_ = false;      ///< what is loaded is copied first: where it lies, the cache cannot hold it
  bool reads_ahead_ = false;  ///< what is loaded otherwise is brought into the cache first
  std::unique_ptr<ColumnKernel> kernel_;
  bool looks_ahead_ = false;
};

}  // namespace weft::detail
