// Real lines by complex ones: of half the length where that is even, else two lines at once.
//
// Half the length. Points 2j and 2j + 1 of a real line lie where a complex line has its point j. With h = n/2, Z the
// transform of that complex line, E and O those of the real points at even and at odd places,
//
//   Z_k = E_k + i O_k,   X_k = E_k + w^k O_k,   X_{h-k} = conj(E_k - w^k O_k),   w = exp(-2 pi i / n),
//
// so that a pass over pairs (k, h - k) makes X of Z, or Z of X for the way back (W. H. Press et al., Numerical Recipes,
// 12.3): the twist, in place. Libraries' kernels for real lines make little use of wide vectors: FFTW's take 1.1 to
// 1.4 ns a point on a Sapphire Rapids, complex ones of half the length and the twist half to two thirds of that.
//
// Two lines at once. The spectrum of x + i y, of which x and y are real, has X and Y in it, since those have mirrored
// conjugates: Z_k = X_k + i Y_k, Z_{n-k} = conj(X_k - i Y_k) (Numerical Recipes, 12.3).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "fft/lanes_steps.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

template <class T>
class HalfLines final : public LineKernel {
 public:
  HalfLines(const LineBatch& batch, std::unique_ptr<LineKernel> half)
      : batch_(batch), points_(batch.n / 2), half_(std::move(half)), twist_(best_lanes<T>().twist) {
    // Unnormalised: the way back gives n times the points, and so twice E and O.
    const long double factor = batch_.type == LineType::r2c ? 0.5L : 1.0L;
    for (Index k = 0; k < (points_ + 1) / 2; ++k) {
      const long double angle =
          std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(points_);
      // -i w^k forward, i w^-k backward
      const long double re = -std::sin(angle) * factor;
      const long double im = batch_.type == LineType::r2c ? -std::cos(angle) * factor : std::cos(angle) * factor;
      re_.insert(re_.end(), 2, static_cast<T>(re));
      im_.insert(im_.end(), {static_cast<T>(-im), static_cast<T>(im)});
    }
  }

  void run(void* in, void* out) const override {
    if (batch_.type == LineType::r2c) {
      half_->run(in, out);
      T* const lines = static_cast<T*>(out);
      // Z has period h.
      for_each_line(lines, batch_.out_distance, [&](T* line) {
        line[2 * points_] = line[0];
        line[2 * points_ + 1] = line[1];
      });
      twist(lines, batch_.out_distance);
    } else {
      T* const lines = static_cast<T*>(in);
      // Both are real, whatever is there.
      for_each_line(lines, batch_.in_distance, [&](T* line) { line[1] = line[2 * points_ + 1] = 0; });
      twist(lines, batch_.in_distance);
      half_->run(in, out);
    }
  }

 private:
  template <class Use>
  void for_each_line(T* lines, Index distance, const Use& use) const {
    for (Index line = 0; line < batch_.count; ++line) use(lines + 2 * line * distance);
  }
  void twist(T* lines, Index distance) const {
    const T half = batch_.type == LineType::r2c ? T{0.5} : T{1};
    for_each_line(lines, distance, [&](T* line) { twist_(line, points_, re_.data(), im_.data(), half); });
  }

  LineBatch batch_;
  Index points_;  ///< of the complex lines
  std::unique_ptr<LineKernel> half_;
  void (*twist_)(T*, Index, const T*, const T*, T);
  std::vector<T> re_, im_;
};

template <class T>
class PairedLines final : public LineKernel {
 public:
  PairedLines(const LineBatch& batch, const LineBatch& pairs, std::unique_ptr<LineKernel> lines)
      : batch_(batch), pairs_(pairs), lines_(std::move(lines)), code_(best_lanes<T>().pairs) {}

  void run(void* in, void* out) const override {
    thread_local Buffer scratch;
    const Index bytes = pairs_.count * pairs_.in_distance * 2 * static_cast<Index>(sizeof(T));
    if (scratch.bytes() < bytes) scratch = Buffer(bytes);
    T* const z = reinterpret_cast<T*>(scratch.data());
    if (batch_.type == LineType::r2c) {
      each(static_cast<T*>(in), batch_.in_distance, z, [&](T* x, T* y, T* pair) { code_.join(x, y, batch_.n, pair); });
      lines_->run(z, z);
      each(static_cast<T*>(out), 2 * batch_.out_distance, z,
           [&](T* x, T* y, T* pair) { code_.part_spectra(pair, batch_.n, x, y); });
    } else {
      each(static_cast<T*>(in), 2 * batch_.in_distance, z,
           [&](T* x, T* y, T* pair) { code_.join_spectra(x, y, batch_.n, pair); });
      lines_->run(z, z);
      each(static_cast<T*>(out), batch_.out_distance, z,
           [&](T* x, T* y, T* pair) { code_.part(pair, batch_.n, x, y); });
    }
  }

 private:
  /// With every two lines and their complex one. An odd one out is its own partner.
  template <class Use>
  void each(T* lines, Index distance, T* z, const Use& use) const {
    for (Index pair = 0; pair < pairs_.count; ++pair) {
      T* const x = lines + 2 * pair * distance;
      use(x, 2 * pair + 1 < batch_.count ? x + distance : x, z + 2 * pair * pairs_.in_distance);
    }
  }

  LineBatch batch_, pairs_;
  std::unique_ptr<LineKernel> lines_;
  RealPairs<T> code_;
};

LineBatch halves(LineBatch batch) {
  batch.n /= 2;
  (batch.type == LineType::r2c ? batch.in_distance : batch.out_distance) /= 2;
  return batch;
}

LineBatch pairs(LineBatch batch, Precision precision) {
  batch.count = (batch.count + 1) / 2;
  // An odd number of cache lines apart: at powers of two they would share places in the cache.
  batch.in_distance = batch.out_distance = padded(batch.n, bytes_of(Number::complex, precision));
  batch.in_place = true;
  return batch;
}

}  // namespace

std::unique_ptr<LineKernel> make_real_lines(
    const LineBatch& batch, Precision precision,
    const std::function<std::unique_ptr<LineKernel>(const LineBatch& complex)>& make_complex) {
  if (batch.in_stride != 1 || batch.out_stride != 1) return nullptr;
  const Index real_distance = batch.type == LineType::r2c ? batch.in_distance : batch.out_distance;
  const bool even = batch.n % 2 == 0 && real_distance % 2 == 0;
  LineBatch complex = even ? halves(batch) : pairs(batch, precision);
  complex.type = LineType::c2c;
  complex.sign = batch.type == LineType::r2c ? -1 : 1;
  auto lines = make_complex(complex);
  if (!lines) return nullptr;
  const auto make = [&]<class T>(T) -> std::unique_ptr<LineKernel> {
    if (even) return std::make_unique<HalfLines<T>>(batch, std::move(lines));
    return std::make_unique<PairedLines<T>>(batch, complex, std::move(lines));
  };
  return precision == Precision::double_ ? make(double()) : make(float());
}

}  // namespace weft::detail
