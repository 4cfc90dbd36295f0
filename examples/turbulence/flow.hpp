// The method: incompressible flow in a periodic box of length 2 pi, pseudo-spectral, in rotational form.
//
//   du/dt = N - nu k^2 u,   N = P (u x omega),   omega = i k x u,   P = 1 - k k / k^2
//
// for the spectrum u(k) of the velocity. u x omega is taken in space: one operator takes the spectra of u and omega
// there and the product's back. P takes out what the pressure undoes. Wave numbers of n/3 and more are left out (the
// 2/3 rule), so that the product has no aliases, and energy goes by viscosity alone: dE/dt = -2 nu Z. Spectra have no
// place for them, and the transforms skip them. In time: the classical scheme of Runge and Kutta for exp(nu k^2 t) u,
// whose equation has no viscous term, so that this is exact (an integrating factor).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "weft/operator.hpp"

namespace turbulence {

using weft::Index;
using Complex = std::complex<double>;
using Wave = std::array<double, 3>;     // a wave vector k
using Vector = std::array<Complex, 3>;  // a field's spectrum at k

/// From the spectra of u and omega, six fields, to that of u x omega, three; u(x) is the sum of u(k) exp(i k x).
struct Product {
  weft::Shape modes;    // of spectra, which are n0 x n1 x (n2/2+1) numbers for n modes
  weft::Box box;        // this rank's part of them
  weft::Shape strides;  // in memory, from one index to the next along each axis
  Index points;         // from one field to the next
  std::function<void(Complex*, Complex*)> run;
};

/// The modes of n points that are kept: wave numbers below n/3, and their negatives.
inline weft::Shape kept_modes(weft::Shape shape) {
  for (Index& n : shape) n = 2 * ((n - 1) / 3) + 1;
  return shape;
}

/// By Weft, while a plane is in cache. Spectra stay transposed, as the transforms leave them.
inline Product woven_product(const weft::Shape& shape, MPI_Comm comm) {
  const weft::Problem problem{.shape = shape,
                              .kind = weft::Kind::r2c,
                              .modes = kept_modes(shape),
                              .normalization = weft::Normalization::forward};
  weft::Options options;
  options.transposed = true;
  const auto woven = std::make_shared<weft::Operator<double>>(problem, weft::cross<double>(), comm, options);
  const weft::Box box = woven->plan().input_box();
  return {.modes = problem.modes,
          .box = box,
          .strides = {box.extent(1) * box.extent(2), box.extent(2), 1},
          .points = box.count(),
          .run = [woven](Complex* in, Complex* out) { (*woven)(in, out); }};
}

inline double dot(const Wave& a, const Wave& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// What of a field has no divergence.
inline Vector projected(const Vector& f, const Wave& k) {
  const double k2 = dot(k, k);
  const Complex along = k2 > 0 ? (k[0] * f[0] + k[1] * f[1] + k[2] * f[2]) / k2 : 0.0;
  return {f[0] - k[0] * along, f[1] - k[1] * along, f[2] - k[2] * along};
}

inline Vector curl(const Vector& u, const Wave& k) {
  const auto times_i = [](const Complex& z) { return Complex(-z.imag(), z.real()); };
  return {times_i(k[1] * u[2] - k[2] * u[1]), times_i(k[2] * u[0] - k[0] * u[2]), times_i(k[0] * u[1] - k[1] * u[0])};
}

class Flow {
 public:
  Flow(const weft::Shape& shape, double viscosity, Product product, MPI_Comm comm)
      : viscosity_(viscosity), product_(std::move(product)), comm_(comm) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::vector<double> waves = weft::wavenumbers(product_.modes[axis], 2 * std::numbers::pi, axis == 2);
      for (Index i = product_.box.lo[axis]; i < product_.box.hi[axis]; ++i) {
        const double k = waves[static_cast<std::size_t>(i)];
        if (3 * std::abs(k) >= static_cast<double>(shape[axis])) continue;
        kept_[axis].push_back({(i - product_.box.lo[axis]) * product_.strides[axis], k});
      }
      longest_ += static_cast<double>(shape[axis] * shape[axis]) / 9;
    }
    const auto points = static_cast<std::size_t>(product_.points);
    velocity_.resize(3 * points);
    sum_.resize(3 * points);
    n_.resize(3 * points);
    stage_.resize(6 * points);
  }

