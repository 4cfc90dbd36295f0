// The passes of a sphere across its planes, complex in space.
//
//   blocks -> ends [x][y's] -> FFT along x -> turned -> lines [y][x] -> FFT along y -> space
//
// Only the y that hold columns are transformed along x, and only they are kept between the two transforms; the other
// rows are read from one row of zeroes, and on the way back written to one that nobody reads. Numbers are taken from
// the blocks one by one, so that the first transform may have them in the order that it likes: a lane a line.
//
// Where points are only multiplied or summed, the second transform goes two cache lines of columns at a time, to space
// and back, and space never leaves the first-level cache.
#include "sphere/planes.hpp"

namespace weft::detail {

namespace {

/// Of a band, or of a component of a spinor.
template <class Complex>
struct BandOfPlane {
  Complex* lines = nullptr;   ///< [line][x]
  Complex* points = nullptr;  ///< [y][lane]: points in space
  // Rows of the transforms; zeroes are read, and waste is written, where no column is.
  Rows<Complex> lines_in, lines_out, space;
};

template <class Complex>
struct PlanesScratch {
  Complex* ends = nullptr;    ///< [x][lane]: numbers of columns
  Complex* turned = nullptr;  ///< [x][lane]: lines along x
  Complex* copies = nullptr;  ///< numbers of columns whose blocks are encoded
  EdgeRows<Complex> edge;
  std::byte* kernel = nullptr;
  Rows<Complex> pieces, ends_in, ends_out, turned_rows;
  std::vector<BandOfPlane<Complex>> bands;
  LookAhead ahead;
};

template <class Real>
class SpherePlanes final : public SpherePlaneRunner<PlanesScratch<std::complex<Real>>> {
  using Complex = std::complex<Real>;
  using Scratch = PlanesScratch<Complex>;
  using Band = BandOfPlane<Complex>;
  using Base = SpherePlaneRunner<Scratch>;
  using Base::ends_in_, Base::ends_out_, Base::from_space_, Base::in_, Base::lines_, Base::out_, Base::pass_,
      Base::planes, Base::sphere_, Base::to_space_;
  using typename Base::Plane;
  static constexpr Index lanes = lanes_together<Real>;

 public:
  SpherePlanes(const SphereData& sphere, const Pass& pass, View in, View out, const Options& options)
      : Base(sphere, pass, std::move(in), std::move(out), lanes, options),
        nx_(sphere_.problem.grid[0]),
        ny_(sphere_.problem.grid[1]),
        distance_(padded(round_up(nx_, lanes), sizeof(Complex))) {}

 private:
  Scratch lay_out(ScratchParts& parts) const override {
    Scratch s;
    if (planes().empty()) return s;
    s.ends = parts.take<Complex>(nx_ * lanes);
    s.turned = parts.take<Complex>(nx_ * lanes);
    s.bands.resize(static_cast<std::size_t>(pass_.together));
    for (Band& band : s.bands) {
      band.lines = parts.take<Complex>(round_up(lines_.count(), lanes) * distance_);
      if (this->fused()) band.points = parts.take<Complex>(ny_ * lanes);
    }
    s.edge = {parts.take<Complex>(distance_), parts.take<Complex>(distance_)};
    s.copies = parts.take<Complex>(this->copied_columns());
    s.kernel = parts.take<std::byte>(this->kernel_scratch_bytes());
    for (Index x = 0; x < nx_; ++x) {
      const bool present = lines_.present()[x];
      s.ends_in.push_back(present ? s.ends + x * lanes : s.edge.zero);
      s.ends_out.push_back(present ? s.ends + x * lanes : s.edge.waste);
      s.turned_rows.push_back(s.turned + x * lanes);
    }
    for (Band& band : s.bands) {
      for (const Index line : lines_.numbers()) {
        band.lines_in.push_back(line >= 0 ? band.lines + line * distance_ : s.edge.zero);
        band.lines_out.push_back(line >= 0 ? band.lines + line * distance_ : s.edge.waste);
      }
      for (Index y = 0; y < ny_; ++y) band.space.push_back(band.points + y * lanes);
    }
    return s;
  }

