// The transform of a line in more precision than any kernel has, for what plans compute once and for tests.
#pragma once

#include <complex>
#include <vector>

#include "weft/index.hpp"

namespace weft::detail {

using LongComplex = std::complex<long double>;

/// exp(2 pi i k / n), for 0 <= k < n.
LongComplex root_of_one(Index k, Index n);

/// A plain mixed-radix FFT with nothing clever in it: prime factors p cost O(p^2).
class ReferenceLine {
 public:
  ReferenceLine(Index n, int sign);
  void run(const std::vector<LongComplex>& in, std::vector<LongComplex>& out) const;

 private:
  void transform(const LongComplex* in, LongComplex* out, LongComplex* work, Index n, Index stride) const;

  Index n_;
  std::vector<LongComplex> roots_;
};

}  // namespace weft::detail
