// The passes of a sphere that reach space by rows along x: across its planes, real in space; and, on a grid of
// processes, along x alone, where the lines along y have passes of their own (y_lines.cpp).
//
//   blocks -> ends [y][x's] -> FFT along y -> lines [y][x's that hold columns]      of planes
//   blocks -> lines                                                                 on a grid of processes
//   lines -> rows [x][lane] -> FFT along x -> space
//
// Only the x that hold columns are transformed along y. Where space is complex, a lane along x is a row. Where it is
// real, only the first half of the x is there, and two rows a and b are transformed as one: the spectrum A + i B leads
// to the points a + i b, and A and B are told apart by the symmetry that each has (Cooley, Lewis and Welch, 1970). So a
// lane is a pair of rows, and an array of lanes of points is nothing but the rows turned.
//
// Where points are only multiplied or summed, they are so before they leave the first-level cache.
#include "fft/transpose.hpp"
#include "sphere/planes.hpp"

namespace weft::detail {

namespace {

/// Of a band, or of a component of a spinor.
template <class Complex>
struct BandOfRows {
  Complex* lines = nullptr;   ///< [y][line]
  Complex* turned = nullptr;  ///< [x][lane]: points of rows, or of pairs of them
  Rows<Complex> lines_rows, turned_rows;
};

template <class Real>
struct RowsScratch {
  using Complex = std::complex<Real>;
  Complex* ends = nullptr;    ///< [y][lane]: numbers of columns
  Complex* pairs = nullptr;   ///< [x][lane]: spectra of rows, or of pairs of them
  Real* points = nullptr;     ///< [row][x], real ones
  Complex* copies = nullptr;  ///< numbers of columns whose blocks are encoded
  EdgeRows<Complex> edge;
  std::byte* kernel = nullptr;
  Rows<Complex> pieces, ends_in, ends_out, pairs_in, pairs_out;
  std::vector<BandOfRows<Complex>> bands;
  LookAhead ahead;
};

/// `Space` is what points are in space: Real or complex.
template <class Real, class Space>
class SphereRows final : public SpherePlaneRunner<RowsScratch<Real>> {
  using Complex = std::complex<Real>;
  using Scratch = RowsScratch<Real>;
  using Band = BandOfRows<Complex>;
  using Base = SpherePlaneRunner<Scratch>;
  using Base::ends_in_, Base::ends_out_, Base::from_space_, Base::in_, Base::lines_, Base::out_, Base::pass_,
      Base::planes, Base::rows_here_, Base::sphere_, Base::to_space_;
  using typename Base::Plane;
  static constexpr bool real = std::is_same_v<Space, Real>;
  static constexpr Index lanes = lanes_together<Real>;
  static constexpr Index rows_together = real ? 2 * lanes : lanes;

 public:
  SphereRows(const SphereData& sphere, const Pass& pass, View in, View out, const Options& options)
      : Base(sphere, pass, std::move(in), std::move(out), lanes, options),
        nx_(sphere_.problem.grid[0]),
        ny_(rows_here_.hi - rows_here_.lo),
        distance_(padded(round_up(lines_.count(), lanes), sizeof(Complex))),
        points_distance_(padded(nx_, sizeof(Real))) {}

 private:
  Scratch lay_out(ScratchParts& parts) const override {
    Scratch s;
    if (planes().empty()) return s;
    if (has_y()) s.ends = parts.take<Complex>(ny_ * lanes);
    s.bands.resize(static_cast<std::size_t>(pass_.together));
    for (Band& band : s.bands) band.lines = parts.take<Complex>(round_up(ny_, rows_together) * distance_);
    s.pairs = parts.take<Complex>(nx_ * lanes);
    for (Band& band : s.bands) band.turned = parts.take<Complex>(nx_ * lanes);
    if (real) s.points = parts.take<Real>(rows_together * points_distance_);
    s.edge = {parts.take<Complex>(lanes), parts.take<Complex>(lanes)};
    s.copies = parts.take<Complex>(this->copied_columns());
    s.kernel = parts.take<std::byte>(this->kernel_scratch_bytes());
    for (Index y = 0; has_y() && y < ny_; ++y) {
      const bool present = lines_.present()[y];
      s.ends_in.push_back(present ? s.ends + y * lanes : s.edge.zero);
      s.ends_out.push_back(present ? s.ends + y * lanes : s.edge.waste);
      for (Band& band : s.bands) band.lines_rows.push_back(band.lines + y * distance_);
    }
    for (Index x = 0; x < nx_; ++x) {
      const bool present = lines_.numbers()[static_cast<std::size_t>(x)] >= 0 ||
                           (real && lines_.numbers()[static_cast<std::size_t>((nx_ - x) % nx_)] >= 0);
      s.pairs_in.push_back(present ? s.pairs + x * lanes : s.edge.zero);
      s.pairs_out.push_back(present ? s.pairs + x * lanes : s.edge.waste);
      for (Band& band : s.bands) band.turned_rows.push_back(band.turned + x * lanes);
    }
    return s;
  }

