#include "execute/pass.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "base/text.hpp"
#include "execute/copy.hpp"

namespace weft::detail {

namespace {

/// Rows are staged in pieces of this many bytes, so that they stay in the first-level cache between copy and transform.
constexpr Index staging_bytes = Index{16} << 10;
constexpr Index cache_line = 64;

/// Distance of at least `numbers` numbers that is an odd number of cache lines: lines at powers of two would share the
/// few places that a cache has for their address bits (256-point columns: 25 GF/s at distance 256, 34 at 260).
Index padded(Index numbers, Index bytes) {
  const Index lines = (numbers * bytes + cache_line - 1) / cache_line;
  return (lines | 1) * cache_line / bytes;
}

Index ceil_divide(Index a, Index b) { return (a + b - 1) / b; }

/// Copies what the pieces of `view` and `region` have in common to or from a strided array that holds `region`.
template <class T>
void gather(const View& view, Index first, Index last, Index item, const Box& region, T* to, const Shape& strides) {
  for (const auto& tile : view.tiles(first, last)) {
    for (const Piece& piece : tile) {
      const Box box = intersect(piece.box, region);
      if (box.empty()) continue;
      const Index offset = (box.lo[0] - region.lo[0]) * strides[0] + (box.lo[1] - region.lo[1]) * strides[1] +
                           (box.lo[2] - region.lo[2]);
      copy_box<T>(to + offset, strides, piece.at<const T>(item, box.lo), piece.strides.axis, box.extents());
    }
  }
}

template <class T, bool Scaled, class Factor>
void scatter(const View& view, Index tile, Index item, const Box& region, const T* from, const Shape& strides,
             Factor factor) {
  for (const auto& pieces : view.tiles(tile, tile + 1)) {
    for (const Piece& piece : pieces) {
      const Box box = intersect(piece.box, region);
      if (box.empty()) continue;
      const Index offset = (box.lo[0] - region.lo[0]) * strides[0] + (box.lo[1] - region.lo[1]) * strides[1] +
                           (box.lo[2] - region.lo[2]);
      copy_box<T, Scaled>(piece.at<T>(item, box.lo), piece.strides.axis, from + offset, strides, box.extents(), factor);
    }
  }
}

/// A pass without transforms: blocks to or from an array.
template <class T>
class CopyPass final : public PassRunner {
 public:
  CopyPass(const Pass& pass, View in, View out, Index cache) : pass_(pass), in_(std::move(in)), out_(std::move(out)) {
    const Index plane = std::max<Index>(1, pass.in.extent(1) * pass.in.extent(2) * static_cast<Index>(sizeof(T)));
    planes_ = std::max<Index>(1, cache / plane);
  }

  Index scratch_bytes() const override { return 0; }
  void use_scratch(std::byte*) override {}
  void bind(const UserArrays& arrays) override {
    in_.bind(arrays);
    out_.bind(arrays);
  }
  Index chunks(Index unit) const override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    return u.in.empty() ? 0 : ceil_divide(u.in.extent(0), planes_) * u.items.count();
  }

  void run(Index unit, Index chunk, MemoryTraffic& traffic) override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index per_item = ceil_divide(u.in.extent(0), planes_);
    const Index item = u.items.lo + chunk / per_item;
    Box region = u.in;
    region.lo[0] += chunk % per_item * planes_;
    region.hi[0] = std::min(region.hi[0], region.lo[0] + planes_);
    for (const auto& from_tile : in_.tiles(u.first_in, u.last_in)) {
      for (const Piece& from : from_tile) {
        const Box part = intersect(from.box, region);
        if (part.empty()) continue;
        for (const auto& to_tile : out_.tiles(u.out_tile, u.out_tile + 1)) {
          for (const Piece& to : to_tile) {
            const Box box = intersect(to.box, part);
            if (box.empty()) continue;
            copy_box<T>(to.at<T>(item, box.lo), to.strides.axis, from.at<const T>(item, box.lo), from.strides.axis,
                        box.extents());
            traffic.read += box.count() * static_cast<Index>(sizeof(T));
            traffic.written += box.count() * static_cast<Index>(sizeof(T));
          }
        }
      }
    }
  }

