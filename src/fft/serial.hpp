// Serial FFT libraries behind one interface: batches of one-dimensional lines.
//
// A backend is one file and one line of the registry; nothing else names it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fft/columns.hpp"
#include "problem/lines.hpp"
#include "weft/index.hpp"
#include "weft/options.hpp"
#include "weft/problem.hpp"

namespace weft::detail {

/// `count` lines of `n` points; strides (between points) and distances (between lines) in numbers of the kind at that
/// end. r2c has the exponent -1, c2r +1; c2c has `sign`. Unnormalised.
struct LineBatch {
  LineType type = LineType::c2c;
  Index n = 1, count = 1;
  Index in_stride = 1, in_distance = 1;
  Index out_stride = 1, out_distance = 1;
  int sign = -1;
  bool in_place = false;  ///< c2c only, same strides at both ends
  /// Lines of several axes, and where they lead: for make_inner_lines only, which backends know nothing of. `type` says
  /// what numbers they begin and end with.
  std::vector<InnerAxis> inner{};
  Way way = Way::to_spectrum;
  friend bool operator==(const LineBatch&, const LineBatch&) = default;
};

/// A prepared batch of lines. Threads may run it at once, on different arrays.
class LineKernel {
 public:
  virtual ~LineKernel() = default;
  /// Arrays must be aligned to 16 bytes. c2r may overwrite its input.
  virtual void run(void* in, void* out) const = 0;
};

struct Backend {
  std::string name;
  std::string summary;
  std::unique_ptr<LineKernel> (*make)(const LineBatch&, Precision, Effort);
  /// Transforms of columns of a length and sign from rows anywhere; null, here or as the answer: lines must do.
  std::unique_ptr<ColumnKernel> (*make_columns)(Index n, int sign, Precision, Effort) = nullptr;
};

/// Transforms of columns of any length: the backend's own, or its lines with copies around them.
std::unique_ptr<ColumnKernel> make_column_kernel(const Backend& backend, Index n, int sign, Precision precision,
                                                 Effort effort);

/// The same of lines of any type that end as they begin: c2c, or between real numbers. `elements` are what rows hold:
/// of complex ones a line between real numbers transforms the real and the imaginary parts.
std::unique_ptr<ColumnKernel> make_column_kernel(const Backend& backend, LineType type, Number elements, Index n,
                                                 int sign, Precision precision, Effort effort);

/// The same where one end of the lines, in the way that they go, has only what is kept.
std::unique_ptr<ColumnKernel> make_kept_columns(const Backend& backend, LineType type, Number elements,
                                                const Kept& kept, Way way, int sign, Precision precision,
                                                Effort effort);

/// Whether there is a prime factor above 13, the longest that there are steps for (lanes.hpp).
bool has_long_primes(Index n);

/// Weft's own lines: contiguous ones, of more than one point (and of at most 4096 if there is a prime factor above 13);
/// else null.
std::unique_ptr<LineKernel> make_lanes(const LineBatch& batch, Precision precision);

/// Contiguous real lines by complex ones, which `make_complex` makes; else, or if it makes none, null.
std::unique_ptr<LineKernel> make_real_lines(
    const LineBatch& batch, Precision precision,
    const std::function<std::unique_ptr<LineKernel>(const LineBatch& complex)>& make_complex);

/// Columns between real numbers by the backend's columns of complex ones: rows and columns of the run are those of real
/// numbers. Null where the backend has none, and for single points.
std::unique_ptr<ColumnKernel> make_real_columns(const Backend& backend, LineType type, Index n, Precision precision,
                                                Effort effort);

/// Contiguous rows of several axes, by the backend's lines and columns along each.
std::unique_ptr<LineKernel> make_inner_lines(const Backend& backend, const LineBatch& batch, Precision precision,
                                             Effort effort);

/// Lines between real numbers as columns; null as above.
std::unique_ptr<LineKernel> make_lines_as_columns(const Backend& backend, const LineBatch& batch, Precision precision,
                                                  Effort effort);

/// All backends of this build. The registry's only list is in registry.cpp.
const std::vector<Backend>& backend_registry();
std::vector<std::string> backend_names();
/// The sets of instructions for which the backend lanes has kernels and which this processor has, the widest first.
std::vector<const char*> lanes_here();
/// The backend of that name; Error listing the good ones otherwise.
const Backend& find_backend(const std::string& name);

}  // namespace weft::detail
