// Points of spinors, whose two components lie in arrays of complex numbers side by side.
#pragma once

#include <array>
#include <complex>

#include "weft/index.hpp"

namespace weft::detail {

/// Components 1 and 2 of spinors at `count` points, times the Hermitian matrices that have v11, v22, Re v12 and Im v12
/// from `first` on. Pointers of their own, so that compilers know that nothing overlaps.
template <class Real>
inline void times_matrix(std::complex<Real>* one, std::complex<Real>* two, const std::array<const Real*, 4>& v,
                         Index first, Index count) {
  const Real* __restrict const v11 = v[0] + first;
  const Real* __restrict const v22 = v[1] + first;
  const Real* __restrict const real = v[2] + first;
  const Real* __restrict const imaginary = v[3] + first;
  Real* __restrict const a = reinterpret_cast<Real*>(one);
  Real* __restrict const b = reinterpret_cast<Real*>(two);
  for (Index i = 0; i < count; ++i) {
    const Real x = a[2 * i], y = a[2 * i + 1], s = b[2 * i], t = b[2 * i + 1];
    a[2 * i] = v11[i] * x + real[i] * s - imaginary[i] * t;
    a[2 * i + 1] = v11[i] * y + real[i] * t + imaginary[i] * s;
    b[2 * i] = v22[i] * s + real[i] * x + imaginary[i] * y;
    b[2 * i + 1] = v22[i] * t + real[i] * y - imaginary[i] * x;
  }
}

/// Adds the density matrices of as many points: n11, n22, Re n12 and Im n12, n_ab being weight psi_a conj(psi_b).
template <class Real>
inline void add_matrix(const std::complex<Real>* one, const std::complex<Real>* two, Real weight,
                       const std::array<Real*, 4>& n, Index first, Index count) {
  Real* __restrict const n11 = n[0] + first;
  Real* __restrict const n22 = n[1] + first;
  Real* __restrict const real = n[2] + first;
  Real* __restrict const imaginary = n[3] + first;
  const Real* __restrict const a = reinterpret_cast<const Real*>(one);
  const Real* __restrict const b = reinterpret_cast<const Real*>(two);
  for (Index i = 0; i < count; ++i) {
    const Real x = a[2 * i], y = a[2 * i + 1], s = b[2 * i], t = b[2 * i + 1];
    n11[i] += weight * (x * x + y * y);
    n22[i] += weight * (s * s + t * t);
    real[i] += weight * (x * s + y * t);
    imaginary[i] += weight * (y * s - x * t);
  }
}

}  // namespace weft::detail
