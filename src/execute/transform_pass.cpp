// A pass that transforms lines.
//
// `block` is the chunk in scratch as complex numbers; `staging` holds a few rows where axis 2 meets memory:
//
//   rows first:   memory -> staging -> [axis 2] -> block -> [axis 0 or 1] -> lines -> memory
//   rows last:    memory -> block -> [axis 0 or 1] -> block -> [axis 2] -> staging -> memory
//
// A backend with column kernels needs no copies around them: columns go from the rows of the block, or of memory,
// straight to those of memory or the block, and columns alone never see the block (docs/design/passes.md). Otherwise:
//
// Columns are transformed from the block into `lines`, where each is contiguous, and turned back while they are
// written: serial libraries are fastest so (FFTW, 256 points: 48 GF/s, against 36 in place with a stride), and the turn
// hides in a copy that is made anyway. Only before complex rows become real must columns stay in place.
//
// Where only some modes of a spectrum are kept, rows become whole spectra, or are cut to what is kept, in the block or
// in staging, and columns have kernels that read and write fewer rows at the spectrum's end: such columns always have
// one.
//
// Interleaved fields are so many neighbours along axis 2 for each point: lines along axis 2 are then columns of a row,
// which has point k of all fields, then point k + 1.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "base/text.hpp"
#include "execute/caches.hpp"
#include "execute/column_rows.hpp"
#include "execute/gather.hpp"
#include "execute/kept_rows.hpp"
#include "execute/kernels.hpp"
#include "execute/look_ahead.hpp"
#include "execute/pass.hpp"
#include "execute/scratch.hpp"

namespace weft::detail {

namespace {

/// Rows are staged in pieces of this many bytes, so that they stay in the first-level cache between copy and transform.
constexpr Index piece_bytes = Index{16} << 10;
/// Fewer interleaved fields are a vector or less, and go as lines: calls for so few columns cost more than they save.
constexpr Index wide_enough = 8;
/// Columns of a plane are turned in groups of this many bytes.
constexpr Index group_bytes = Index{128} << 10;

/// `Point` is a number of the block: complex, unless nothing of the pass is.
template <class Point>
class TransformPass final : public PassRunner {
  using Real = typename NumberOf<Point>::Real;
  static constexpr Number block_number = NumberOf<Point>::number;
  static constexpr Index number_bytes = sizeof(Point);

 public:
  TransformPass(const Pass& pass, View in, View out, const Options& options, Precision precision, Index cache)
      : pass_(pass),
        in_(std::move(in)),
        out_(std::move(out)),
        row_kernels_(find_backend(options.backend), precision, options.effort),
        column_kernels_(find_backend(options.backend), precision, options.effort) {
    const Backend& backend = find_backend(options.backend);
    const Effort effort = options.effort;
    for (const LineTransform& transform : pass.transforms) {
      const LineTransform*& place = transform.axis == 2 ? row_ : column_;
      if (place != nullptr) {
        throw std::logic_error(concat("a pass has lines along axes ", place->axis, " and ", transform.axis,
                                      "; it transforms rows and one kind of columns at most"));
      }
      place = &transform;
    }
    // Complex transforms along two axes commute; only real rows fix the order.
    rows_first_ = row_ != nullptr && row_traits().out == block_number;
    if (whole().empty()) return;
    in_rows_ = in_.has_rows() && !in_.encoded();
    out_rows_ = out_.has_rows() && !out_.encoded();
    if (column_ != nullptr && column_->modes > 0) {
      columns_ = make_column_kernel(backend, column_in(), column_out(), column_->sign, precision, effort);
    } else if (column_ != nullptr && column_->type == LineType::c2c && backend.make_columns != nullptr &&
               in_.has_rows() && out_.has_rows()) {
      columns_ = backend.make_columns(column_in(), column_->sign, precision, effort);
    } else if (column_ != nullptr && block_number == Number::complex && column_traits().between_reals()) {
      columns_ = make_column_kernel(backend, column_->type, block_number, column_in(), column_out(), column_->sign,
                                    precision, effort);
    } else if (column_ != nullptr && block_number == Number::real && in_.has_rows() && out_.has_rows()) {
      columns_ = make_real_columns(backend, column_->type, column_in(), precision, effort);
    }
    if (row_ != nullptr && row_->type == LineType::c2c && pass.interleaved >= wide_enough &&
        backend.make_columns != nullptr) {
      columns_of_rows_ = backend.make_columns(line_points(), row_->sign, precision, effort);
    }
    gathers_ = columns_ != nullptr && row_ == nullptr &&
               (!in_rows_ || collide(column_in(), in_.most_distance(column_->axis) * number_bytes));
    columns_ahead_ = columns_ != nullptr && in_.streams(column_->axis);
    choose_chunk(cache);
    choose_ahead(options);
    if (row_ != nullptr) make_row_kernels();
    if (columns_) {
      lines_bytes_ = columns_->scratch_bytes();
    } else if (column_ != nullptr) {
      make_column_kernels();
    }
    if (columns_of_rows_) lines_bytes_ = std::max(lines_bytes_, columns_of_rows_->scratch_bytes());
  }

