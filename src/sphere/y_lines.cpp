// The passes of a sphere along y on a grid of processes: columns on one side, rows of a plane on the other.
//
//   blocks of columns -> ends [y][x's] -> FFT along y -> blocks [z][y][x's]          and back
//
// A rank has some planes of z, and of the x that hold columns some. Numbers of columns are taken from their blocks one
// by one, as those of planes are (ends.hpp); the other side are rows in blocks, to which the transform writes.
#include "sphere/ends.hpp"

namespace weft::detail {

namespace {

template <class Complex>
struct YLinesScratch {
  Complex* ends = nullptr;     ///< [y][lane]: numbers of columns
  Complex* columns = nullptr;  ///< numbers of columns whose blocks are encoded
  Complex* lines = nullptr;    ///< [y][lane], where the blocks of the other side are encoded
  EdgeRows<Complex> edge;
  std::byte* kernel = nullptr;
  Rows<Complex> pieces, near, far;  ///< of the columns; of the ends, and of the other side
};

template <class Real>
class SphereYLines final : public SphereRunner<YLinesScratch<std::complex<Real>>> {
  using Complex = std::complex<Real>;
  using Scratch = YLinesScratch<Complex>;
  using Base = SphereRunner<Scratch>;
  using Base::in_, Base::out_, Base::pass_, Base::sphere_;
  static constexpr Index lanes = lanes_together<Real>;

 public:
  SphereYLines(const SphereData& sphere, const Pass& pass, View in, View out, const Options& options)
      : Base(sphere, pass, std::move(in), std::move(out)),
        forth_(to_space(pass)),
        ny_(sphere_.problem.grid[1]),
        box_(forth_ ? pass.out : pass.in),
        lines_(sphere, lanes, box_.empty() ? Range{0, 0} : Range{box_.lo[2], box_.hi[2]}) {
    if (box_.empty()) return;
    kernel_ = make_column_kernel(find_backend(options.backend), ny_, pass.transforms.front().sign,
                                 sphere.problem.precision, options.effort);
    for (const Unit& unit : pass.units) {
      if (unit.in.empty()) continue;
      ends_ = forth_ ? SphereEnds(sphere, lines_, in_, unit.first_in, unit.last_in)
                     : SphereEnds(sphere, lines_, out_, unit.out_tile, unit.out_tile + 1);
      break;
    }
  }

  Index chunks(Index number) const override {
    const Unit& u = this->unit(number);
    return box_.empty() || u.in.empty() ? 0 : u.in.extent(0) * this->items_of(u);
  }

  void run(Index number, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& s = this->scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = this->unit(number);
    const Index item = u.items.lo + turn.chunk / u.in.extent(0), z = u.in.lo[0] + turn.chunk % u.in.extent(0);
    // The memory is other passes', too.
    std::fill_n(s.edge.zero, lanes, Complex(0));
    forth_ ? from_columns(s, u, item, z) : to_columns(s, u, item, z);
    const Index columns = sphere_.columns_of_part(), points = ny_ * lines_.count();
    traffic.read += pass_.bytes_read(forth_ ? columns : points);
    traffic.written += pass_.bytes_written(forth_ ? points : columns);
  }

 private:
  Scratch lay_out(ScratchParts& parts) const override {
    Scratch s;
    if (!kernel_) return s;
    s.ends = parts.take<Complex>(ny_ * lanes);
    s.edge = {parts.take<Complex>(lanes), parts.take<Complex>(lanes)};
    s.kernel = parts.take<std::byte>(kernel_->scratch_bytes());
    if ((forth_ ? in_ : out_).encoded()) s.columns = parts.take<Complex>(sphere_.columns_of_part());
    for (Index y = 0; y < ny_; ++y) {
      s.near.push_back(lines_.present()[y] ? s.ends + y * lanes : forth_ ? s.edge.zero : s.edge.waste);
    }
    s.far.resize(static_cast<std::size_t>(ny_));
    if (copies()) {
      s.lines = parts.take<Complex>(ny_ * lanes);
      for (Index y = 0; y < ny_; ++y) s.far[static_cast<std::size_t>(y)] = s.lines + y * lanes;
    }
    return s;
  }

  void from_columns(Scratch& s, const Unit& u, Index item, Index z) {
    SphereEnds::find(in_, u.first_in, u.last_in, item, z, s.pieces, s.columns);
    for (Index group = 0; group < lines_.groups(); ++group) {
      const Box there = lines_of(group, z);
      lines_.present().clear(s.ends, lanes);
      ends_.gather(s.pieces, group, s.ends);
      if (!copies()) find_rows(out_, u.out_tile, u.out_tile + 1, item, there.lo, 1, s.far);
      ColumnRun run = column_run(s.near, s.far, there.extent(2));
      run.fetch_out = !copies();
      kernel_->run(run, s.kernel);
      const Complex* const lines = s.lines;
      if (copies()) scatter(out_, u.out_tile, item, there, lines, {0, lanes, 1}, Unscaled{});
    }
  }

  void to_columns(Scratch& s, const Unit& u, Index item, Index z) {
    SphereEnds::find_sent(out_, u.out_tile, item, z, s.pieces, s.columns);
    for (Index group = 0; group < lines_.groups(); ++group) {
      const Box there = lines_of(group, z);
      if (copies()) {
        gather(in_, u.first_in, u.last_in, item, there, s.lines, {0, lanes, 1});
      } else {
        find_rows(in_, u.first_in, u.last_in, item, there.lo, 1, s.far);
      }
      ColumnRun run = column_run(s.far, s.near, there.extent(2));
      run.fetch_in = !copies();
      kernel_->run(run, s.kernel);
      ends_.scatter(s.ends, group, s.pieces);
    }
    SphereEnds::put_copies(out_, u.out_tile, item, z, s.pieces, s.columns);
  }

  /// Whether the lines go through copies in cache.
  bool copies() const { return (forth_ ? out_ : in_).encoded(); }
  Box lines_of(Index group, Index z) const {
    const Index first = box_.lo[2] + group * lanes;
    return {{z, 0, first}, {z + 1, ny_, first + lines_.in_group(group)}};
  }

  bool forth_;
  Index ny_;
  Box box_;  ///< of the lines
  SphereLines lines_;
  SphereEnds ends_;
  std::unique_ptr<ColumnKernel> kernel_;
};

}  // namespace

std::unique_ptr<PassRunner> make_sphere_y_lines(const SphereData& sphere, const Pass& pass, View in, View out,
                                                const Options& options) {
  return make_sphere_runner<SphereYLines>(sphere, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
