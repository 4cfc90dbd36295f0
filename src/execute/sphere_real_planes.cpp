// The passes of a sphere across its planes, real in space.
//
//   blocks -> lanes [y][x's] -> FFT along y -> lines [y][x's that hold columns] -> rows -> c2r along x -> space
//
// Of the x only the first half is there, and of those only the ones that hold columns are transformed along y. Where
// x is its own mirror image, a column's mirror image is made of it here. Rows are filled up with zeroes in the
// first-level cache, a few at a time; where points are only multiplied or summed, it is there that they are.
#include "execute/kernels.hpp"
#include "execute/sphere_pass.hpp"

namespace weft::detail {

namespace {

/// Rows are staged in pieces of this many bytes.
constexpr Index staging_bytes = Index{16} << 10;

template <class Real>
class SphereRealPlanes final : public PassRunner {
  using Complex = std::complex<Real>;
  static constexpr Index lanes = lanes_together<Real>;

 public:
  SphereRealPlanes(const Pass& pass, View in, View out, const Backend& backend, Precision precision, Effort effort)
      : pass_(pass),
        sphere_(*pass.sphere.sphere),
        work_(pass.sphere.work),
        in_(std::move(in)),
        out_(std::move(out)),
        nx_(sphere_.problem.grid[0]),
        ny_(sphere_.problem.grid[1]),
        lines_(static_cast<Index>(sphere_.lines.size())),
        distance_(padded(round_up(lines_, lanes), sizeof(Complex))),
        half_distance_(padded(nx_ / 2 + 1, sizeof(Complex))),
        real_distance_(padded(nx_, sizeof(Real))),
        staged_(std::clamp<Index>(staging_bytes / (half_distance_ * static_cast<Index>(sizeof(Complex))), 1, ny_)),
        to_rows_(backend, precision, effort),
        from_rows_(backend, precision, effort) {
    if (planes().empty()) return;
    present_.assign(static_cast<std::size_t>(ny_), false);
    for (const Stick& stick : sphere_.sticks.all) {
      present_[static_cast<std::size_t>(stick.y)] = true;
      if (has_mirror(stick)) present_[static_cast<std::size_t>(ny_ - stick.y)] = true;
    }
    for (std::size_t i = 0; i < sphere_.lines.size(); ++i) {
      const Index x = sphere_.lines[i];
      if (runs_.empty() || runs_.back().x + runs_.back().count != x) runs_.push_back({x, static_cast<Index>(i), 0});
      ++runs_.back().count;
    }
    const auto prepare = [&](std::unique_ptr<ColumnKernel>& columns, Kernels& rows, int sign) {
      columns = make_column_kernel(backend, ny_, sign, precision, effort);
      rows.batch.type = sign > 0 ? LineType::c2r : LineType::r2c;
      rows.batch.n = nx_;
      rows.batch.sign = sign;
      rows.batch.in_distance = sign > 0 ? half_distance_ : real_distance_;
      rows.batch.out_distance = sign > 0 ? real_distance_ : half_distance_;
      rows.need(staged_);
      if (ny_ % staged_ != 0) rows.need(ny_ % staged_);
    };
    if (work_ != SphereWork::space_to_blocks) prepare(to_columns_, to_rows_, +1);
    if (work_ == SphereWork::space_to_blocks || work_ == SphereWork::multiply) prepare(from_columns_, from_rows_, -1);
    for (const Unit& unit : pass.units) {
      if (unit.in.empty()) continue;
      if (to_columns_) entries_in_ = entries_of(in_, unit.first_in, unit.last_in, true);
      if (from_columns_) entries_out_ = entries_of(out_, unit.out_tile, unit.out_tile + 1, false);
      break;
    }
  }

  Index scratch_bytes() const override {
    ScratchParts parts;
    lay_out(parts);
    return parts.used();
  }
  void use_scratch(std::byte* memory, Index of_thread, int threads) override {
    scratch_.clear();
    for (int thread = 0; thread < threads; ++thread, memory += of_thread) {
      ScratchParts parts(memory);
      scratch_.push_back(lay_out(parts));
    }
  }
  void bind(const UserArrays& arrays) override {
    arrays_ = arrays;
    in_.bind(arrays);
    out_.bind(arrays);
  }

