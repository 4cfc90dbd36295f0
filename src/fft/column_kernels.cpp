// Column kernels for every length: the backend's own, or its lines with a copy before and after.
#include <algorithm>
#include <complex>
#include <vector>

#include "base/buffer.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

template <class Real, class Element>
class LinesColumnKernel final : public ColumnKernel {
  static constexpr Index width = 8;  ///< columns at once

 public:
  LinesColumnKernel(const Backend& backend, LineType type, Index n, int sign, Precision precision, Effort effort)
      : n_(n) {
    distance_ = padded(n, sizeof(Element));
    LineBatch batch;
    batch.type = type;
    batch.n = n;
    batch.count = width;
    batch.in_distance = batch.out_distance = distance_;
    batch.sign = sign;
    batch.in_place = true;
    lines_ = backend.make(batch, precision, effort);
  }

  Index scratch_bytes() const override { return width * distance_ * static_cast<Index>(sizeof(Element)); }

  void run(const ColumnRun& run, void* scratch) const override {
    auto* const lines = static_cast<Element*>(scratch);
    const auto scale = static_cast<Real>(run.scale);
    for (Index column = 0; column < run.columns; column += width) {
      const Index count = std::min(width, run.columns - column);
      for (Index row = 0; row < n_; ++row) {
        const Element* const from = static_cast<const Element*>(run.in[row]) + run.in_first + column;
        for (Index i = 0; i < width; ++i) lines[i * distance_ + row] = i < count ? from[i] : Element(0);
      }
      lines_->run(lines, lines);
      for (Index row = 0; row < n_; ++row) {
        Element* const to = static_cast<Element*>(run.out[row]) + run.out_first + column;
        for (Index i = 0; i < count; ++i) to[i] = lines[i * distance_ + row] * scale;
      }
    }
  }

 private:
  Index n_, distance_ = 0;
  std::unique_ptr<LineKernel> lines_;
};

/// Columns between real numbers, of complex elements.
class PartsOfComplex final : public ColumnKernel {
 public:
  explicit PartsOfComplex(std::unique_ptr<ColumnKernel> real) : real_(std::move(real)) {}
  Index scratch_bytes() const override { return real_->scratch_bytes(); }
  void run(const ColumnRun& run, void* scratch) const override {
    ColumnRun parts = run;
    parts.columns *= 2;
    parts.in_first *= 2;
    parts.out_first *= 2;
    real_->run(parts, scratch);
  }
  bool asks_ahead() const override { return real_->asks_ahead(); }

 private:
  std::unique_ptr<ColumnKernel> real_;
};

template <class Real>
std::unique_ptr<ColumnKernel> make_of_lines(const Backend& backend, LineType type, Index n, int sign,
                                            Precision precision, Effort effort) {
  if (type == LineType::c2c) {
    return std::make_unique<LinesColumnKernel<Real, std::complex<Real>>>(backend, type, n, sign, precision, effort);
  }
  return std::make_unique<LinesColumnKernel<Real, Real>>(backend, type, n, sign, precision, effort);
}

std::unique_ptr<ColumnKernel> make_of_lines(const Backend& backend, LineType type, Index n, int sign,
                                            Precision precision, Effort effort) {
  return (precision == Precision::double_ ? make_of_lines<double> : make_of_lines<float>)(backend, type, n, sign,
                                                                                          precision, effort);
}

}  // namespace

std::unique_ptr<ColumnKernel> make_column_kernel(const Backend& backend, Index n, int sign, Precision precision,
                                                 Effort effort) {
  if (backend.make_columns != nullptr) {
    if (auto kernel = backend.make_columns(n, sign, precision, effort)) return kernel;
  }
  return make_of_lines(backend, LineType::c2c, n, sign, precision, effort);
}

std::unique_ptr<ColumnKernel> make_column_kernel(const Backend& backend, LineType type, Number elements, Index n,
                                                 int sign, Precision precision, Effort effort) {
  if (type == LineType::c2c) return make_column_kernel(backend, n, sign, precision, effort);
  auto kernel = make_real_columns(backend, type, n, precision, effort);
  if (!kernel) kernel = make_of_lines(backend, type, n, sign, precision, effort);
  return elements == Number::real ? std::move(kernel) : std::make_unique<PartsOfComplex>(std::move(kernel));
}

}  // namespace weft::detail
