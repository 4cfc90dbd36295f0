// The public class of solvers: a thin shell around the engine.
#include "weft/poisson.hpp"

#include <utility>

#include "base/text.hpp"
#include "poisson/engine.hpp"

namespace weft {

template <class Real>
Poisson<Real>::Poisson(PoissonProblem problem, MPI_Comm comm, Options options)
    : engine_(std::make_unique<detail::PoissonEngine<Real>>(problem, comm, std::move(options))) {}

template <class Real>
Poisson<Real>::~Poisson() = default;
template <class Real>
Poisson<Real>::Poisson(Poisson&&) noexcept = default;
template <class Real>
Poisson<Real>& Poisson<Real>::operator=(Poisson&&) noexcept = default;

template <class Real>
const PoissonProblem& Poisson<Real>::problem() const {
  return engine_->problem();
}
template <class Real>
const Layout& Poisson<Real>::input() const {
  return engine_->input();
}
template <class Real>
const Layout& Poisson<Real>::output() const {
  return engine_->output();
}
template <class Real>
Box Poisson<Real>::input_box() const {
  return input().box(plan().rank());
}
template <class Real>
Box Poisson<Real>::output_box() const {
  return output().box(plan().rank());
}
template <class Real>
std::vector<Box> Poisson<Real>::input_boxes() const {
  return engine_->boxes(0);
}
template <class Real>
std::vector<Box> Poisson<Real>::output_boxes() const {
  return engine_->boxes(1);
}
template <class Real>
Index Poisson<Real>::input_size() const {
  return problem().batch * problem().inputs() * engine_->users_item(0);
}
template <class Real>
Index Poisson<Real>::output_size() const {
  return problem().batch * problem().outputs() * engine_->users_item(1);
}

template <class Real>
void Poisson<Real>::operator()(const Real* f, Real* u) {
  engine_->solve(f, u);
}
template <class Real>
void Poisson<Real>::set_shift(double shift) {
  engine_->set_shift(shift);
}
template <class Real>
void Poisson<Real>::set_wall(std::size_t axis, int end, std::span<const Real> values) {
  engine_->set_wall(axis, end, values);
}
template <class Real>
Index Poisson<Real>::wall_size(std::size_t axis, int end) const {
  return engine_->wall_size(axis, end);
}
template <class Real>
std::vector<double> Poisson<Real>::mean(const Real* f) {
  return engine_->mean(f);
}

template <class Real>
void Poisson<Real>::require_sizes(std::size_t in, std::size_t out) const {
  if (static_cast<Index>(in) >= input_size() && static_cast<Index>(out) >= output_size()) return;
  // The others are in an execution, where they agree.
  raise_any(detail::concat("the solver was given arrays of ", in, " and ", out, " numbers on rank ", plan().rank(),
                           "; at least ", input_size(), " and ", output_size(), " are needed"));
}

template <class Real>
const OperatorPlan& Poisson<Real>::plan() const {
  return engine_->transforms().plan();
}
template <class Real>
std::string Poisson<Real>::explain() const {
  return engine_->explain();
}
template <class Real>
const Statistics& Poisson<Real>::statistics() const {
  return engine_->statistics();
}
template <class Real>
void Poisson<Real>::reset_statistics() {
  engine_->reset_statistics();
}
template <class Real>
void Poisson<Real>::drop_trace() {
  engine_->transforms().drop_trace();
}
template <class Real>
void Poisson<Real>::raise_any(const std::string& message) const {
  engine_->transforms().raise_any(message);
}

template class Poisson<float>;
template class Poisson<double>;

}  // namespace weft
