#include "timed_transform.hpp"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include "base/mpi.hpp"

namespace weft::tuner {

void Scratch::Free::operator()(void* memory) const { std::free(memory); }

void* Scratch::grown(Array& array, Index bytes) {
  if (array.memory == nullptr || array.bytes < bytes) {
    constexpr std::size_t line = 64;
    const std::size_t size = (static_cast<std::size_t>(std::max<Index>(bytes, 1)) + line - 1) / line * line;
    array.memory.reset();
    array.memory.reset(std::aligned_alloc(line, size));
    if (array.memory == nullptr) throw std::bad_alloc();
    std::memset(array.memory.get(), 0, size);
    array.bytes = static_cast<Index>(size);
  }
  return array.memory.get();
}

namespace {

template <class Real>
class TimedDense final : public TimedTransform {
  using Complex = std::complex<Real>;

 public:
  TimedDense(const Problem& problem, MPI_Comm comm, Options options, Scratch& scratch)
      : transform_(problem, comm, std::move(options)), scratch_(scratch) {
    // A rank without memory must not leave the others waiting.
    detail::all_or_none(comm, [&] { static_cast<void>(arrays()); });
  }

  void run(int) override {
    const Problem& problem = transform_.plan().problem();
    const bool real_in = problem.real_input(), real_out = problem.real_output();
    const auto [in, out] = arrays();
    if (out == nullptr) {
      transform_.forward(static_cast<Complex*>(in));
      transform_.backward(static_cast<Complex*>(in));
    } else if (real_in && real_out) {
      round_trip<Real, Real>(in, out);
    } else if (!real_in && !real_out) {
      round_trip<Complex, Complex>(in, out);
    } else if (real_in) {
      round_trip<Real, Complex>(in, out);
    } else {
      round_trip<Complex, Real>(in, out);
    }
  }
  Index workspace_bytes() const override { return transform_.plan().workspace_bytes(); }

 private:
  /// Input and output; in place there is no output.
  std::pair<void*, void*> arrays() {
    const Plan& plan = transform_.plan();
    const Index in = plan.input_bytes(), out = plan.output_bytes();
    if (plan.options().in_place) return {scratch_.input(std::max(in, out)), nullptr};
    return {scratch_.input(in), scratch_.output(out)};
  }

  template <class In, class Out>
  void round_trip(void* in, void* out) {
    transform_.forward(static_cast<const In*>(in), static_cast<Out*>(out));
    transform_.backward(static_cast<const Out*>(out), static_cast<In*>(in));
  }

  Transform<Real> transform_;
  Scratch& scratch_;
};

template <class Real>
class TimedSphere final : public TimedTransform {
  using Complex = std::complex<Real>;

 public:
  TimedSphere(const SphereProblem& problem, std::span<const GVector> waves, MPI_Comm comm, const Options& backward,
              const Options& forward, std::optional<Index> planes, Scratch& scratch)
      : transform_(problem, waves, comm, backward, forward, planes),
        bands_(problem.howmany),
        waves_(static_cast<Index>(waves.size())),
        gamma_(problem.gamma),
        scratch_(scratch) {
    detail::all_or_none(comm, [&] { static_cast<void>(arrays()); });
  }

  void run(int part) override {
    const auto [waves, space] = arrays();
    if (gamma_) {
      transform(part, static_cast<Complex*>(waves), static_cast<Real*>(space));
    } else {
      transform(part, static_cast<Complex*>(waves), static_cast<Complex*>(space));
    }
  }
  Index workspace_bytes() const override { return transform_.plan().workspace_bytes(); }

 private:
  /// Plane waves, and bands in space.
  std::pair<void*, void*> arrays() {
    const Range here = transform_.bands_here(bands_);
    const Index points = transform_.plan().space_size() * (here.hi - here.lo);
    return {scratch_.input(waves_ * bands_ * static_cast<Index>(sizeof(Complex))),
            scratch_.output(points * static_cast<Index>(gamma_ ? sizeof(Real) : sizeof(Complex)))};
  }

  template <class Number>
  void transform(int part, Complex* waves, Number* space) {
    if (part == 0) {
      transform_.backward(waves, space);
    } else {
      transform_.forward(static_cast<const Number*>(space), waves);
    }
  }

