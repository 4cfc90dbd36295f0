#include "operator/truncated_kernel.hpp"

#include <cmath>
#include <numbers>

namespace weft::detail {

double one_less_bessel(double x) {
  if (x > 1) return x < 700 ? 1 - x * std::cyl_bessel_k(1, x) : 1;
  double sum = 0, power = 1, psi = 1 - 2 * std::numbers::egamma;  // psi(k + 1) + psi(k + 2)
  for (int k = 0; k < 12; ++k) {
    sum += power * (std::log(x / 2) - psi / 2);
    power *= x * x / 4 / ((k + 1) * (k + 2));
    psi += 1.0 / (k + 1) + 1.0 / (k + 2);
  }
  return -x * x / 2 * sum;
}

double one_less_decay(double x) {
  if (x > 1) return 1 - std::exp(-x) * (1 + x);
  double sum = 0, term = x;  // of (-x)^k (k - 1) / k! from k = 2 on
  for (int k = 2; k < 22; ++k) {
    term *= -x / k;
    sum -= term * (k - 1);
  }
  return sum;
}

TruncatedKernel::TruncatedKernel(int dimensions, double radius, double kappa)
    : dimensions_(dimensions), radius_(radius), kappa_(kappa) {
  const double x = kappa * radius;
  if (dimensions != 2) {
    decay_ = std::exp(-x);
  } else if (kappa > 0) {
    bessel_0_ = x < 700 ? std::cyl_bessel_k(0, x) : 0;
    less_bessel_1_ = one_less_bessel(x);
  }
}

double TruncatedKernel::operator()(double s) const {
  const double r = radius_, x = s * r;
  if (dimensions_ == 1) {
    if (kappa_ == 0) return s == 0 ? r * r / 2 : r * std::sin(x) / s - 2 * std::pow(std::sin(x / 2) / s, 2);
    if (s == 0) return std::expm1(-kappa_ * r) / (kappa_ * kappa_);
    return -(1 - decay_ * (std::cos(x) - s / kappa_ * std::sin(x))) / (kappa_ * kappa_ + s * s);
  }
  if (dimensions_ == 2) {
    if (kappa_ == 0) {
      if (s == 0) return r * r / 2 * (std::log(r) - 0.5);
      return (::j0(x) - 1) / (s * s) + r * std::log(r) * ::j1(x) / s;
    }
    const double j0 = s == 0 ? 1 : ::j0(x), j1 = s == 0 ? 0 : ::j1(x);
    return -(1 - j0 + x * j1 * bessel_0_ + j0 * less_bessel_1_) / (kappa_ * kappa_ + s * s);
  }
  if (kappa_ == 0) return s == 0 ? -r * r / 2 : -2 * std::pow(std::sin(x / 2) / s, 2);
  if (s == 0) return -one_less_decay(kappa_ * r) / (kappa_ * kappa_);
  return -(1 - decay_ * (std::cos(x) + kappa_ / s * std::sin(x))) / (kappa_ * kappa_ + s * s);
}

}  // namespace weft::detail
