// Rows of whose spectra only some modes are kept: between the numbers that are kept, which lie side by side, and the
// whole spectrum in its place, in cache.
#pragma once

#include <algorithm>
#include <complex>

#include "problem/lines.hpp"

namespace weft::detail {

/// Of a row, or of so many interleaved ones: each number below is `fields` numbers side by side.
class KeptRows {
 public:
  KeptRows() = default;
  /// `half`: spectra are those of real lines.
  KeptRows(KeptModes kept, bool half, Index fields) : kept_(kept), half_(half), fields_(fields) {}

  /// To space: what is left out becomes zero.
  template <class Real>
  void spread(std::complex<Real>* row) const {
    const Index begin = kept_.leading() * fields_, mode = kept_.modes / 2 * fields_;
    std::complex<Real>* const end = row + (half_ ? kept_.points / 2 + 1 : kept_.points) * fields_;
    const Index trailing = half_ ? 0 : kept_.trailing() * fields_;
    std::copy_backward(row + begin, row + begin + trailing, end);
    std::fill(row + begin, end - trailing, std::complex<Real>(0));
    if (!kept_.shared()) return;
    for (Index i = mode; i < mode + fields_; ++i) {
      row[i] = half_ ? std::complex<Real>(row[i].real() * Real(0.5)) : row[i] * Real(0.5);
      if (!half_) row[(kept_.points - kept_.modes) * fields_ + i] = row[i];
    }
  }

  /// From space: what is kept moves to where it belongs.
  template <class Real>
  void gather(std::complex<Real>* row) const {
    const Index begin = kept_.leading() * fields_, mode = kept_.modes / 2 * fields_;
    if (kept_.shared()) {
      for (Index i = mode; i < mode + fields_; ++i) {
        row[i] =
            half_ ? std::complex<Real>(row[i].real() * 2) : row[i] + row[(kept_.points - kept_.modes) * fields_ + i];
      }
    }
    if (half_) return;
    const Index trailing = kept_.trailing() * fields_;
    std::copy(row + kept_.points * fields_ - trailing, row + kept_.points * fields_, row + begin);
  }

 private:
  KeptModes kept_;
  bool half_ = false;
  Index fields_ = 1;
};

}  // namespace weft::detail
