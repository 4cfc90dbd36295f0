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
// Where one end holds only what is kept of a line, rows become whole, or are cut, in the block or in staging, and
// columns have kernels that read or write fewer rows at that end: such columns always have one.
//
// Interleaved fields are so many neighbours along axis 2 for each point: lines there are columns of such a row.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>

#include "execute/column_rows.hpp"
#include "execute/gather.hpp"
#include "execute/kept_rows.hpp"
#include "execute/kernels.hpp"
#include "execute/look_ahead.hpp"
#include "execute/pass.hpp"
#include "execute/pass_lines.hpp"
#include "execute/scratch.hpp"
#include "execute/turned_rows.hpp"

namespace weft::detail {

namespace {

/// Fewer interleaved fields are a vector or less, and go as lines: calls for so few columns cost more than they save.
constexpr Index wide_enough = 8;

/// `Point` is a number of the block: complex, unless nothing of the pass is.
template <class Point>
class TransformPass final : public PassRunner, private PassLines {
  using Real = typename NumberOf<Point>::Real;
  static constexpr Number block_number = NumberOf<Point>::number;

 public:
  TransformPass(const Pass& pass, View in, View out, const Options& options, Precision precision, Index cache)
      : PassLines(pass, std::move(in), std::move(out), block_number, precision),
        row_kernels_(find_backend(options.backend), precision, options.effort),
        column_kernels_(find_backend(options.backend), precision, options.effort) {
    const Backend& backend = find_backend(options.backend);
    const Effort effort = options.effort;
    if (whole().empty()) return;
    if (column_ != nullptr && column_->kept) {
      columns_ = make_kept_columns(backend, column_->type, block_number, column_->kept, column_->way, column_->sign,
                                   precision, effort);
    } else if (column_ != nullptr && column_->type == LineType::c2c && backend.make_columns != nullptr &&
               in_.has_rows() && out_.has_rows()) {
      columns_ = backend.make_columns(column_in(), column_->sign, precision, effort);
    } else if (column_ != nullptr && block_number == Number::complex && column_traits().between_reals()) {
      columns_ =
          make_column_kernel(backend, column_->type, block_number, column_in(), column_->sign, precision, effort);
    } else if (column_ != nullptr && block_number == Number::real && in_.has_rows() && out_.has_rows()) {
      columns_ = make_real_columns(backend, column_->type, column_in(), precision, effort);
    }
    if (row_ != nullptr && row_->type == LineType::c2c && pass.interleaved >= wide_enough &&
        backend.make_columns != nullptr) {
      columns_of_rows_ = backend.make_columns(line_points(), row_->sign, precision, effort);
    }
    binding_ = decide(columns_.get(), columns_of_rows_.get(), options, cache);
    if (row_ != nullptr) make_row_kernels();
    if (row_ != nullptr && row_->one_line > 0) turned_.emplace(row_->one_line);
    if (column_ != nullptr && !columns_) make_column_kernels();
  }

