#include "reference.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weft/error.hpp"

namespace weft::verify {

namespace {

using Long = std::complex<long double>;

/// The definition, along one axis: y(k) = sum over j of x(j) exp(sign 2 pi i j k / n). Twiddles come from a table at
/// the exact index j k mod n, so that no angle loses digits.
void define_lines(std::vector<Long>& x, const Shape& shape, std::size_t axis, int sign) {
  const auto n = static_cast<std::size_t>(shape[axis]);
  if (n == 1) return;
  std::vector<Long> twiddle(n), line(n);
  for (std::size_t j = 0; j < n; ++j) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / static_cast<long double>(n);
    twiddle[j] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
  std::size_t stride = 1;
  for (std::size_t later = axis + 1; later < 3; ++later) stride *= static_cast<std::size_t>(shape[later]);
  for (std::size_t block = 0; block < x.size(); block += n * stride) {
    for (std::size_t start = block; start < block + stride; ++start) {
      for (std::size_t j = 0; j < n; ++j) line[j] = x[start + j * stride];
      for (std::size_t k = 0; k < n; ++k) {
        long double re = 0, im = 0;
        for (std::size_t j = 0, t = 0; j < n; ++j, t = t + k < n ? t + k : t + k - n) {
          re += line[j].real() * twiddle[t].real() - line[j].imag() * twiddle[t].imag();
          im += line[j].real() * twiddle[t].imag() + line[j].imag() * twiddle[t].real();
        }
        x[start + k * stride] = {re, im};
      }
    }
  }
}

void transform_with_fftw(std::vector<std::complex<double>>& values, const Shape& shape, int sign) {
  auto* data = reinterpret_cast<fftw_complex*>(values.data());
  const fftw_plan plan =
      fftw_plan_dft_3d(static_cast<int>(shape[0]), static_cast<int>(shape[1]), static_cast<int>(shape[2]), data, data,
                       sign < 0 ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
  if (plan == nullptr) throw Error("serial FFTW made no plan for the reference of shape " + to_string(shape));
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

/// The spectrum of one shape as that of another, axis by axis, each either longer or shorter: modes by their wave
/// numbers; the last mode of an even number stands for its negative, too.
std::vector<std::complex<double>> resized(std::vector<std::complex<double>> values, Shape shape, const Shape& wanted) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index from = shape[axis], to = wanted[axis], fewer = std::min(from, to);
    if (from == to) continue;
    const Shape old = shape;
    shape[axis] = to;
    std::vector<std::complex<double>> all(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    const auto at = [](const Shape& n, Shape i, std::size_t along, Index wave) {
      i[along] = (wave + n[along]) % n[along];
      return static_cast<std::size_t>((i[0] * n[1] + i[1]) * n[2] + i[2]);
    };
    Shape i{};
    Shape lines = shape;
    lines[axis] = 1;
    for (i[0] = 0; i[0] < lines[0]; ++i[0]) {
      for (i[1] = 0; i[1] < lines[1]; ++i[1]) {
        for (i[2] = 0; i[2] < lines[2]; ++i[2]) {
          for (Index wave = -(fewer / 2); wave <= fewer / 2; ++wave) {
            const bool twice = 2 * std::abs(wave) == fewer && to > from;
            all[at(shape, i, axis, wave)] += values[at(old, i, axis, wave)] * (twice ? 0.5 : 1.0);
          }
        }
      }
    }
    values = std::move(all);
  }
  return values;
}

/// Multiplications of the definition up to which it is used: about a tenth of a second.
constexpr Index kDefinitionLimit = 8'000'000;
/// Bytes of references to remember.
constexpr std::size_t kMemoryLimit = std::size_t{256} << 20;

}  // namespace

void transform(std::vector<std::complex<double>>& values, const Shape& shape, int sign) {
  const Index points = shape[0] * shape[1] * shape[2];
  if (points > kDefinitionLimit || points * (shape[0] + shape[1] + shape[2]) > kDefinitionLimit) {
    transform_with_fftw(values, shape, sign);
    return;
  }
  std::vector<Long> exact(values.begin(), values.end());
  for (std::size_t axis = 0; axis < 3; ++axis) define_lines(exact, shape, axis, sign);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    values[i] = {static_cast<double>(exact[i].real()), static_cast<double>(exact[i].imag())};
  }
}

const Reference& References::get(const Field& field, int sign, const Shape& result) {
  const Key key{sign, field.type, field.seed, field.number, field.shape, result};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;

  Reference reference;
  const Shape& n = field.shape;
  reference.values.reserve(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  for (Index i = 0; i < n[0]; ++i) {
    for (Index j = 0; j < n[1]; ++j) {
      for (Index k = 0; k < n[2]; ++k) reference.values.push_back(field({i, j, k}));
    }
  }
  Shape larger;
  for (std::size_t axis = 0; axis < 3; ++axis) larger[axis] = std::max(n[axis], result[axis]);
  reference.values = resized(std::move(reference.values), n, larger);
  transform(reference.values, larger, sign);
  for (const auto& value : reference.values) reference.largest = std::max(reference.largest, std::abs(value));
  reference.values = resized(std::move(reference.values), larger, result);

  const std::size_t bytes = reference.values.size() * sizeof(reference.values[0]);
  if (bytes_ + bytes > kMemoryLimit) {
    known_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  return known_.emplace(key, std::move(reference)).first->second;
}

}  // namespace weft::verify