  SphereTransform<Real> transform_;
  Index bands_, waves_;
  bool gamma_;
  Scratch& scratch_;
};

/// In place of a function that is not known, or made for another layout: its outputs lie where its inputs were, as
/// those of the library's have it, and all numbers are read and written.
template <class Real>
PointFunction<Real> stand_in(At at, Index inputs, Index outputs) {
  auto function = PointFunction<Real>::in_space(inputs, outputs, [](const auto& tile) {
    for (Index i = tile.box.lo[0]; i < tile.box.hi[0]; ++i) {
      for (Index j = tile.box.lo[1]; j < tile.box.hi[1]; ++j) {
        auto* const first = tile.out(0, i, j);
        const Index points = tile.box.extent(2);
        std::transform(tile.in(0, i, j), tile.in(0, i, j) + points, first, [](auto x) { return Real(0.5) * x; });
        for (std::size_t field = 1; field < tile.inputs.size(); ++field) {
          std::transform(first, first + points, tile.in(field, i, j), first, std::plus<>());
        }
        for (std::size_t field = 1; field < tile.outputs.size(); ++field) {
          std::copy_n(first, points, tile.out(field, i, j));
        }
      }
    }
  });
  function.at = at;
  function.overwrites = function.sure = true;
  return function;
}

template <class Real>
class TimedOperator final : public TimedTransform {
 public:
  TimedOperator(const Problem& problem, At at, Index inputs, Index outputs, MPI_Comm comm, Options options,
                Scratch& scratch)
      : operator_(problem, stand_in<Real>(at, inputs, outputs), comm, std::move(options)), scratch_(scratch) {
    detail::all_or_none(comm, [&] { static_cast<void>(arrays()); });
  }

  void run(int) override {
    const OperatorPlan& plan = operator_.plan();
    const auto [in, out] = arrays();
    if (plan.real_ends()) {
      operator_(static_cast<const Real*>(in), static_cast<Real*>(out));
    } else {
      operator_(static_cast<const std::complex<Real>*>(in), static_cast<std::complex<Real>*>(out));
    }
  }
  Index workspace_bytes() const override { return operator_.plan().workspace_bytes(); }

 private:
  /// Input and output; in place they are the same.
  std::pair<void*, void*> arrays() {
    const OperatorPlan& plan = operator_.plan();
    const Index in = plan.input_size() * plan.number_bytes(), out = plan.output_size() * plan.number_bytes();
    void* const input = scratch_.input(plan.options().in_place ? std::max(in, out) : in);
    return {input, plan.options().in_place ? input : scratch_.output(out)};
  }

  Operator<Real> operator_;
  Scratch& scratch_;
};

}  // namespace

std::unique_ptr<TimedTransform> make_timed_transform(const Problem& problem, MPI_Comm comm, Options options,
                                                     Scratch& scratch) {
  if (problem.precision == Precision::double_) {
    return std::make_unique<TimedDense<double>>(problem, comm, std::move(options), scratch);
  }
  return std::make_unique<TimedDense<float>>(problem, comm, std::move(options), scratch);
}

std::unique_ptr<TimedTransform> make_timed_transform(const SphereProblem& problem, std::span<const GVector> waves,
                                                     MPI_Comm comm, Options backward, Options forward,
                                                     std::optional<Index> planes, Scratch& scratch) {
  if (problem.precision == Precision::double_) {
    return std::make_unique<TimedSphere<double>>(problem, waves, comm, backward, forward, planes, scratch);
  }
  return std::make_unique<TimedSphere<float>>(problem, waves, comm, backward, forward, planes, scratch);
}

std::unique_ptr<TimedTransform> make_timed_transform(const Problem& problem, At at, Index inputs, Index outputs,
                                                     MPI_Comm comm, Options options, Scratch& scratch) {
  if (problem.precision == Precision::double_) {
    return std::make_unique<TimedOperator<double>>(problem, at, inputs, outputs, comm, std::move(options), scratch);
  }
  return std::make_unique<TimedOperator<float>>(problem, at, inputs, outputs, comm, std::move(options), scratch);
}

}  // namespace weft::tuner
