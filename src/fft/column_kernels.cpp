// Column kernels for every length: the backend's own, or its lines with a copy before and after.
#include <algorithm>
#include <complex>
#include <vector>

#include "base/buffer.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

template <class Real>
class LinesColumnKernel final : public ColumnKernel {
  using Complex = std::complex<Real>;
  static constexpr Index width = 8;  ///< columns at once

 public:
  LinesColumnKernel(const Backend& backend, Index n, int sign, Precision precision, Effort effort) : n_(n) {
    distance_ = padded(n, sizeof(Complex));
    LineBatch batch;
    batch.n = n;
    batch.count = width;
    batch.in_distance = batch.out_distance = distance_;
    batch.sign = sign;
    batch.in_place = true;
    lines_ = backend.make(batch, precision, effort);
  }

  Index scratch_bytes() const override { return width * distance_ * static_cast<Index>(sizeof(Complex)); }

  void run(const ColumnRun& run, void* scratch) const override {
    auto* const lines = static_cast<Complex*>(scratch);
    const auto scale = static_cast<Real>(run.scale);
    for (Index column = 0; column < run.columns; column += width) {
      const Index count = std::min(width, run.columns - column);
      for (Index row = 0; row < n_; ++row) {
        const Complex* const from = static_cast<const Complex*>(run.in[row]) + run.in_first + column;
        for (Index i = 0; i < width; ++i) lines[i * distance_ + row] = i < count ? from[i] : Complex(0);
      }
      lines_->run(lines, lines);
      for (Index row = 0; row < n_; ++row) {
        Complex* const to = static_cast<Complex*>(run.out[row]) + run.out_first + column;
        for (Index i = 0; i < count; ++i) to[i] = lines[i * distance_ + row] * scale;
      }
    }
  }

 private:
  Index n_, distance_ = 0;
  std::unique_ptr<LineKernel> lines_;
};

}  // namespace

std::unique_ptr<ColumnKernel> make_column_kernel(const Backend& backend, Index n, int sign, Precision precision,
                                                 Effort effort) {
  if (backend.make_columns != nullptr) {
    if (auto kernel = backend.make_columns(n, sign, precision, effort)) return kernel;
  }
  if (precision == Precision::double_) {
    return std::make_unique<LinesColumnKernel<double>>(backend, n, sign, precision, effort);
  }
  return std::make_unique<LinesColumnKernel<float>>(backend, n, sign, precision, effort);
}

}  // namespace weft::detail
