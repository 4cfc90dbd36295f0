// The middle pass where the function works on rows: in space.
//
//   blocks -> [axis 1] -> planes -> [axis 2] -> rows -> function -> rows -> [axis 2 back] -> planes -> [axis 1 back] ->
//   blocks
//
// A plane of every field is in cache; some of its rows at a time go to space and come back to where they were, so that
// outputs need planes of their own only where there are more of them than inputs. Where planes are too large for that,
// the pass has rows only, and blocks are read and written row by row.
#include <algorithm>
#include <optional>
#include <type_traits>

#include "execute/kept_rows.hpp"
#include "execute/kernels.hpp"
#include "operator/runner.hpp"

namespace weft::detail {

namespace {

/// `Number` is what rows have in space.
template <class Real, class Number>
class OperatorPlanes final : public OperatorRunner<Number, std::complex<Real>> {
  using Complex = std::complex<Real>;
  using Base = OperatorRunner<Number, Complex>;
  using Base::data_, Base::pass_, Base::in_, Base::out_, Base::to_, Base::from_, Base::scratch_;
  using typename Base::Scratch;

 public:
  OperatorPlanes(const OperatorData& data, const Pass& pass, View in, View out, const Options& options)
      : Base(data, pass, std::move(in), std::move(out)) {
    if (pass.in.empty()) return;
    const Backend& backend = find_backend(options.backend);
    const Precision precision = data.problem.precision;
    for (const LineTransform& line : pass.transforms) {
      if (line.axis == 2) continue;
      column_ = static_cast<std::size_t>(line.axis);
      const Index far = pass.in.extent(line.axis), near = data.middle.shape()[column_];
      if (to_) {
        from_ = BlockColumns<Complex>(out_, backend, line, near, far, precision, options.effort);
      } else {
        to_ = BlockColumns<Complex>(in_, backend, line, far, near, precision, options.effort);
      }
    }
    space_ = data.problem.shape[2];
    const LineTransform& rows = *std::find_if(pass.transforms.begin(), pass.transforms.end(),
                                              [](const LineTransform& line) { return line.axis == 2; });
    if (rows.kept) kept_ = KeptRows(rows.kept, rows.type != LineType::c2c, 1);
    stride_ = padded(traits_of(rows.type).spectrum_points(space_), sizeof(Complex));
    row_distance_ = padded(space_, sizeof(Number));
    // As many rows as the cache has room for beside what they come from.
    const Index row_bytes = (data.inputs + data.outputs) * row_distance_ * static_cast<Index>(sizeof(Number));
    for (const Unit& u : pass.units) most_ = std::max(most_, rows_of(u).extent(static_cast<int>(column_)));
    rows_ = std::clamp<Index>(chunk_bytes(pass, options) / row_bytes, 1, std::max<Index>(most_, 1));
    to_space_ = Kernels(backend, precision, options.effort);
    from_space_ = Kernels(backend, precision, options.effort);
    for (const LineTransform& line : pass.transforms) {
      if (line.axis != 2) continue;
      LineBatch& batch = (line.way == Way::to_space ? to_space_ : from_space_).batch;
      batch.type = line.type;
      batch.n = space_;
      batch.sign = line.sign;
      const bool arrives = &batch == &to_space_.batch;
      batch.in_distance = arrives ? stride_ : row_distance_;
      batch.out_distance = arrives ? row_distance_ : stride_;
    }
    for (const Unit& u : pass.units) {
      const Index extent = rows_of(u).extent(static_cast<int>(column_));
      for (const Index count : {extent >= rows_ ? rows_ : Index{0}, std::max<Index>(extent, 0) % rows_}) {
        if (count == 0) continue;
        to_space_.need(count);
        from_space_.need(count);
      }
    }
  }

  Index chunks(Index number) const override {
    const Unit& u = this->unit(number);
    return u.in.empty() ? 0 : of_application(u) * this->applications(u);
  }

  void run(Index number, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = this->unit(number);
    const auto [application, box] = chunk_of(u, turn.chunk);
    this->look_ahead(scratch, number, turn, data_.inputs + data_.outputs);
    for (Index field = 0; field < data_.inputs; ++field) {
      read(scratch, u, application, field, box);
    }
    Box rows = box;
    rows.lo[2] = 0;
    rows.hi[2] = space_;
    Shape strides{0, 0, 1};
    strides[column_] = row_distance_;
    const Index end = to_ ? to_.out() : box.hi[column_];
    for (Index j = box.lo[column_]; j < end; j += rows_) {
      const Index count = std::min(rows_, end - j), offset = (j - box.lo[column_]) * stride_;
      rows.lo[column_] = j;
      rows.hi[column_] = j + count;
      for (std::size_t field = 0; field < scratch.inputs.size(); ++field) {
        Complex* const spectra = scratch.planes[field] + offset;
        for (Index row = 0; kept_ && row < count; ++row) kept_->spread(spectra + row * stride_);
        to_space_.run(count, spectra, scratch.inputs[field]);
      }
      this->apply(rows, scratch.inputs, scratch.outputs, strides);
      for (std::size_t field = 0; field < scratch.outputs.size(); ++field) {
        Complex* const spectra = scratch.planes[field] + offset;
        from_space_.run(count, scratch.outputs[field], spectra);
        for (Index row = 0; kept_ && row < count; ++row) kept_->gather(spectra + row * stride_);
      }
    }
    for (Index field = 0; field < data_.outputs; ++field) {
      write(scratch, u, application, field, box);
    }
    traffic.read += pass_.bytes_read(data_.inputs * box.count());
    traffic.written += pass_.bytes_written(data_.outputs * box.count());
  }

