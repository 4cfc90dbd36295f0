// The passes of a sphere across its planes, complex in space.
//
//   blocks -> lanes [x][y's] -> FFT along x -> lines [y][x] -> FFT along y -> space
//
// Only the y that hold columns are transformed along x, and only they are kept between the two transforms; the other
// rows are read from one row of zeroes, and on the way back written to one that nobody reads. Numbers are taken from
// the blocks one by one, so that the first transform may have them in the order that it likes: a lane a line.
//
// Where points are only multiplied or summed, the second transform goes two cache lines of columns at a time, to space
// and back, and space never leaves the first-level cache.
#include "execute/sphere_pass.hpp"

namespace weft::detail {

namespace {

template <class Real>
class SpherePlanes final : public PassRunner {
  using Complex = std::complex<Real>;
  static constexpr Index lanes = lanes_together<Real>;

 public:
  SpherePlanes(const Pass& pass, View in, View out, const Backend& backend, Precision precision, Effort effort)
      : pass_(pass),
        sphere_(*pass.sphere.sphere),
        work_(pass.sphere.work),
        in_(std::move(in)),
        out_(std::move(out)),
        nx_(sphere_.problem.grid[0]),
        ny_(sphere_.problem.grid[1]),
        lines_(static_cast<Index>(sphere_.lines.size())),
        distance_(padded(round_up(nx_, lanes), sizeof(Complex))) {
    if (planes().empty()) return;
    present_.assign(static_cast<std::size_t>(nx_), false);
    for (const Stick& stick : sphere_.sticks.all) present_[static_cast<std::size_t>(stick.x)] = true;
    line_of_.assign(static_cast<std::size_t>(ny_), -1);
    for (std::size_t i = 0; i < sphere_.lines.size(); ++i) {
      line_of_[static_cast<std::size_t>(sphere_.lines[i])] = static_cast<Index>(i);
    }
    const auto kernel = [&](Index n, int sign) { return make_column_kernel(backend, n, sign, precision, effort); };
    if (work_ != SphereWork::space_to_blocks) to_space_ = {kernel(nx_, +1), kernel(ny_, +1)};
    if (work_ == SphereWork::space_to_blocks || work_ == SphereWork::multiply) {
      from_space_ = {kernel(nx_, -1), kernel(ny_, -1)};
    }
    for (const Unit& unit : pass.units) {
      if (unit.in.empty()) continue;
      if (to_space_.x) entries_in_ = entries_of(in_, unit.first_in, unit.last_in);
      if (from_space_.x) entries_out_ = entries_of(out_, unit.out_tile, unit.out_tile + 1);
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

  /// A plane of an item; where planes of several items meet one field, all of them, so that it stays in cache and
  /// only one thread adds to it.
  Index chunks(Index unit) const override {
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index items = items_of(u, arrays_);
    return u.in.empty() ? 0 : u.in.extent(0) * (fused() ? std::min<Index>(items, 1) : items);
  }

  void run(Index unit, Index chunk, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = pass_.units[static_cast<std::size_t>(unit)];
    const Index z = u.in.lo[0] + chunk % u.in.extent(0);
    std::fill_n(scratch.edge.zero, distance_, Complex(0));
    const Index items = items_of(u, arrays_);
    const Index first = fused() ? 0 : chunk / u.in.extent(0), last = fused() ? items : first + 1;
    for (Index item = u.items.lo + first; item < u.items.lo + last; ++item) {
      switch (work_) {
        case SphereWork::blocks_to_space:
          lines_from_blocks(scratch, u, item, z);
          lines_to_space(scratch, item, z);
          break;
        case SphereWork::space_to_blocks:
          lines_from_space(scratch, item, z);
          lines_to_blocks(scratch, u, item, z);
          break;
        case SphereWork::multiply:
          lines_from_blocks(scratch, u, item, z);
          multiply(scratch, z);
          lines_to_blocks(scratch, u, item, z);
          break;
        default:
          lines_from_blocks(scratch, u, item, z);
          accumulate(scratch, item, z);
      }
    }
    count(traffic, last - first);
  }

 private:
  struct Kernels {
    std::unique_ptr<ColumnKernel> x, y;
  };
  struct Scratch {
    Complex* ends = nullptr;    ///< [x][lane]: numbers of columns
    Complex* turned = nullptr;  ///< [x][lane]: lines along x
    Complex* lines = nullptr;   ///< [line][x]
    Complex* points = nullptr;  ///< [y][lane]: points in space
    EdgeRows<Complex> edge;
    std::byte* kernel = nullptr;
    std::vector<Complex*> pieces;
    // Rows of the transforms: x and y, where zeroes are read or waste is written at the end of the sphere.
    std::vector<Complex*> ends_in, ends_out, turned_rows, lines_in, lines_out, space_rows;
  };
  /// Entries of `lanes` lines each.
  struct Entries {
    std::vector<ColumnEntry> list;
    std::vector<std::size_t> first;
  };

  bool fused() const { return work_ == SphereWork::multiply || work_ == SphereWork::accumulate; }
  Box planes() const { return work_ == SphereWork::space_to_blocks ? pass_.out : pass_.in; }
  Index groups() const { return ceil_divide(lines_, lanes); }
  Index lines_in(Index group) const { return std::min(lanes, lines_ - group * lanes); }

  Entries entries_of(const View& view, Index first, Index last) const {
    std::vector<std::vector<ColumnEntry>> by_group(static_cast<std::size_t>(groups()));
    const std::vector<ColumnEntry> places = columns_in_pieces(sphere_, view, first, last);
    for (std::size_t column = 0; column < places.size(); ++column) {
      const Stick& stick = sphere_.sticks.all[column];
      const Index line = line_of_[static_cast<std::size_t>(stick.y)];
      ColumnEntry entry = places[column];
      entry.at = static_cast<std::int32_t>(stick.x * lanes + line % lanes);
      by_group[static_cast<std::size_t>(line / lanes)].push_back(entry);
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
    s.ends = parts.take<Complex>(nx_ * lanes);
    s.turned = parts.take<Complex>(nx_ * lanes);
    s.lines = parts.take<Complex>(lines_ * distance_);
    if (fused()) s.points = parts.take<Complex>(ny_ * lanes);
    s.edge = {parts.take<Complex>(distance_), parts.take<Complex>(distance_)};
    Index kernel = 0;
    for (const Kernels* kernels : {&to_space_, &from_space_}) {
      if (kernels->x) kernel = std::max({kernel, kernels->x->scratch_bytes(), kernels->y->scratch_bytes()});
    }
    s.kernel = parts.take<std::byte>(kernel);
    for (Index x = 0; x < nx_; ++x) {
      const bool present = present_[static_cast<std::size_t>(x)];
      s.ends_in.push_back(present ? s.ends + x * lanes : s.edge.zero);
      s.ends_out.push_back(present ? s.ends + x * lanes : s.edge.waste);
      s.turned_rows.push_back(s.turned + x * lanes);
    }
    for (const Index line : line_of_) {
      s.lines_in.push_back(line >= 0 ? s.lines + line * distance_ : s.edge.zero);
      s.lines_out.push_back(line >= 0 ? s.lines + line * distance_ : s.edge.waste);
    }
    for (Index y = 0; y < ny_; ++y) s.space_rows.push_back(s.points + y * lanes);
    return s;
  }

  static ColumnRun rows(const std::vector<Complex*>& in, const std::vector<Complex*>& out, Index columns) {
    ColumnRun run;
    run.in = reinterpret_cast<const void* const*>(in.data());
    run.out = reinterpret_cast<void* const*>(out.data());
    run.columns = columns;
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
      for (Index x = 0; x < nx_; ++x) {
        if (present_[static_cast<std::size_t>(x)]) std::fill_n(s.ends + x * lanes, lanes, Complex(0));
      }
      const auto g = static_cast<std::size_t>(group);
      for (std::size_t e = entries_in_.first[g]; e < entries_in_.first[g + 1]; ++e) {
        const ColumnEntry& entry = entries_in_.list[e];
        s.ends[entry.at] = s.pieces[static_cast<std::size_t>(entry.piece)][entry.offset];
      }
      const Index count = lines_in(group);
      to_space_.x->run(rows(s.ends_in, s.turned_rows, count), s.kernel);
      copy_box<Complex>(s.lines + group * lanes * distance_, {0, distance_, 1}, s.turned, {0, 1, lanes},
                        {1, count, nx_});
    }
  }

  void lines_to_blocks(Scratch& s, const Unit& u, Index item, Index z) {
    find_pieces(s, out_, u.out_tile, u.out_tile + 1, item, z);
    for (Index group = 0; group < groups(); ++group) {
      const Index count = lines_in(group);
      copy_box<Complex>(s.turned, {0, lanes, 1}, s.lines + group * lanes * distance_, {0, 1, distance_},
                        {1, nx_, count});
      from_space_.x->run(rows(s.turned_rows, s.ends_out, count), s.kernel);
      const auto g = static_cast<std::size_t>(group);
      for (std::size_t e = entries_out_.first[g]; e < entries_out_.first[g + 1]; ++e) {
        const ColumnEntry& entry = entries_out_.list[e];
        s.pieces[static_cast<std::size_t>(entry.piece)][entry.offset] = s.ends[entry.at];
      }
    }
  }

  void find_space(Scratch& s, const View& view, Index item, Index z) const {
    Complex* row = view.array().at<Complex>(item, {z, 0, 0});
    for (Index y = 0; y < ny_; ++y, row += nx_) s.space_rows[static_cast<std::size_t>(y)] = row;
  }

  void lines_to_space(Scratch& s, Index item, Index z) {
    find_space(s, out_, item, z);
    ColumnRun run = rows(s.lines_in, s.space_rows, nx_);
    run.scale = pass_.scale;
    run.fetch_out = true;
    run.streamed = out_.store() == Store::streamed;
    to_space_.y->run(run, s.kernel);
  }

  void lines_from_space(Scratch& s, Index item, Index z) {
    find_space(s, in_, item, z);
    ColumnRun run = rows(s.space_rows, s.lines_out, nx_);
    run.fetch_in = true;
    from_space_.y->run(run, s.kernel);
  }

  /// Calls `use` with the points of some columns of the plane, in space, and where they begin.
  template <class Use>
  void for_columns_in_space(Scratch& s, const Use& use) {
    for (Index x = 0; x < nx_; x += lanes) {
      const Index count = std::min(lanes, nx_ - x);
      ColumnRun run = rows(s.lines_in, s.space_rows, count);
      run.in_first = x;
      to_space_.y->run(run, s.kernel);
      use(x, count);
    }
  }

  void multiply(Scratch& s, Index z) {
    const Box box = planes();
    const Real* const field = reinterpret_cast<const Real*>(arrays_.field) + (z - box.lo[0]) * ny_ * nx_;
    for_columns_in_space(s, [&](Index x, Index count) {
      for (Index y = 0; y < ny_; ++y) {
        const Real* const v = field + y * nx_ + x;
        auto* const psi = reinterpret_cast<Real*>(s.points + y * lanes);
        for (Index i = 0; i < count; ++i) {
          psi[2 * i] *= v[i];
          psi[2 * i + 1] *= v[i];
        }
      }
      ColumnRun run = rows(s.space_rows, s.lines_out, count);
      run.out_first = x;
      from_space_.y->run(run, s.kernel);
    });
  }

  void accumulate(Scratch& s, Index item, Index z) {
    const double weight = arrays_.weights == nullptr ? 1 : arrays_.weights[item];
    const auto factor = static_cast<Real>(weight * pass_.scale * pass_.scale);
    Real* const sum = out_.array().at<Real>(0, {z, 0, 0});
    for_columns_in_space(s, [&](Index x, Index count) {
      for (Index y = 0; y < ny_; ++y) {
        Real* const rho = sum + y * nx_ + x;
        const auto* const psi = reinterpret_cast<const Real*>(s.points + y * lanes);
        for (Index i = 0; i < count; ++i) {
          rho[i] += factor * (psi[2 * i] * psi[2 * i] + psi[2 * i + 1] * psi[2 * i + 1]);
        }
      }
    });
  }

  void count(MemoryTraffic& traffic, Index items) const {
    const auto columns = static_cast<Index>(sphere_.sticks.all.size() * sizeof(Complex));
    const Index points = nx_ * ny_ * static_cast<Index>(sizeof(Real));
    const bool from_blocks = work_ != SphereWork::space_to_blocks;
    traffic.read += (from_blocks ? columns : 2 * points) * items + (fused() ? points * items : 0);
    const bool to_blocks = work_ == SphereWork::space_to_blocks || work_ == SphereWork::multiply;
    traffic.written += (to_blocks ? columns : fused() ? points : 2 * points) * items;
  }

  const Pass& pass_;
  const SphereData& sphere_;
  SphereWork work_;
  View in_, out_;
  UserArrays arrays_;
  Index nx_, ny_, lines_;
  Index distance_;  ///< between lines
  Kernels to_space_, from_space_;
  Entries entries_in_, entries_out_;
  std::vector<bool> present_;   ///< x that some column has
  std::vector<Index> line_of_;  ///< of each y, or -1
  std::vector<Scratch> scratch_;
};

}  // namespace

std::vector<ColumnEntry> columns_in_pieces(const SphereData& sphere, const View& view, Index first, Index last) {
  std::vector<ColumnEntry> places(sphere.sticks.all.size());
  std::int32_t number = 0;
  for_each_piece(view, first, last, [&](const Piece& piece) {
    for (Index column = piece.box.lo[2]; column < piece.box.hi[2]; ++column) {
      places[static_cast<std::size_t>(column)] = {number, static_cast<std::int32_t>(column - piece.box.lo[2]), 0, false};
    }
    ++number;
  });
  return places;
}

std::unique_ptr<PassRunner> make_sphere_planes(const Pass& pass, View in, View out, Precision precision,
                                               const Options& options) {
  const Backend& backend = find_backend(options.backend);
  if (precision == Precision::double_) {
    return std::make_unique<SpherePlanes<double>>(pass, std::move(in), std::move(out), backend, precision,
                                                  options.effort);
  }
  return std::make_unique<SpherePlanes<float>>(pass, std::move(in), std::move(out), backend, precision,
                                               options.effort);
}

std::unique_ptr<PassRunner> make_sphere_pass(const Pass& pass, View in, View out, Precision precision,
                                             const Options& options) {
  const SphereWork work = pass.sphere.work;
  const bool columns = work == SphereWork::waves_to_blocks || work == SphereWork::blocks_to_waves;
  const auto make = columns                            ? make_sphere_columns
                    : pass.sphere.sphere->problem.gamma ? make_sphere_real_planes
                                                        : make_sphere_planes;
  return make(pass, std::move(in), std::move(out), precision, options);
}

}  // namespace weft::detail
