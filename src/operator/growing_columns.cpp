// The middle pass where columns along axis 1 grow on their way to the spectrum, as those of an open box do: they grow
// here, behind the exchange, and then those along axis 0.
//
//   blocks -> [axis 1] -> strip -> [axis 0] -> tile -> function -> tile -> [axis 0 back] -> strip -> [axis 1 back] ->
//   blocks
//
// A strip is a part of axis 2, of all that is stored along axis 0, in wave numbers along axis 1. It may be as large as
// the last cache level allows. A tile is a part of its columns, in wave numbers along axis 0 as well.
#include <algorithm>

#include "operator/runner.hpp"

namespace weft::detail {

namespace {

/// `Number` is what the spectrum has, and what comes and goes.
template <class Number>
class GrowingColumns final : public OperatorRunner<Number, Number> {
  using Base = OperatorRunner<Number, Number>;
  using Base::data_, Base::pass_, Base::in_, Base::out_, Base::to_, Base::from_, Base::scratch_;
  using typename Base::Real;
  using typename Base::Scratch;

 public:
  GrowingColumns(const OperatorData& data, const Pass& pass, View in, View out, const Options& options)
      : Base(data, pass, std::move(in), std::move(out)),
        stored_(pass.in.extent(0)),
        waves_(data.middle.shape()[0]),
        rows_(data.middle.shape()[1]) {
    if (pass.in.empty()) return;
    const Backend& backend = find_backend(options.backend);
    const Precision precision = data.problem.precision;
    const Index far = pass.in.extent(1);
    to_ = BlockColumns<Number>(in_, backend, pass.transforms[0], far, rows_, precision, options.effort);
    columns_to_ = CachedColumns<Number>(backend, pass.transforms[1], waves_, precision, options.effort);
    columns_from_ = CachedColumns<Number>(backend, pass.transforms[2], waves_, precision, options.effort);
    from_ = BlockColumns<Number>(out_, backend, pass.transforms[3], rows_, far, precision, options.effort);

    // As many columns as the second level has room for, but whole cache lines of what a function may have for each.
    constexpr auto number_bytes = static_cast<Index>(sizeof(Number));
    constexpr Index line = cache_line / static_cast<Index>(sizeof(Real));
    const Index strips = std::max(data.inputs, data.outputs), most = pass.in.extent(2);
    const Index room = second_level_cache() / 2 / (strips * stored_ * rows_ * number_bytes);
    wide_ = even_width(most, std::max(room, line), line);
    plane_ = padded(rows_ * wide_, number_bytes);
    const Index row_bytes = data.tile_fields() * waves_ * wide_ * number_bytes;
    deep_ = std::clamp<Index>(chunk_bytes(pass, options) / 2 / row_bytes, 1, rows_);
    tile_stride_ = padded(deep_ * wide_, number_bytes);
    looks_ahead_ = to_.looks_ahead() && 4 * strips * stored_ * far * wide_ * number_bytes <= second_level_cache();
  }

  Index chunks(Index number) const override {
    const Unit& u = this->unit(number);
    return u.in.empty() ? 0 : ceil_divide(u.in.extent(2), wide_) * this->applications(u);
  }

  void run(Index number, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = this->unit(number);
    const std::pair<Index, Box> chunk = chunk_of(u, turn.chunk);
    const Index application = chunk.first;
    const Box& box = chunk.second;
    const Index wide = box.extent(2);
    this->look_ahead(scratch, number, turn, (data_.inputs + data_.outputs) * (stored_ + ceil_divide(rows_, deep_)));
    for (Index field = 0; field < data_.inputs; ++field) {
      for_each_plane(box, scratch.planes[static_cast<std::size_t>(field)], [&](const Box& plane, Number* rows) {
        to_.load(u.first_in_of(field), u.last_in_of(field), this->input_item(u, application, field), plane, rows, wide,
                 data_.scale_before, scratch.rows, scratch.kernel);
      });
    }
    for (Index first = 0; first < rows_; first += deep_) {
      const Index deep = std::min(deep_, rows_ - first);
      const auto strip = [&](std::size_t field) {
        return CachedRows<Number>{scratch.planes[field] + first * wide, plane_, stored_};
      };
      const auto tile = [&](Number* numbers) { return CachedRows<Number>{numbers, tile_stride_, waves_}; };
      for (std::size_t field = 0; field < scratch.inputs.size(); ++field) {
        columns_to_.run(strip(field), tile(scratch.inputs[field]), deep * wide, 1, scratch.cached, scratch.rows.ahead,
                        scratch.kernel);
      }
      const Box seen{{0, first, box.lo[2]}, {waves_, first + deep, box.hi[2]}};
      this->apply(seen, scratch.inputs, scratch.outputs, {tile_stride_, wide, 1});
      for (std::size_t field = 0; field < scratch.outputs.size(); ++field) {
        columns_from_.run(tile(scratch.outputs[field]), strip(field), deep * wide, 1, scratch.cached,
                          scratch.rows.ahead, scratch.kernel);
      }
    }
    for (Index field = 0; field < data_.outputs; ++field) {
      for_each_plane(box, scratch.planes[static_cast<std::size_t>(field)], [&](const Box& plane, Number* rows) {
        from_.store(u.out_tile_of(field), this->output_item(u, application, field), plane, rows, wide,
                    data_.scale_after, scratch.rows, scratch.kernel);
      });
    }
    traffic.read += pass_.bytes_read(data_.inputs * box.count());
    traffic.written += pass_.bytes_written(data_.outputs * box.count());
  }

 private:
  bool looks_ahead() const override { return looks_ahead_; }

  std::pair<Index, Box> chunk_of(const Unit& u, Index chunk) const override {
    const Index parts = ceil_divide(u.in.extent(2), wide_);
    Box box = u.in;
    box.lo[2] += chunk % parts * wide_;
    box.hi[2] = std::min(box.hi[2], box.lo[2] + wide_);
    return {chunk / parts, box};
  }

  Scratch lay_out(ScratchParts& parts) const override {
    Scratch scratch;
    this->lay_out_planes(scratch, parts, stored_ * plane_);
    this->lay_out_rest(scratch, parts, waves_ * tile_stride_,
                       std::max(columns_to_.scratch_bytes(), columns_from_.scratch_bytes()));
    return scratch;
  }

  template <class Use>
  void for_each_plane(const Box& box, Number* strip, const Use& use) const {
    Box plane = box;
    for (Index i = box.lo[0]; i < box.hi[0]; ++i, strip += plane_) {
      plane.lo[0] = i;
      plane.hi[0] = i + 1;
      use(plane, strip);
    }
  }

  Index stored_, waves_, rows_;       ///< points along axis 0, wave numbers along it, and along axis 1
  Index wide_ = 1, plane_ = 0;        ///< of a strip: columns of axis 2, and numbers between places along axis 0
  Index deep_ = 1, tile_stride_ = 1;  ///< of a tile: places along axis 1, and numbers between its rows
  CachedColumns<Number> columns_to_, columns_from_;
  bool looks_ahead_ = false;
};

}  // namespace

std::unique_ptr<PassRunner> make_operator_growing_columns(const OperatorData& data, const Pass& pass, View in, View out,
                                                          const Options& options) {
  return make_of_middle<GrowingColumns>(data, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
