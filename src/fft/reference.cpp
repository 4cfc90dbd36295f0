// Backend `reference`: a plain mixed-radix FFT with nothing clever in it, for tests to compare with. Prime factors p
// cost O(p^2). Computes in double whatever the precision.
#include <complex>
#include <numbers>
#include <vector>

#include "fft/serial.hpp"

namespace weft::detail {

namespace {

using Complex = std::complex<double>;

template <class Real>
class ReferenceKernel final : public LineKernel {
 public:
  explicit ReferenceKernel(const LineBatch& batch) : batch_(batch) {
    const auto n = static_cast<std::size_t>(batch.n);
    const int fixed = traits_of(batch.type).sign, sign = fixed != 0 ? fixed : batch.sign;
    for (std::size_t k = 0; k < n; ++k) {
      const double angle = sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
      roots_.emplace_back(std::cos(angle), std::sin(angle));
    }
  }

  void run(void* in, void* out) const override {
    const auto n = static_cast<std::size_t>(batch_.n);
    std::vector<Complex> line(n), result(n), work(n);
    for (Index i = 0; i < batch_.count; ++i) {
      load(in, i * batch_.in_distance, line);
      transform(line.data(), result.data(), work.data(), batch_.n, 1);
      store(out, i * batch_.out_distance, result);
    }
  }

 private:
  void load(const void* in, Index at, std::vector<Complex>& line) const {
    const Index n = batch_.n;
    if (batch_.type == LineType::r2c) {
      for (Index i = 0; i < n; ++i) line[index(i)] = static_cast<const Real*>(in)[at + i * batch_.in_stride];
      return;
    }
    const auto* complex = static_cast<const std::complex<Real>*>(in);
    const Index stored = batch_.type == LineType::c2r ? n / 2 + 1 : n;
    for (Index i = 0; i < stored; ++i) line[index(i)] = Complex(complex[at + i * batch_.in_stride]);
    for (Index i = stored; i < n; ++i) line[index(i)] = std::conj(line[index(n - i)]);
    if (batch_.type == LineType::c2r) {
      // The imaginary parts that a real result cannot have do not count.
      line[0].imag(0);
      if (n % 2 == 0) line[index(n / 2)].imag(0);
    }
  }

  void store(void* out, Index at, const std::vector<Complex>& result) const {
    if (batch_.type == LineType::c2r) {
      for (Index i = 0; i < batch_.n; ++i) {
        static_cast<Real*>(out)[at + i * batch_.out_stride] = static_cast<Real>(result[index(i)].real());
      }
      return;
    }
    const Index stored = batch_.type == LineType::r2c ? batch_.n / 2 + 1 : batch_.n;
    for (Index i = 0; i < stored; ++i) {
      static_cast<std::complex<Real>*>(out)[at + i * batch_.out_stride] = std::complex<Real>(result[index(i)]);
    }
  }

  /// out[k] = sum over j of in[j * stride] * root^(j k), by splitting off the smallest prime factor of n.
  void transform(const Complex* in, Complex* out, Complex* work, Index n, Index stride) const {
    if (n == 1) {
      out[0] = in[0];
      return;
    }
    Index p = 2;
    while (n % p != 0) ++p;
    const Index m = n / p;
    for (Index r = 0; r < p; ++r) transform(in + r * stride, out + r * m, work, m, stride * p);
    const Index step = batch_.n / n;
    for (Index k = 0; k < m; ++k) {
      for (Index q = 0; q < p; ++q) {
        Complex sum = 0;
        for (Index r = 0; r < p; ++r) sum += out[r * m + k] * roots_[index((k + q * m) * r % n * step)];
        work[q] = sum;
      }
      for (Index q = 0; q < p; ++q) out[q * m + k] = work[q];
    }
  }

  static std::size_t index(Index i) { return static_cast<std::size_t>(i); }

  LineBatch batch_;
  std::vector<Complex> roots_;
};

}  // namespace

Backend reference_backend() {
  return {"reference", "plain mixed-radix FFT, for comparison",
          [](const LineBatch& batch, Precision precision, Effort) -> std::unique_ptr<LineKernel> {
            if (precision == Precision::double_) return std::make_unique<ReferenceKernel<double>>(batch);
            return std::make_unique<ReferenceKernel<float>>(batch);
          }};
}

}  // namespace weft::detail