 private:
  const Pass& pass_;
  View in_, out_;
  Index planes_ = 1;
};

/// A pass that transforms lines.
///
/// `block` is the chunk in scratch as complex numbers; `rows` stages a few rows at the end where axis 2 meets memory:
///   from space:     memory -> rows -> [axis 2] -> block -> [axis 0 or 1] -> memory
///   to space:       memory -> block -> [axis 0 or 1] -> block -> [axis 2] -> rows -> memory
template <class Real>
class TransformPass final : public PassRunner {
  using Complex = std::complex<Real>;

 public:
  TransformPass(const Pass& pass, View in, View out, const Backend& backend, Precision precision, Effort effort,
                Index cache)
      : pass_(pass), in_(std::move(in)), out_(std::move(out)) {
    for (std::size_t i = 0; i < pass.transforms.size(); ++i) {
      const LineTransform& transform = pass.transforms[i];
      if (transform.axis == 2) {
        has_rows_ = true;
        rows_first_ = i == 0 && transform.type != LineType::c2r;
        row_type_ = transform.type;
      } else {
        column_axis_ = transform.axis;
      }
    }
    choose_chunk(cache);
    for (const Unit& unit : pass.units) units_.push_back(cut(unit));
    make_kernels(backend, precision, effort);
  }

  Index scratch_bytes() const override { return block_bytes_ + staged_rows_ * row_distance_ * row_number_bytes(); }
  void use_scratch(std::byte* scratch) override {
    block_ = reinterpret_cast<Complex*>(scratch);
    staging_ = scratch + block_bytes_;
  }
  void bind(const UserArrays& arrays) override {
    in_.bind(arrays);
    out_.bind(arrays);
  }
  Index chunks(Index unit) const override {
    const Chunks& c = units_[static_cast<std::size_t>(unit)];
    return c.parts[0] * c.parts[1] * c.parts[2] * pass_.units[static_cast<std::size_t>(unit)].items.count();
  }

