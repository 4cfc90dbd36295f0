// The middle pass where rows grow on their way to the spectrum, as those of an open box do: they grow here, behind the
// exchange, and with them columns along axis 0.
//
//   blocks -> rows -> [axis 2] -> plane -> [axis 0] -> tile -> function -> tile -> [axis 0 back] -> plane ->
//   [axis 2 back] -> rows -> blocks
//
// A plane has the rows that are stored, in wave numbers along axis 2. A tile is some of its columns, in wave numbers
// along axis 0 as well: of a whole plane in these, which an open box would have four times as large as the stored
// points are, there never is more than that.
#include <algorithm>

#include "execute/kept_rows.hpp"
#include "execute/kernels.hpp"
#include "operator/runner.hpp"

namespace weft::detail {

namespace {

/// `Number` is what the spectrum has; what comes and goes is real.
template <class Number>
class GrowingPlanes final : public OperatorRunner<Number, Number> {
  using Base = OperatorRunner<Number, Number>;
  using Base::data_, Base::pass_, Base::in_, Base::out_, Base::scratch_;
  using typename Base::Real;
  using typename Base::Scratch;

 public:
  GrowingPlanes(const OperatorData& data, const Pass& pass, View in, View out, const Options& options)
      : Base(data, pass, std::move(in), std::move(out)),
        points_(data.problem.shape[2]),
        stored_(pass.in.extent(0)),
        waves_(data.middle_shape[0]) {
    if (pass.in.empty()) return;
    const Backend& backend = find_backend(options.backend);
    const Precision precision = data.problem.precision;
    const LineTransform &rows = pass.transforms.front(), &rows_back = pass.transforms.back();
    constexpr auto number_bytes = static_cast<Index>(sizeof(Number)), real_bytes = static_cast<Index>(sizeof(Real));
    width_ = traits_of(rows.type).spectrum_points(points_);
    stride_ = padded(width_, number_bytes);
    row_distance_ = padded(points_, real_bytes);
    kept_ = KeptRows(rows.kept, false, 1);
    const Index in_piece = staging_bytes / (row_distance_ * real_bytes);
    rows_ = std::min(stored_, std::max(row_lanes, in_piece / row_lanes * row_lanes));

    for (Kernels* const kernels : {&rows_to_, &rows_from_}) {
      const bool there = kernels == &rows_to_;
      *kernels = Kernels(backend, precision, options.effort);
      kernels->batch.type = (there ? rows : rows_back).type;
      kernels->batch.sign = (there ? rows : rows_back).sign;
      kernels->batch.n = points_;
      kernels->batch.in_distance = there ? row_distance_ : stride_;
      kernels->batch.out_distance = there ? stride_ : row_distance_;
      kernels->need(rows_);
      if (stored_ % rows_ != 0) kernels->need(stored_ % rows_);
    }
    columns_to_ = CachedColumns<Number>(backend, pass.transforms[1], waves_, precision, options.effort);
    columns_from_ = CachedColumns<Number>(backend, pass.transforms[2], waves_, precision, options.effort);
    looks_ahead_ = in_.has_rows() && !in_.encoded() && in_.asked_ahead() && columns_to_.asks_ahead();

    // As many columns as there is room for beside the plane, in whole cache lines of what a function may have for each.
    const Index most = chunk_bytes(pass, options) / 2 / (data.tile_fields() * waves_ * number_bytes);
    constexpr Index line = cache_line / real_bytes;
    wide_ = even_width(width_, std::max(most, line), line);
    tile_stride_ = padded(wide_, number_bytes);
  }

  Index chunks(Index number) const override {
    const Unit& u = this->unit(number);
    return u.in.empty() ? 0 : u.in.extent(1) * this->applications(u);
  }

