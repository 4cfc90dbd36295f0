// Backend `reference`: lines in long double whatever the precision, for tests to compare with.
#include "fft/reference.hpp"

#include <cmath>
#include <numbers>

#include "fft/serial.hpp"

namespace weft::detail {

namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

/// Without the library's care for infinities, which takes most of the time.
LongComplex product(const LongComplex& a, const LongComplex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
class ReferenceKernel final : public LineKernel {
 public:
  explicit ReferenceKernel(const LineBatch& batch) : batch_(batch), line_(batch.n, sign_of(batch)) {}

  void run(void* in, void* out) const override {
    std::vector<LongComplex> line(index(batch_.n)), result(line.size());
    for (Index i = 0; i < batch_.count; ++i) {
      load(in, i * batch_.in_distance, line);
      line_.run(line, result);
      store(out, i * batch_.out_distance, result);
    }
  }

 private:
  static int sign_of(const LineBatch& batch) {
    const int fixed = traits_of(batch.type).sign;
    return fixed != 0 ? fixed : batch.sign;
  }

  void load(const void* in, Index at, std::vector<LongComplex>& line) const {
    const Index n = batch_.n;
    if (batch_.type == LineType::r2c) {
      for (Index i = 0; i < n; ++i) line[index(i)] = static_cast<const Real*>(in)[at + i * batch_.in_stride];
      return;
    }
    const auto* complex = static_cast<const std::complex<Real>*>(in);
    const Index stored = batch_.type == LineType::c2r ? n / 2 + 1 : n;
    for (Index i = 0; i < stored; ++i) line[index(i)] = LongComplex(complex[at + i * batch_.in_stride]);
    for (Index i = stored; i < n; ++i) line[index(i)] = std::conj(line[index(n - i)]);
    if (batch_.type == LineType::c2r) {
      // The imaginary parts that a real result cannot have do not count.
      line[0].imag(0);
      if (n % 2 == 0) line[index(n / 2)].imag(0);
    }
  }

  void store(void* out, Index at, const std::vector<LongComplex>& result) const {
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

  LineBatch batch_;
  ReferenceLine line_;
};

}  // namespace

LongComplex root_of_one(Index k, Index n) {
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
  return {std::cos(angle), std::sin(angle)};
}

ReferenceLine::ReferenceLine(Index n, int sign) : n_(n) {
  for (Index k = 0; k < n; ++k) roots_.push_back(sign > 0 ? root_of_one(k, n) : std::conj(root_of_one(k, n)));
}

void ReferenceLine::run(const std::vector<LongComplex>& in, std::vector<LongComplex>& out) const {
  std::vector<LongComplex> work(in.size());
  transform(in.data(), out.data(), work.data(), n_, 1);
}

/// out[k] = sum over j of in[j * stride] * root^(j k), by splitting off the smallest prime factor of n.
void ReferenceLine::transform(const LongComplex* in, LongComplex* out, LongComplex* work, Index n, Index stride) const {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  Index p = 2;
  while (n % p != 0) ++p;
  const Index m = n / p;
  for (Index r = 0; r < p; ++r) transform(in + r * stride, out + r * m, work, m, stride * p);
  for (Index k = 0; k < m; ++k) {
    for (Index q = 0; q < p; ++q) {
      const Index step = (k + q * m) * stride;
      LongComplex sum = 0;
      for (Index r = 0, root = 0; r < p; ++r, root += step, root -= root < n_ ? 0 : n_) {
        sum += product(out[r * m + k], roots_[index(root)]);
      }
      work[q] = sum;
    }
    for (Index q = 0; q < p; ++q) out[q * m + k] = work[q];
  }
}

namespace {

/// A transform between real numbers: the sum that it is.
template <class Real>
class ReferenceSum final : public LineKernel {
 public:
  explicit ReferenceSum(const LineBatch& batch) : batch_(batch) {
    for (Index k = 0; k < batch.n; ++k) {
      for (Index j = 0; j < batch.n; ++j) factors_.push_back(traits_of(batch.type).coefficient(batch.n, k, j));
    }
  }

  void run(void* in, void* out) const override {
    std::vector<Real> line(index(batch_.n));
    for (Index i = 0; i < batch_.count; ++i) {
      const Real* const from = static_cast<const Real*>(in) + i * batch_.in_distance;
      Real* const to = static_cast<Real*>(out) + i * batch_.out_distance;
      for (Index k = 0; k < batch_.n; ++k) {
        long double sum = 0;
        for (Index j = 0; j < batch_.n; ++j) sum += factors_[index(k * batch_.n + j)] * from[j * batch_.in_stride];
        line[index(k)] = static_cast<Real>(sum);
      }
      for (Index k = 0; k < batch_.n; ++k) to[k * batch_.out_stride] = line[index(k)];
    }
  }

 private:
  LineBatch batch_;
  std::vector<long double> factors_;
};

}  // namespace

Backend reference_backend() {
  return {"reference", "plain mixed-radix FFT in long double, for comparison",
          [](const LineBatch& batch, Precision precision, Effort) -> std::unique_ptr<LineKernel> {
            if (traits_of(batch.type).between_reals()) {
              if (precision == Precision::double_) return std::make_unique<ReferenceSum<double>>(batch);
              return std::make_unique<ReferenceSum<float>>(batch);
            }
            if (precision == Precision::double_) return std::make_unique<ReferenceKernel<double>>(batch);
            return std::make_unique<ReferenceKernel<float>>(batch);
          }};
}

}  // namespace weft::detail
