#include "reference.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "weft/error.hpp"

namespace weft::verify {

namespace {

using Long = std::complex<long double>;

Index points(const Extents& shape) {
  Index all = 1;
  for (const Index n : shape) all *= n;
  return all;
}

/// Points from one to the next along an axis.
Index distance(const Extents& shape, std::size_t axis) {
  Index all = 1;
  for (std::size_t later = axis + 1; later < shape.size(); ++later) all *= shape[later];
  return all;
}

/// The definition, along one axis: y(k) = sum over j of x(j) exp(sign 2 pi i j k / n). Twiddles come from a table at
/// the exact index j k mod n, so that no angle loses digits.
void define_lines(std::vector<Long>& x, const Extents& shape, std::size_t axis, int sign) {
  const auto n = static_cast<std::size_t>(shape[axis]);
  if (n == 1) return;
  std::vector<Long> twiddle(n), line(n);
  for (std::size_t j = 0; j < n; ++j) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / static_cast<long double>(n);
    twiddle[j] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
  const auto stride = static_cast<std::size_t>(distance(shape, axis));
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

/// FFTW's name of a line between real numbers, in one way and in the other.
fftw_r2r_kind fftw_kind(Line line, bool to_space) {
  switch (line) {
    case Line::dct1: return FFTW_REDFT00;
    case Line::dct2: return to_space ? FFTW_REDFT01 : FFTW_REDFT10;
    case Line::dct3: return to_space ? FFTW_REDFT10 : FFTW_REDFT01;
    case Line::dct4: return FFTW_REDFT11;
    case Line::dst1: return FFTW_RODFT00;
    case Line::dst2: return to_space ? FFTW_RODFT01 : FFTW_RODFT10;
    case Line::dst3: return to_space ? FFTW_RODFT10 : FFTW_RODFT01;
    case Line::dst4: return FFTW_RODFT11;
    case Line::r2hc: return to_space ? FFTW_HC2R : FFTW_R2HC;
    case Line::hc2r: return to_space ? FFTW_R2HC : FFTW_HC2R;
    default: return FFTW_DHT;
  }
}

/// Lines between real numbers, of real and imaginary parts.
void real_lines(std::vector<std::complex<double>>& values, const Extents& shape, std::size_t axis, fftw_r2r_kind kind) {
  fftw_iodim64 line{shape[axis], 2, 2}, others[Extents::most_axes];
  int count = 0;
  for (std::size_t other = 0; other < shape.size(); ++other) {
    const std::ptrdiff_t stride = 2 * distance(shape, other);
    fftw_iodim64& to = other == axis ? line : others[count++];
    to = {shape[other], stride, stride};
  }
  others[count++] = {2, 1, 1};
  auto* data = reinterpret_cast<double*>(values.data());
  const fftw_plan plan = fftw_plan_guru64_r2r(1, &line, count, others, data, data, &kind, FFTW_ESTIMATE);
  if (plan == nullptr) throw Error("serial FFTW made no plan for the reference of shape " + to_string(shape));
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

void transform_with_fftw(std::vector<std::complex<double>>& values, const Extents& shape, int sign,
                         const std::vector<std::size_t>& axes) {
  auto* data = reinterpret_cast<fftw_complex*>(values.data());
  std::vector<fftw_iodim64> lines, others;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::ptrdiff_t stride = distance(shape, axis);
    const bool transformed = std::find(axes.begin(), axes.end(), axis) != axes.end();
    (transformed ? lines : others).push_back({shape[axis], stride, stride});
  }
  const fftw_plan plan =
      fftw_plan_guru64_dft(static_cast<int>(lines.size()), lines.data(), static_cast<int>(others.size()), others.data(),
                           data, data, sign < 0 ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
  if (plan == nullptr) throw Error("serial FFTW made no plan for the reference of shape " + to_string(shape));
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

/// Numbers of one shape as those of another, axis by axis, each either longer or shorter. Of spectra
/// modes by their wave numbers, where the last mode of an even number stands for its negative, too; in space the first
/// points.
std::vector<std::complex<double>> resized(std::vector<std::complex<double>> values, Extents shape,
                                          const Extents& wanted, bool spectrum) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Index from = shape[axis], to = wanted[axis], fewer = std::min(from, to);
    if (from == to) continue;
    const Index first = spectrum ? -(fewer / 2) : 0, last = spectrum ? fewer / 2 : fewer - 1;
    const Extents old = shape;
    shape[axis] = to;
    std::vector<std::complex<double>> all(static_cast<std::size_t>(points(shape)));
    const auto at = [](const Extents& n, Extents i, std::size_t along, Index wave) {
      i[along] = (wave + n[along]) % n[along];
      return static_cast<std::size_t>(place(n, i));
    };
    Extents i = shape, lines = shape;
    std::fill(i.begin(), i.end(), 0);
    lines[axis] = 1;
    do {
      for (Index wave = first; wave <= last; ++wave) {
        const bool twice = spectrum && 2 * std::abs(wave) == fewer && to > from;
        all[at(shape, i, axis, wave)] += values[at(old, i, axis, wave)] * (twice ? 0.5 : 1.0);
      }
    } while (step(i, lines));
    values = std::move(all);
  }
  return values;
}

/// Multiplications of the definition up to which it is used: about a tenth of a second.
constexpr Index kDefinitionLimit = 8'000'000;
/// Bytes of references to remember.
constexpr std::size_t kMemoryLimit = std::size_t{256} << 20;

}  // namespace

Lines lines_of(const Problem& problem) {
  Lines lines;
  for (std::size_t axis = 0; axis < problem.shape.size(); ++axis) lines.push_back(problem.line(axis));
  return lines;
}

void transform(std::vector<std::complex<double>>& values, const Extents& shape, int sign, const Lines& given,
               bool to_space) {
  const Lines lines = given.empty() ? Lines(shape.size(), Line::dft) : given;
  std::vector<std::size_t> axes;  // of complex lines
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (lines[axis] == Line::dft || lines[axis] == Line::half_dft) {
      axes.push_back(axis);
    } else if (lines[axis] != Line::none) {
      real_lines(values, shape, axis, fftw_kind(lines[axis], to_space));
    }
  }
  const Index all = points(shape), sum = std::accumulate(shape.begin(), shape.end(), Index{0});
  if (all > kDefinitionLimit || all * sum > kDefinitionLimit) {
    transform_with_fftw(values, shape, sign, axes);
    return;
  }
  std::vector<Long> exact(values.begin(), values.end());
  for (const std::size_t axis : axes) define_lines(exact, shape, axis, sign);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    values[i] = {static_cast<double>(exact[i].real()), static_cast<double>(exact[i].imag())};
  }
}

const Reference& References::get(const Field& field, int sign, const Extents& result, const Lines& lines,
                                 bool to_space) {
  const Extents& n = field.shape;
  const Key key{sign,  field.type, field.seed, field.number, {n.begin(), n.end()}, {result.begin(), result.end()},
                lines, to_space};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;

  Reference reference;
  reference.values.reserve(static_cast<std::size_t>(points(n)));
  Extents at = n, larger = n;
  std::fill(at.begin(), at.end(), 0);
  do reference.values.push_back(field(at));
  while (step(at, n));
  for (std::size_t axis = 0; axis < n.size(); ++axis) larger[axis] = std::max(n[axis], result[axis]);
  reference.values = resized(std::move(reference.values), n, larger, to_space);
  transform(reference.values, larger, sign, lines, to_space);
  for (const auto& value : reference.values) reference.largest = std::max(reference.largest, std::abs(value));
  reference.values = resized(std::move(reference.values), larger, result, !to_space);

  const std::size_t bytes = reference.values.size() * sizeof(reference.values[0]);
  if (bytes_ + bytes > kMemoryLimit) {
    known_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  return known_.emplace(key, std::move(reference)).first->second;
}

}  // namespace weft::verify
