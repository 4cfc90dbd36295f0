// Products of complex numbers.
#pragma once

#include <complex>

namespace weft::detail {

/// Without the rules for infinities of C, which keep loops from vectors.
template <class Real>
std::complex<Real> times(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace weft::detail