  Index scratch_bytes() const override {
    return block_bytes_ + lines_bytes_ + staging_bytes_ + (copies_ahead_ ? block_bytes_ : 0);
  }
  void use_scratch(std::byte* memory, Index of_thread, int threads) override {
    scratch_.clear();
    for (int thread = 0; thread < threads; ++thread, memory += of_thread) {
      const auto from = static_cast<std::size_t>(columns_ ? column_in() : 0);
      const auto to = static_cast<std::size_t>(columns_ ? column_out() : 0);
      const auto points = static_cast<std::size_t>(columns_of_rows_ ? line_points() : 0);
      scratch_.push_back({reinterpret_cast<Point*>(memory), reinterpret_cast<Point*>(memory + block_bytes_),
                          memory + block_bytes_ + lines_bytes_, std::vector<Point*>(from), std::vector<Point*>(to),
                          std::vector<Point*>(points), std::vector<Point*>(points)});
      if (copies_ahead_) {
        scratch_.back().other = reinterpret_cast<Point*>(memory + block_bytes_ + lines_bytes_ + staging_bytes_);
      }
    }
  }
  void bind(const UserArrays& arrays) override {
    in_.bind(arrays);
    out_.bind(arrays);
    for (Scratch& scratch : scratch_) scratch.ahead.forget();
  }
  Index chunks(Index unit) const override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Shape parts = parts_of(u);
    return parts[0] * parts[1] * parts[2] * u.items.count();
  }

  void run(Index unit, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const auto [item, box] = chunk_of(u, turn.chunk);
    if (!copies_ahead_) {
      scratch.asked = scratch.ahead.begin(unit, turn.chunk);
      if ((looks_in_ || looks_out_) && turn.next >= 0) ask_for(scratch.ahead, u, unit, turn.next);
    }
    if (row_ == nullptr) {
      columns_only(scratch, unit, turn, item, box);
    } else if (rows_first_) {
      rows_first(scratch, u, item, box);
    } else {
      rows_last(scratch, u, item, box);
    }
    traffic.read += pass_.bytes_read(at_end(box, u.in).count());
    traffic.written += pass_.bytes_written(at_end(box, u.out).count());
  }

 private:
  /// Where a thread works: a chunk in cache, and the rows of a column run.
  struct Scratch {
    Point* block;
    Point* lines;
    std::byte* staging;
    std::vector<Point*> from, to;          ///< of columns
    std::vector<Point*> row_from, row_to;  ///< of interleaved rows
    LookAhead ahead{};
    Point* other = nullptr;  ///< the block of the next plane
    bool asked = false;      ///< this chunk is in the second-level cache, as far as the pass looks ahead
  };

  // ---- geometry

  const LineTraits& column_traits() const { return traits_of(column_->type); }
  const LineTraits& row_traits() const { return traits_of(row_->type); }
  bool rows_come_last() const { return row_ != nullptr && !rows_first_; }
  /// Rows are real where they meet memory, and complex in the block.
  bool real_rows() const { return (rows_first_ ? row_traits().in : row_traits().out) != block_number; }
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
  Index row_numbers() const { return row_traits().points(pass_.in.extent(2), pass_.out.extent(2)); }
  /// Numbers that a row of the block may have: those of a whole spectrum.
  Index block_numbers() const { return row_traits().spectrum_points(line_points()) * pass_.interleaved; }
  Index line_points() const { return row_numbers() / pass_.interleaved; }
  Index row_number_bytes() const { return static_cast<Index>(real_rows() ? sizeof(Real) : sizeof(Point)); }
  std::size_t column() const { return static_cast<std::size_t>(column_->axis); }
  /// Without rows: the axis that is neither transformed nor axis 2.
  std::size_t beside() const { return column_->axis == 0 ? 1 : 0; }

