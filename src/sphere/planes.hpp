// What the passes of a sphere across its planes share, complex or real in space.
#pragma once

#include "execute/look_ahead.hpp"
#include "sphere/ends.hpp"
#include "sphere/spinors.hpp"

namespace weft::detail {

/// A field in space of more bytes is in memory when it is needed again, for the next band.
constexpr Index far_field = Index{4} << 20;

/// Planes of a sphere: those of all items one after the other; where planes of several items meet one field, all of
/// them together, so that it stays in cache and only one thread adds to it. The two components of a spinor are one
/// plane.
template <class Scratch>
class SpherePlaneRunner : public SphereRunner<Scratch> {
  using Base = SphereRunner<Scratch>;

 public:
  SpherePlaneRunner(const SphereData& sphere, const Pass& pass, View in, View out, Index lanes, const Options& options)
      : Base(sphere, pass, std::move(in), std::move(out)), lines_(sphere, lanes), rows_here_(sphere.rows_here()) {
    if (planes().empty()) return;
    const auto [nx, ny, nz] = sphere.problem.grid;
    const Backend& backend = find_backend(options.backend);
    const auto kernel = [&](Index n, int sign) {
      return make_column_kernel(backend, n, sign, sphere.problem.precision, options.effort);
    };
    if (to_space(pass)) to_space_.x = kernel(nx, +1);
    if (from_space(pass)) from_space_.x = kernel(nx, -1);
    if (sphere.on_grid()) return;
    if (to_space_.x) to_space_.y = kernel(ny, +1);
    if (from_space_.x) from_space_.y = kernel(ny, -1);
    for (const Unit& unit : pass.units) {
      if (unit.in.empty()) continue;
      if (to_space_.x) ends_in_ = SphereEnds(sphere, lines_, this->in_, unit.first_in, unit.last_in);
      if (from_space_.x) ends_out_ = SphereEnds(sphere, lines_, this->out_, unit.out_tile, unit.out_tile + 1);
      break;
    }
  }

  Index chunks(Index number) const override {
    const Unit& u = this->unit(number);
    const Index items = this->items_of(u);
    return u.in.empty() ? 0 : u.in.extent(0) * (fused() ? std::min<Index>(items, 1) : items);
  }

  void run(Index number, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = this->scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = this->unit(number);
    const Plane after = first_plane(u, turn.next);
    const Index items = fused() ? this->items_of(u) : 1, step = this->pass_.together;
    Plane now = first_plane(u, turn.chunk);
    // The memory is other passes', too.
    clear(scratch);
    for (Index left = items; left > 0; left -= step) {
      const Plane next = left > step ? Plane{now.item + step, now.z} : after;
      plane(scratch, u, now, next);
      now = next;
    }
    count(traffic, items);
  }

 protected:
  virtual void clear(Scratch& scratch) const = 0;
  /// Of an item, or of those that are computed together, from the first one on.
  struct Plane {
    Index item = 0, z = -1;  ///< negative: none
  };
  /// `next` is the one that the thread has next.
  virtual void plane(Scratch& scratch, const Unit& u, Plane now, Plane next) = 0;

  bool fused() const { return this->pass_.pointwise != Pointwise::none; }
  /// Of the grid of columns.
  Box planes() const { return to_space(this->pass_) ? this->pass_.in : this->pass_.out; }

  /// Of this rank's part of a plane in space, of real numbers.
  Index field_bytes() const { return this->sphere_.problem.grid[0] * (rows_here_.hi - rows_here_.lo) * real_bytes(); }
  bool meets_far_field() const {
    return fused() && planes().extent(0) * field_bytes() * this->sphere_.fields() > far_field;
  }
  /// From a plane of a field of real numbers to the next.
  Index plane_bytes() const { return this->sphere_.plane() * real_bytes(); }
  /// The plane of a field by which points are multiplied, and its bytes.
  const void* potential(Index z, Index field = 0) const {
    const Index planes_before = field * this->sphere_.space_extents[0] + z - planes().lo[0];
    return this->arrays_.field + planes_before * potential_bytes();
  }
  Index potential_bytes() const { return (this->arrays_.field_is_complex ? 2 : 1) * plane_bytes(); }

