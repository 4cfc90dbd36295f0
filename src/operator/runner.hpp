// What the middle passes of operators share: they call the function on what is in cache.
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "execute/block_columns.hpp"
#include "execute/scratch_runner.hpp"
#include "operator/cached_columns.hpp"
#include "operator/operator.hpp"

namespace weft::detail {

/// Where a thread works. `Number` is what the function sees, `Element` what comes and goes.
template <class Number, class Element>
struct OperatorScratch {
  std::vector<Element*> planes;          ///< where the function sees something else
  std::vector<Number*> inputs, outputs;  ///< of the function, by field
  std::byte* kernel = nullptr;
  RunRows<Element> rows;
  CachedAddresses<Element> cached;
};

template <class Number, class Element>
class OperatorRunner : public ScratchRunner<OperatorScratch<Number, Element>> {
 public:
  using Real = typename NumberOf<Element>::Real;
  using Scratch = OperatorScratch<Number, Element>;

  OperatorRunner(const OperatorData& data, const Pass& pass, View in, View out)
      : ScratchRunner<Scratch>(pass, std::move(in), std::move(out)), data_(data) {}

 protected:
  /// Room for planes of so many numbers each. Outputs are written where inputs have been read.
  void lay_out_planes(Scratch& scratch, ScratchParts& parts, Index numbers) const {
    for (Index field = 0; field < std::max(data_.inputs, data_.outputs); ++field) {
      scratch.planes.push_back(parts.take<Element>(numbers));
    }
  }
  /// Room for the function's fields of so many numbers each, and for columns; `kernel_bytes` for others than those from
  /// and to memory.
  void lay_out_rest(Scratch& scratch, ScratchParts& parts, Index numbers, Index kernel_bytes = 0) const {
    for (Index field = 0; field < data_.inputs; ++field) scratch.inputs.push_back(parts.take<Number>(numbers));
    for (Index field = 0; field < data_.outputs; ++field) {
      const bool over = data_.overwrites && field < data_.inputs;
      scratch.outputs.push_back(over ? scratch.inputs[static_cast<std::size_t>(field)] : parts.take<Number>(numbers));
    }
    scratch.kernel = parts.take<std::byte>(std::max({to_.scratch_bytes(), from_.scratch_bytes(), kernel_bytes}));
    scratch.rows = RunRows<Element>(to_.in(), to_.out());
  }

  /// Applications of a unit.
  Index applications(const Unit& u) const { return u.items.count() / data_.inputs; }
  Index input_item(const Unit& u, Index application, Index field) const {
    return u.items.lo + application * data_.inputs + field;
  }
  Index output_item(const Unit& u, Index application, Index field) const {
    return (u.items.lo / data_.inputs + application) * data_.outputs + field;
  }

  /// What the function sees of a chunk with this box; without points if that is not said.
  virtual Box seen_of(const Box&) const { return {}; }

  /// Whether the next chunk is worth asking for.
  virtual bool looks_ahead() const { return to_.looks_ahead(); }

  /// The application and the box of a chunk.
  virtual std::pair<Index, Box> chunk_of(const Unit& u, Index chunk) const = 0;

  /// Begins a chunk: while it is computed, in which columns run so many times, the next one of this thread is asked
  /// for. `chunk_of` has the application and the box of a chunk.
  void look_ahead(Scratch& scratch, Index number, Turn turn, Index times) const {
    LookAhead& ahead = scratch.rows.ahead;
    scratch.rows.asked = ahead.begin(number, turn.chunk);
    if (!looks_ahead() || turn.next < 0) return;
    const Unit& u = this->unit(number);
    const auto [application, box] = chunk_of(u, turn.next);
    for (Index field = 0; field < data_.inputs; ++field) {
      ahead.ask(this->in_, u.first_in_of(field), u.last_in_of(field), input_item(u, application, field), box);
    }
    const auto& function = *static_cast<const PointFunction<Real>*>(this->arrays_.call->function);
    if (const Box seen = seen_of(box); function.reads && !seen.empty()) {
      const std::span<const std::byte> memory = function.reads(seen);
      ahead.ask(memory.data(), static_cast<Index>(memory.size()));
    }
    ahead.share(number, turn.next, times);
  }

  /// Calls the function, and keeps what it throws: other ranks wait for what this one is to send.
  void apply(const Box& box, const std::vector<Number*>& inputs, const std::vector<Number*>& outputs,
             const Shape& strides) const {
    PointCall& call = *this->arrays_.call;
    if (call.failed) return;
    PointTile<Number> tile;
    tile.box = box;
    tile.whole = data_.whole;
    tile.shape = data_.middle_shape;
    for (std::size_t axis = 0; axis < tile.shape.size(); ++axis) {
      tile.at[axis] = data_.places[axis];
      tile.odd[axis] = data_.odd[axis];
    }
    tile.inputs = {const_cast<const Number* const*>(inputs.data()), inputs.size()};
    tile.outputs = outputs;
    tile.strides = strides;
    try {
      const auto& function = *static_cast<const PointFunction<Real>*>(call.function);
      if constexpr (NumberOf<Number>::number == detail::Number::complex) {
        function.of_complex(tile);
      } else {
        function.of_real(tile);
      }
    } catch (...) {
      const std::lock_guard lock(call.lock);
      if (!call.failure) call.failure = std::current_exception();
      call.failed = true;
    }
  }

  const OperatorData& data_;
  BlockColumns<Element> to_, from_;  ///< to the function, and from it
};

/// A runner of the numbers that the function sees.
template <template <class> class Runner>
std::unique_ptr<PassRunner> make_of_middle(const OperatorData& data, const Pass& pass, View in, View out,
                                           const Options& options) {
  const auto make = [&]<class Element>(Element) -> std::unique_ptr<PassRunner> {
    return std::make_unique<Runner<Element>>(data, pass, std::move(in), std::move(out), options);
  };
  if (data.problem.precision == Precision::double_) {
    return data.real_middle() ? make(double()) : make(std::complex<double>());
  }
  return data.real_middle() ? make(float()) : make(std::complex<float>());
}

}  // namespace weft::detail
