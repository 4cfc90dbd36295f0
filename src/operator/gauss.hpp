// Nodes of integrals.
#pragma once

#include <vector>

namespace weft::detail {

/// Nodes between 0 and 1, and their weights.
struct Quadrature {
  std::vector<double> at, weights;
};

/// Gauss's and Legendre's, by Newton's iteration.
Quadrature gauss(int n);

}  // namespace weft::detail