  void run(Index number, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = this->unit(number);
    const std::pair<Index, Box> chunk = chunk_of(u, turn.chunk);
    const Index application = chunk.first;
    const Box& box = chunk.second;
    this->look_ahead(scratch, number, turn, ceil_divide(width_, wide_) * (data_.inputs + data_.outputs));
    for (Index field = 0; field < data_.inputs; ++field) read(scratch, u, application, field, box);
    for (Index first = 0; first < width_; first += wide_) {
      Box tile = seen_of(box);
      tile.lo[2] = first;
      tile.hi[2] = std::min(first + wide_, width_);
      for (std::size_t field = 0; field < scratch.inputs.size(); ++field) {
        columns_to_.run({scratch.planes[field] + first, stride_, stored_},
                        {scratch.inputs[field], tile_stride_, waves_}, tile.extent(2), data_.scale_before,
                        scratch.cached, scratch.rows.ahead, scratch.kernel);
      }
      this->apply(tile, scratch.inputs, scratch.outputs, {tile_stride_, 0, 1});
      for (std::size_t field = 0; field < scratch.outputs.size(); ++field) {
        columns_from_.run({scratch.outputs[field], tile_stride_, waves_},
                          {scratch.planes[field] + first, stride_, stored_}, tile.extent(2), data_.scale_after,
                          scratch.cached, scratch.rows.ahead, scratch.kernel);
      }
    }
    for (Index field = 0; field < data_.outputs; ++field) write(scratch, u, application, field, box);
    traffic.read += pass_.bytes_read(data_.inputs * box.count());
    traffic.written += pass_.bytes_written(data_.outputs * box.count());
  }

 private:
  /// Rows that kernels like to have at once: those that end as real numbers go as columns, of which they want some.
  static constexpr Index row_lanes =
      cache_line / static_cast<Index>(sizeof(Real)) * (NumberOf<Number>::number == detail::Number::real ? 4 : 1);

  bool looks_ahead() const override { return looks_ahead_; }

  Box seen_of(const Box& box) const override { return {box.lo, {waves_, box.hi[1], width_}}; }

  std::pair<Index, Box> chunk_of(const Unit& u, Index chunk) const override {
    Box box = u.in;
    box.lo[1] += chunk % u.in.extent(1);
    box.hi[1] = box.lo[1] + 1;
    return {chunk / u.in.extent(1), box};
  }

  Scratch lay_out(ScratchParts& parts) const override {
    Scratch scratch;
    this->lay_out_planes(scratch, parts, stored_ * stride_);
    // Rows on their way lie where tiles do before and afterwards.
    constexpr Index reals = sizeof(Number) / sizeof(Real);
    this->lay_out_rest(scratch, parts, std::max(waves_ * tile_stride_, ceil_divide(rows_ * row_distance_, reals)),
                       std::max(columns_to_.scratch_bytes(), columns_from_.scratch_bytes()));
    return scratch;
  }

  /// Calls `use` with a few rows of a plane, their number, and where they lie in the plane.
  template <class Use>
  void for_some_rows(const Box& box, Number* plane, const Use& use) const {
    Box rows = box;
    for (Index i = 0; i < stored_; i += rows_) {
      const Index count = std::min(rows_, stored_ - i);
      rows.lo[0] = box.lo[0] + i;
      rows.hi[0] = rows.lo[0] + count;
      use(rows, count, plane + i * stride_);
    }
  }

  void read(Scratch& scratch, const Unit& u, Index application, Index field, const Box& box) const {
    auto* const staging = reinterpret_cast<Real*>(scratch.inputs.front());
    for_some_rows(box, scratch.planes[static_cast<std::size_t>(field)],
                  [&](const Box& rows, Index count, Number* spectra) {
                    gather<Real>(in_, u.first_in_of(field), u.last_in_of(field),
                                 this->input_item(u, application, field), rows, staging, {row_distance_, 0, 1});
                    for (Index row = 0; row < count; ++row) kept_.spread(staging + row * row_distance_);
                    rows_to_.run(count, staging, spectra);
                  });
  }

  void write(Scratch& scratch, const Unit& u, Index application, Index field, const Box& box) const {
    auto* const staging = reinterpret_cast<Real*>(scratch.inputs.front());
    for_some_rows(box, scratch.planes[static_cast<std::size_t>(field)],
                  [&](const Box& rows, Index count, Number* spectra) {
                    rows_from_.run(count, spectra, staging);
                    scatter<Real>(out_, u.out_tile_of(field), this->output_item(u, application, field), rows, staging,
                                  {row_distance_, 0, 1}, Real(1));
                  });
  }

  Index points_, stored_, waves_;  ///< points of a row, rows of a plane, wave numbers of a column
  Index width_ = 0, stride_ = 0;   ///< of a row of a plane
  Index row_distance_ = 0, rows_ = 1;
  Index wide_ = 1, tile_stride_ = 1;  ///< columns of a tile, and numbers between its rows
  KeptRows kept_;
  Kernels rows_to_, rows_from_;
  CachedColumns<Number> columns_to_, columns_from_;
  bool looks_ahead_ = false;
};

}  // namespace

std::unique_ptr<PassRunner> make_operator_growing_planes(const OperatorData& data, const Pass& pass, View in, View out,
                                                         const Options& options) {
  return make_of_middle<GrowingPlanes>(data, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