  void clear(Scratch& s) const override {
    std::fill_n(s.edge.zero, lanes, Complex(0));
    // Rows beyond the plane, which fill up the last pairs.
    for (const Band& band : s.bands) {
      std::fill_n(band.lines + ny_ * distance_, (round_up(ny_, rows_together) - ny_) * distance_, Complex(0));
    }
    if (real) std::fill_n(s.points, rows_together * points_distance_, Real(0));
  }

  void plane(Scratch& s, const Unit& u, Plane now, Plane next) override {
    const auto [item, z] = now;
    const bool by_lines = to_space_.x && has_y();
    const Index runs = by_lines ? lines_.groups() : ceil_divide(ny_, rows_together);
    this->look_ahead(s.ahead, u, now, next, runs * pass_.together);
    for (Index i = 0; to_space_.x && i < pass_.together; ++i) lines_from_blocks(s, band_of(s, i), u, item + i, z);
    for (Index y = 0; y < ny_; y += rows_together) rows(s, item, z, y, std::min(rows_together, ny_ - y));
    for (Index i = 0; from_space_.x && i < pass_.together; ++i) lines_to_blocks(s, band_of(s, i), u, item + i, z);
  }

  static Band& band_of(Scratch& s, Index i) { return s.bands[static_cast<std::size_t>(i)]; }

  /// Whether lines along y are this pass's, too.
  bool has_y() const { return !sphere_.on_grid(); }
  /// The lines of a plane, as blocks have them that come from, or go to, a pass along y.
  Box lines_of(Index z) const { return {{z, rows_here_.lo, 0}, {z + 1, rows_here_.hi, lines_.count()}}; }

  void lines_from_blocks(Scratch& s, Band& band, const Unit& u, Index item, Index z) {
    if (!has_y()) return gather(in_, u.first_in, u.last_in, item, lines_of(z), band.lines, {0, distance_, 1});
    SphereEnds::find(in_, u.first_in, u.last_in, item, z, s.pieces, s.copies);
    for (Index group = 0; group < lines_.groups(); ++group) {
      lines_.present().clear(s.ends, lanes);
      ends_in_.gather(s.pieces, group, s.ends);
      // All lanes: whole vectors are faster than parts of them.
      ColumnRun run = column_run(s.ends_in, band.lines_rows, lanes);
      run.out_first = group * lanes;
      s.ahead.give(run);
      to_space_.y->run(run, s.kernel);
    }
  }

  void lines_to_blocks(Scratch& s, const Band& band, const Unit& u, Index item, Index z) {
    if (!has_y()) {
      const Complex* const lines = band.lines;
      return scatter(out_, u.out_tile, item, lines_of(z), lines, {0, distance_, 1}, Unscaled{});
    }
    SphereEnds::find_sent(out_, u.out_tile, item, z, s.pieces, s.copies);
    for (Index group = 0; group < lines_.groups(); ++group) {
      ColumnRun run = column_run(band.lines_rows, s.ends_out, lanes);
      run.in_first = group * lanes;
      from_space_.y->run(run, s.kernel);
      ends_out_.scatter(s.ends, group, s.pieces);
    }
    SphereEnds::put_copies(out_, u.out_tile, item, z, s.pieces, s.copies);
  }

  /// Real points are turned: a lane of them is a row of an array by itself. Complex ones stay where they are.
  void turn(Scratch& s, const Band& band, bool to_rows) const {
    if constexpr (real) {
      Real* const turned = reinterpret_cast<Real*>(band.turned);
      if (to_rows) {
        transpose(turned, rows_together, s.points, points_distance_, nx_, rows_together);
      } else {
        transpose(s.points, points_distance_, turned, rows_together, rows_together, nx_);
      }
    }
  }
  /// Points of the rows that are not there, of those that are transformed together.
  void clear_rest(Scratch& s, const Band& band, Index count) const {
    if (real) {
      std::fill_n(s.points + count * points_distance_, (rows_together - count) * points_distance_, Real(0));
    } else {
      for (Index x = 0; x < nx_ && count < lanes; ++x) {
        std::fill_n(band.turned + x * lanes + count, lanes - count, Complex(0));
      }
    }
  }
  /// Strides of the points of rows in cache, and where they begin.
  Shape strides() const { return real ? Shape{0, points_distance_, 1} : Shape{0, 1, lanes}; }
  static Space* points(Scratch& s) {
    if constexpr (real) {
      return s.points;
    } else {
      return s.bands[0].turned;
    }
  }

