// Moves boxes of numbers between strided arrays. What is written is contiguous along some axis, most often axis 2; what
// is read may be columns.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "exchange/tiles.hpp"
#include "simd/baseline.hpp"

namespace weft::detail {

/// How a run is written.
enum class Store {
  cached,
  streamed  ///< past the cache: memory that is not read again soon is not fetched just to be overwritten
};

/// Makes streamed stores visible to other processes and devices. (Arm's are stores like all others in that.)
inline void finish_streaming() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/// A number of `n` bytes of which only the size is known: eight bytes may be one double or two floats, which may lie at
/// half its alignment.
template <std::size_t n>
using Opaque = std::array<std::byte, n>;

namespace copying {

/// count numbers from[0], from[step], ... times factor, one by one.
template <class T, bool Scaled, class Factor>
inline void plain_run(T* __restrict to, const T* __restrict from, Index step, Index count,
                      [[maybe_unused]] Factor factor) {
  const auto value = [&](const T& x) {
    if constexpr (Scaled) {
      return x * factor;
    } else {
      return x;
    }
  };
  if (step == 1) {  // by itself, so that whole vectors can be used
    for (Index i = 0; i < count; ++i) to[i] = value(from[i]);
  } else {
    for (Index i = 0; i < count; ++i) to[i] = value(from[i * step]);
  }
}

/// Sixteen bytes of numbers, which a processor loads and stores as one. (Compilers move a std::complex in two halves,
/// and a load that gathers two recent stores stalls.)
using Sixteen = simd::baseline::Simd<double>;

/// They may lie anywhere.
template <class Real, bool Scaled>
Sixteen::V load_sixteen(const void* from, [[maybe_unused]] Real factor) {
  typename simd::baseline::Simd<Real>::V numbers;
  std::memcpy(&numbers, from, sizeof numbers);
  if constexpr (Scaled) numbers *= factor;
  return reinterpret_cast<Sixteen::V>(numbers);
}

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <std::size_t n>
struct RealOf<Opaque<n>> {  // never scaled
  using type = float;
};

/// Writes a cache line past the cache.
inline void stream_line(void* line, Sixteen::V a, Sixteen::V b, Sixteen::V c, Sixteen::V d) {
  auto* const to = static_cast<double*>(line);
  simd::stream_pair<Sixteen>(to, a, b);
  simd::stream_pair<Sixteen>(to + 4, c, d);
}

/// The cache line in which a streamed run ends. Most often the next run begins there, and brings the rest: then the
/// line goes past the cache as a whole. A part of it would be a store that waits until memory has brought the line.
template <class T>
class LastLine {
 public:
  static_assert(64 % sizeof(T) == 0);
  static constexpr Index size = 64 / sizeof(T);

  LastLine() = default;
  LastLine(const LastLine&) = delete;
  LastLine& operator=(const LastLine&) = delete;
  ~LastLine() { close(); }

  /// Begins a line with the end of a run.
  template <bool Scaled, class Factor>
  void begin(T* line, const T* from, Index step, Index count, Factor factor) {
    close();
    line_ = line;
    plain_run<T, Scaled>(numbers(), from, step, count, factor);
    count_ = count;
  }

  /// Takes from the beginning of a run what belongs here; returns how many numbers that is.
  template <bool Scaled, class Factor>
  Index take(T* to, const T* from, Index step, Index count, Factor factor) {
    if (count_ == 0 || to != line_ + count_) {
      close();
      return 0;
    }
    const Index taken = std::min(count, size - count_);
    plain_run<T, Scaled>(numbers() + count_, from, step, taken, factor);
    count_ += taken;
    return taken;
  }

  /// Writes what there is. Not as soon as the line is whole: loads that gather several recent stores stall.
  void close() {
    if (count_ == size) {
      const auto* const d = reinterpret_cast<const double*>(bytes_);
      stream_line(line_, Sixteen::load(d), Sixteen::load(d + 2), Sixteen::load(d + 4), Sixteen::load(d + 6));
    } else if (count_ > 0) {
      std::memcpy(static_cast<void*>(line_), bytes_, static_cast<std::size_t>(count_) * sizeof(T));
    }
    count_ = 0;
  }

 private:
  T* numbers() { return reinterpret_cast<T*>(bytes_); }

