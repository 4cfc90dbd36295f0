// The mean over a cell of the kernel of the Laplacian in free space.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace weft::detail {

/// Of the kernels that truncated_kernel.hpp names, of `cell.size()` dimensions.
///
/// A kernel of the distance r alone is the divergence of a vector along r of the length M(r)/r^(d-1), M being the
/// integral of kernel r^(d-1) from 0 on. So its integral over a box around the point itself is one over the box's
/// faces, where nothing is singular. Elsewhere are Gauss's nodes, of boxes that are not long beside their distance.
class IntegratedKernel {
 public:
  /// Widths of the cell along 1 to 3 axes.
  IntegratedKernel(std::span<const double> cell, double kappa);
  /// Of a cell whose middle is so far away along each axis: 0, or at least a cell's width.
  double operator()(std::span<const double> at) const;

 private:
  using Point = std::array<double, 3>;
  double kernel(double r) const;
  double moment(double r) const;
  double on_line(double x) const;
  double integral(Point middle, Point size) const;
  double around(const Point& size) const;
  double nodes_in(const Point& middle, const Point& size) const;

  std::size_t dimensions_;
  Point cell_{};
  double kappa_;
};

}  // namespace weft::detail
