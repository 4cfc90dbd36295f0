// The middle pass where no lines are transformed, and the function has them whole.
//
//   blocks -> tile -> function -> tile -> blocks
//
// A tile is as much as the cache holds of all fields: whole lines, part of axis 2 or all of it, and neighbours along
// the third axis.
#include <algorithm>

#include "operator/runner.hpp"

namespace weft::detail {

namespace {

/// `Element` is a number of the spectrum.
template <class Element>
class OperatorLines final : public OperatorRunner<Element, Element> {
  using Base = OperatorRunner<Element, Element>;
  using Base::data_, Base::pass_, Base::in_, Base::out_, Base::scratch_;
  using typename Base::Real;
  using typename Base::Scratch;

 public:
  OperatorLines(const OperatorData& data, const Pass& pass, View in, View out, const Options& options)
      : Base(data, pass, std::move(in), std::move(out)) {
    if (pass.in.empty()) return;
    const auto line = static_cast<std::size_t>(pass.transforms.front().axis);
    const auto number_bytes = static_cast<Index>(sizeof(Element));
    Index room = std::max<Index>(2 * chunk_bytes(pass, options) / (data.tile_fields() * number_bytes), 1);
    most_[line] = pass.in.extent(static_cast<int>(line));
    room = std::max<Index>(room / most_[line], 1);
    // Rows first: they lie side by side.
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
      if (axis == line) continue;
      Index extent = 1;
      for (const Unit& u : pass.units) extent = std::max(extent, u.in.extent(static_cast<int>(axis)));
      most_[axis] = std::min(extent, room);
      room = most_[axis] < extent ? 1 : std::max<Index>(room / extent, 1);
    }
    strides_[1] = padded(most_[2], number_bytes);
    strides_[0] = most_[1] * strides_[1];
  }

  Index chunks(Index number) const override {
    const Unit& u = this->unit(number);
    return u.in.empty() ? 0 : along(u, 0) * along(u, 1) * along(u, 2) * this->applications(u);
  }

  void run(Index number, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = this->unit(number);
    const auto [application, box] = chunk_of(u, turn.chunk);
    for (Index field = 0; field < data_.inputs; ++field) {
      Element* const tile = scratch.inputs[static_cast<std::size_t>(field)];
      gather<Element>(in_, u.first_in_of(field), u.last_in_of(field), this->input_item(u, application, field), box,
                      tile, strides_);
      if (data_.scale_before != 1) scale(tile, box, static_cast<Real>(data_.scale_before));
    }
    this->apply(box, scratch.inputs, scratch.outputs, strides_);
    for (Index field = 0; field < data_.outputs; ++field) {
      scatter<Element>(out_, u.out_tile_of(field), this->output_item(u, application, field), box,
                       scratch.outputs[static_cast<std::size_t>(field)], strides_,
                       static_cast<Real>(data_.scale_after));
    }
    traffic.read += pass_.bytes_read(data_.inputs * box.count());
    traffic.written += pass_.bytes_written(data_.outputs * box.count());
  }

 private:
  Index along(const Unit& u, std::size_t axis) const {
    return ceil_divide(u.in.extent(static_cast<int>(axis)), most_[axis]);
  }

  std::pair<Index, Box> chunk_of(const Unit& u, Index chunk) const override {
    Box box = u.in;
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
      box.lo[axis] += chunk % along(u, axis) * most_[axis];
      box.hi[axis] = std::min(box.hi[axis], box.lo[axis] + most_[axis]);
      chunk /= along(u, axis);
    }
    return {chunk, box};
  }

  void scale(Element* tile, const Box& box, Real factor) const {
    for (Index i = 0; i < box.extent(0); ++i) {
      for (Index j = 0; j < box.extent(1); ++j) {
        Element* const row = tile + i * strides_[0] + j * strides_[1];
        for (Index k = 0; k < box.extent(2); ++k) row[k] *= factor;
      }
    }
  }

  Scratch lay_out(ScratchParts& parts) const override {
    Scratch scratch;
    this->lay_out_rest(scratch, parts, most_[0] * strides_[0]);
    return scratch;
  }

  Shape most_{1, 1, 1};  ///< of a tile
  Shape strides_{0, 0, 1};
};

}  // namespace

std::unique_ptr<PassRunner> make_operator_lines(const OperatorData& data, const Pass& pass, View in, View out,
                                                const Options& options) {
  return make_of_middle<OperatorLines>(data, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
