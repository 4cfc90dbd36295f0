// What the machine allows at most, measured while all ranks are busy: how fast memory is copied, and how fast lines in
// cache are transformed. No transform can be faster than its bytes over the one and its operations over the other.
#pragma once

#include "program.hpp"

namespace weft::tools {

/// Bytes read and written per second by one rank while all ranks copy arrays of this size. Collective.
double measure_copy_rate(const Job& job, Index bytes);

/// Floating point operations (5 n log2 n a line) per second of one rank while all ranks transform contiguous lines of
/// `n` complex numbers that lie in cache, with FFTW. Collective.
template <class Real>
double measure_line_rate(const Job& job, Index n);

/// 5 log2 n for each of the points: what transforming all lines of `n` points counts for.
double operations(double points, Index n);

}  // namespace weft::tools