  T* line_ = nullptr;
  Index count_ = 0;  ///< numbers that are there, from the line's beginning on
  alignas(64) std::byte bytes_[64];
};

/// Runs in units of 16 bytes: contiguous ones, and strided ones of 16-byte numbers.
template <class T, bool Scaled, class Factor>
inline void wide_run(T* __restrict to, const T* __restrict from, Index step, Index count, Factor factor) {
  using Real = typename RealOf<T>::type;
  constexpr Index per_unit = 16 / sizeof(T);
  const auto scale = static_cast<Real>(factor);
  Index i = 0;
  for (; i + per_unit <= count; i += per_unit) {
    const Sixteen::V unit = load_sixteen<Real, Scaled>(from + i * step, scale);
    std::memcpy(static_cast<void*>(to + i), &unit, sizeof unit);
  }
  plain_run<T, Scaled>(to + i, from + i * step, step, count - i, factor);
}

/// The same in whole cache lines past the cache.
template <class T, bool Scaled, class Factor>
inline void streamed_run(T* __restrict to, const T* __restrict from, Index step, Index count, Factor factor,
                         LastLine<T>& last) {
  using Real = typename RealOf<T>::type;
  constexpr Index per_unit = 16 / sizeof(T), per_line = 64 / sizeof(T);
  const auto unit = [&, scale = static_cast<Real>(factor)](const T* source) {
    return load_sixteen<Real, Scaled>(source, scale);
  };
  Index i = last.template take<Scaled>(to, from, step, count, factor);
  const auto beyond = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to + i) % 64 / sizeof(T));
  if (beyond != 0) {
    const Index head = std::min(count - i, per_line - beyond);
    plain_run<T, Scaled>(to + i, from + i * step, step, head, factor);
    i += head;
  }
  for (; i + per_line <= count; i += per_line) {
    const T* source = from + i * step;
    const Index next = per_unit * step;
    stream_line(to + i, unit(source), unit(source + next), unit(source + 2 * next), unit(source + 3 * next));
  }
  if (i < count) last.template begin<Scaled>(to + i, from + i * step, step, count - i, factor);
}

template <class T, bool Scaled, class Factor>
inline void run(T* to, const T* from, Index step, Index count, Factor factor) {
  if (step != 1 && sizeof(T) == 16) {
    wide_run<T, Scaled>(to, from, step, count, factor);
    return;
  }
  // The library's copy is the fastest for long runs, and costs too much to call for short ones.
  constexpr Index long_run = 32;
  if (!Scaled && step == 1 && count >= long_run) {
    std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(T));
  } else {
    plain_run<T, Scaled>(to, from, step, count, factor);
  }
}

}  // namespace copying

/// Calls `run(to, from, step, count)` for every run of a box, as long as it can be: its first numbers' offsets, from
/// where `to_stride` leads and from where `from_stride` does, and how far apart neighbours are there. Here they lie
/// side by side: one of `to_stride` is 1.
template <class Run>
void for_runs(const Shape& to_stride, const Shape& from_stride, Shape extent, const Run& run) {
  if (extent[0] <= 0 || extent[1] <= 0 || extent[2] <= 0) return;
  Shape a = to_stride, b = from_stride;
  if (a[2] != 1 && extent[2] > 1) {
    // Rows are along the axis that is contiguous where they are written.
    const std::size_t rows = a[0] == 1 && (a[1] != 1 || extent[0] > 1) ? 0 : 1;
    std::swap(a[rows], a[2]);
    std::swap(b[rows], b[2]);
    std::swap(extent[rows], extent[2]);
  }
  // Rows that follow each other on both sides are one long row, and so are planes.
  if (a[1] == extent[2] && b[1] == extent[2] * b[2]) {
    extent[2] *= extent[1];
    extent[1] = 1;
    if (a[0] == extent[2] && b[0] == extent[2] * b[2]) {
      extent[2] *= extent[0];
      extent[0] = 1;
    }
  }
  // Where numbers beside the run are its neighbours in memory, their cache lines are used for all of them before they
  // are gone: runs that turn a field are cut.
  constexpr Index lines = 64;
  const bool beside = (b[0] == 1 && extent[0] > 1) || (b[1] == 1 && extent[1] > 1);
  const Index part = b[2] != 1 && beside ? lines : extent[2];
  if (beside && b[1] != 1) {
    std::swap(a[0], a[1]);
    std::swap(b[0], b[1]);
    std::swap(extent[0], extent[1]);
  }
  for (Index i = 0; i < extent[0]; ++i) {
    for (Index k = 0; k < extent[2]; k += part) {
      for (Index j = 0; j < extent[1]; ++j) {
        run(i * a[0] + j * a[1] + k, i * b[0] + j * b[1] + k * b[2], b[2], std::min(part, extent[2] - k));
      }
    }
  }
}

/// Copies a box of numbers. One of to_stride is 1; from_stride is anything.
template <class T, bool Scaled = false, class Factor = int>
void copy_box(T* to, const Shape& to_stride, const T* from, const Shape& from_stride, const Shape& extent,
              Store store = Store::cached, Factor factor = 1) {
  if (store == Store::streamed && reinterpret_cast<std::uintptr_t>(to) % sizeof(T) == 0) {
    copying::LastLine<T> last;
    for_runs(to_stride, from_stride, extent, [&](Index there, Index here, Index step, Index count) {
      if (step == 1 || sizeof(T) == 16) {
        copying::streamed_run<T, Scaled>(to + there, from + here, step, count, factor, last);
      } else {
        copying::run<T, Scaled>(to + there, from + here, step, count, factor);
      }
    });
    return;
  }
  for_runs(to_stride, from_stride, extent, [&](Index there, Index here, Index step, Index count) {
    copying::run<T, Scaled>(to + there, from + here, step, count, factor);
  });
}

}  // namespace weft::detail
