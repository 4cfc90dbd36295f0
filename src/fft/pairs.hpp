// How a transform between real numbers is made of a complex one of the same length.
//
// With V the DFT of the points in another order, some with the other sign, each pair of its numbers V_k and V_{n-k}
// makes two results, S = V_k + V_{n-k} and T = -i (V_k - V_{n-k}) being real:
//
//   y_a = p S + q T,  y_b = r S + s T
//
// The way back is the transposed matrix. All of it is real, so it holds for the real and the imaginary part of V alike:
// two real lines are transformed as one complex line.
#pragma once

#include <vector>

#include "problem/lines.hpp"

namespace weft::detail {

struct Pairs {
  struct Pair {
    Index k = 0, mirror = 0;  ///< places in V; the same where V_k is its own mirror
    Index a = 0, b = 0;       ///< places of the results; b only where there are two
    double p = 1, q = 0, r = 0, s = 0;
    bool two() const { return k != mirror; }
  };
  Index n = 1;
  bool to_pairs = true;      ///< the DFT comes first; else the pairs do, transposed
  std::vector<Index> place;  ///< of each point in the line whose DFT V is
  std::vector<bool> negative;
  std::vector<Pair> pairs;
  double scale = 1;  ///< of the whole
};

/// Whether a line of that type and length is made so: types 2 and 3 (J. Makhoul, A fast cosine transform in one and two
/// dimensions, IEEE Trans. ASSP 28, 1980), type 4 of odd lengths (S. C. Chan, K. L. Ho, Direct methods for computing
/// discrete sinusoidal transforms, IEE Proc. F 137, 1990), halfcomplex lines and the Hartley transform; of two points
/// at least.
bool has_pairs(LineType type, Index n);
Pairs pairs_of(LineType type, Index n);

}  // namespace weft::detail