  /// That of a field to which squares are added.
  void* sum(Index z, Index field = 0) const {
    const Piece& piece = this->out_.array();
    const Index numbers = piece.offset(0, {z, rows_here_.lo, 0}) + field * this->sphere_.field_numbers();
    return piece.base + numbers * this->out_.number_bytes();
  }

  /// While the first kernel of a plane runs so many times, the field is asked for that the plane will meet, and what
  /// the thread's next plane begins with. Whether that was so for this plane.
  bool look_ahead(LookAhead& ahead, const Unit& u, Plane now, Plane next, Index times) const {
    const bool asked = ahead.begin(now.item, now.z);
    if (!(to_space_.x ? to_space_ : from_space_).x->asks_ahead()) return asked;
    const View& in = this->in_;
    for (Index field = 0; meets_far_field() && field < this->sphere_.fields(); ++field) {
      const bool multiplied = this->pass_.pointwise == Pointwise::multiply;
      ahead.ask(multiplied ? potential(now.z, field) : sum(now.z, field),
                multiplied ? potential_bytes() : plane_bytes());
    }
    if (next.z >= 0 && !in.encoded()) {
      Box plane = this->pass_.in;
      plane.lo[0] = next.z;
      plane.hi[0] = next.z + 1;
      for (Index i = 0; i < this->pass_.together; ++i) ahead.ask(in, u.first_in, u.last_in, next.item + i, plane);
    }
    ahead.share(next.item, next.z, times);
    return asked;
  }

  /// Of a spinor: the planes of the four fields that its points meet.
  template <class Real>
  std::array<const Real*, 4> potentials(Index z) const {
    return of_four<const Real>([&](Index field) { return potential(z, field); });
  }
  template <class Real>
  std::array<Real*, 4> sums(Index z) const {
    return of_four<Real>([&](Index field) { return sum(z, field); });
  }

  /// By which the squares of the real and of the imaginary part of an item, as the transforms leave it, count in the
  /// sum.
  std::array<double, 2> weights_of_squares(Index item) const {
    const double square = this->pass_.scale * this->pass_.scale;
    const double weight = this->arrays_.weights == nullptr ? 1 : this->arrays_.weights[item];
    const double* const other = this->arrays_.imaginary_weights;
    return {square * weight, square * (other == nullptr ? weight : other[item])};
  }

  /// Numbers of a plane that go through copies, at most.
  Index copied_columns() const {
    return this->in_.encoded() || this->out_.encoded() ? static_cast<Index>(this->sphere_.sticks.all.size()) : 0;
  }

  struct Kernels {
    std::unique_ptr<ColumnKernel> x, y;
  };
  Index kernel_scratch_bytes() const {
    Index bytes = 0;
    for (const Kernels* kernels : {&to_space_, &from_space_}) {
      if (kernels->x) bytes = std::max(bytes, kernels->x->scratch_bytes());
      if (kernels->y) bytes = std::max(bytes, kernels->y->scratch_bytes());
    }
    return bytes;
  }

  SphereLines lines_;
  Range rows_here_;                ///< the y that this rank has in space
  Kernels to_space_, from_space_;  ///< none for a way that is not gone
  SphereEnds ends_in_, ends_out_;

 private:
  Index real_bytes() const { return bytes_of(Number::real, this->sphere_.problem.precision); }

  template <class Real, class At>
  static std::array<Real*, 4> of_four(const At& at) {
    return {static_cast<Real*>(at(0)), static_cast<Real*>(at(1)), static_cast<Real*>(at(2)), static_cast<Real*>(at(3))};
  }

  /// Of a chunk of a unit.
  Plane first_plane(const Unit& u, Index chunk) const {
    if (chunk < 0) return {};
    return {u.items.lo + (fused() ? 0 : chunk / u.in.extent(0)), u.in.lo[0] + chunk % u.in.extent(0)};
  }

  void count(MemoryTraffic& traffic, Index items) const {
    const Index columns = this->sphere_.numbers_of_plane();
    const Index field = field_bytes(), points = this->sphere_.problem.gamma ? field : 2 * field;
    const Index fields = field * this->sphere_.fields() / this->pass_.together;  // of an item
    traffic.read += items * ((to_space_.x ? this->pass_.bytes_read(columns) : points) + (fused() ? fields : 0));
    traffic.written += items * (from_space_.x ? this->pass_.bytes_written(columns) : fused() ? fields : points);
  }
};

}  // namespace weft::detail
