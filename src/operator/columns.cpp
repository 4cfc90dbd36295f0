// The middle pass where the function works on columns: at wave numbers, along axis 0.
//
//   blocks -> [columns] -> tile -> function -> tile -> [columns back] -> blocks
//
// A tile is as much as the cache holds of all fields: all of the columns' length, part of axis 2 or all of it, and then
// as many neighbours along the third axis as fit, so that the function is called for many points at once.
#include <algorithm>

#include "operator/runner.hpp"

namespace weft::detail {

namespace {

/// `Element` is a number of the spectrum.
template <class Element>
class OperatorColumns final : public OperatorRunner<Element, Element> {
  using Base = OperatorRunner<Element, Element>;
  using Base::data_, Base::pass_, Base::in_, Base::out_, Base::to_, Base::from_, Base::scratch_;
  using typename Base::Scratch;

 public:
  OperatorColumns(const OperatorData& data, const Pass& pass, View in, View out, const Options& options)
      : Base(data, pass, std::move(in), std::move(out)),
        axis_(static_cast<std::size_t>(pass.transforms.front().axis)),
        beside_(1 - axis_) {
    if (pass.in.empty()) return;
    const Backend& backend = find_backend(options.backend);
    const Index far = pass.in.extent(static_cast<int>(axis_)), near = data.middle.shape()[axis_];
    const Index n = std::max(far, near);
    const Precision precision = data.problem.precision;
    to_ = BlockColumns<Element>(in_, backend, pass.transforms.front(), far, near, precision, options.effort);
    from_ = BlockColumns<Element>(out_, backend, pass.transforms.back(), near, far, precision, options.effort);
    const Index fields = data.tile_fields();
    const auto number_bytes = static_cast<Index>(sizeof(Element));
    const auto fill = [&](Index bytes, Index most) {
      return std::clamp<Index>(2 * chunk_bytes(pass, options) / bytes, 1, most);
    };
    Shape most{0, 0, 0};
    for (const Unit& u : pass.units) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        most[axis] = std::max(most[axis], u.in.extent(static_cast<int>(axis)));
      }
    }
    const Index per_line = cache_line / number_bytes;
    wide_ = untransformed(data.problem, 2) ? most[2]
                                           : even_width(most[2], fill(fields * n * number_bytes, most[2]), per_line);
    stride_ = padded(wide_, number_bytes);
    plane_ = n * stride_;
    deep_ = wide_ == most[2] ? fill(fields * plane_ * number_bytes, most[beside_]) : 1;
    strides_[axis_] = stride_;
    strides_[beside_] = plane_;
  }

  Index chunks(Index number) const override {
    const Unit& u = this->unit(number);
    return u.in.empty() ? 0 : across(u) * ceil_divide(u.in.extent(2), wide_) * this->applications(u);
  }

  void run(Index number, Turn turn, int thread, MemoryTraffic& traffic) override {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const Unit& u = this->unit(number);
    // Two variables: Clang before 17 lets no lambda capture a structured binding.
    const std::pair<Index, Box> chunk = chunk_of(u, turn.chunk);
    const Index application = chunk.first;
    const Box& box = chunk.second;
    const Index planes = (data_.inputs + data_.outputs) * box.extent(static_cast<int>(beside_));
    this->look_ahead(scratch, number, turn, planes);
    for_each_plane(box, scratch.inputs, [&](const Box& plane, Index field, Element* block) {
      to_.load(u.first_in_of(field), u.last_in_of(field), this->input_item(u, application, field), plane, block,
               stride_, data_.scale_before, scratch.rows, scratch.kernel);
    });
    this->apply(seen_of(box), scratch.inputs, scratch.outputs, strides_);
    for_each_plane(box, scratch.outputs, [&](const Box& plane, Index field, Element* block) {
      from_.store(u.out_tile_of(field), this->output_item(u, application, field), plane, block, stride_,
                  data_.scale_after, scratch.rows, scratch.kernel);
    });
    traffic.read += pass_.bytes_read(data_.inputs * box.count());
    traffic.written += pass_.bytes_written(data_.outputs * box.count());
  }

 private:
  Box seen_of(const Box& box) const override {
    Box seen = box;
    seen.hi[axis_] = data_.middle.shape()[axis_];
    return seen;
  }

  std::pair<Index, Box> chunk_of(const Unit& u, Index chunk) const override {
    const Index along = ceil_divide(u.in.extent(2), wide_);
    Box box = u.in;
    box.lo[2] += chunk % along * wide_;
    box.hi[2] = std::min(box.hi[2], box.lo[2] + wide_);
    box.lo[beside_] += chunk / along % across(u) * deep_;
    box.hi[beside_] = std::min(box.hi[beside_], box.lo[beside_] + deep_);
    return {chunk / (across(u) * along), box};
  }

  Index across(const Unit& u) const { return ceil_divide(u.in.extent(static_cast<int>(beside_)), deep_); }

  Scratch lay_out(ScratchParts& parts) const override {
    Scratch scratch;
    this->lay_out_rest(scratch, parts, deep_ * plane_);
    return scratch;
  }

  template <class Use>
  void for_each_plane(const Box& box, const std::vector<Element*>& blocks, const Use& use) const {
    for (std::size_t field = 0; field < blocks.size(); ++field) {
      Box plane = box;
      for (Index b = box.lo[beside_]; b < box.hi[beside_]; ++b) {
        plane.lo[beside_] = b;
        plane.hi[beside_] = b + 1;
        use(plane, static_cast<Index>(field), blocks[field] + (b - box.lo[beside_]) * plane_);
      }
    }
  }

  std::size_t axis_, beside_;
  Index wide_ = 1, deep_ = 1;     ///< of a tile, along axis 2 and beside the columns
  Index stride_ = 0, plane_ = 0;  ///< numbers between rows of a block, and between its planes
  Shape strides_{0, 0, 1};
};

}  // namespace

std::unique_ptr<PassRunner> make_operator_columns(const OperatorData& data, const Pass& pass, View in, View out,
                                                  const Options& options) {
  return make_of_middle<OperatorColumns>(data, pass, std::move(in), std::move(out), options);
}

}  // namespace weft::detail