  /// Rows [y, y + count) of this rank's part of a plane: from the lines to space, from space to the lines, or both.
  void rows(Scratch& s, Index item, Index z, Index y, Index count) {
    if (to_space_.x) {
      for (const Band& band : s.bands) {
        pairs_from_lines(s, band, y);
        ColumnRun run = column_run(s.pairs_in, band.turned_rows, lanes);
        if (!has_y()) s.ahead.give(run);
        to_space_.x->run(run, s.kernel);
        turn(s, band, true);
      }
    } else {
      const Space* const from = in_.array().template at<const Space>(item, {z, rows_here_.lo + y, 0});
      copy_box<Space>(points(s), strides(), from, {0, sphere_.row(), 1}, {1, count, nx_});
    }
    switch (pass_.pointwise) {
      case Pointwise::none:
        if (to_space_.x) put(s, item, z, y, count);
        break;
      case Pointwise::accumulate:
        if (pass_.together > 1) {
          add_matrices(s, item, z, y, count);
        } else {
          add_squares(s, item, z, y, count);
        }
        break;
      case Pointwise::multiply:
        if (pass_.together > 1) {
          multiply_spinors(s, z, y, count);
        } else if (this->arrays_.field_is_complex) {
          multiply<Complex>(s, z, y, count);
        } else {
          multiply<Real>(s, z, y, count);
        }
        break;
      case Pointwise::function: break;  // operators have passes of their own
    }
    if (!from_space_.x) return;
    for (const Band& band : s.bands) {
      // The same result whatever was there before.
      clear_rest(s, band, count);
      turn(s, band, false);
      ColumnRun run = column_run(band.turned_rows, s.pairs_out, lanes);
      if (has_y() || !to_space_.x) s.ahead.give(run);
      from_space_.x->run(run, s.kernel);
      lines_from_pairs(s, band, y);
      std::fill_n(band.lines + (y + count) * distance_, (rows_together - count) * distance_, Complex(0));
    }
  }

  /// Of real points: A + i B, and at -x its mirror image. Where x is its own mirror image, only the real parts of A and
  /// B count.
  void pairs_from_lines(Scratch& s, const Band& band, Index y) const {
    if constexpr (!real) {
      for (std::size_t line = 0; line < sphere_.lines.size(); ++line) {
        Complex* const here = s.pairs + sphere_.lines[line] * lanes;
        const Complex* const from = band.lines + y * distance_ + static_cast<Index>(line);
        for (Index lane = 0; lane < lanes; ++lane) move_number(here + lane, from + lane * distance_);
      }
      return;
    }
    for (std::size_t line = 0; line < sphere_.lines.size(); ++line) {
      const Index x = sphere_.lines[line];
      Complex* const here = s.pairs + x * lanes;
      const Complex* from = band.lines + y * distance_ + static_cast<Index>(line);
      if (is_own_mirror(x, nx_)) {
        for (Index lane = 0; lane < lanes; ++lane, from += 2 * distance_) {
          here[lane] = {from[0].real(), from[distance_].real()};
        }
        continue;
      }
      Complex* const there = s.pairs + (nx_ - x) * lanes;
      for (Index lane = 0; lane < lanes; ++lane, from += 2 * distance_) {
        const Complex a = from[0], b = from[distance_];
        here[lane] = {a.real() - b.imag(), a.imag() + b.real()};
        there[lane] = {a.real() + b.imag(), b.real() - a.imag()};
      }
    }
  }

