// The inverse of differences where the field has no sides along some axes: a table of what the middle pass multiplies
// by.
#pragma once

#include <array>
#include <vector>

#include "operator/free_axis.hpp"
#include "weft/operator.hpp"

namespace weft::detail {

/// For each place of `box`, along axis 0, if it is open, for each number of half a period: the spectrum of the field
/// that the differences of `stencil` less `shift` turn into 1 at a point and 0 at all others, cut off at half a period.
/// It goes far from that point as the kernels of free space do: -1/(4 pi r), log(r)/(2 pi), |x|/2.
///
/// Of one open axis by partial fractions. Of several, 1/(shift + sum of squares) is the integral of
/// exp(-t (shift + sum of squares)) over all t > 0, a product of factors for each axis, which is cut axis by axis: each
/// factor is the heat that spreads along a line in the time t. (For its use: V. Glasser, I. Zucker, Proc. Natl. Acad.
/// Sci. 74, 1977. With as many nodes of the integral as give all digits.)
std::vector<double> lattice_kernel(const std::array<FreeAxis, 3>& axes, const Box& box, Stencil stencil, double shift);

}  // namespace weft::detail