  void clear(Scratch& s) const override { std::fill_n(s.edge.zero, distance_, Complex(0)); }

  void plane(Scratch& s, const Unit& u, Plane now, Plane next) override {
    const auto [item, z] = now;
    const bool asked = this->look_ahead(s.ahead, u, now, next, to_space_.x ? lines_.groups() * pass_.together : 1);
    for (Index i = 0; i < pass_.together; ++i) {
      Band& band = s.bands[static_cast<std::size_t>(i)];
      if (to_space_.x) {
        lines_from_blocks(s, band, u, item + i, z);
      } else {
        lines_from_space(s, band, item, z, asked);
      }
    }
    const bool spinors = pass_.together > 1;
    switch (pass_.pointwise) {
      case Pointwise::none:
        if (to_space_.x) lines_to_space(s, s.bands[0], item, z);
        break;
      case Pointwise::multiply:
        if (spinors) {
          multiply_spinors(s, z);
        } else if (this->arrays_.field_is_complex) {
          multiply<Complex>(s, z);
        } else {
          multiply<Real>(s, z);
        }
        break;
      case Pointwise::function: break;  // operators have passes of their own
      case Pointwise::accumulate:
        if (spinors) {
          accumulate_spinors(s, item, z);
        } else {
          accumulate(s, item, z);
        }
        break;
    }
    for (Index i = 0; from_space_.x && i < pass_.together; ++i) {
      lines_to_blocks(s, s.bands[static_cast<std::size_t>(i)], u, item + i, z);
    }
  }

  void lines_from_blocks(Scratch& s, Band& band, const Unit& u, Index item, Index z) {
    SphereEnds::find(in_, u.first_in, u.last_in, item, z, s.pieces, s.copies);
    for (Index group = 0; group < lines_.groups(); ++group) {
      lines_.present().clear(s.ends, lanes);
      ends_in_.gather(s.pieces, group, s.ends);
      // All lanes, also those without a line: whole vectors are faster than parts of them.
      ColumnRun run = column_run(s.ends_in, s.turned_rows, lanes);
      s.ahead.give(run);
      to_space_.x->run(run, s.kernel);
      copy_box<Complex>(band.lines + group * lanes * distance_, {0, distance_, 1}, s.turned, {0, 1, lanes},
                        {1, lines_.in_group(group), nx_});
    }
  }

  void lines_to_blocks(Scratch& s, const Band& band, const Unit& u, Index item, Index z) {
    SphereEnds::find_sent(out_, u.out_tile, item, z, s.pieces, s.copies);
    for (Index group = 0; group < lines_.groups(); ++group) {
      copy_box<Complex>(s.turned, {0, lanes, 1}, band.lines + group * lanes * distance_, {0, 1, distance_},
                        {1, nx_, lines_.in_group(group)});
      from_space_.x->run(column_run(s.turned_rows, s.ends_out, lanes), s.kernel);
      ends_out_.scatter(s.ends, group, s.pieces);
    }
    SphereEnds::put_copies(out_, u.out_tile, item, z, s.pieces, s.copies);
  }

  void find_space(Band& band, const View& view, Index item, Index z) const {
    Complex* row = view.array().template at<Complex>(item, {z, 0, 0});
    for (Index y = 0; y < ny_; ++y, row += sphere_.row()) band.space[static_cast<std::size_t>(y)] = row;
  }

  /// From the first point to the last.
  template <class Number>
  Index bytes_of_plane() const {
    return ((ny_ - 1) * sphere_.row() + nx_) * static_cast<Index>(sizeof(Number));
  }

  void lines_to_space(Scratch& s, Band& band, Index item, Index z) {
    find_space(band, out_, item, z);
    ColumnRun run = column_run(band.lines_in, band.space, nx_);
    run.scale = pass_.scale;
    run.fetch_in = run.fetch_out = true;
    run.streamed = out_.store() == Store::streamed;
    to_space_.y->run(run, s.kernel);
  }

  void lines_from_space(Scratch& s, Band& band, Index item, Index z, bool asked) {
    find_space(band, in_, item, z);
    if (!asked) read_ahead(band.space.front(), bytes_of_plane<Complex>());
    ColumnRun run = column_run(band.space, band.lines_out, nx_);
    run.fetch_out = true;
    s.ahead.give(run);
    from_space_.y->run(run, s.kernel);
  }

