// Rows of which one end has fewer numbers: between those that are kept, which lie side by side, and the whole row, in
// cache.
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
  KeptRows(Kept kept, bool half, Index fields) : kept_(kept), half_(half), fields_(fields) {}

  /// What is left out becomes zero: of spectra on the way to space, of points on the way to the spectrum.
  template <class T>
  void spread(T* row) const {
    const bool half = half_ && kept_.of == Kept::Of::modes;
    const Index begin = kept_.leading() * fields_, trailing = half ? 0 : kept_.trailing() * fields_;
    T* const end = row + (half ? kept_.points / 2 + 1 : kept_.points) * fields_;
    std::copy_backward(row + begin, row + begin + trailing, end);
    std::fill(row + begin, end - trailing, T(0));
    if constexpr (NumberOf<T>::number == Number::complex) {
      if (kept_.shared()) halve(row);
    }
  }

  /// Of a spectrum, from space: what is kept moves to where it belongs. (The first points are where they belong.)
  template <class Real>
  void gather(std::complex<Real>* row) const {
    if (kept_.of == Kept::Of::points) return;
    const Index begin = kept_.leading() * fields_, mode = kept_.numbers / 2 * fields_;
    if (kept_.shared()) {
      for (Index i = mode; i < mode + fields_; ++i) {
        row[i] = half_ ? std::complex<Real>(row[i].real() * 2) : row[i] + row[opposite() + i];
      }
    }
    if (half_) return;
    const Index trailing = kept_.trailing() * fields_;
    std::copy(row + kept_.points * fields_ - trailing, row + kept_.points * fields_, row + begin);
  }

 private:
  /// From the last mode of an even number of them to its negative.
  Index opposite() const { return (kept_.points - kept_.numbers) * fields_; }

  /// Half of the last mode for each of the two that it stands for.
  template <class Real>
  void halve(std::complex<Real>* row) const {
    const Index mode = kept_.numbers / 2 * fields_;
    for (Index i = mode; i < mode + fields_; ++i) {
      row[i] = half_ ? std::complex<Real>(row[i].real() * Real(0.5)) : row[i] * Real(0.5);
      if (!half_) row[opposite() + i] = row[i];
    }
  }

  Kept kept_;
  bool half_ = false;
  Index fields_ = 1;
};

}  // namespace weft::detail