  /// A step of Runge and Kutta. e is the decay by viscosity in half of it.
  void step(double dt) {
    using C = Complex;
    stage(dt, [=](C& u, C& sum, C n, double e) { return sum = e * e * (u + dt / 6 * n), e * (u + dt / 2 * n); });
    stage(dt, [=](C& u, C& sum, C n, double e) { return sum += dt / 3 * e * n, e * u + dt / 2 * n; });
    stage(dt, [=](C& u, C& sum, C n, double e) { return sum += dt / 3 * e * n, e * (e * u + dt * n); });
    stage(dt, [=](C& u, C& sum, C n, double) { return u = sum + dt / 6 * n; });
  }

  /// u(k) = f(u(k), k) at the wave vectors that are kept.
  template <class F>
  void change(const F& f) {
    for_each_wave([&](Index p, const Wave& k) {
      const Vector u = f(at(velocity_, p), k);
      put(velocity_, p, u);
      to_space(p, u, k);
    });
  }

  /// Kinetic energy <u^2>/2 and enstrophy <omega^2>/2. Collective.
  struct Sample {
    double energy = 0, enstrophy = 0;
  };
  Sample sample() const {
    double sums[] = {0, 0};
    for_each_wave([&](Index p, const Wave& k) {
      sums[0] += energy(p, k);
      sums[1] += dot(k, k) * energy(p, k);
    });
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, comm_);
    return {sums[0], sums[1]};
  }

  /// Energy by shells: that of all k whose length is rounded to 0, 1, 2, ... Collective.
  std::vector<double> spectrum() const {
    std::vector<double> energies(static_cast<std::size_t>(std::sqrt(longest_)) + 2);
    for_each_wave([&](Index p, const Wave& k) { energies[shell(k)] += energy(p, k); });
    MPI_Allreduce(MPI_IN_PLACE, energies.data(), static_cast<int>(energies.size()), MPI_DOUBLE, MPI_SUM, comm_);
    return energies;
  }
  static std::size_t shell(const Wave& k) { return static_cast<std::size_t>(std::lround(std::sqrt(dot(k, k)))); }

  /// The spectrum of the velocity, three fields of this rank's part each. After writing to it: change().
  std::vector<Complex>& velocity() { return velocity_; }
  const Product& product() const { return product_; }

 private:
  struct Line {
    Index at;  // in memory
    double k;
  };

  template <class Use>
  void for_each_wave(const Use& use) const {
    for (const Line& i : kept_[0]) {
      for (const Line& j : kept_[1]) {
        for (const Line& k : kept_[2]) use(i.at + j.at + k.at, Wave{i.k, j.k, k.k});
      }
    }
  }

  template <class Update>
  void stage(double dt, const Update& update) {
    product_.run(stage_.data(), n_.data());
    for_each_wave([&](Index p, const Wave& k) {
      const Vector n = projected(at(n_, p), k);
      const double decay = std::exp(-viscosity_ * dot(k, k) * dt / 2);
      Vector next;
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t here = static_cast<std::size_t>(p) + c * static_cast<std::size_t>(product_.points);
        next[c] = update(velocity_[here], sum_[here], n[c], decay);
      }
      to_space(p, next, k);
    });
  }

  /// What the next product is made of.
  void to_space(Index p, const Vector& u, const Wave& k) {
    put(stage_, p, u);
    put(stage_, p + 3 * product_.points, curl(u, k));
  }

  Vector at(const std::vector<Complex>& fields, Index p) const {
    const Complex* const first = fields.data() + p;
    return {first[0], first[product_.points], first[2 * product_.points]};
  }
  void put(std::vector<Complex>& fields, Index p, const Vector& u) const {
    for (Index c = 0; c < 3; ++c)
      fields[static_cast<std::size_t>(p + c * product_.points)] = u[static_cast<std::size_t>(c)];
  }
  /// Of the wave vector and, of real fields, its negative.
  double energy(Index p, const Wave& k) const {
    const Vector u = at(velocity_, p);
    return (k[2] == 0 ? 0.5 : 1) * (std::norm(u[0]) + std::norm(u[1]) + std::norm(u[2]));
  }

  double viscosity_;
  Product product_;
  MPI_Comm comm_;
  std::array<std::vector<Line>, 3> kept_;  // this rank's indices along each axis
  double longest_ = 0;                     // wave vector that is kept, squared
  std::vector<Complex> velocity_, sum_;    // 3 fields
  std::vector<Complex> stage_, n_;         // u and omega that the product is made of, 6 fields; u x omega, 3
};

}  // namespace turbulence