  /// Calls `use` with each row of the points of some columns of the plane, in space: where it begins in a band's
  /// points and in fields of the plane, of which it has some, and how many there are; then `then`, where the columns
  /// begin.
  template <class Field, std::size_t n, class Use, class Then>
  void columns_in_space(Scratch& s, const std::array<Field*, n>& fields, const Use& use, const Then& then) {
    const bool far = this->meets_far_field();
    for (Field* const field : fields) {
      if (far && !to_space_.x->asks_ahead()) read_ahead(field, bytes_of_plane<Field>());
    }
    for (Index x = 0; x < nx_; x += lanes) {
      const Index count = std::min(lanes, nx_ - x);
      for (const Band& band : s.bands) {
        ColumnRun run = column_run(band.lines_in, band.space, count);
        run.in_first = x;
        run.fetch_in = true;
        to_space_.y->run(run, s.kernel);
      }
      for (Index y = 0; y < ny_; ++y) {
        const Index here = y * sphere_.row() + x;
        for (Field* const field : fields) {
          if (!far) __builtin_prefetch(field + here + lanes);  // a line of each row at a time
        }
        if (count == lanes) {
          use(y * lanes, here, lanes);
        } else {
          use(y * lanes, here, count);
        }
      }
      then(x, count);
    }
  }

  /// Points of columns, back to lines.
  auto columns_from_space(Scratch& s) {
    return [&](Index x, Index count) {
      for (const Band& band : s.bands) {
        ColumnRun run = column_run(band.space, band.lines_out, count);
        run.out_first = x;
        run.fetch_out = true;
        from_space_.y->run(run, s.kernel);
      }
    };
  }

  template <class V>
  void multiply(Scratch& s, Index z) {
    const std::array field{static_cast<const V*>(this->potential(z))};
    columns_in_space(
        s, field,
        [points = s.bands[0].points, all = field[0]](Index first, Index here, Index count) {
          Complex* const psi = points + first;
          const V* const v = all + here;
          for (Index i = 0; i < count; ++i) scale_number(psi + i, v[i]);
        },
        columns_from_space(s));
  }

  void multiply_spinors(Scratch& s, Index z) {
    const auto v = this->template potentials<Real>(z);
    Complex *const one = s.bands[0].points, *const two = s.bands[1].points;
    columns_in_space(
        s, v, [&](Index first, Index here, Index count) { times_matrix(one + first, two + first, v, here, count); },
        columns_from_space(s));
  }

  void accumulate(Scratch& s, Index item, Index z) {
    const auto [real, imaginary] = this->weights_of_squares(item);
    const std::array field{static_cast<Real*>(this->sum(z))};
    columns_in_space(
        s, field,
        [points = s.bands[0].points, sums = field[0], a = static_cast<Real>(real), b = static_cast<Real>(imaginary)](
            Index first, Index here, Index count) {
          const Real* const psi = reinterpret_cast<const Real*>(points + first);
          Real* const rho = sums + here;
          for (Index i = 0; i < count; ++i) {
            rho[i] += a * psi[2 * i] * psi[2 * i] + b * psi[2 * i + 1] * psi[2 * i + 1];
          }
        },
        [](Index, Index) {});
  }

  void accumulate_spinors(Scratch& s, Index item, Index z) {
    const auto n = this->template sums<Real>(z);
    const auto weight = static_cast<Real>(this->weights_of_squares(item)[0]);
    const Complex *const one = s.bands[0].points, *const two = s.bands[1].points;
    columns_in_space(
        s, n,
        [&](Index first, Index here, Index count) { add_matrix(one + first, two + first, weight, n, here, count); },
        [](Index, Index) {});
  }

  Index nx_, ny_;
  Index distance_;  ///< between lines
};

}  // namespace

std::unique_ptr<PassRunner> make_sphere_planes(const SphereData& sphere, const Pass& pass, View in, View out,
                                               const Options& options) {
  return make_sphere_runner<SpherePlanes>(sphere, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
