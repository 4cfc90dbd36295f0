// Cosine and sine transforms of types 2 and 3 by complex ones of the same length (J. Makhoul, A fast cosine transform
// in one and two dimensions, IEEE Trans. ASSP 28, 1980). With the points at even places in front and those at odd
// places behind them, backwards,
//
//   v_j = x_2j,  v_{n-1-j} = x_{2j+1},   V = DFT(v),   W_k = exp(-i pi k / 2n) V_k,
//
// type 2 is y_k = 2 Re W_k, y_{n-k} = -2 Im W_k, and type 3 the way back. The sine transform of type 2 is the cosine
// transform of (-1)^j x_j, backwards; that of type 3 again the way back.
//
// Two real columns that lie side by side are one complex column z = x + i y. What V of both needs of Z = DFT(z) are Z_k
// and Z_{n-k}, so that, of those pairs of numbers, with c and s the cosine and the sine of pi k / 2n,
//
//   y_k = c S + s T,  y_{n-k} = s S - c T,   S = Z_k + Z_{n-k},  T = -i (Z_k - Z_{n-k})
//
// are both columns' results: the columns' kernels for complex numbers do the rest, and the order of the points is but
// the order of their rows.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/buffer.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

bool is_sine(LineType type) { return type == LineType::dst2 || type == LineType::dst3; }
bool is_second(LineType type) { return type == LineType::dct2 || type == LineType::dst2; }

/// cos and sin of pi k / 2n.
template <class Real>
struct Turns {
  explicit Turns(Index n) {
    for (Index k = 0; k <= n / 2; ++k) {
      const long double angle =
          std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(2 * n);
      cosines.push_back(static_cast<Real>(std::cos(angle)));
      sines.push_back(static_cast<Real>(std::sin(angle)));
    }
  }
  std::vector<Real> cosines, sines;
};

/// Where point j of a line lies in v.
Index place_of(Index n, Index j) { return j % 2 == 0 ? j / 2 : n - 1 - j / 2; }

template <class Real>
class CosineColumns final : public ColumnKernel {
  static constexpr Index widest = 32;  ///< pairs of columns at once

 public:
  CosineColumns(LineType type, Index n, std::unique_ptr<ColumnKernel> inner)
      : type_(type), n_(n), inner_(std::move(inner)), turns_(n) {}

  Index scratch_bytes() const override {
    return round_up(inner_->scratch_bytes(), cache_line) + 2 * n_ * row_bytes + 2 * pointers_bytes();
  }

  void run(const ColumnRun& run, void* scratch) const override {
    auto* memory = static_cast<std::byte*>(scratch) + round_up(inner_->scratch_bytes(), cache_line);
    Work work;
    work.rows = reinterpret_cast<Real*>(memory);
    work.other = reinterpret_cast<Real*>(memory + n_ * row_bytes);
    work.from = reinterpret_cast<const void**>(memory + 2 * n_ * row_bytes);
    work.to = reinterpret_cast<void**>(memory + 2 * n_ * row_bytes + pointers_bytes());
    work.inner = scratch;
    for (Index column = 0; column < run.columns; column += 2 * widest) {
      const Index count = std::min(2 * widest, run.columns - column);
      is_second(type_) ? to_waves(run, column, count, work) : from_waves(run, column, count, work);
    }
  }

 private:
  static constexpr Index row_numbers = 2 * widest + cache_line / static_cast<Index>(sizeof(Real));
  static constexpr Index row_bytes = row_numbers * static_cast<Index>(sizeof(Real));
  Index pointers_bytes() const { return round_up(n_ * static_cast<Index>(sizeof(void*)), cache_line); }

  struct Work {
    Real *rows, *other;
    const void** from;
    void** to;
    void* inner;
  };

  const Real* in(const ColumnRun& run, Index row, Index column) const {
    return static_cast<const Real*>(run.in[row]) + run.in_first + column;
  }
  Real* out(const ColumnRun& run, Index row, Index column) const {
    return static_cast<Real*>(run.out[row]) + run.out_first + column;
  }
  /// Place of a wave in the order of cosines.
  Index wave(Index k) const { return is_sine(type_) ? n_ - 1 - k : k; }

  void run_inner(const Work& work, Index count, double scale) const {
    ColumnRun inner;
    inner.in = work.from;
    inner.out = work.to;
    inner.columns = (count + 1) / 2;
    inner.scale = scale;
    inner_->run(inner, work.inner);
  }