  /// Of real points: A = (Z(x) + conj Z(-x)) / 2, B = (Z(x) - conj Z(-x)) / 2i.
  void lines_from_pairs(Scratch& s, const Band& band, Index y) const {
    if constexpr (!real) {
      for (std::size_t line = 0; line < sphere_.lines.size(); ++line) {
        const Complex* const here = s.pairs + sphere_.lines[line] * lanes;
        Complex* const to = band.lines + y * distance_ + static_cast<Index>(line);
        for (Index lane = 0; lane < lanes; ++lane) move_number(to + lane * distance_, here + lane);
      }
      return;
    }
    constexpr Real half = Real(0.5);
    for (std::size_t line = 0; line < sphere_.lines.size(); ++line) {
      const Index x = sphere_.lines[line];
      const Complex* const here = s.pairs + x * lanes;
      const Complex* const there = s.pairs + (nx_ - x) % nx_ * lanes;
      Complex* to = band.lines + y * distance_ + static_cast<Index>(line);
      for (Index lane = 0; lane < lanes; ++lane, to += 2 * distance_) {
        const Complex p = here[lane], m = there[lane];
        to[0] = {half * (p.real() + m.real()), half * (p.imag() - m.imag())};
        to[distance_] = {half * (p.imag() + m.imag()), half * (m.real() - p.real())};
      }
    }
  }

  void put(Scratch& s, Index item, Index z, Index y, Index count) {
    Space* const to = out_.array().template at<Space>(item, {z, rows_here_.lo + y, 0});
    const Shape to_strides{0, sphere_.row(), 1}, extent{1, count, nx_};
    if (pass_.scale == 1) {
      copy_box<Space>(to, to_strides, points(s), strides(), extent, out_.store());
    } else {
      copy_box<Space, true>(to, to_strides, points(s), strides(), extent, out_.store(), static_cast<Real>(pass_.scale));
    }
  }

  template <class V>
  void multiply(Scratch& s, Index z, Index y, Index count) const {
    const V* const field = static_cast<const V*>(this->potential(z)) + y * sphere_.row();
    for (Index i = 0; i < count; ++i) {
      const V* const v = field + i * sphere_.row();
      for (Index x = 0; x < nx_; ++x) {
        if constexpr (real && std::is_same_v<V, Complex>) {
          static_cast<void>(v);  // refused before
        } else if constexpr (real) {
          s.points[i * points_distance_ + x] *= v[x];
        } else {
          scale_number(s.bands[0].turned + x * lanes + i, v[x]);
        }
      }
    }
  }

  /// Calls `use` with the two components of each point, and where that is in the plane of a field.
  template <class Use>
  void for_spinors(Scratch& s, Index y, Index count, const Use& use) const {
    Complex *const one = s.bands[0].turned, *const two = s.bands[1].turned;
    for (Index i = 0; i < count; ++i) {
      for (Index x = 0; x < nx_; ++x) use(one + x * lanes + i, two + x * lanes + i, (y + i) * sphere_.row() + x);
    }
  }

  void multiply_spinors(Scratch& s, Index z, Index y, Index count) const {
    if constexpr (!real) {
      const auto v = this->template potentials<Real>(z);
      for_spinors(s, y, count, [&](Complex* one, Complex* two, Index at) { times_matrix(one, two, v, at, 1); });
    }
  }

  void add_matrices(Scratch& s, Index item, Index z, Index y, Index count) const {
    if constexpr (!real) {
      const auto n = this->template sums<Real>(z);
      const auto weight = static_cast<Real>(this->weights_of_squares(item)[0]);
      for_spinors(s, y, count, [&](Complex* one, Complex* two, Index at) { add_matrix(one, two, weight, n, at, 1); });
    }
  }

  void add_squares(Scratch& s, Index item, Index z, Index y, Index count) {
    const auto [weight, other] = this->weights_of_squares(item);
    const auto a = static_cast<Real>(weight), b = static_cast<Real>(other);
    Real* sum = out_.array().template at<Real>(0, {z, rows_here_.lo + y, 0});
    for (Index i = 0; i < count; ++i, sum += sphere_.row()) {
      for (Index x = 0; x < nx_; ++x) {
        if constexpr (real) {
          const Real psi = s.points[i * points_distance_ + x];
          sum[x] += a * psi * psi;
        } else {
          const std::complex<Real> psi = s.bands[0].turned[x * lanes + i];
          sum[x] += a * psi.real() * psi.real() + b * psi.imag() * psi.imag();
        }
      }
    }
  }

  Index nx_, ny_;
  Index distance_, points_distance_;  ///< between rows of the lines, and of points
};

template <class Real>
using SphereRealRows = SphereRows<Real, Real>;
template <class Real>
using SphereComplexRows = SphereRows<Real, std::complex<Real>>;

}  // namespace

std::unique_ptr<PassRunner> make_sphere_rows(const SphereData& sphere, const Pass& pass, View in, View out,
                                             const Options& options) {
  const auto make = sphere.problem.gamma ? make_sphere_runner<SphereRealRows> : make_sphere_runner<SphereComplexRows>;
  return make(sphere, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
