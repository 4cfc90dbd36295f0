// The kernel of the Laplacian in free space, cut off at a distance that no two points of a box exceed: within the box
// it is the same, and its spectrum is smooth. (F. Vico, L. Greengard, M. Ferrando, Fast convolution with free-space
// Green's functions, J. Comput. Phys. 323, 2016.)
#pragma once

namespace weft::detail {

/// The Fourier transform of the field of a point source, zero beyond a distance `radius`, of the equation
/// laplacian u - kappa^2 u = source in so many dimensions (1 to 3), kappa >= 0. In space these are
/// * 1: -exp(-kappa |x|) / (2 kappa), or |x| / 2
/// * 2: -K0(kappa r) / (2 pi), or log(r) / (2 pi)
/// * 3: -exp(-kappa r) / (4 pi r).
class TruncatedKernel {
 public:
  TruncatedKernel(int dimensions, double radius, double kappa);
  /// At the wave number `s` >= 0.
  double operator()(double s) const;

 private:
  int dimensions_;
  double radius_, kappa_;
  double decay_ = 1;          ///< exp(-kappa radius)
  double bessel_0_ = 0;       ///< K0(kappa radius)
  double less_bessel_1_ = 0;  ///< 1 - kappa radius K1(kappa radius)
};

/// 1 - x K1(x) of x > 0, without the cancellation where x is small (Abramowitz and Stegun, Handbook of Mathematical
/// Functions, 9.6.11).
double one_less_bessel(double x);
/// 1 - exp(-x) (1 + x), the same.
double one_less_decay(double x);

}  // namespace weft::detail