  /// As for planes that are complex.
  Index chunks(Index unit) const override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index items = items_of(u, arrays_);
    return u.in.empty() ? 0 : u.in.extent(0) * (fused() ? std::min<Index>(items, 1) : items);
  }

  void run(Index unit, Index chunk, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index z = u.in.lo[0] + chunk % u.in.extent(0);
    std::fill_n(scratch.edge.zero, lanes, Complex(0));
    const Index items = items_of(u, arrays_);
    const Index first = fused() ? 0 : chunk / u.in.extent(0), last = fused() ? items : first + 1;
    for (Index item = u.items.lo + first; item < u.items.lo + last; ++item) {
      if (to_columns_) lines_from_blocks(scratch, u, item, z);
      for (Index y = 0; y < ny_; y += staged_) rows(scratch, item, z, y, std::min(staged_, ny_ - y));
      if (from_columns_) lines_to_blocks(scratch, u, item, z);
    }
    count(traffic, last - first);
  }

 private:
  struct Scratch {
    Complex* ends = nullptr;   ///< [y][lane]: numbers of columns
    Complex* lines = nullptr;  ///< [y][line]
    Complex* half = nullptr;   ///< rows of the half spectrum
    Real* points = nullptr;    ///< rows of points in space
    EdgeRows<Complex> edge;
    std::byte* kernel = nullptr;
    std::vector<Complex*> pieces, ends_in, ends_out, lines_rows;
  };
  struct Entries {
    std::vector<ColumnEntry> list;
    std::vector<std::size_t> first;
  };
  /// Lines that lie side by side in the half spectrum.
  struct LineRun {
    Index x, line, count;
  };

  bool fused() const { return work_ == SphereWork::multiply || work_ == SphereWork::accumulate; }
  Box planes() const { return work_ == SphereWork::space_to_blocks ? pass_.out : pass_.in; }
  Index groups() const { return ceil_divide(lines_, lanes); }
  Index lines_in(Index group) const { return std::min(lanes, lines_ - group * lanes); }
  bool has_mirror(const Stick& stick) const { return is_own_mirror(stick.x, nx_) && !is_own_mirror(stick.y, ny_); }

  Entries entries_of(const View& view, Index first, Index last, bool mirrors) const {
    std::vector<Index> line_of(static_cast<std::size_t>(nx_));
    for (std::size_t i = 0; i < sphere_.lines.size(); ++i) {
      line_of[static_cast<std::size_t>(sphere_.lines[i])] = static_cast<Index>(i);
    }
    std::vector<std::vector<ColumnEntry>> by_group(static_cast<std::size_t>(groups()));
    const std::vector<ColumnEntry> places = columns_in_pieces(sphere_, view, first, last);
    for (std::size_t column = 0; column < places.size(); ++column) {
      const Stick& stick = sphere_.sticks.all[column];
      const Index line = line_of[static_cast<std::size_t>(stick.x)];
      auto& group = by_group[static_cast<std::size_t>(line / lanes)];
      ColumnEntry entry = places[column];
      entry.at = static_cast<std::int32_t>(stick.y * lanes + line % lanes);
      group.push_back(entry);
      if (!mirrors || !has_mirror(stick)) continue;
      entry.at = static_cast<std::int32_t>((ny_ - stick.y) * lanes + line % lanes);
      entry.conjugate = true;
      group.push_back(entry);
    }
    Entries entries;
    for (const auto& group : by_group) {
      entries.first.push_back(entries.list.size());
      entries.list.insert(entries.list.end(), group.begin(), group.end());
    }
    entries.first.push_back(entries.list.size());
    return entries;
  }

