// Transforms of columns that lie side by side, straight from where they are to where they shall go.
//
// Serial FFT libraries want lines at fixed strides, so data must be gathered before and spread afterwards: two copies
// in cache that cost half as much as the transform. A column kernel takes the address of every row instead, so that its
// first step reads the blocks of an exchange and its last step writes those of the next.
#pragma once

#include <memory>

#include "fft/ahead.hpp"
#include "weft/index.hpp"

namespace weft::detail {

/// One call of a column kernel. Row j holds point j of every column, side by side.
struct ColumnRun {
  const void* const* in = nullptr;  ///< addresses of the n rows (fewer where modes are left out)
  void* const* out = nullptr;       ///< may be the same rows as `in`
  Index columns = 0;
  Index in_first = 0, out_first = 0;  ///< the columns begin so many numbers after those addresses
  double scale = 1;                   ///< of the result
  bool streamed = false;              ///< write past the cache, where rows are aligned to cache lines
  /// The second half of the rows comes in, or goes out, with the other sign: only for kernels that can do so.
  bool negative_in = false, negative_out = false;
  /// Rows are far away: ask the cache for them ahead of time. (Written ones, too, since a line is read before it is
  /// written.)
  bool fetch_in = false, fetch_out = false;
  /// What the kernel asks the second-level cache for meanwhile, if it asks: the next so many cache lines.
  Ahead* ahead = nullptr;
  Index ahead_lines = 0;
};

/// Prepared transforms of columns of one length. Immutable: any number of threads may run it, each with its own
/// scratch.
class ColumnKernel {
 public:
  virtual ~ColumnKernel() = default;
  /// Needed by every run; aligned to cache lines.
  virtual Index scratch_bytes() const = 0;
  virtual void run(const ColumnRun& run, void* scratch) const = 0;
  /// Whether it asks for `ColumnRun::ahead`.
  virtual bool asks_ahead() const { return false; }
  /// Whether it knows `negative_in` and `negative_out`.
  virtual bool negates() const { return false; }
};

}  // namespace weft::detail
