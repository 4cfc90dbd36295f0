// Transforms whose precision and kind are known at run time only, as other languages have them: arrays are addresses.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "weft/ghosts.hpp"
#include "weft/sphere.hpp"
#include "weft/weft.hpp"

namespace weft::bindings {

/// The box that an array holds: with its ghosts; where ranks have several, a row of all their points.
inline Box array_box(const std::vector<Box>& boxes, const Layout& layout) {
  if (!layout.has_several()) return boxes.front();
  Index points = 0;
  for (const Box& box : boxes) points += box.count();
  return {{0, 0, 0}, {1, 1, points}};
}

/// A `Typed<float>` or `Typed<double>`.
template <template <class> class Typed>
class OfEitherPrecision {
 public:
  /// Made with `arguments`.
  template <class... Arguments>
  OfEitherPrecision(Precision precision, const Arguments&... arguments) : either_(make(precision, arguments...)) {}

  /// `work` with the one that it is.
  template <class Work>
  decltype(auto) visit(Work&& work) {
    return std::visit(std::forward<Work>(work), either_);
  }
  template <class Work>
  decltype(auto) visit(Work&& work) const {
    return std::visit(std::forward<Work>(work), either_);
  }

 private:
  using Either = std::variant<Typed<float>, Typed<double>>;
  template <class... Arguments>
  static Either make(Precision precision, const Arguments&... arguments) {
    if (precision == Precision::single_) return Typed<float>(arguments...);
    return Typed<double>(arguments...);
  }

  Either either_;
};

/// A Transform of the problem's precision.
class UntypedTransform : public OfEitherPrecision<Transform> {
 public:
  /// As Transform's: collective, and all ranks fail alike.
  UntypedTransform(const Problem& problem, MPI_Comm comm, const Options& options)
      : OfEitherPrecision(problem.precision, problem, comm, options),
        problem_(plan().problem()),
        in_place_(plan().options().in_place) {}

  const Plan& plan() const {
    return visit([](const auto& t) -> const Plan& { return t.plan(); });
  }

  /// `in` and `out` hold what the plan says; in place they are the same.
  void execute(Direction direction, const void* in, void* out) {
    if (in_place_ && in == out) return execute_in_place(direction, out);
    visit([&]<class Real>(Transform<Real>& t) {
      using Complex = std::complex<Real>;
      const bool forward = direction == Direction::forward;
      const auto run = [&](const auto* from, auto* to) { forward ? t.forward(from, to) : t.backward(from, to); };
      if (!problem_.real_input() && !problem_.real_output()) {
        run(static_cast<const Complex*>(in), static_cast<Complex*>(out));
      } else if (problem_.real_input() && problem_.real_output()) {
        run(static_cast<const Real*>(in), static_cast<Real*>(out));
      } else if (problem_.real_input() == forward) {
        run(static_cast<const Real*>(in), static_cast<Complex*>(out));
      } else {
        run(static_cast<const Complex*>(in), static_cast<Real*>(out));
      }
    });
  }
  void execute_in_place(Direction direction, void* data) {
    visit([&]<class Real>(Transform<Real>& t) {
      auto* const numbers = static_cast<std::complex<Real>*>(data);
      direction == Direction::forward ? t.forward(numbers) : t.backward(numbers);
    });
  }

 private:
  Problem problem_;
  bool in_place_;
};

/// A SphereTransform of the problem's precision.
class UntypedSphere : public OfEitherPrecision<SphereTransform> {
 public:
  /// As SphereTransform's.
  UntypedSphere(const SphereProblem& problem, const SphereWaves& waves, MPI_Comm comm, const Options& backward,
                const std::optional<Options>& forward, std::optional<Index> planes)
      : OfEitherPrecision(problem.precision, problem, waves, comm, backward, forward, planes), gamma_(problem.gamma) {}
  UntypedSphere(const SphereProblem& problem, const SphereWaves& waves, const UntypedSphere& share,
                const Options& backward, const std::optional<Options>& forward, std::optional<Index> planes)
      : OfEitherPrecision(share.visit([&](const auto& other) {
          return OfEitherPrecision(problem.precision, problem, waves, other, backward, forward, planes);
        })),
        gamma_(problem.gamma) {}