  Scratch lay_out(ScratchParts& parts) const {
    Scratch s;
    if (planes().empty()) return s;
    s.ends = parts.take<Complex>(ny_ * lanes);
    s.lines = parts.take<Complex>(ny_ * distance_);
    s.half = parts.take<Complex>(staged_ * half_distance_);
    s.points = parts.take<Real>(staged_ * real_distance_);
    s.edge = {parts.take<Complex>(lanes), parts.take<Complex>(lanes)};
    Index kernel = 0;
    for (const auto* columns : {&to_columns_, &from_columns_}) {
      if (*columns) kernel = std::max(kernel, (*columns)->scratch_bytes());
    }
    s.kernel = parts.take<std::byte>(kernel);
    for (Index y = 0; y < ny_; ++y) {
      const bool present = present_[static_cast<std::size_t>(y)];
      s.ends_in.push_back(present ? s.ends + y * lanes : s.edge.zero);
      s.ends_out.push_back(present ? s.ends + y * lanes : s.edge.waste);
      s.lines_rows.push_back(s.lines + y * distance_);
    }
    return s;
  }

  static ColumnRun columns(const std::vector<Complex*>& in, const std::vector<Complex*>& out, Index count) {
    ColumnRun run;
    run.in = reinterpret_cast<const void* const*>(in.data());
    run.out = reinterpret_cast<void* const*>(out.data());
    run.columns = count;
    return run;
  }

  void find_pieces(Scratch& s, const View& view, Index first, Index last, Index item, Index z) const {
    s.pieces.clear();
    for_each_piece(view, first, last, [&](const Piece& piece) {
      s.pieces.push_back(piece.at<Complex>(item, {z, 0, piece.box.lo[2]}));
    });
  }

  void lines_from_blocks(Scratch& s, const Unit& u, Index item, Index z) {
    find_pieces(s, in_, u.first_in, u.last_in, item, z);
    for (Index group = 0; group < groups(); ++group) {
      for (Index y = 0; y < ny_; ++y) {
        if (present_[static_cast<std::size_t>(y)]) std::fill_n(s.ends + y * lanes, lanes, Complex(0));
      }
      const auto g = static_cast<std::size_t>(group);
      for (std::size_t e = entries_in_.first[g]; e < entries_in_.first[g + 1]; ++e) {
        const ColumnEntry& entry = entries_in_.list[e];
        const Complex value = s.pieces[static_cast<std::size_t>(entry.piece)][entry.offset];
        s.ends[entry.at] = entry.conjugate ? std::conj(value) : value;
      }
      ColumnRun run = columns(s.ends_in, s.lines_rows, lines_in(group));
      run.out_first = group * lanes;
      to_columns_->run(run, s.kernel);
    }
  }

  void lines_to_blocks(Scratch& s, const Unit& u, Index item, Index z) {
    find_pieces(s, out_, u.out_tile, u.out_tile + 1, item, z);
    for (Index group = 0; group < groups(); ++group) {
      ColumnRun run = columns(s.lines_rows, s.ends_out, lines_in(group));
      run.in_first = group * lanes;
      from_columns_->run(run, s.kernel);
      const auto g = static_cast<std::size_t>(group);
      for (std::size_t e = entries_out_.first[g]; e < entries_out_.first[g + 1]; ++e) {
        const ColumnEntry& entry = entries_out_.list[e];
        s.pieces[static_cast<std::size_t>(entry.piece)][entry.offset] = s.ends[entry.at];
      }
    }
  }

