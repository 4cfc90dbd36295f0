// The public class of a sphere's transforms: a thin shell around the engine.
#include "weft/sphere.hpp"

#include "base/text.hpp"
#include "sphere/engine.hpp"

namespace weft {

using detail::Number;
using detail::SphereEngine;

namespace {
template <class Real>
SphereProblem with_precision(SphereProblem problem) {
  problem.precision = sizeof(Real) == 8 ? Precision::double_ : Precision::single_;
  return problem;
}
}  // namespace

template <class Real>
SphereTransform<Real>::SphereTransform(const SphereProblem& problem, const SphereWaves& waves, MPI_Comm comm,
                                       const Options& backward, const std::optional<Options>& forward,
                                       std::optional<Index> planes)
    : engine_(std::make_unique<SphereEngine>(with_precision<Real>(problem), waves,
                                             std::make_shared<SphereEngine::Shared>(comm), backward,
                                             forward.value_or(backward), planes)) {}

template <class Real>
template <class Other>
SphereTransform<Real>::SphereTransform(const SphereProblem& problem, const SphereWaves& waves,
                                       const SphereTransform<Other>& share, const Options& backward,
                                       const std::optional<Options>& forward, std::optional<Index> planes)
    : engine_(std::make_unique<SphereEngine>(with_precision<Real>(problem), waves, share.engine_->shared(), backward,
                                             forward.value_or(backward), planes)) {}

template <class Real>
SphereTransform<Real>::~SphereTransform() = default;
template <class Real>
SphereTransform<Real>::SphereTransform(SphereTransform&&) noexcept = default;
template <class Real>
SphereTransform<Real>& SphereTransform<Real>::operator=(SphereTransform&&) noexcept = default;

template <class Real>
const SpherePlan& SphereTransform<Real>::plan() const {
  return engine_->plan();
}

template <class Real>
Range SphereTransform<Real>::bands_here(Index count) const {
  return engine_->bands_here(count);
}

template <class Real>
void SphereTransform<Real>::backward(const Complex* waves, Complex* space, const Bands& bands) {
  engine_->transform(Direction::backward, waves, space, Number::complex, bands);
}
template <class Real>
void SphereTransform<Real>::backward(const Complex* waves, Real* space, const Bands& bands) {
  engine_->transform(Direction::backward, waves, space, Number::real, bands);
}
template <class Real>
void SphereTransform<Real>::forward(const Complex* space, Complex* waves, const Bands& bands) {
  engine_->transform(Direction::forward, space, waves, Number::complex, bands);
}
template <class Real>
void SphereTransform<Real>::forward(const Real* space, Complex* waves, const Bands& bands) {
  engine_->transform(Direction::forward, space, waves, Number::real, bands);
}
template <class Real>
void SphereTransform<Real>::apply(const Real* v, const Complex* waves, Complex* out, const Bands& bands) {
  engine_->apply(v, Number::real, waves, out, bands);
}
template <class Real>
void SphereTransform<Real>::apply(const Complex* v, const Complex* waves, Complex* out, const Bands& bands) {
  engine_->apply(v, Number::complex, waves, out, bands);
}
template <class Real>
void SphereTransform<Real>::density(const Complex* waves, const double* weights, Real* rho, const Bands& bands) {
  engine_->density(waves, {weights, nullptr}, rho, bands);
}

template <class Real>
void SphereTransform<Real>::density_by_parts(const Complex* waves, const double* weights,
                                             const double* imaginary_weights, Real* rho, const Bands& bands) {
  engine_->density(waves, {weights, imaginary_weights}, rho, bands);
}

template <class Real>
Statistics SphereTransform<Real>::statistics() const {
  return engine_->statistics();
}
template <class Real>
void SphereTransform<Real>::reset_statistics() {
  engine_->reset_statistics();
}
template <class Real>
void SphereTransform<Real>::drop_trace() {
  engine_->drop_trace();
}
template <class Real>
void SphereTransform<Real>::raise_any(const std::string& message) const {
  engine_->raise_any(message);
}

template <class Real>
void SphereTransform<Real>::require_sizes(const char* call, const Bands& bands,
                                          std::initializer_list<Given> arrays) const {
  for (const auto& [name, holds, numbers] : arrays) {
    Index needed = 0;
    switch (holds) {
      case Holds::waves: needed = engine_->waves_needed(bands); break;
      case Holds::results: needed = engine_->results_needed(bands); break;
      case Holds::space: needed = engine_->space_needed(bands); break;
      case Holds::points: needed = engine_->numbers_of_fields(); break;
      case Holds::weights: needed = engine_->bands_of(bands); break;
    }
    if (static_cast<Index>(numbers) >= needed) continue;
    // The others are in an execution, where they agree.
    raise_any(detail::concat(call, " was given ", name, " of ", numbers, " numbers on rank ", engine_->rank(),
                             "; at least ", needed, " are needed"));
  }
}

template class SphereTransform<float>;
template class SphereTransform<double>;
#define WEFT_SHARE(REAL, OTHER)                                                                  \
  template SphereTransform<REAL>::SphereTransform(const SphereProblem&, const SphereWaves&,      \
                                                  const SphereTransform<OTHER>&, const Options&, \
                                                  const std::optional<Options>&, std::optional<Index>)
WEFT_SHARE(float, float);
WEFT_SHARE(float, double);
WEFT_SHARE(double, float);
WEFT_SHARE(double, double);
#undef WEFT_SHARE

}  // namespace weft
