// Real lines of an even length as complex ones of half of it.
//
// Points 2j and 2j + 1 of a real line lie where a complex line has its point j. With h = n/2, Z the transform of that
// complex line, E and O those of the real points at even and at odd places,
//
//   Z_k = E_k + i O_k,   X_k = E_k + w^k O_k,   X_{h-k} = conj(E_k - w^k O_k),   w = exp(-2 pi i / n),
//
// so that a pass over pairs (k, h - k) makes X of Z, or Z of X for the way back (W. H. Press et al., Numerical Recipes,
// 12.3): the twist, in place. Libraries' kernels for real lines make little use of wide vectors: FFTW's take 1.1 to
// 1.4 ns a point on a Sapphire Rapids, complex ones of half the length and the twist half to two thirds of that.
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "fft/lanes_steps.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

template <class T>
class RealLines final : public LineKernel {
 public:
  RealLines(const LineBatch& batch, std::unique_ptr<LineKernel> half)
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

}  // namespace

std::unique_ptr<LineKernel> make_real_lines(
    const LineBatch& batch, Precision precision,
    const std::function<std::unique_ptr<LineKernel>(const LineBatch& half)>& make_half) {
  LineBatch half = batch;
  Index& real_distance = batch.type == LineType::r2c ? half.in_distance : half.out_distance;
  if (batch.n % 2 != 0 || real_distance % 2 != 0 || batch.in_stride != 1 || batch.out_stride != 1) return nullptr;
  half.type = LineType::c2c;
  half.n /= 2;
  half.sign = batch.type == LineType::r2c ? -1 : 1;
  real_distance /= 2;
  auto lines = make_half(half);
  if (!lines) return nullptr;
  if (precision == Precision::double_) return std::make_unique<RealLines<double>>(batch, std::move(lines));
  return std::make_unique<RealLines<float>>(batch, std::move(lines));
}

}  // namespace weft::detail
