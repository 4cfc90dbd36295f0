// An operator as programs without operators have it: a transform, a function on arrays that lie in memory, and a
// transform back. It computes what a weft::Operator computes.
#pragma once

#include <complex>
#include <optional>
#include <utility>
#include <vector>

#include "array.hpp"
#include "operators.hpp"
#include "untyped.hpp"

namespace weft::tools {

/// Calls the function once, for all points of a box. `in` and `out`: where its fields begin; `strides`: numbers from
/// one point to the next along each axis. `plan`: of an operator of this function.
template <class Real, class Number>
void apply_to_arrays(const PointFunction<Real>& function, const OperatorPlan& plan, const Box& box,
                     const Shape& strides, const std::vector<const Number*>& in, const std::vector<Number*>& out) {
  PointTile<Number> tile;
  tile.box = tile.whole = box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    tile.at[axis] = plan.places(axis);
    tile.odd[axis] = plan.odd(axis);
  }
  tile.inputs = in;
  tile.outputs = out;
  tile.strides = strides;
  if constexpr (std::is_same_v<Number, Real>) {
    function.of_real(tile);
  } else {
    function.of_complex(tile);
  }
}

class OperatorSteps {
 public:
  /// Transforms have the operator's options, but are never in place; between them the spectrum stays transposed.
  /// Collective.
  OperatorSteps(const Problem& problem, const bindings::UntypedFunction& function, MPI_Comm comm,
                const Options& options);

  /// What the operator gets and gives. Collective.
  void execute(const void* in, void* out);
  /// Spectra of the fields in `space`, as many as an operator in space has inputs. Collective.
  void transform_inputs(const void* space, void* spectra) { first_->execute(Direction::forward, space, spectra); }

  const OperatorPlan& plan() const { return plan_; }
  /// This rank's part of what the function gets, and numbers of one field of it.
  Box middle_box() const;
  Index middle_field() const;
  /// See Plan::wire_error; of both transforms.
  double wire_error() const;

 private:
  bool at_wavenumbers() const { return plan_.at() == At::wavenumbers; }
  /// Of the first and of the second transform.
  std::pair<Direction, Direction> directions() const;
  void apply();

  bindings::UntypedFunction function_;
  OperatorPlan plan_;
  std::optional<bindings::UntypedTransform> first_, second_;
  /// What the function gets and gives: the same array where that is enough.
  std::optional<Array<char>> in_, out_;
};

}  // namespace weft::tools
