// What the transform of a field should be, computed serially and without any code of Weft's.
#pragma once

#include <array>
#include <complex>
#include <map>
#include <tuple>
#include <vector>

#include "field.hpp"
#include "weft/problem.hpp"

namespace weft::verify {

/// The unnormalised transform of a whole field (the full spectrum, C order), and its largest magnitude, that of modes
/// left out as well.
struct Reference {
  std::vector<std::complex<double>> values;
  double largest = 0;
};

/// The line along each axis.
using Lines = std::vector<Line>;
Lines lines_of(const Problem& problem);

/// Transforms `values` in place along all axes, exponent sign `sign`. Small grids by the definition, line by line, in
/// long double; larger ones (where that would take minutes) by serial FFTW, as are lines between real numbers. Without
/// `lines` all are dft.
void transform(std::vector<std::complex<double>>& values, const Extents& shape, int sign, const Lines& lines = {},
               bool to_space = false);

/// Remembers the references already computed, for as many as fit a fixed amount of memory.
class References {
 public:
  /// Where the result has another shape, the smaller of the two has what is kept: modes of the spectrum, or the first
  /// points in space.
  const Reference& get(const Field& field, int sign) { return get(field, sign, field.shape); }
  const Reference& get(const Field& field, int sign, const Extents& result, const Lines& lines = {},
                       bool to_space = false);

 private:
  using Key = std::tuple<int, FieldType, std::uint64_t, Index, std::vector<Index>, std::vector<Index>, Lines, bool>;
  std::map<Key, Reference> known_;
  std::size_t bytes_ = 0;
};

}  // namespace weft::verify