  void to_waves(const ColumnRun& run, Index column, Index count, const Work& work) const {
    const bool odd = count % 2 != 0;
    for (Index j = 0; j < n_; ++j) {
      const Real* const row = in(run, j, column);
      const bool negative = is_sine(type_) && j % 2 != 0;
      const Index place = place_of(n_, j);
      work.from[place] = row;
      work.to[place] = work.rows + place * row_numbers;
      if (!odd && !negative) continue;
      Real* const copy = work.other + j * row_numbers;
      for (Index i = 0; i < count; ++i) copy[i] = negative ? -row[i] : row[i];
      if (odd) copy[count] = 0;
      work.from[place] = copy;
    }
    run_inner(work, count, run.scale);
    const Index pairs = (count + 1) / 2;
    for (Index k = 0; k <= n_ / 2; ++k) {
      const Index mirror = k == 0 ? 0 : n_ - k;
      Real* const a = work.rows + k * row_numbers;
      Real* const b = work.rows + mirror * row_numbers;
      const Real c = turns_.cosines[static_cast<std::size_t>(k)], s = turns_.sines[static_cast<std::size_t>(k)];
      for (Index i = 0; i < pairs; ++i) {
        const Real sum_x = a[2 * i] + b[2 * i], sum_y = a[2 * i + 1] + b[2 * i + 1];
        const Real t_x = a[2 * i + 1] - b[2 * i + 1], t_y = b[2 * i] - a[2 * i];
        a[2 * i] = c * sum_x + s * t_x;
        a[2 * i + 1] = c * sum_y + s * t_y;
        if (k == mirror || k == 0) continue;
        b[2 * i] = s * sum_x - c * t_x;
        b[2 * i + 1] = s * sum_y - c * t_y;
      }
      std::copy_n(a, count, out(run, wave(k), column));
      if (k != mirror && k != 0) std::copy_n(b, count, out(run, wave(mirror), column));
    }
  }

  void from_waves(const ColumnRun& run, Index column, Index count, const Work& work) const {
    const Index pairs = (count + 1) / 2;
    const bool odd = count % 2 != 0;
    for (Index k = 0; k <= n_ / 2; ++k) {
      const Index mirror = n_ - k;
      const Real* const a = in(run, wave(k), column);
      Real* const z = work.rows + k * row_numbers;
      if (k == 0) {
        std::copy_n(a, count, z);
        if (odd) z[count] = 0;
        continue;
      }
      const Real* const b = in(run, wave(mirror), column);
      Real* const y = work.rows + mirror * row_numbers;
      const Real c = turns_.cosines[static_cast<std::size_t>(k)], s = turns_.sines[static_cast<std::size_t>(k)];
      const auto turn = [&](Index i, Real ax, Real ay, Real bx, Real by) {
        const Real e_x = c * ax + s * bx, e_y = c * ay + s * by, f_x = s * ax - c * bx, f_y = s * ay - c * by;
        z[2 * i] = e_x - f_y;
        z[2 * i + 1] = e_y + f_x;
        if (k == mirror) return;
        y[2 * i] = e_x + f_y;
        y[2 * i + 1] = e_y - f_x;
      };
      for (Index i = 0; i < pairs - odd; ++i) turn(i, a[2 * i], a[2 * i + 1], b[2 * i], b[2 * i + 1]);
      if (odd) turn(pairs - 1, a[count - 1], 0, b[count - 1], 0);
    }
    for (Index j = 0; j < n_; ++j) {
      const Index place = place_of(n_, j);
      work.from[place] = work.rows + place * row_numbers;
      work.to[place] = odd ? work.other + j * row_numbers : out(run, j, column);
    }
    run_inner(work, count, run.scale);
    for (Index j = 0; j < n_; ++j) {
      Real* const row = out(run, j, column);
      const Real* const found = odd ? work.other + j * row_numbers : row;
      const bool negative = is_sine(type_) && j % 2 != 0;
      if (!odd && !negative) continue;
      for (Index i = 0; i < count; ++i) row[i] = negative ? -found[i] : found[i];
    }
  }

  LineType type_;
  Index n_;
  std::unique_ptr<ColumnKernel> inner_;
  Turns<Real> turns_;
};

template <class Real>
class CosineLines final : public LineKernel {
 public:
  /// `half`: real lines to their half spectra, or back.
  CosineLines(const LineBatch& batch, const LineBatch& half, std::unique_ptr<LineKernel> lines)
      : batch_(batch), half_(half), lines_(std::move(lines)), turns_(batch.n) {}

  void run(void* in, void* out) const override {
    thread_local Buffer scratch;
    const bool second = is_second(batch_.type);
    const Index reals = second ? half_.in_distance : half_.out_distance;
    const Index numbers = 2 * (second ? half_.out_distance : half_.in_distance);
    const Index bytes = batch_.count * (reals + numbers) * static_cast<Index>(sizeof(Real));
    if (scratch.bytes() < bytes) scratch = Buffer(bytes);
    auto* const v = reinterpret_cast<Real*>(scratch.data());
    Real* const spectra = v + batch_.count * reals;
    if (second) {
      arrange(static_cast<const Real*>(in), v, reals);
      lines_->run(v, spectra);
      for (Index line = 0; line < batch_.count; ++line) {
        to_waves(spectra + line * numbers, static_cast<Real*>(out) + line * batch_.out_distance);
      }
    } else {
      for (Index line = 0; line < batch_.count; ++line) {
        from_waves(static_cast<const Real*>(in) + line * batch_.in_distance, spectra + line * numbers);
      }
      lines_->run(spectra, v);
      spread(v, static_cast<Real*>(out), reals);
    }
  }

