// What the middle passes of operators share: they call the function on what is in cache.
#pragma once

#include <complex>
#include <vector>

#include "execute/block_columns.hpp"
#include "execute/pass.hpp"
#include "execute/scratch.hpp"
#include "operator/operator.hpp"

namespace weft::detail {

template <class Real>
class OperatorRunner : public PassRunner {
 public:
  OperatorRunner(const OperatorData& data, const Pass& pass, View in, View out)
      : data_(data), pass_(pass), in_(std::move(in)), out_(std::move(out)) {}

  void bind(const UserArrays& arrays) override {
    in_.bind(arrays);
    out_.bind(arrays);
    call_ = arrays.call;
  }

 protected:
  using Complex = std::complex<Real>;

  const Unit& unit(Index number) const { return pass_.units[static_cast<std::size_t>(number)]; }
  /// Applications of a unit.
  Index applications(const Unit& u) const { return u.items.count() / data_.inputs; }
  Index input_item(const Unit& u, Index application, Index field) const {
    return u.items.lo + application * data_.inputs + field;
  }
  Index output_item(const Unit& u, Index application, Index field) const {
    return (u.items.lo / data_.inputs + application) * data_.outputs + field;
  }

  /// Calls the function, and keeps what it throws: other ranks wait for what this one is to send.
  template <class Number>
  void apply(const Box& box, const std::vector<Number*>& inputs, const std::vector<Number*>& outputs,
             const Shape& strides) const {
    if (call_->failed) return;
    PointTile<Number> tile;
    tile.box = box;
    tile.whole = data_.middle.box(data_.rank);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      tile.at[axis] = data_.places[axis];
      tile.odd[axis] = data_.odd[axis];
    }
    tile.inputs = {const_cast<const Number* const*>(inputs.data()), inputs.size()};
    tile.outputs = outputs;
    tile.strides = strides;
    try {
      const auto& function = *static_cast<const PointFunction<Real>*>(call_->function);
      if constexpr (std::is_same_v<Number, Complex>) {
        function.of_complex(tile);
      } else {
        function.of_real(tile);
      }
    } catch (...) {
      const std::lock_guard lock(call_->lock);
      if (!call_->failure) call_->failure = std::current_exception();
      call_->failed = true;
    }
  }

  const OperatorData& data_;
  const Pass& pass_;
  View in_, out_;
  PointCall* call_ = nullptr;
};

}  // namespace weft::detail