 private:
  std::pair<Index, Box> chunk_of(const Unit& u, Index chunk) const override {
    const Index part = chunk % of_application(u), groups = to_ ? 1 : groups_of(u);
    Box box = u.in;
    box.lo[beside()] += part / groups;
    box.hi[beside()] = box.lo[beside()] + 1;
    if (!to_) {
      box.lo[column_] += part % groups * rows_;
      box.hi[column_] = std::min(box.hi[column_], box.lo[column_] + rows_);
    }
    return {chunk / of_application(u), box};
  }
  /// The axis that is neither that of the columns nor axis 2.
  std::size_t beside() const { return 1 - column_; }
  /// A unit's rows in space: as many as columns have points there.
  Box rows_of(const Unit& u) const {
    Box rows = u.in;
    if (to_ && !rows.empty()) rows.hi[column_] = rows.lo[column_] + to_.out();
    return rows;
  }
  Index groups_of(const Unit& u) const { return ceil_divide(u.in.extent(static_cast<int>(column_)), rows_); }
  Index of_application(const Unit& u) const {
    return u.in.extent(static_cast<int>(beside())) * (to_ ? 1 : groups_of(u));
  }

  Scratch lay_out(ScratchParts& parts) const override {
    Scratch scratch;
    this->lay_out_planes(scratch, parts, (to_ ? most_ : rows_) * stride_);
    this->lay_out_rest(scratch, parts, rows_ * row_distance_);
    return scratch;
  }

  Shape block_strides() const {
    Shape strides{0, 0, 1};
    strides[column_] = stride_;
    return strides;
  }

  void read(Scratch& scratch, const Unit& u, Index application, Index field, const Box& box) const {
    Complex* const plane = scratch.planes[static_cast<std::size_t>(field)];
    const Index item = this->input_item(u, application, field);
    const Index first = u.first_in_of(field), last = u.last_in_of(field);
    if (to_) {
      to_.load(first, last, item, box, plane, stride_, data_.scale_before, scratch.rows, scratch.kernel);
      return;
    }
    gather<Complex>(in_, first, last, item, box, plane, block_strides());
    if (data_.scale_before == 1) return;
    const auto scale = static_cast<Real>(data_.scale_before);
    for (Index j = 0; j < box.extent(static_cast<int>(column_)); ++j) {
      for (Index k = 0; k < box.extent(2); ++k) plane[j * stride_ + k] *= scale;
    }
  }

  void write(Scratch& scratch, const Unit& u, Index application, Index field, const Box& box) const {
    Complex* const plane = scratch.planes[static_cast<std::size_t>(field)];
    const Index item = this->output_item(u, application, field), tile = u.out_tile_of(field);
    if (from_) {
      from_.store(tile, item, box, plane, stride_, data_.scale_after, scratch.rows, scratch.kernel);
    } else {
      scatter<Complex>(out_, tile, item, box, plane, block_strides(), static_cast<Real>(data_.scale_after));
    }
  }

  std::size_t column_ = 1;  ///< the axis across which rows lie
  Index space_ = 0;         ///< points of a row in space
  Index most_ = 0;          ///< rows of a unit
  Index rows_ = 1;          ///< that go through space together
  Index stride_ = 0, row_distance_ = 0;
  std::optional<KeptRows> kept_;  ///< where modes of rows are left out
  Kernels to_space_, from_space_;
};

}  // namespace

std::unique_ptr<PassRunner> make_operator_planes(const OperatorData& data, const Pass& pass, View in, View out,
                                                 const Options& options) {
  const auto make = [&]<class Real>(Real) -> std::unique_ptr<PassRunner> {
    if (data.real_middle()) {
      return std::make_unique<OperatorPlanes<Real, Real>>(data, pass, std::move(in), std::move(out), options);
    }
    return std::make_unique<OperatorPlanes<Real, std::complex<Real>>>(data, pass, std::move(in), std::move(out),
                                                                      options);
  };
  return data.problem.precision == Precision::double_ ? make(double()) : make(float());
}

}  // namespace weft::detail
