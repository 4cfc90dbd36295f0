// The public class of operators: a thin shell around the engine.
#include "weft/operator.hpp"

#include "base/text.hpp"
#include "operator/engine.hpp"

namespace weft {

using detail::concat;
using detail::Number;
using detail::OperatorEngine;

namespace {

/// What is wrong with a function for such a problem; nothing if it can be called.
template <class Real>
std::string fault_of(const PointFunction<Real>& function, const Problem& problem) {
  const Kind& kind = problem.kind;
  const int axes = problem.shape.rank(), least = function.least_axes, most = function.most_axes;
  if (axes < least || axes > most) {
    return concat("the operator's function '", function.name, "' is for grids of ", least,
                  least == most ? "" : concat(" to ", most), " axes; the shape ", to_string(problem.shape), " has ",
                  axes);
  }
  const bool points = function.at == At::points;
  const bool real = (points ? detail::space_number(kind) : detail::spectrum_number(kind)) == Number::real;
  for (std::size_t axis = 0; axis < problem.shape.size() && !points; ++axis) {
    const Line line = problem.line(axis);
    if (!function.odd[axis] || line == Line::dft || line == Line::half_dft || line == Line::none) continue;
    return concat("the operator's function '", function.name, "' has derivatives of odd order along axis ", axis,
                  ", which make sines of cosines; of kind ", to_string(kind), " it has to be a dft there");
  }
  if (real ? !function.of_real : !function.of_complex) {
    return concat("the operator's function '", function.name, "' has no form for ", real ? "real" : "complex",
                  " numbers; an operator of kind ", to_string(kind), " at ", to_string(function.at), " needs one");
  }
  return {};
}

}  // namespace

template <class Real>
Operator<Real>::Operator(Problem problem, PointFunction<Real> function, MPI_Comm comm, Options options)
    : function_(std::move(function)) {
  problem.precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  engine_ =
      std::make_unique<OperatorEngine>(problem, function_.at, function_.inputs, function_.outputs, function_.overwrites,
                                       fault_of(function_, problem), comm, std::move(options));
}

template <class Real>
Operator<Real>::~Operator() = default;
template <class Real>
Operator<Real>::Operator(Operator&&) noexcept = default;
template <class Real>
Operator<Real>& Operator<Real>::operator=(Operator&&) noexcept = default;

template <class Real>
const OperatorPlan& Operator<Real>::plan() const {
  return engine_->plan();
}

template <class Real>
void Operator<Real>::set_function(PointFunction<Real> function) {
  const OperatorPlan& planned = plan();
  if (function.at != planned.at() || function.inputs != planned.inputs() || function.outputs != planned.outputs()) {
    throw Error(concat("the new function is one of ", function.inputs, " to ", function.outputs, " fields at ",
                       to_string(function.at), "; the operator was made for ", planned.inputs(), " to ",
                       planned.outputs(), " at ", to_string(planned.at())));
  }
  if (planned.data().overwrites && !function.overwrites) {
    throw Error(concat("the new function '", function.name,
                       "' needs outputs apart from its inputs; the operator was made for one that overwrites them"));
  }
  if (const std::string fault = fault_of(function, planned.problem()); !fault.empty()) throw Error(fault);
  function_ = std::move(function);
}

template <class Real>
void Operator<Real>::operator()(const Complex* in, Complex* out) {
  engine_->execute(in, out, Number::complex, &function_, function_.sure);
}
template <class Real>
void Operator<Real>::operator()(const Real* in, Real* out) {
  engine_->execute(in, out, Number::real, &function_, function_.sure);
}

template <class Real>
void Operator<Real>::require_sizes(std::size_t in, std::size_t out) const {
  if (static_cast<Index>(in) >= plan().input_size() && static_cast<Index>(out) >= plan().output_size()) return;
  // The others are in an execution, where they agree.
  engine_->raise_any(concat("the operator was given arrays of ", in, " and ", out, " numbers on rank ", plan().rank(),
                            "; at least ", plan().input_size(), " and ", plan().output_size(), " are needed"));
}

template <class Real>
const Statistics& Operator<Real>::statistics() const {
  return engine_->statistics();
}
template <class Real>
void Operator<Real>::reset_statistics() {
  engine_->reset_statistics();
}
template <class Real>
void Operator<Real>::drop_trace() {
  engine_->drop_trace();
}
template <class Real>
void Operator<Real>::raise_any(const std::string& message) const {
  engine_->raise_any(message);
}

template class Operator<float>;
template class Operator<double>;

}  // namespace weft
