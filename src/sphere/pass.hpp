// What the passes of a sphere share: columns of lanes that lie side by side in small arrays in the first-level cache.
#pragma once

#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "execute/column_rows.hpp"
#include "execute/gather.hpp"
#include "execute/scratch_runner.hpp"
#include "fft/serial.hpp"
#include "sphere/sphere.hpp"

namespace weft::detail {

using copying::Sixteen;

/// Columns that are transformed together: two cache lines of each row.
template <class Real>
constexpr Index lanes_together = 2 * cache_line / static_cast<Index>(sizeof(std::complex<Real>));

/// A row of zeroes to read, and one to write what nobody wants.
template <class T>
struct EdgeRows {
  T* zero = nullptr;
  T* waste = nullptr;
};

/// Rows of a transform.
template <class T>
using Rows = std::vector<T*>;

template <class T>
ColumnRun column_run(const Rows<T>& in, const Rows<T>& out, Index columns) {
  ColumnRun run;
  run.in = reinterpret_cast<const void* const*>(in.data());
  run.out = reinterpret_cast<void* const*>(out.data());
  run.columns = columns;
  return run;
}

/// Zeroes in an array in the first-level cache. (The library's memset takes a microsecond for four kilobytes here.)
template <class T>
inline void clear_numbers(T* to, Index count) {
  auto* const words = reinterpret_cast<double*>(to);
  const Index length = count * static_cast<Index>(sizeof(T)) / 8;
  for (Index i = 0; i + 2 <= length; i += 2) Sixteen::store(words + i, Sixteen::V{});
  if (length % 2 != 0) words[length - 1] = 0;
}

/// Which rows of an array of lanes hold anything.
class PresentRows {
 public:
  PresentRows() = default;
  explicit PresentRows(std::vector<char> present) : present_(std::move(present)) {
    for (Index row = 0; row < static_cast<Index>(present_.size()); ++row) {
      if (!(*this)[row]) continue;
      if (ranges_.empty() || ranges_.back().hi != row) ranges_.push_back({row, row});
      ++ranges_.back().hi;
    }
  }

  bool operator[](Index row) const { return present_[static_cast<std::size_t>(row)]; }
  /// Zeroes in them, `lanes` numbers each.
  template <class T>
  void clear(T* rows, Index lanes) const {
    for (const auto& [lo, hi] : ranges_) clear_numbers(rows + lo * lanes, (hi - lo) * lanes);
  }

 private:
  std::vector<char> present_;
  std::vector<Range> ranges_;
};

/// One number, moved as one where it has sixteen bytes (see copy.hpp).
template <class T>
inline void move_number(T* to, const T* from) {
  std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), sizeof(T));
}

/// Adds one number to another.
template <class Real>
inline void add_number(std::complex<Real>* to, const std::complex<Real>& number) {
  if constexpr (sizeof(Real) == 8) {
    auto* const at = reinterpret_cast<double*>(to);
    Sixteen::store(at, Sixteen::load(at) + Sixteen::load(reinterpret_cast<const double*>(&number)));
  } else {
    *to += number;
  }
}

template <class Real>
inline void scale_number(std::complex<Real>* number, Real factor) {
  if constexpr (sizeof(Real) == 8) {
    auto* const at = reinterpret_cast<double*>(number);
    Sixteen::store(at, Sixteen::load(at) * factor);
  } else {
    *number *= factor;
  }
}

template <class Real>
inline void scale_number(std::complex<Real>* number, const std::complex<Real>& factor) {
  *number = {number->real() * factor.real() - number->imag() * factor.imag(),
             number->real() * factor.imag() + number->imag() * factor.real()};
}

/// What all of them do alike. `Scratch` is what a thread works in.
template <class Scratch>
class SphereRunner : public ScratchRunner<Scratch> {
 public:
  SphereRunner(const SphereData& sphere, const Pass& pass, View in, View out)
      : ScratchRunner<Scratch>(pass, std::move(in), std::move(out)), sphere_(sphere) {}

 protected:
  /// Items of a unit that this execution has.
  Index items_of(const Unit& unit) const {
    return std::clamp<Index>(this->arrays_.items - unit.items.lo, 0, unit.items.count());
  }

  const SphereData& sphere_;
};

/// A runner of the sphere's precision.
template <template <class Real> class Runner>
std::unique_ptr<PassRunner> make_sphere_runner(const SphereData& sphere, const Pass& pass, View in, View out,
                                               const Options& options) {
  if (sphere.problem.precision == Precision::double_) {
    return std::make_unique<Runner<double>>(sphere, pass, std::move(in), std::move(out), options);
  }
  return std::make_unique<Runner<float>>(sphere, pass, std::move(in), std::move(out), options);
}

std::unique_ptr<PassRunner> make_sphere_columns(const SphereData& sphere, const Pass& pass, View in, View out,
                                                const Options& options);
std::unique_ptr<PassRunner> make_sphere_planes(const SphereData& sphere, const Pass& pass, View in, View out,
                                               const Options& options);
std::unique_ptr<PassRunner> make_sphere_y_lines(const SphereData& sphere, const Pass& pass, View in, View out,
                                                const Options& options);
std::unique_ptr<PassRunner> make_sphere_rows(const SphereData& sphere, const Pass& pass, View in, View out,
                                             const Options& options);

}  // namespace weft::detail