  /// A chunk of a unit: of which item, and its box as its complex end sees it.
  std::pair<Index, Box> chunk_of(const Unit& u, Index chunk) const {
    const Shape parts = parts_of(u);
    const Index part = chunk % (parts[0] * parts[1] * parts[2]);
    const Index item = u.items.lo + chunk / (parts[0] * parts[1] * parts[2]);
    const Shape at{part / (parts[1] * parts[2]), part / parts[2] % parts[1], part % parts[2]};
    Box box = complex_end(u);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lo[axis] += at[axis] * extent_[axis];
      box.hi[axis] = std::min(box.hi[axis], box.lo[axis] + extent_[axis]);
    }
    return {item, box};
  }

  Shape parts_of(const Unit& unit) const {
    const Box box = complex_end(unit);
    if (box.empty()) return {0, 0, 0};
    return {ceil_divide(box.extent(0), extent_[0]), ceil_divide(box.extent(1), extent_[1]),
            ceil_divide(box.extent(2), extent_[2])};
  }

  /// Extents of a chunk, and how it lies in scratch: lines of the transformed axes whole, the others as the cache
  /// allows.
  void choose_chunk(Index cache) {
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
      const Index distance = padded(std::max(n[2], block_numbers()), number_bytes);
      const Index row = distance * number_bytes;
      extent_[2] = n[2];
      extent_[1] = column_ != nullptr ? n[1] : fill(row, n[1]);
      extent_[0] = extent_[1] == n[1] ? fill(row * n[1], n[0]) : 1;
      block_stride_ = {extent_[1] * distance, distance, 1};
      block_bytes_ = extent_[0] * block_stride_[0] * number_bytes;
    } else {
      // Columns side by side: all of axis 2 if it fits, else whole cache lines of it; then neighbours along the other.
      const Index wide = fill(n[column()] * number_bytes, n[2]);
      extent_[column()] = n[column()];
      extent_[2] = wide == n[2] ? wide : even_width(n[2], wide);
      extent_[beside()] = extent_[2] == n[2] ? fill(n[column()] * n[2] * number_bytes, n[beside()]) : 1;
      // Column kernels have planes one by one, straight from memory if they can.
      block_stride_[column()] = padded(columns_ ? extent_[2] : extent_[beside()] * extent_[2], number_bytes);
      block_bytes_ = columns_ && !gathers_ && out_rows_ && out_.store() != Store::streamed
                         ? 0
                         : n[column()] * block_stride_[column()] * number_bytes;
    }
    block_bytes_ = ceil_divide(block_bytes_, cache_line) * cache_line;
  }

  /// A width of about `most` that cuts `n` into parts of about the same size, in whole cache lines.
  static Index even_width(Index n, Index most) {
    const Index per_line = cache_line / number_bytes;
    const Index width = ceil_divide(n, ceil_divide(n, most));
    return std::min(n, ceil_divide(width, per_line) * per_line);
  }

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

  // ---- what is asked of the cache ahead of time

  void choose_ahead(const Options& options) {
    if (columns_ == nullptr || !columns_->asks_ahead()) return;
    looks_in_ = in_rows_ && !gathers_ && in_.asked_ahead();
    copies_ahead_ = in_rows_ && gathers_ && in_.asked_ahead();
    looks_out_ = out_rows_ && out_.asked_ahead();
    // Where rows go back to where they were read, the cache would have to hold the next chunk beside this one, twice.
    if (row_ != nullptr && in_.lies_where(out_, options.in_place) && 4 * block_bytes_ > second_level_cache()) {
      looks_in_ = false;
    }
  }

  void ask_for(LookAhead& ahead, const Unit& u, Index unit, Index chunk) const {
    const auto [item, box] = chunk_of(u, chunk);
    if (looks_in_) ahead.ask(in_, u.first_in, u.last_in, item, at_end(box, u.in));
    if (looks_out_) ahead.ask(out_, u.out_tile, u.out_tile + 1, item, at_end(box, u.out));
    ahead.share(unit, chunk, row_ != nullptr ? box.extent(0) : box.extent(static_cast<int>(beside())));
  }

  // ---- kernels

  void make_row_kernels() {
    const Index bytes = row_number_bytes();
    if (row_->modes > 0) {
      const KeptModes kept{line_points(), row_->modes};
      (row_->way == Way::to_space ? spreads_ : keeps_) = KeptRows(kept, real_rows(), pass_.interleaved);
    }
    // Rows that are aligned and follow each other, of blocks with gaps of an eighth at most, are transformed where they
    // lie; their distance is then theirs.
    const Index distance = in_.distance(1);
    direct_ = rows_first_ && !spreads_ && in_rows_ && distance >= row_numbers() && distance * bytes % 16 == 0 &&
              (in_.is_array() || 8 * (distance - row_numbers()) <= row_numbers());
    rows_ahead_ = direct_ && in_.streams(1);
    row_distance_ = direct_ ? distance : padded(row_numbers(), bytes);
    // Whole groups of lanes, if there are as many; real rows of odd lengths go in twos, and those that end as real
    // numbers as columns, of which kernels want some groups.
    const bool twos = real_rows() && line_points() % 2 != 0;
    const Index in_line = cache_line / static_cast<Index>(sizeof(Real));
    const Index lanes = block_number == Number::real ? 4 * in_line : twos ? 2 * in_line : 8;
    staged_rows_ = std::min(extent_[1], std::max(lanes, piece_bytes / (row_distance_ * bytes) / lanes * lanes));
    staging_bytes_ = ((staged_rows_ - 1) * row_distance_ + padded(row_numbers(), bytes)) * bytes;
    LineBatch& batch = row_kernels_.batch;
    batch.type = row_->type;
    batch.n = line_points();
    batch.sign = row_->sign;
    if (pass_.interleaved > 1) {
      batch.in_stride = batch.out_stride = pass_.interleaved;
      if (!columns_of_rows_) row_kernels_.need(pass_.interleaved);
      return;
    }
    batch.in_distance = rows_first_ ? row_distance_ : block_stride_[1];
    batch.out_distance = rows_first_ ? block_stride_[1] : row_distance_;
    for_each_extent(1, extent_[1], [&](Index rows) {
      if (rows >= staged_rows_) row_kernels_.need(staged_rows_);
      if (rows % staged_rows_ != 0) row_kernels_.need(rows % staged_rows_);
    });
  }

  void make_column_kernels() {
    LineBatch& batch = column_kernels_.batch;
    batch.type = column_->type;
    batch.n = extent_[column()];
    batch.sign = column_->sign;
    batch.in_stride = block_stride_[column()];
    if (rows_come_last()) {
      batch.in_place = true;
      batch.out_stride = batch.in_stride;
      column_kernels_.need(extent_[2]);
      return;
    }
    batch.out_distance = line_distance_ = padded(batch.n, number_bytes);
    if (row_ != nullptr) {
      group_ = even_width(extent_[2], std::clamp<Index>(group_bytes / (line_distance_ * number_bytes), 1, extent_[2]));
      lines_bytes_ = group_ * line_distance_ * number_bytes;
      for_each_extent(2, group_, [&](Index count) { column_kernels_.need(count); });
    } else {
      lines_bytes_ = extent_[beside()] * extent_[2] * line_distance_ * number_bytes;
      for_each_extent(2, extent_[2], [&](Index wide) {
        for_each_extent(beside(), extent_[beside()], [&](Index deep) { column_kernels_.need(wide * deep); });
      });
    }
  }

  // ---- rows

  /// Transforms `count` rows whose starts are so far apart.
  template <class In, class Out>
  void run_rows(Scratch& scratch, Index count, In* in, Index in_distance, Out* out, Index out_distance) const {
    if (pass_.interleaved == 1) {
      row_kernels_.run(count, in, out);
      return;
    }
    if constexpr (std::is_same_v<In, Out>) {
      if (columns_of_rows_) {
        for (Index k = 0; k < line_points(); ++k) {
          scratch.row_from[static_cast<std::size_t>(k)] = in + k * pass_.interleaved;
          scratch.row_to[static_cast<std::size_t>(k)] = out + k * pass_.interleaved;
        }
        ColumnRun run;
        run.in = reinterpret_cast<const void* const*>(scratch.row_from.data());
        run.out = reinterpret_cast<void* const*>(scratch.row_to.data());
        run.columns = pass_.interleaved;
        for (Index row = 0; row < count; ++row, run.in_first += in_distance, run.out_first += out_distance) {
          columns_of_rows_->run(run, scratch.lines);
        }
        return;
      }
    }
    for (Index row = 0; row < count; ++row) {
      row_kernels_.run(pass_.interleaved, in + row * in_distance, out + row * out_distance);
    }
  }

  // ---- the three ways through

  /// Columns of one plane of the block, or between it and memory; `in` and `out` say where it is not the block.
  enum class End { block, memory };
  void run_columns(Scratch& scratch, const Unit& u, Index item, const Box& plane, End in, End out, Point* block) {
    const Index hi = plane.hi[2];
    const bool asked = scratch.asked && looks_in_, ahead = in == End::memory && (asked || columns_ahead_);
    if (ahead && !asked) read_ahead(in_, u.first_in, u.last_in, item, with_columns(plane, u.in));
    for (Index k = plane.lo[2], next = hi; k < hi; k = next, next = hi) {
      const Shape start{plane.lo[0], plane.lo[1], k};
      if (in == End::memory) {
        next = same_pieces_until(in_, u.first_in, u.last_in, k, next);
        find_rows(in_, u.first_in, u.last_in, item, start, column_->axis, scratch.from);
      }
      if (out == End::memory && out_rows_) {
        next = same_pieces_until(out_, u.out_tile, u.out_tile + 1, k, next);
        find_rows(out_, u.out_tile, u.out_tile + 1, item, start, column_->axis, scratch.to);
      }
      const bool streamed = out == End::memory && out_.store() == Store::streamed;
      // Rows that do not begin with cache lines are written past the cache by a copy, which can; or not all rows.
      const bool copied =
          (out == End::memory && !out_rows_) || (streamed && (column_in() > column_out() || !begin_lines(scratch.to)));
      Point* const start_of_block = block + (k - plane.lo[2]);
      if (in == End::block) rows_of_block(start_of_block, scratch.from);
      if (out == End::block || copied) rows_of_block(start_of_block, scratch.to);
      ColumnRun run;
      run.in = reinterpret_cast<const void* const*>(scratch.from.data());
      run.out = reinterpret_cast<void* const*>(scratch.to.data());
      run.columns = next - k;
      run.fetch_in = in == End::memory && !ahead;
      if (out == End::memory && !copied) {
        run.fetch_out = !streamed && !(scratch.asked && looks_out_);
        run.scale = pass_.scale;
        run.streamed = streamed;
      }
      scratch.ahead.give(run);
      columns_->run(run, scratch.lines);
      if (copied) {
        Box part = with_columns(plane, u.out);
        part.lo[2] = k;
        part.hi[2] = next;
        put<Point>(u, item, part, start_of_block, block_stride_);
      }
    }
  }

  void rows_of_block(Point* first, std::vector<Point*>& rows) const {
    for (std::size_t j = 0; j < rows.size(); ++j) rows[j] = first + static_cast<Index>(j) * block_stride_[column()];
  }

  /// Begins a plane: it is in the block, and the next one is on its way to the other.
  void gather_plane(Scratch& scratch, Index unit, Turn turn, Index item, const Box& box, const Box& plane) {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index number = turn.chunk * extent_[beside()] + plane.lo[beside()] - box.lo[beside()];
    if (copies_ahead_ && scratch.ahead.begin(unit, number)) {
      std::swap(scratch.block, scratch.other);
    } else {
      gather<Point>(in_, u.first_in, u.last_in, item, with_columns(plane, u.in), scratch.block, block_stride_);
    }
    if (!copies_ahead_) return;
    Box next = plane;
    Index next_item = item, next_number = number + 1;
    next.lo[beside()] = plane.hi[beside()];
    if (next.lo[beside()] == box.hi[beside()]) {
      if (turn.next < 0) return;
      std::tie(next_item, next) = chunk_of(u, turn.next);
      next_number = turn.next * extent_[beside()];
    }
    next.hi[beside()] = next.lo[beside()] + 1;
    scratch.ahead.copy(in_, u.first_in, u.last_in, next_item, with_columns(next, u.in), scratch.other, block_stride_);
    scratch.ahead.share(unit, next_number, 1);
  }

  void columns_only(Scratch& scratch, Index unit, Turn turn, Index item, const Box& box) {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    if (columns_) {
      Box plane = box;
      for (Index b = box.lo[beside()]; b < box.hi[beside()]; ++b) {
        plane.lo[beside()] = b;
        plane.hi[beside()] = b + 1;
        if (gathers_) gather_plane(scratch, unit, turn, item, box, plane);
        run_columns(scratch, u, item, plane, gathers_ ? End::block : End::memory, End::memory, scratch.block);
      }
      return;
    }
    // Columns lie side by side without gaps, also where the last chunk of a unit is narrower.
    Shape strides = block_stride_;
    strides[beside()] = box.extent(2);
    gather<Point>(in_, u.first_in, u.last_in, item, box, scratch.block, strides);
    column_kernels_.run(box.extent(2) * box.extent(static_cast<int>(beside())), scratch.block, scratch.lines);
    Shape turned;
    turned[column()] = 1;
    turned[2] = line_distance_;
    turned[beside()] = box.extent(2) * line_distance_;
    put<Point>(u, item, box, scratch.lines, turned);
  }

  void rows_first(Scratch& scratch, const Unit& u, Index item, const Box& box) {
    const Box rows = with_columns(box, u.in);
    if (real_rows()) {
      rows_from_memory<Real>(scratch, u, item, rows);
      if (row_->sign != row_traits().sign) conjugate(scratch, rows);
    } else {
      rows_from_memory<Point>(scratch, u, item, rows);
    }
    if (keeps_) for_each_row(scratch, rows, [&](Point* row) { keep(row); });
    if (column_ == nullptr) {
      put<Point>(u, item, box, scratch.block, block_stride_);
      return;
    }
    const Shape turned{0, 1, line_distance_};
    for (Index i = 0; i < box.extent(0); ++i) {
      if (columns_) {
        run_columns(scratch, u, item, plane_of(box, i), End::block, End::memory, scratch.block + i * block_stride_[0]);
        continue;
      }
      for (Index k = 0; k < box.extent(2); k += group_) {
        const Index wide = std::min(group_, box.extent(2) - k);
        column_kernels_.run(wide, scratch.block + i * block_stride_[0] + k, scratch.lines);
        const Box group{{box.lo[0] + i, box.lo[1], box.lo[2] + k},
                        {box.lo[0] + i + 1, box.hi[1], box.lo[2] + k + wide}};
        put<Point>(u, item, group, scratch.lines, turned);
      }
    }
  }

  static Box plane_of(Box box, Index i) {
    box.lo[0] += i;
    box.hi[0] = box.lo[0] + 1;
    return box;
  }

  void rows_last(Scratch& scratch, const Unit& u, Index item, const Box& box) {
    const bool gathered = !columns_ || !in_rows_;
    if (gathered) gather<Point>(in_, u.first_in, u.last_in, item, box, scratch.block, block_stride_);
    if (column_ != nullptr) {
      for (Index i = 0; i < box.extent(0); ++i) {
        Point* const plane = scratch.block + i * block_stride_[0];
        if (columns_) {
          run_columns(scratch, u, item, plane_of(box, i), gathered ? End::block : End::memory, End::block, plane);
        } else {
          column_kernels_.run(box.extent(2), plane, plane);
        }
      }
    }
    const Box lines = with_columns(box, u.out);
    if (row_->sign != row_traits().sign) conjugate(scratch, lines);
    if (spreads_) for_each_row(scratch, lines, [&](Point* row) { spread(row); });
    Real* const to = reinterpret_cast<Real*>(scratch.staging);
    for_each_staging(scratch, lines, u.out, [&](const Box& rows, Point* block) {
      run_rows(scratch, rows.extent(1), block, block_stride_[1], to, row_distance_);
      put<Real>(u, item, rows, to, {0, row_distance_, 1});
    });
  }

  template <class T>
  void rows_from_memory(Scratch& scratch, const Unit& u, Index item, const Box& chunk) {
    if (rows_ahead_ && !(scratch.asked && looks_in_)) read_ahead(in_, u.first_in, u.last_in, item, at_end(chunk, u.in));
    for_each_staging(scratch, chunk, u.in, [&](const Box& rows, Point* block) {
      const Piece* const piece = direct_ ? in_.piece_of(u.first_in, u.last_in, rows) : nullptr;
      T* from = piece != nullptr ? piece->at<T>(item, rows.lo) : nullptr;
      if (from == nullptr || reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
        from = reinterpret_cast<T*>(scratch.staging);
        gather<T>(in_, u.first_in, u.last_in, item, rows, from, {0, row_distance_, 1});
      }
      if constexpr (std::is_same_v<T, Point>) {
        for (Index row = 0; spreads_ && row < rows.extent(1); ++row) spread(from + row * row_distance_);
      }
      run_rows(scratch, rows.extent(1), from, row_distance_, block, block_stride_[1]);
    });
  }

  /// Calls `use` with a few rows at a time, over the whole row as the end that meets memory has it, and their place in
  /// the block.
  template <class Use>
  void for_each_staging(const Scratch& scratch, const Box& chunk, const Box& end, const Use& use) {
    for (Index i = 0; i < chunk.extent(0); ++i) {
      for (Index j = 0; j < chunk.extent(1); j += staged_rows_) {
        const Index count = std::min(staged_rows_, chunk.extent(1) - j);
        const Box rows{{chunk.lo[0] + i, chunk.lo[1] + j, end.lo[2]},
                       {chunk.lo[0] + i + 1, chunk.lo[1] + j + count, end.hi[2]}};
        use(rows, scratch.block + i * block_stride_[0] + j * block_stride_[1]);
      }
    }
  }

  template <class T>
  void put(const Unit& u, Index item, const Box& region, const T* from, const Shape& strides) const {
    scatter<T>(out_, u.out_tile, item, region, from, strides, static_cast<Real>(pass_.scale));
  }

  /// Calls `use` with every row of the block.
  template <class Use>
  void for_each_row(const Scratch& scratch, const Box& chunk, const Use& use) const {
    for (Index i = 0; i < chunk.extent(0); ++i) {
      for (Index j = 0; j < chunk.extent(1); ++j) use(scratch.block + i * block_stride_[0] + j * block_stride_[1]);
    }
  }

  /// Kernels of rows between real and complex numbers have one sign of the exponent only.
  void conjugate(const Scratch& scratch, const Box& chunk) const {
    if constexpr (block_number == Number::complex) {
      for_each_row(scratch, chunk, [&](Point* row) {
        for (Index k = 0; k < chunk.extent(2); ++k) row[k] = std::conj(row[k]);
      });
    }
  }

  /// Spectra of real numbers keep all modes.
  void spread(Point* row) const {
    if constexpr (block_number == Number::complex) spreads_->spread(row);
  }
  void keep(Point* row) const {
    if constexpr (block_number == Number::complex) keeps_->gather(row);
  }

  const Pass& pass_;
  View in_, out_;
  const LineTransform *row_ = nullptr, *column_ = nullptr;  ///< along axis 2, and along another one
  bool rows_first_ = false;
  bool in_rows_ = true, out_rows_ = true;  ///< numbers along axis 2 lie side by side in memory, and not encoded
  bool gathers_ =
      false;  ///< columns are copied before they are transformed: where they lie, the cache cannot hold them
  std::optional<KeptRows> spreads_, keeps_;  ///< where modes of rows are left out: to space, and from it
  Shape extent_{1, 1, 1};                    ///< of a whole chunk, complex
  Shape block_stride_{0, 0, 1};
  Index line_distance_ = 0;  ///< between the contiguous columns in Scratch::lines
  Index group_ = 1;          ///< columns of a plane turned together
  bool direct_ = false;
  bool columns_ahead_ = false, rows_ahead_ = false;  ///< what comes from memory is brought into the cache first
  bool looks_in_ = false, looks_out_ = false;  ///< of the next chunk it is asked for what is read, what is written
  bool copies_ahead_ = false;                  ///< the next plane is copied while this one is transformed
  Index row_distance_ = 0, staged_rows_ = 0;
  Index block_bytes_ = 0, lines_bytes_ = 0, staging_bytes_ = 0;
  Kernels row_kernels_, column_kernels_;
  std::unique_ptr<ColumnKernel> columns_;          ///< of lengths that have one; Scratch::lines is its scratch
  std::unique_ptr<ColumnKernel> columns_of_rows_;  ///< the same for rows of interleaved fields
  std::vector<Scratch> scratch_;                   ///< of each thread
};

}  // namespace

std::unique_ptr<PassRunner> make_transform_pass(const Pass& pass, View in, View out, const Problem& problem,
                                                const Options& options, Index cache) {
  const auto make = [&]<class Point>(Point) -> std::unique_ptr<PassRunner> {
    return std::make_unique<TransformPass<Point>>(pass, std::move(in), std::move(out), options, problem.precision,
                                                  cache);
  };
  const bool reals = pass.of_reals();
  if (problem.precision == Precision::double_) return reals ? make(double()) : make(std::complex<double>());
  return reals ? make(float()) : make(std::complex<float>());
}

}  // namespace weft::detail
