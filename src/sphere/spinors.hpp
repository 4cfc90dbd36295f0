// Points of spinors, whose two components lie in arrays of complex numbers side by side.
#pragma once

#include <array>
#include <complex>

#include "weft/index.hpp"

namespace weft::detail {

/// Components 1 and 2 of a spinor at a point, times the Hermitian matrix that has v11, v22, Re v12 and Im v12.
template <class Real>
inline void times_matrix(std::complex<Real>& one, std::complex<Real>& two, const std::array<const Real*, 4>& v,
                         Index i) {
  const Real a = v[0][i], b = v[1][i], re = v[2][i], im = v[3][i];
  const Real x = one.real(), y = one.imag(), s = two.real(), t = two.imag();
  one = {a * x + re * s - im * t, a * y + re * t + im * s};
  two = {b * s + re * x + im * y, b * t + re * y - im * x};
}

/// Adds the density matrix of a point: n11, n22, Re n12 and Im n12, n_ab being weight psi_a conj(psi_b).
template <class Real>
inline void add_matrix(const std::complex<Real>& one, const std::complex<Real>& two, Real weight,
                       const std::array<Real*, 4>& n, Index i) {
  const Real x = one.real(), y = one.imag(), s = two.real(), t = two.imag();
  n[0][i] += weight * (x * x + y * y);
  n[1][i] += weight * (s * s + t * t);
  n[2][i] += weight * (x * s + y * t);
  n[3][i] += weight * (y * s - x * t);
}

}  // namespace weft::detail