  /// Waves are complex, points in space real at Gamma and complex otherwise.
  void backward(const void* waves, void* space, const Bands& bands) {
    visit([&]<class Real>(SphereTransform<Real>& t) {
      const auto* const from = static_cast<const std::complex<Real>*>(waves);
      gamma_ ? t.backward(from, static_cast<Real*>(space), bands)
             : t.backward(from, static_cast<std::complex<Real>*>(space), bands);
    });
  }
  void forward(const void* space, void* waves, const Bands& bands) {
    visit([&]<class Real>(SphereTransform<Real>& t) {
      auto* const to = static_cast<std::complex<Real>*>(waves);
      gamma_ ? t.forward(static_cast<const Real*>(space), to, bands)
             : t.forward(static_cast<const std::complex<Real>*>(space), to, bands);
    });
  }
  void apply(const void* v, bool complex, const void* waves, void* out, const Bands& bands) {
    visit([&]<class Real>(SphereTransform<Real>& t) {
      const auto* const from = static_cast<const std::complex<Real>*>(waves);
      auto* const to = static_cast<std::complex<Real>*>(out);
      complex ? t.apply(static_cast<const std::complex<Real>*>(v), from, to, bands)
              : t.apply(static_cast<const Real*>(v), from, to, bands);
    });
  }
  void density(const void* waves, const double* weights, const double* imaginary_weights, void* rho,
               const Bands& bands) {
    visit([&]<class Real>(SphereTransform<Real>& t) {
      t.density_by_parts(static_cast<const std::complex<Real>*>(waves), weights, imaginary_weights,
                         static_cast<Real*>(rho), bands);
    });
  }

 private:
  bool gamma_;
};

/// A GhostExchange of real numbers, of which complex ones are two.
class UntypedGhosts : public OfEitherPrecision<GhostExchange> {
 public:
  UntypedGhosts(Precision precision, const Layout& field, const Layout& parts, const Ghosts& ghosts, MPI_Comm comm,
                Index batch, Index numbers, bool check)
      : OfEitherPrecision(precision, field, parts, ghosts, comm, batch, numbers, check) {}

  Box part_box() const {
    return visit([](const auto& exchange) { return exchange.part_box(); });
  }
  const std::vector<Box>& field_boxes() const {
    return visit([](const auto& exchange) -> const std::vector<Box>& { return exchange.field_boxes(); });
  }
  const std::vector<Box>& part_boxes() const {
    return visit([](const auto& exchange) -> const std::vector<Box>& { return exchange.part_boxes(); });
  }
  Redistribution::Moved scatter(const void* field, void* parts) {
    return visit([&]<class Real>(GhostExchange<Real>& exchange) {
      return exchange.scatter(static_cast<const Real*>(field), static_cast<Real*>(parts));
    });
  }
  Redistribution::Moved gather(const void* parts, void* field) {
    return visit([&]<class Real>(GhostExchange<Real>& exchange) {
      return exchange.gather(static_cast<const Real*>(parts), static_cast<Real*>(field));
    });
  }
  Redistribution::Moved accumulate(const void* parts, void* field) {
    return visit([&]<class Real>(GhostExchange<Real>& exchange) {
      return exchange.accumulate(static_cast<const Real*>(parts), static_cast<Real*>(field));
    });
  }
  Redistribution::Moved update(void* parts) {
    return visit([&]<class Real>(GhostExchange<Real>& exchange) { return exchange.update(static_cast<Real*>(parts)); });
  }
  Redistribution::Moved fold(void* parts) {
    return visit([&]<class Real>(GhostExchange<Real>& exchange) { return exchange.fold(static_cast<Real*>(parts)); });
  }
  void raise_any(const std::string& message) const {
    visit([&](const auto& exchange) { exchange.raise_any(message); });
  }
};

}  // namespace weft::bindings