  /// Rows [y, y + count) of a plane: from the lines to space, from space to the lines, or both.
  void rows(Scratch& s, Index item, Index z, Index y, Index count) {
    if (work_ == SphereWork::space_to_blocks) {
      const Real* const from = in_.array().template at<const Real>(item, {z, y, 0});
      copy_box<Real>(s.points, {0, real_distance_, 1}, from, {0, nx_, 1}, {1, count, nx_});
    } else {
      fill_half(s, y, count);
      to_rows_.run(count, s.half, s.points);
    }
    switch (work_) {
      case SphereWork::blocks_to_space: {
        Real* const to = out_.array().template at<Real>(item, {z, y, 0});
        if (pass_.scale == 1) {
          copy_box<Real>(to, {0, nx_, 1}, s.points, {0, real_distance_, 1}, {1, count, nx_}, out_.store());
        } else {
          copy_box<Real, true>(to, {0, nx_, 1}, s.points, {0, real_distance_, 1}, {1, count, nx_}, out_.store(),
                               static_cast<Real>(pass_.scale));
        }
        return;
      }
      case SphereWork::accumulate: add_squares(s, item, z, y, count); return;
      case SphereWork::multiply: multiply(s, z, y, count); break;
      default: break;
    }
    from_rows_.run(count, s.points, s.half);
    for (Index i = 0; i < count; ++i) {
      for (const LineRun& run : runs_) {
        std::copy_n(s.half + i * half_distance_ + run.x, run.count, s.lines + (y + i) * distance_ + run.line);
      }
    }
  }

  void fill_half(Scratch& s, Index y, Index count) const {
    for (Index i = 0; i < count; ++i) {
      Complex* const row = s.half + i * half_distance_;
      Index filled = 0;
      for (const LineRun& run : runs_) {
        std::fill(row + filled, row + run.x, Complex(0));
        std::copy_n(s.lines + (y + i) * distance_ + run.line, run.count, row + run.x);
        filled = run.x + run.count;
      }
      std::fill(row + filled, row + nx_ / 2 + 1, Complex(0));
    }
  }

  void multiply(Scratch& s, Index z, Index y, Index count) const {
    const Real* const field =
        reinterpret_cast<const Real*>(arrays_.field) + ((z - planes().lo[0]) * ny_ + y) * nx_;
    for (Index i = 0; i < count; ++i) {
      for (Index x = 0; x < nx_; ++x) s.points[i * real_distance_ + x] *= field[i * nx_ + x];
    }
  }

  void add_squares(Scratch& s, Index item, Index z, Index y, Index count) {
    const double weight = arrays_.weights == nullptr ? 1 : arrays_.weights[item];
    const auto factor = static_cast<Real>(weight * pass_.scale * pass_.scale);
    Real* const sum = out_.array().template at<Real>(0, {z, y, 0});
    for (Index i = 0; i < count; ++i) {
      const Real* const psi = s.points + i * real_distance_;
      for (Index x = 0; x < nx_; ++x) sum[i * nx_ + x] += factor * psi[x] * psi[x];
    }
  }

  void count(MemoryTraffic& traffic, Index items) const {
    const auto blocks = static_cast<Index>(sphere_.sticks.all.size() * sizeof(Complex));
    const Index points = nx_ * ny_ * static_cast<Index>(sizeof(Real));
    traffic.read += ((to_columns_ ? blocks : points) + (fused() ? points : 0)) * items;
    traffic.written += (from_columns_ ? blocks : points) * items;
  }

  const Pass& pass_;
  const SphereData& sphere_;
  SphereWork work_;
  View in_, out_;
  UserArrays arrays_;
  Index nx_, ny_, lines_;
  Index distance_, half_distance_, real_distance_;  ///< between rows of the lines, the half spectrum, space
  Index staged_;                                    ///< rows at a time
  std::unique_ptr<ColumnKernel> to_columns_, from_columns_;
  Kernels to_rows_, from_rows_;
  Entries entries_in_, entries_out_;
  std::vector<bool> present_;  ///< y that some column, or its mirror image, has
  std::vector<LineRun> runs_;
  std::vector<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<PassRunner> make_sphere_real_planes(const Pass& pass, View in, View out, Precision precision,
                                                    const Options& options) {
  const Backend& backend = find_backend(options.backend);
  if (precision == Precision::double_) {
    return std::make_unique<SphereRealPlanes<double>>(pass, std::move(in), std::move(out), backend, precision,
                                                      options.effort);
  }
  return std::make_unique<SphereRealPlanes<float>>(pass, std::move(in), std::move(out), backend, precision,
                                                   options.effort);
}

}  // namespace weft::detail