 private:
  /// Eight lines at once: they may lie side by side.
  template <class Use>
  void each_point(const Use& use) const {
    constexpr Index together = 8;
    for (Index first = 0; first < batch_.count; first += together) {
      const Index last = std::min(batch_.count, first + together);
      for (Index j = 0; j < batch_.n; ++j) {
        const Index place = place_of(batch_.n, j);
        const Real sign = is_sine(batch_.type) && j % 2 != 0 ? Real{-1} : Real{1};
        for (Index line = first; line < last; ++line) use(line, j, place, sign);
      }
    }
  }
  void arrange(const Real* in, Real* v, Index distance) const {
    each_point([&](Index line, Index j, Index place, Real sign) {
      v[line * distance + place] = sign * in[line * batch_.in_distance + j * batch_.in_stride];
    });
  }
  void spread(const Real* v, Real* out, Index distance) const {
    each_point([&](Index line, Index j, Index place, Real sign) {
      out[line * batch_.out_distance + j * batch_.out_stride] = sign * v[line * distance + place];
    });
  }
  Index wave(Index k) const { return is_sine(batch_.type) ? batch_.n - 1 - k : k; }

  void to_waves(const Real* spectrum, Real* out) const {
    const Index n = batch_.n, stride = batch_.out_stride;
    out[wave(0) * stride] = 2 * spectrum[0];
    for (Index k = 1; k <= n / 2; ++k) {
      const Real c = turns_.cosines[static_cast<std::size_t>(k)], s = turns_.sines[static_cast<std::size_t>(k)];
      const Real re = 2 * spectrum[2 * k], im = 2 * spectrum[2 * k + 1];
      out[wave(n - k) * stride] = s * re - c * im;
      out[wave(k) * stride] = c * re + s * im;
    }
  }
  void from_waves(const Real* in, Real* spectrum) const {
    const Index n = batch_.n, stride = batch_.in_stride;
    spectrum[0] = in[wave(0) * stride];
    spectrum[1] = 0;
    for (Index k = 1; k <= n / 2; ++k) {
      const Real c = turns_.cosines[static_cast<std::size_t>(k)], s = turns_.sines[static_cast<std::size_t>(k)];
      const Real a = in[wave(k) * stride], b = in[wave(n - k) * stride];
      spectrum[2 * k] = c * a + s * b;
      spectrum[2 * k + 1] = s * a - c * b;
    }
  }

  LineBatch batch_, half_;
  std::unique_ptr<LineKernel> lines_;
  Turns<Real> turns_;
};

bool has_cosines(LineType type) { return is_second(type) || type == LineType::dct3 || type == LineType::dst3; }

}  // namespace

std::unique_ptr<ColumnKernel> make_cosine_columns(const Backend& backend, LineType type, Index n, Precision precision,
                                                  Effort effort) {
  if (!has_cosines(type) || backend.make_columns == nullptr || n < 2) return nullptr;
  auto inner = backend.make_columns(n, is_second(type) ? -1 : +1, precision, effort);
  if (!inner) return nullptr;
  if (precision == Precision::double_) return std::make_unique<CosineColumns<double>>(type, n, std::move(inner));
  return std::make_unique<CosineColumns<float>>(type, n, std::move(inner));
}

std::unique_ptr<LineKernel> make_cosine_lines(
    const LineBatch& batch, Precision precision,
    const std::function<std::unique_ptr<LineKernel>(const LineBatch& half)>& make_half) {
  if (!has_cosines(batch.type) || batch.n < 2) return nullptr;
  const bool second = is_second(batch.type);
  LineBatch half;
  half.type = second ? LineType::r2c : LineType::c2r;
  half.sign = second ? -1 : +1;
  half.n = batch.n;
  half.count = batch.count;
  const Index reals = 2 * padded(batch.n / 2 + 1, bytes_of(Number::complex, precision));
  (second ? half.in_distance : half.out_distance) = reals;
  (second ? half.out_distance : half.in_distance) = reals / 2;
  auto lines = make_half(half);
  if (!lines) return nullptr;
  if (precision == Precision::double_) return std::make_unique<CosineLines<double>>(batch, half, std::move(lines));
  return std::make_unique<CosineLines<float>>(batch, half, std::move(lines));
}

}  // namespace weft::detail