  void run(Index unit, Index chunk, MemoryTraffic& traffic) override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Chunks& c = units_[static_cast<std::size_t>(unit)];
    const Index part = chunk % (c.parts[0] * c.parts[1] * c.parts[2]);
    const Index item = u.items.lo + chunk / (c.parts[0] * c.parts[1] * c.parts[2]);
    const Shape at{part / (c.parts[1] * c.parts[2]), part / c.parts[2] % c.parts[1], part % c.parts[2]};
    Box box = complex_box(u);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lo[axis] += at[axis] * extent_[axis];
      box.hi[axis] = std::min(box.hi[axis], box.lo[axis] + extent_[axis]);
    }
    // Columns lie side by side without gaps, also where the last chunk of a unit is narrower.
    if (!has_rows_) block_stride_[column_axis_ == 0 ? 1 : 0] = box.extent(2);
    if (has_rows_ && rows_first_) {
      rows_from_memory(u, item, box);
    } else {
      gather<Complex>(in_, u.first_in, u.last_in, item, box, block_, block_stride_);
    }
    if (column_axis_ >= 0) columns(box);
    if (has_rows_ && !rows_first_) {
      rows_to_memory(u, item, box);
    } else {
      put<Complex>(u, item, box, block_, block_stride_);
    }
    const Index rows = box.extent(0) * box.extent(1);
    traffic.read += rows * (has_rows_ ? u.in.extent(2) : box.extent(2)) * pass_.in_bytes;
    traffic.written += rows * (has_rows_ ? u.out.extent(2) : box.extent(2)) * pass_.out_bytes;
  }

 private:
  struct Chunks {
    Shape parts{0, 0, 0};
  };

  /// The unit's box as its complex end sees it.
  Box complex_box(const Unit& unit) const { return row_type_ == LineType::c2r ? unit.in : unit.out; }
  Box complex_box() const { return row_type_ == LineType::c2r ? pass_.in : pass_.out; }
  /// Points of a row in real space, where rows are transformed.
  Index row_points() const {
    return row_type_ == LineType::r2c ? pass_.in.extent(2) : pass_.out.extent(2);
  }
  Index row_number_bytes() const {
    return static_cast<Index>(row_type_ == LineType::c2c ? sizeof(Complex) : sizeof(Real));
  }

  /// Extents of a chunk, and how it lies in scratch: lines of the transformed axes whole, the others as the cache allows.
  void choose_chunk(Index cache) {
    extent_ = {1, 1, 1};
    if (complex_box().empty()) return;
    Shape n{0, 0, 0};  // of the largest unit
    for (const Unit& unit : pass_.units) {
      for (int axis = 0; axis < 3; ++axis) {
        auto& most = n[static_cast<std::size_t>(axis)];
        most = std::max(most, complex_box(unit).extent(axis));
      }
    }
    const auto number = static_cast<Index>(sizeof(Complex));
    const auto fill = [&](Index bytes, Index most) { return std::clamp<Index>(cache / bytes, 1, most); };
    if (has_rows_) {
      const Index distance = padded(n[2], number);
      const Index row = distance * number;
      extent_[2] = n[2];
      extent_[1] = column_axis_ == 1 ? n[1] : fill(row, n[1]);
      extent_[0] = extent_[1] == n[1] ? fill(row * n[1], n[0]) : 1;
      block_stride_ = {extent_[1] * distance, distance, 1};
      block_bytes_ = extent_[0] * block_stride_[0] * number;
    } else {
      // Columns side by side: all of axis 2 if it fits, else whole cache lines of it; then neighbours along the other.
      const auto lines = static_cast<std::size_t>(column_axis_), other = lines == 0 ? std::size_t{1} : std::size_t{0};
      const Index wide = fill(n[lines] * number, n[2]);
      const Index line = cache_line / number;
      extent_[lines] = n[lines];
      extent_[2] = wide == n[2] ? wide
                                : std::min(n[2], ceil_divide(ceil_divide(n[2], ceil_divide(n[2], wide)), line) * line);
      extent_[other] = extent_[2] == n[2] ? fill(n[lines] * n[2] * number, n[other]) : 1;
      block_stride_[lines] = padded(extent_[other] * extent_[2], number);
      block_stride_[2] = 1;
      block_bytes_ = n[lines] * block_stride_[lines] * number;
    }
    block_bytes_ = ceil_divide(block_bytes_, cache_line) * cache_line;
  }

  Chunks cut(const Unit& unit) const {
    Chunks c;
    const Box box = complex_box(unit);
    if (box.empty()) return c;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      c.parts[axis] = ceil_divide(box.extent(static_cast<int>(axis)), extent_[axis]);
    }
    return c;
  }

  void make_kernels(const Backend& backend, Precision precision, Effort effort) {
    if (complex_box().empty()) return;
    if (has_rows_) {
      const Index bytes = row_number_bytes();
      // Rows of an array that are aligned and contiguous are transformed where they lie; their distance is then theirs.
      direct_ = rows_first_ && in_.is_array() && in_.array().strides.axis[1] * bytes % 16 == 0;
      row_distance_ = direct_ ? in_.array().strides.axis[1] : padded(row_points(), bytes);
      staged_rows_ = std::clamp<Index>(staging_bytes / (row_distance_ * bytes), 1, extent_[1]);
      LineBatch batch;
      batch.type = row_type_;
      batch.n = row_points();
      batch.sign = pass_.sign;
      batch.in_distance = rows_first_ ? row_distance_ : block_stride_[1];
      batch.out_distance = rows_first_ ? block_stride_[1] : row_distance_;
      // Counts that occur: whole stagings, and what is left at the end of a chunk.
      row_kernels_.resize(static_cast<std::size_t>(staged_rows_) + 1);
      for_each_count(1, [&](Index rows) {
        if (rows >= staged_rows_) need(row_kernels_, staged_rows_, batch, backend, precision, effort);
        if (rows % staged_rows_ != 0) need(row_kernels_, rows % staged_rows_, batch, backend, precision, effort);
      });
    }
    if (column_axis_ >= 0) {
      const auto lines = static_cast<std::size_t>(column_axis_);
      LineBatch batch;
      batch.n = extent_[lines];
      batch.sign = pass_.sign;
      batch.in_place = true;
      batch.in_stride = batch.out_stride = block_stride_[lines];
      const std::size_t other = lines == 0 ? 1 : 0;
      const Index most = has_rows_ ? extent_[2] : extent_[2] * extent_[other];
      column_kernels_.resize(static_cast<std::size_t>(most) + 1);
      for_each_count(2, [&](Index wide) {
        if (has_rows_) {
          need(column_kernels_, wide, batch, backend, precision, effort);
        } else {
          for_each_count(static_cast<int>(other), [&](Index deep) {
            need(column_kernels_, wide * deep, batch, backend, precision, effort);
          });
        }
      });
    }
  }

  /// Calls `use` with every extent along `axis` that a chunk of a unit can have.
  template <class Use>
  void for_each_count(int axis, const Use& use) const {
    const Index full = extent_[static_cast<std::size_t>(axis)];
    for (const Unit& unit : pass_.units) {
      const Box box = complex_box(unit);
      if (box.empty()) continue;
      if (box.extent(axis) >= full) use(full);
      if (box.extent(axis) % full != 0) use(box.extent(axis) % full);
    }
  }

  using Kernels = std::vector<std::unique_ptr<LineKernel>>;  ///< by number of lines

  static void need(Kernels& kernels, Index count, LineBatch batch, const Backend& backend, Precision precision,
                   Effort effort) {
    auto& kernel = kernels[static_cast<std::size_t>(count)];
    if (kernel) return;
    batch.count = count;
    kernel = backend.make(batch, precision, effort);
  }

  template <class T>
  void put(const Unit& u, Index item, const Box& region, const T* from, const Shape& strides) const {
    if (pass_.scale == 1) {
      scatter<T, false>(out_, u.out_tile, item, region, from, strides, 1);
    } else {
      scatter<T, true>(out_, u.out_tile, item, region, from, strides, static_cast<Real>(pass_.scale));
    }
  }

  /// Rows [j, j + count) of plane i of the chunk, over the whole row of the space end.
  Box rows_of(const Box& chunk, Index i, Index j, Index count, const Box& space) const {
    return {{chunk.lo[0] + i, chunk.lo[1] + j, space.lo[2]},
            {chunk.lo[0] + i + 1, chunk.lo[1] + j + count, space.hi[2]}};
  }

  void rows_from_memory(const Unit& u, Index item, const Box& chunk) {
    if (row_type_ == LineType::r2c) {
      rows_from<Real>(u, item, chunk);
      if (pass_.sign > 0) conjugate(chunk);  // the kernel has the exponent -1
    } else {
      rows_from<Complex>(u, item, chunk);
    }
  }

  template <class T>
  void rows_from(const Unit& u, Index item, const Box& chunk) {
    const Shape staged{0, row_distance_, 1};
    for (Index i = 0; i < chunk.extent(0); ++i) {
      for (Index j = 0; j < chunk.extent(1); j += staged_rows_) {
        const Index count = std::min(staged_rows_, chunk.extent(1) - j);
        const Box rows = rows_of(chunk, i, j, count, u.in);
        T* from = direct_ ? in_.array().template at<T>(item, rows.lo) : nullptr;
        if (from == nullptr || reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
          from = reinterpret_cast<T*>(staging_);
          gather<T>(in_, u.first_in, u.last_in, item, rows, from, staged);
        }
        row_kernels_[static_cast<std::size_t>(count)]->run(from, block_ + i * block_stride_[0] + j * block_stride_[1]);
      }
    }
  }

  void rows_to_memory(const Unit& u, Index item, const Box& chunk) {
    if (row_type_ == LineType::c2r) {
      if (pass_.sign < 0) conjugate(chunk);  // the kernel has the exponent +1
      rows_to<Real>(u, item, chunk);
    } else {
      rows_to<Complex>(u, item, chunk);
    }
  }

  template <class T>
  void rows_to(const Unit& u, Index item, const Box& chunk) {
    const Shape staged{0, row_distance_, 1};
    T* const to = reinterpret_cast<T*>(staging_);
    for (Index i = 0; i < chunk.extent(0); ++i) {
      for (Index j = 0; j < chunk.extent(1); j += staged_rows_) {
        const Index count = std::min(staged_rows_, chunk.extent(1) - j);
        row_kernels_[static_cast<std::size_t>(count)]->run(block_ + i * block_stride_[0] + j * block_stride_[1], to);
        put<T>(u, item, rows_of(chunk, i, j, count, u.out), to, staged);
      }
    }
  }

  void columns(const Box& chunk) {
    if (has_rows_) {
      const LineKernel& kernel = *column_kernels_[static_cast<std::size_t>(chunk.extent(2))];
      for (Index i = 0; i < chunk.extent(0); ++i) kernel.run(block_ + i * block_stride_[0], block_ + i * block_stride_[0]);
      return;
    }
    const Index count = chunk.extent(2) * chunk.extent(column_axis_ == 0 ? 1 : 0);
    column_kernels_[static_cast<std::size_t>(count)]->run(block_, block_);
  }

  void conjugate(const Box& chunk) {
    for (Index i = 0; i < chunk.extent(0); ++i) {
      for (Index j = 0; j < chunk.extent(1); ++j) {
        Complex* row = block_ + i * block_stride_[0] + j * block_stride_[1];
        for (Index k = 0; k < chunk.extent(2); ++k) row[k] = std::conj(row[k]);
      }
    }
  }

  const Pass& pass_;
  View in_, out_;
  bool has_rows_ = false, rows_first_ = false;
  LineType row_type_ = LineType::c2c;
  int column_axis_ = -1;  ///< -1: none
  Shape extent_{1, 1, 1};        ///< of a whole chunk, complex
  Shape block_stride_{0, 0, 1};  ///< columns: that of the axis beside them is set by each chunk
  Index block_bytes_ = 0;
  bool direct_ = false;
  Index row_distance_ = 0, staged_rows_ = 0;
  std::vector<Chunks> units_;
  Kernels row_kernels_, column_kernels_;
  Complex* block_ = nullptr;
  std::byte* staging_ = nullptr;
};

}  // namespace

std::unique_ptr<PassRunner> make_pass_runner(const Pass& pass, View in, View out, const Problem& problem,
                                             const Options& options, Index cache) {
  if (pass.transforms.empty()) {
    switch (pass.in_bytes) {
      case 4: return std::make_unique<CopyPass<float>>(pass, std::move(in), std::move(out), cache);
      case 8: return std::make_unique<CopyPass<double>>(pass, std::move(in), std::move(out), cache);
      case 16: return std::make_unique<CopyPass<std::complex<double>>>(pass, std::move(in), std::move(out), cache);
      default: throw Error(concat("element_bytes is ", pass.in_bytes, "; allowed are 4, 8 and 16"));
    }
  }
  const Backend& backend = find_backend(options.backend);
  if (problem.precision == Precision::double_) {
    return std::make_unique<TransformPass<double>>(pass, std::move(in), std::move(out), backend, problem.precision,
                                                   options.effort, cache);
  }
  return std::make_unique<TransformPass<float>>(pass, std::move(in), std::move(out), backend, problem.precision,
                                                options.effort, cache);
}

}  // namespace weft::detail
