#include "accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "base/buffer.hpp"

namespace weft::tools {

namespace {

using Long = std::complex<long double>;

constexpr Index count = 3;  ///< lines of each signal
constexpr long double turn = 2 * std::numbers::pi_v<long double>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Without the checks for infinities that the library's product has.
Long times(const Long& a, const Long& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Lines in long double, by the definition for each prime factor.
class ExactLine {
 public:
  ExactLine(Index n, int sign) : n_(n), work_(at(n)) {
    for (Index k = 0; k < n; ++k) {
      // The angle of the first quarter, so that it loses no digits.
      const Index quarter = 4 * k / n, rest = 4 * k % n;
      const long double angle = turn * static_cast<long double>(rest) / static_cast<long double>(4 * n);
      const Long root{std::cos(angle), sign * std::sin(angle)};
      const Long turned[] = {{1, 0}, {0, static_cast<long double>(sign)}, {-1, 0}, {0, -static_cast<long double>(sign)}};
      roots_.push_back(times(root, turned[quarter]));
    }
  }

  std::vector<Long> operator()(const std::vector<Long>& line) {
    std::vector<Long> result(at(n_));
    transform(line.data(), result.data(), n_, 1);
    return result;
  }

 private:
  void transform(const Long* in, Long* out, Index n, Index stride) {
    if (n == 1) {
      out[0] = in[0];
      return;
    }
    Index p = 2;
    while (n % p != 0) ++p;
    const Index m = n / p;
    for (Index r = 0; r < p; ++r) transform(in + r * stride, out + r * m, m, stride * p);
    for (Index k = 0; k < m; ++k) {
      for (Index q = 0; q < p; ++q) {
        Long sum = 0;
        const Index turns = (k + q * m) * stride;
        Index root = 0;
        for (Index r = 0; r < p; ++r, root = (root + turns) % n_) sum += times(out[r * m + k], roots_[at(root)]);
        work_[at(q)] = sum;
      }
      for (Index q = 0; q < p; ++q) out[q * m + k] = work_[at(q)];
    }
  }

  Index n_;
  std::vector<Long> roots_, work_;
};

/// Between -1/2 and 1/2 (the finaliser of the splitmix64 generator).
long double noise(Index i) {
  auto x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<long double>(x ^ (x >> 31)) / 0x1p64L - 0.5L;
}

/// Point j of a line of n points.
Long value(Signal signal, Index line, Index j, Index n) {
  switch (signal) {
    case Signal::constant: return Long{0.7L, -0.1L} * static_cast<long double>(line + 1);
    case Signal::wave: {
      const Index wave = line == 0 ? 1 : line == 1 ? n / 3 : n - 2;
      const long double angle = turn * static_cast<long double>(wave * j % n) / static_cast<long double>(n) + 0.3L;
      return {std::cos(angle), std::sin(angle)};
    }
    case Signal::points: {
      const bool there = line == 0 ? j == 0 : line == 1 ? j == 1 % n : j == n / 2 || j == n - 1;
      return Long{0.7L, -0.1L} + (there ? Long{0.3L, 0.7L} : Long{0});
    }
    case Signal::noise: break;
  }
  return {noise(2 * (line * n + j)), noise(2 * (line * n + j) + 1)};
}

}  // namespace

const char* to_string(Lines lines) {
  switch (lines) {
    case Lines::columns: return "columns";
    case Lines::rows: return "rows";
    case Lines::real_rows: return "real_rows";
    case Lines::real_rows_back: break;
  }
  return "real_rows_back";
}

const char* to_string(Signal signal) {
  switch (signal) {
    case Signal::constant: return "constant";
    case Signal::wave: return "wave";
    case Signal::points: return "points";
    case Signal::noise: break;
  }
  return "noise";
}

double LineErrors::worst() const { return *std::max_element(of.begin(), of.end()); }

double unit_of_rounding(Precision precision) {
  return precision == Precision::double_ ? std::numeric_limits<double>::epsilon()
                                         : std::numeric_limits<float>::epsilon();
}

double error_limit(Precision precision, double fftws) { return 2 * std::max(fftws, unit_of_rounding(precision)); }

double worst_of_limit(Precision precision, const LineErrors& errors, const LineErrors& fftws) {
  double worst = 0;
  for (std::size_t i = 0; i < errors.of.size(); ++i) {
    worst = std::max(worst, errors.of[i] / error_limit(precision, fftws.of[i]));
  }
  return worst;
}

LineAccuracy::LineAccuracy(Lines lines, Index n, Precision precision)
    : lines_(lines),
      n_(n),
      precision_(precision),
      type_(lines == Lines::real_rows        ? detail::LineType::r2c
            : lines == Lines::real_rows_back ? detail::LineType::c2r
                                             : detail::LineType::c2c) {
  for (const Signal signal : all_signals) make(signal);
}

void LineAccuracy::make(Signal signal) {
  const bool real = lines_ == Lines::real_rows || lines_ == Lines::real_rows_back;
  ExactLine exact(n_, lines_ == Lines::columns || lines_ == Lines::real_rows ? -1 : 1), ahead(n_, -1);
  const auto rounded = [&](const Long& x) -> std::complex<double> {
    if (precision_ == Precision::double_) return std::complex<double>(x);
    return std::complex<double>(std::complex<float>(x));
  };
  in_.emplace_back();
  exact_.emplace_back();
  std::vector<Long> line(at(n_));
  for (Index number = 0; number < count; ++number) {
    for (Index j = 0; j < n_; ++j) {
      line[at(j)] = value(signal, number, j, n_);
      if (real) line[at(j)].imag(0);
    }
    if (lines_ == Lines::real_rows_back) {
      line = ahead(line);
      line[0].imag(0);
      for (Index j = 1; 2 * j <= n_; ++j) line[at(n_ - j)] = std::conj(line[at(j)]);
      if (n_ % 2 == 0) line[at(n_ / 2)].imag(0);
    }
    for (Long& x : line) {
      in_.back().push_back(rounded(x));
      x = Long(in_.back().back());
    }
    const std::vector<Long> result = exact(line);
    exact_.back().insert(exact_.back().end(), result.begin(), result.end());
  }
}

LineErrors LineAccuracy::errors(const detail::Backend& backend) const {
  LineErrors errors;
  for (std::size_t i = 0; i < errors.of.size(); ++i) {
    errors.of[i] = precision_ == Precision::double_ ? error<double>(backend, i) : error<float>(backend, i);
  }
  return errors;
}

template <class Real>
double LineAccuracy::error(const detail::Backend& backend, std::size_t signal) const {
  using Complex = std::complex<Real>;
  const auto& given = in_[signal];
  const auto& wanted = exact_[signal];
  // Room for the spectra of real lines; lines of libraries must be aligned.
  const Index distance = n_ + 4 - n_ % 2;
  std::vector<Complex> in(at(count * distance + 4)), out(in.size());
  Complex *const from = in.data(), *const to = out.data();
  const auto put = [&](Index line, Index j, std::complex<double> x) {
    if (lines_ == Lines::columns) {
      from[j * count + line] = Complex(x);
    } else if (lines_ == Lines::real_rows) {
      reinterpret_cast<Real*>(from)[2 * line * distance + j] = static_cast<Real>(x.real());
    } else {
      from[line * distance + j] = Complex(x);
    }
  };
  const auto got = [&](Index line, Index j) -> Complex {
    if (lines_ == Lines::columns) return to[j * count + line];
    if (lines_ == Lines::real_rows_back) return reinterpret_cast<const Real*>(to)[2 * line * distance + j];
    return to[line * distance + j];
  };
  const Index in_points = lines_ == Lines::real_rows_back ? n_ / 2 + 1 : n_;
  for (Index line = 0; line < count; ++line) {
    for (Index j = 0; j < in_points; ++j) put(line, j, given[at(line * n_ + j)]);
  }
  if (lines_ == Lines::columns) {
    const auto kernel = make_column_kernel(backend, n_, -1, precision_, Effort::estimate);
    std::vector<const void*> rows;
    std::vector<void*> results;
    for (Index j = 0; j < n_; ++j) {
      rows.push_back(from + j * count);
      results.push_back(to + j * count);
    }
    const detail::Buffer scratch(std::max<Index>(1, kernel->scratch_bytes()));
    const detail::ColumnRun run{.in = rows.data(), .out = results.data(), .columns = count};
    kernel->run(run, scratch.data());
  } else {
    detail::LineBatch batch{.type = type_, .n = n_, .count = count};
    batch.in_distance = lines_ == Lines::real_rows ? 2 * distance : distance;
    batch.out_distance = lines_ == Lines::real_rows_back ? 2 * distance : distance;
    batch.sign = lines_ == Lines::real_rows ? -1 : 1;
    backend.make(batch, precision_, Effort::estimate)->run(from, to);
  }
  double worst = 0;
  const Index out_points = lines_ == Lines::real_rows ? n_ / 2 + 1 : n_;
  for (Index line = 0; line < count; ++line) {
    long double error = 0, norm = 0;
    for (Index j = 0; j < out_points; ++j) {
      const Long& exact = wanted[at(line * n_ + j)];
      error += std::norm(Long(got(line, j)) - exact);
      norm += std::norm(exact);
    }
    worst = std::max(worst, static_cast<double>(std::sqrt(error / norm)));
  }
  return worst;
}

}  // namespace weft::tools
