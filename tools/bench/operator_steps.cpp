#include "operator_steps.hpp"

#include "base/mpi.hpp"
#include "base/nodes.hpp"
#include "base/simulation.hpp"

namespace weft::tools {

namespace {

OperatorPlan plan_of(const Problem& problem, const bindings::UntypedFunction& function, MPI_Comm comm,
                     Options options) {
  int rank = 0, ranks = 1;
  WEFT_MPI(comm, MPI_Comm_rank(comm, &rank));
  WEFT_MPI(comm, MPI_Comm_size(comm, &ranks));
  options.nodes = detail::find_nodes(comm, options.nodes, options.node_size).node;  // as the transforms will know them
  return function.visit(
      [&](const auto& f) { return OperatorPlan(problem, f.at, f.inputs, f.outputs, options, ranks, rank); });
}

}  // namespace

OperatorSteps::OperatorSteps(const Problem& problem, const bindings::UntypedFunction& function, MPI_Comm comm,
                             const Options& options)
    : function_(function), plan_(plan_of(problem, function, comm, options)) {
  Options of_transforms = options;
  of_transforms.in_place = false;
  if (at_wavenumbers()) of_transforms.transposed = true;
  const auto transform = [&](Index fields) {
    return bindings::UntypedTransform(
        {.shape = problem.shape,
         .kind = problem.kind,
         .precision = problem.precision,
         .modes = problem.modes,
         .points = problem.points,
         .batch = fields * problem.batch,
         .normalization =
             problem.normalization == Normalization::none ? Normalization::backward : problem.normalization},
        comm, of_transforms);
  };
  first_.emplace(transform(plan_.inputs()));
  second_.emplace(transform(plan_.outputs()));
  const auto middle_bytes = [&](const bindings::UntypedTransform& one) {
    return at_wavenumbers() ? one.plan().output_bytes() : one.plan().input_bytes();
  };
  in_.emplace(middle_bytes(*first_));
  const bool overwrites = function_.visit([](const auto& f) { return f.overwrites; });
  if (!overwrites || plan_.inputs() != plan_.outputs()) out_.emplace(middle_bytes(*second_));
}

Box OperatorSteps::middle_box() const {
  const Plan& plan = first_->plan();
  return (at_wavenumbers() ? plan.output() : plan.input()).box(plan_.rank());
}

Index OperatorSteps::middle_field() const {
  const Plan& plan = first_->plan();
  return (at_wavenumbers() ? plan.output_size() : plan.input_size()) / plan.problem().batch;
}

std::pair<Direction, Direction> OperatorSteps::directions() const {
  return at_wavenumbers() ? std::pair{Direction::forward, Direction::backward}
                          : std::pair{Direction::backward, Direction::forward};
}

double OperatorSteps::wire_error() const {
  const auto [there, back] = directions();
  return first_->plan().wire_error(there) + second_->plan().wire_error(back);
}

void OperatorSteps::execute(const void* in, void* out) {
  const auto [there, back] = directions();
  first_->execute(there, in, in_->data());
  apply();
  second_->execute(back, out_ ? out_->data() : in_->data(), out);
}

void OperatorSteps::apply() {
  const Box box = middle_box();
  if (box.empty()) return;
  const Shape strides{box.extent(1) * box.extent(2), box.extent(2), 1};
  const Index apart = middle_field();
  const auto each = [&]<class Real, class Number>(const PointFunction<Real>& function, Number) {
    // Where time is simulated: a trip through memory, as of a pass that computes nothing.
    const Index fields = (plan_.inputs() + plan_.outputs()) * plan_.problem().batch;
    detail::charge({0, static_cast<double>(fields * box.count()) * sizeof(Number)});
    if (detail::sizes_only()) return;
    auto* const from = reinterpret_cast<Number*>(in_->data());
    auto* const to = out_ ? reinterpret_cast<Number*>(out_->data()) : from;
    for (Index one = 0; one < plan_.problem().batch; ++one) {
      std::vector<const Number*> inputs;
      std::vector<Number*> outputs;
      for (Index f = 0; f < plan_.inputs(); ++f) inputs.push_back(from + (one * plan_.inputs() + f) * apart);
      for (Index f = 0; f < plan_.outputs(); ++f) outputs.push_back(to + (one * plan_.outputs() + f) * apart);
      apply_to_arrays(function, plan_, box, strides, inputs, outputs);
    }
  };
  function_.visit([&]<class Real>(const PointFunction<Real>& function) {
    plan_.real_middle() ? each(function, Real()) : each(function, std::complex<Real>());
  });
}

}  // namespace weft::tools