  const PassBinding* binding() const override { return &binding_; }
  Index scratch_bytes() const override { return binding_.scratch_bytes(); }
  void use_scratch(std::byte* memory, Index of_thread, int threads) override {
    scratch_.clear();
    for (int thread = 0; thread < threads; ++thread, memory += of_thread) {
      const auto from = static_cast<std::size_t>(columns_ ? column_in() : 0);
      const auto to = static_cast<std::size_t>(columns_ ? column_out() : 0);
      const auto points = static_cast<std::size_t>(columns_of_rows_ ? line_points() : 0);
      scratch_.push_back({reinterpret_cast<Point*>(memory), reinterpret_cast<Point*>(memory + binding_.block_bytes),
                          memory + binding_.block_bytes + binding_.lines_bytes, std::vector<Point*>(from),
                          std::vector<Point*>(to), std::vector<Point*>(points), std::vector<Point*>(points)});
      if (binding_.copies_ahead) {
        scratch_.back().other =
            reinterpret_cast<Point*>(memory + binding_.block_bytes + binding_.lines_bytes + binding_.staging_bytes);
      }
    }
  }
  void bind(const UserArrays& arrays) override {
    in_.bind(arrays);
    out_.bind(arrays);
    ends_with_lines_ = can_end_with_lines();
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
    if (!binding_.copies_ahead) {
      scratch.asked = scratch.ahead.begin(unit, turn.chunk);
      if ((binding_.looks_in || binding_.looks_out) && turn.next >= 0) ask_for(scratch.ahead, u, unit, turn.next);
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

  // ---- chunks

  /// A chunk of a unit: of which item, and its box as its complex end sees it.
  std::pair<Index, Box> chunk_of(const Unit& u, Index chunk) const {
    const Shape parts = parts_of(u);
    const Index part = chunk % (parts[0] * parts[1] * parts[2]);
    const Index item = u.items.lo + chunk / (parts[0] * parts[1] * parts[2]);
    const Shape at{part / (parts[1] * parts[2]), part / parts[2] % parts[1], part % parts[2]};
    Box box = complex_end(u);
    const Index earlier = earlier_of(u);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index lo = box.lo[axis], begin = lo + at[axis] * binding_.extent[axis] - (axis == 2 ? earlier : 0);
      box.lo[axis] = std::max(lo, begin);
      // What is behind the last lines goes with them, but where the block has no room for it.
      if (at[axis] + 1 < parts[axis]) box.hi[axis] = begin + binding_.extent[axis];
    }
    return {item, box};
  }

  /// Where rows of the user's array are cut and begin beside a cache line, all alike, so many numbers after one: chunks
  /// of columns begin so much earlier, and end with lines. What is written past the cache is whole lines. (Whole rows
  /// are written one after the other by a copy.)
  Index earlier_of(const Unit& u) const {
    if (!ends_with_lines_) return 0;
    const auto* const first = out_.array().template at<const Point>(u.items.lo, complex_end(u).lo);
    return static_cast<Index>(reinterpret_cast<std::uintptr_t>(first) % cache_line / sizeof(Point));
  }

  bool can_end_with_lines() const {
    constexpr Index line = cache_line / static_cast<Index>(sizeof(Point));
    if (row_ != nullptr || !columns_ || !binding_.streamed || !binding_.out_rows || !out_.is_array()) return false;
    const Piece& array = out_.array();
    return reinterpret_cast<std::uintptr_t>(array.base) % sizeof(Point) == 0 && array.strides.axis[0] % line == 0 &&
           array.strides.axis[1] % line == 0 && array.strides.item % line == 0 && binding_.extent[2] % line == 0 &&
           binding_.extent[2] < array.box.extent(2);
  }

  Shape parts_of(const Unit& unit) const {
    const Box box = complex_end(unit);
    if (box.empty()) return {0, 0, 0};
    return {ceil_divide(box.extent(0), binding_.extent[0]), ceil_divide(box.extent(1), binding_.extent[1]),
            ceil_divide(box.extent(2) + (binding_.gathers ? earlier_of(unit) : 0), binding_.extent[2])};
  }

  // ---- what is asked of the cache ahead of time

  void ask_for(LookAhead& ahead, const Unit& u, Index unit, Index chunk) const {
    const auto [item, box] = chunk_of(u, chunk);
    if (binding_.looks_in) ahead.ask(in_, u.first_in, u.last_in, item, at_end(box, u.in));
    if (binding_.looks_out) ahead.ask(out_, u.out_tile, u.out_tile + 1, item, at_end(box, u.out));
    ahead.share(unit, chunk, row_ != nullptr ? box.extent(0) : box.extent(static_cast<int>(beside())));
  }

  // ---- kernels

  void make_row_kernels() {
    if (row_->kept) {
      (row_->kept.spreads(row_->way) ? spreads_ : keeps_) = KeptRows(row_->kept, real_rows(), pass_.interleaved);
    }
    LineBatch& batch = row_kernels_.batch;
    batch.type = row_->type;
    batch.n = line_points();
    batch.sign = row_->sign;
    batch.inner = row_->inner;
    batch.way = row_->way;
    if (pass_.interleaved > 1) {
      batch.in_stride = batch.out_stride = pass_.interleaved;
      if (!columns_of_rows_) row_kernels_.need(pass_.interleaved);
      return;
    }
    batch.in_distance = rows_first_ ? binding_.row_distance : binding_.block_stride[1];
    batch.out_distance = rows_first_ ? binding_.block_stride[1] : binding_.row_distance;
    for_each_extent(1, binding_.extent[1], [&](Index rows) {
      if (rows >= binding_.staged_rows) row_kernels_.need(binding_.staged_rows);
      if (rows % binding_.staged_rows != 0) row_kernels_.need(rows % binding_.staged_rows);
    });
  }

  void make_column_kernels() {
    LineBatch& batch = column_kernels_.batch;
    batch.type = column_->type;
    batch.n = binding_.extent[column()];
    batch.sign = column_->sign;
    batch.in_stride = binding_.block_stride[column()];
    if (rows_come_last()) {
      batch.in_place = true;
      batch.out_stride = batch.in_stride;
      column_kernels_.need(binding_.extent[2]);
      return;
    }
    batch.out_distance = binding_.line_distance;
    if (row_ != nullptr) {
      for_each_extent(2, binding_.group, [&](Index count) { column_kernels_.need(count); });
    } else {
      for_each_extent(2, binding_.extent[2], [&](Index wide) {
        for_each_extent(beside(), binding_.extent[beside()], [&](Index deep) { column_kernels_.need(wide * deep); });
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
    const bool asked = scratch.asked && binding_.looks_in,
               ahead = in == End::memory && (asked || binding_.columns_ahead);
    if (ahead && !asked) read_ahead(in_, u.first_in, u.last_in, item, with_columns(plane, u.in));
    for (Index k = plane.lo[2], next = hi; k < hi; k = next, next = hi) {
      const Shape start{plane.lo[0], plane.lo[1], k};
      if (in == End::memory) {
        next = same_pieces_until(in_, u.first_in, u.last_in, k, next);
        find_rows(in_, u.first_in, u.last_in, item, start, column_->axis, scratch.from);
      }
      if (out == End::memory && binding_.out_rows) {
        next = same_pieces_until(out_, u.out_tile, u.out_tile + 1, k, next);
        find_rows(out_, u.out_tile, u.out_tile + 1, item, start, column_->axis, scratch.to);
      }
      bool streamed = out == End::memory && binding_.streamed;
      // Rows that do not begin with cache lines alike are written past the cache by a copy, which can; or not all rows.
      const Index beside = streamed ? before_lines(scratch.to) : 0;
      const bool copied = (out == End::memory && !binding_.out_rows) ||
                          (streamed && (column_in() > column_out() || (beside != 0 && !ends_with_lines_)));
      if (!copied && beside > 0) {
        // The columns before the first whole line.
        next = std::min(next, k + beside);
        streamed = false;
      }
      Point* const start_of_block = block + (k - plane.lo[2]);
      if (in == End::block) rows_of_block(start_of_block, scratch.from);
      if (out == End::block || copied) rows_of_block(start_of_block, scratch.to);
      ColumnRun run;
      run.in = reinterpret_cast<const void* const*>(scratch.from.data());
      run.out = reinterpret_cast<void* const*>(scratch.to.data());
      run.columns = next - k;
      run.fetch_in = in == End::memory && !ahead;
      // The kernel scales, also what is copied: results have the same bits, whatever is written past the caches.
      if (out == End::memory) run.scale = pass_.scale;
      if (out == End::memory && !copied) {
        run.fetch_out = !streamed && !(scratch.asked && binding_.looks_out);
        run.streamed = streamed;
      }
      scratch.ahead.give(run);
      columns_->run(run, scratch.lines);
      if (copied) {
        Box part = with_columns(plane, u.out);
        part.lo[2] = k;
        part.hi[2] = next;
        scatter<Point>(out_, u.out_tile, item, part, start_of_block, binding_.block_stride, Real(1));
      }
    }
  }

  void rows_of_block(Point* first, std::vector<Point*>& rows) const {
    for (std::size_t j = 0; j < rows.size(); ++j)
      rows[j] = first + static_cast<Index>(j) * binding_.block_stride[column()];
  }

  /// Begins a plane: it is in the block, and the next one is on its way to the other.
  void gather_plane(Scratch& scratch, Index unit, Turn turn, Index item, const Box& box, const Box& plane) {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index number = turn.chunk * binding_.extent[beside()] + plane.lo[beside()] - box.lo[beside()];
    if (binding_.copies_ahead && scratch.ahead.begin(unit, number)) {
      std::swap(scratch.block, scratch.other);
    } else {
      gather<Point>(in_, u.first_in, u.last_in, item, with_columns(plane, u.in), scratch.block, binding_.block_stride);
    }
    if (!binding_.copies_ahead) return;
    Box next = plane;
    Index next_item = item, next_number = number + 1;
    next.lo[beside()] = plane.hi[beside()];
    if (next.lo[beside()] == box.hi[beside()]) {
      if (turn.next < 0) return;
      std::tie(next_item, next) = chunk_of(u, turn.next);
      next_number = turn.next * binding_.extent[beside()];
    }
    next.hi[beside()] = next.lo[beside()] + 1;
    scratch.ahead.copy(in_, u.first_in, u.last_in, next_item, with_columns(next, u.in), scratch.other,
                       binding_.block_stride);
    scratch.ahead.share(unit, next_number, 1);
  }

  void columns_only(Scratch& scratch, Index unit, Turn turn, Index item, const Box& box) {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    if (columns_) {
      Box plane = box;
      for (Index b = box.lo[beside()]; b < box.hi[beside()]; ++b) {
        plane.lo[beside()] = b;
        plane.hi[beside()] = b + 1;
        if (binding_.gathers) gather_plane(scratch, unit, turn, item, box, plane);
        run_columns(scratch, u, item, plane, binding_.gathers ? End::block : End::memory, End::memory, scratch.block);
      }
      return;
    }
    // Columns lie side by side without gaps, also where the last chunk of a unit is narrower.
    Shape strides = binding_.block_stride;
    strides[beside()] = box.extent(2);
    gather<Point>(in_, u.first_in, u.last_in, item, box, scratch.block, strides);
    column_kernels_.run(box.extent(2) * box.extent(static_cast<int>(beside())), scratch.block, scratch.lines);
    Shape turned;
    turned[column()] = 1;
    turned[2] = binding_.line_distance;
    turned[beside()] = box.extent(2) * binding_.line_distance;
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
    if (turned_ && !turns_before()) turn(scratch.block, binding_.block_stride[1], rows);
    if (column_ == nullptr) {
      put<Point>(u, item, box, scratch.block, binding_.block_stride);
      return;
    }
    const Shape turned{0, 1, binding_.line_distance};
    for (Index i = 0; i < box.extent(0); ++i) {
      if (columns_) {
        run_columns(scratch, u, item, plane_of(box, i), End::block, End::memory,
                    scratch.block + i * binding_.block_stride[0]);
        continue;
      }
      for (Index k = 0; k < box.extent(2); k += binding_.group) {
        const Index wide = std::min(binding_.group, box.extent(2) - k);
        column_kernels_.run(wide, scratch.block + i * binding_.block_stride[0] + k, scratch.lines);
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
    const bool gathered = !columns_ || !binding_.in_rows;
    if (gathered) gather<Point>(in_, u.first_in, u.last_in, item, box, scratch.block, binding_.block_stride);
    if (column_ != nullptr) {
      for (Index i = 0; i < box.extent(0); ++i) {
        Point* const plane = scratch.block + i * binding_.block_stride[0];
        if (columns_) {
          run_columns(scratch, u, item, plane_of(box, i), gathered ? End::block : End::memory, End::block, plane);
        } else {
          column_kernels_.run(box.extent(2), plane, plane);
        }
      }
    }
    const Box lines = with_columns(box, u.out);
    if (turned_) turn(scratch.block, binding_.block_stride[1], lines);
    if (row_->sign != row_traits().sign) conjugate(scratch, lines);
    if (spreads_) for_each_row(scratch, lines, [&](Point* row) { spreads_->spread(row); });
    Real* const to = reinterpret_cast<Real*>(scratch.staging);
    for_each_staging(scratch, lines, u.out, [&](const Box& rows, Point* block) {
      run_rows(scratch, rows.extent(1), block, binding_.block_stride[1], to, binding_.row_distance);
      put<Real>(u, item, rows, to, {0, binding_.row_distance, 1});
    });
  }

  template <class T>
  void rows_from_memory(Scratch& scratch, const Unit& u, Index item, const Box& chunk) {
    if (binding_.rows_ahead && !(scratch.asked && binding_.looks_in))
      read_ahead(in_, u.first_in, u.last_in, item, at_end(chunk, u.in));
    for_each_staging(scratch, chunk, u.in, [&](const Box& rows, Point* block) {
      const Piece* const piece = binding_.direct ? in_.piece_of(u.first_in, u.last_in, rows) : nullptr;
      T* from = piece != nullptr ? piece->at<T>(item, rows.lo) : nullptr;
      if (from == nullptr || reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
        from = reinterpret_cast<T*>(scratch.staging);
        gather<T>(in_, u.first_in, u.last_in, item, rows, from, {0, binding_.row_distance, 1});
      }
      for (Index row = 0; spreads_ && row < rows.extent(1); ++row) spreads_->spread(from + row * binding_.row_distance);
      if (turned_ && turns_before()) turn(from, binding_.row_distance, rows);
      run_rows(scratch, rows.extent(1), from, binding_.row_distance, block, binding_.block_stride[1]);
    });
  }

  /// Calls `use` with a few rows at a time, over the whole row as the end that meets memory has it, and their place in
  /// the block.
  template <class Use>
  void for_each_staging(const Scratch& scratch, const Box& chunk, const Box& end, const Use& use) {
    for (Index i = 0; i < chunk.extent(0); ++i) {
      for (Index j = 0; j < chunk.extent(1); j += binding_.staged_rows) {
        const Index count = std::min(binding_.staged_rows, chunk.extent(1) - j);
        const Box rows{{chunk.lo[0] + i, chunk.lo[1] + j, end.lo[2]},
                       {chunk.lo[0] + i + 1, chunk.lo[1] + j + count, end.hi[2]}};
        use(rows, scratch.block + i * binding_.block_stride[0] + j * binding_.block_stride[1]);
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
      for (Index j = 0; j < chunk.extent(1); ++j)
        use(scratch.block + i * binding_.block_stride[0] + j * binding_.block_stride[1]);
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

  /// Rows of one line, those of a plane or planes of one each: their index is the mode, or point, along the other axis.
  template <class T>
  void turn(T* at, Index distance, const Box& rows) const {
    if constexpr (NumberOf<T>::number == Number::complex) {
      const Index points = real_rows() ? row_traits().spectrum_points(line_points()) : line_points();
      const Index first = rows.lo[0] + rows.lo[1], end = first + rows.extent(0) * rows.extent(1);
      for (Index k = first; k < end; ++k, at += distance) (*turned_)(at, points, pass_.interleaved, k, row_->sign);
    }
  }

  /// Lines between real numbers keep all modes.
  void keep(Point* row) const {
    if constexpr (block_number == Number::complex) keeps_->gather(row);
  }

  PassBinding binding_;
  bool ends_with_lines_ = false;             ///< chunks of columns do, in an array of the user
  std::optional<KeptRows> spreads_, keeps_;  ///< where one end of rows has fewer numbers: the first, or the last
  std::optional<TurnedRows> turned_;         ///< of one line
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
