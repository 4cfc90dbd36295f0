// The public classes: thin shells around what they are made of.
#include "base/text.hpp"
#include "exchange/exchange.hpp"
#include "execute/redistribution_engine.hpp"
#include "front/transform_engine.hpp"
#include "weft/weft.hpp"

namespace weft {

using detail::Number;
using detail::TransformEngine;

namespace {
template <class Real>
Problem with_precision(Problem problem) {
  problem.precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  return problem;
}
}  // namespace

template <class Real>
Transform<Real>::Transform(Problem problem, MPI_Comm comm, Options options)
    : engine_(std::make_unique<TransformEngine>(with_precision<Real>(problem), comm, std::move(options))) {}

template <class Real>
Transform<Real>::~Transform() = default;
template <class Real>
Transform<Real>::Transform(Transform&&) noexcept = default;
template <class Real>
Transform<Real>& Transform<Real>::operator=(Transform&&) noexcept = default;

template <class Real>
const Plan& Transform<Real>::plan() const {
  return engine_->plan();
}
template <class Real>
Box Transform<Real>::input_box() const {
  return plan().input().box(plan().rank());
}
template <class Real>
Box Transform<Real>::output_box() const {
  return plan().output().box(plan().rank());
}

template <class Real>
void Transform<Real>::forward(const Complex* in, Complex* out) {
  engine_->execute(Direction::forward, in, Number::complex, out, Number::complex);
}
template <class Real>
void Transform<Real>::forward(const Real* in, Complex* out) {
  engine_->execute(Direction::forward, in, Number::real, out, Number::complex);
}
template <class Real>
void Transform<Real>::forward(const Complex* in, Real* out) {
  engine_->execute(Direction::forward, in, Number::complex, out, Number::real);
}
template <class Real>
void Transform<Real>::forward(const Real* in, Real* out) {
  engine_->execute(Direction::forward, in, Number::real, out, Number::real);
}
template <class Real>
void Transform<Real>::backward(const Complex* in, Complex* out) {
  engine_->execute(Direction::backward, in, Number::complex, out, Number::complex);
}
template <class Real>
void Transform<Real>::backward(const Complex* in, Real* out) {
  engine_->execute(Direction::backward, in, Number::complex, out, Number::real);
}
template <class Real>
void Transform<Real>::backward(const Real* in, Complex* out) {
  engine_->execute(Direction::backward, in, Number::real, out, Number::complex);
}
template <class Real>
void Transform<Real>::backward(const Real* in, Real* out) {
  engine_->execute(Direction::backward, in, Number::real, out, Number::real);
}
template <class Real>
void Transform<Real>::forward(Complex* data) {
  engine_->execute_in_place(Direction::forward, data);
}
template <class Real>
void Transform<Real>::forward(Real* data) {
  engine_->execute_in_place(Direction::forward, data);
}
template <class Real>
void Transform<Real>::backward(Complex* data) {
  engine_->execute_in_place(Direction::backward, data);
}
template <class Real>
void Transform<Real>::backward(Real* data) {
  engine_->execute_in_place(Direction::backward, data);
}

template <class Real>
void Transform<Real>::raise_any(Direction direction, const std::string& message) const {
  engine_->raise_any(direction, message);
}

template <class Real>
const Statistics& Transform<Real>::statistics() const {
  return engine_->statistics();
}
template <class Real>
void Transform<Real>::reset_statistics() {
  engine_->reset_statistics();
}
template <class Real>
void Transform<Real>::write_trace() {
  engine_->write_trace();
}
template <class Real>
void Transform<Real>::drop_trace() {
  engine_->drop_trace();
}

template <class Real>
bool Transform<Real>::have_sizes(Direction direction, std::size_t in, std::size_t out) const {
  return engine_->have_sizes(direction, static_cast<Index>(in), static_cast<Index>(out));
}

template <class Real>
bool Transform<Real>::have_bytes(Direction direction, std::size_t bytes) const {
  return engine_->have_bytes(direction, static_cast<Index>(bytes));
}

template class Transform<float>;
template class Transform<double>;

Redistribution::Redistribution(const Layout& from, const Layout& to, int element_bytes, MPI_Comm comm, Index batch,
                               Options options)
    : engine_(
          std::make_unique<detail::RedistributionEngine>(from, to, element_bytes, comm, batch, std::move(options))) {}

Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;

Redistribution::Moved Redistribution::operator()(const void* in, void* out) {
  engine_->execute(in, out);
  return engine_->moved();
}

void Redistribution::require_bytes(std::size_t in, std::size_t out) const {
  engine_->require_bytes(static_cast<Index>(in), static_cast<Index>(out));
}

void Redistribution::raise_any(const std::string& message) const { engine_->raise_any(message); }
void Redistribution::drop_trace() { engine_->drop_trace(); }

Layout gather_layout(const Shape& shape, const Box& mine, MPI_Comm comm) {
  const auto all = detail::Communicator::duplicate(comm);
  detail::require_same(all.get(), to_string(shape), "shape");
  std::vector<Box> boxes(static_cast<std::size_t>(all.size()));
  static_assert(sizeof(Box) == 6 * sizeof(Index));
  WEFT_MPI(all.get(), MPI_Allgather(&mine, 6, MPI_INT64_T, boxes.data(), 6, MPI_INT64_T, all.get()));
  Layout layout;
  detail::all_or_none(all.get(), [&] { layout = Layout::bricks(shape, boxes); });
  return layout;
}

std::vector<StrategyDescription> describe_strategies(MPI_Comm comm) {
  detail::require_communicator(comm);
  std::vector<StrategyDescription> all;
  for (const auto& strategy : detail::strategy_registry()) {
    all.push_back({strategy.name, strategy.summary, strategy.obstacle(comm)});
  }
  return all;
}

std::string version() { return WEFT_VERSION; }

}  // namespace weft
