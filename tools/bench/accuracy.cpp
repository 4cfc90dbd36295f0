#include "accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
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
      const Long turned[] = {
          {1, 0}, {0, static_cast<long double>(sign)}, {-1, 0}, {0, -static_cast<long double>(sign)}};
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
        for (Index r = 0; r < p; ++r) {
          sum += times(out[r * m + k], roots_[at(root)]);
          root += turns;
          if (root >= n_) root -= n_;
        }
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
  ExactLine exact(n, lines == Lines::columns || lines == Lines::real_rows ? -1 : 1), ahead(n, -1);
  const bool real = lines == Lines::real_rows || lines == Lines::real_rows_back;
  const auto rounded = [&](const Long& x) -> std::complex<double> {
    if (precision == Precision::double_) return std::complex<double>(x);
    return std::complex<double>(std::complex<float>(x));
  };
  std::vector<Long> line(at(n));
  for (const Signal signal : all_signals) {
    in_.emplace_back();
    exact_.emplace_back();
    for (Index number = 0; number < count; ++number) {
      for (Index j = 0; j < n; ++j) {
        line[at(j)] = value(signal, number, j, n);
        if (real) line[at(j)].imag(0);
      }
      if (lines == Lines::real_rows_back) {
        line = ahead(line);
        line[0].imag(0);
        for (Index j = 1; 2 * j <= n; ++j) line[at(n - j)] = std::conj(line[at(j)]);
        if (n % 2 == 0) line[at(n / 2)].imag(0);
      }
      for (Long& x : line) {
        in_.back().push_back(rounded(x));
        x = Long(in_.back().back());
      }
      const std::vector<Long> result = exact(line);
      exact_.back().insert(exact_.back().end(), result.begin(), result.end());
    }
  }
}

LineErrors LineAccuracy::errors(const detail::Backend& backend) const {
  return precision_ == Precision::double_ ? errors_as<double>(backend) : errors_as<float>(backend);
}

template <class Real>
LineErrors LineAccuracy::errors_as(const detail::Backend& backend) const {
  using Complex = std::complex<Real>;
  const bool columns = lines_ == Lines::columns, ahead = lines_ == Lines::real_rows;
  const bool back = lines_ == Lines::real_rows_back;
  // Room for the spectra of real lines; lines of libraries must be aligned.
  const Index distance = n_ + 4 - n_ % 2;
  std::vector<Complex> in(at(count * distance)), out(in.size());
  Complex *const from = in.data(), *const to = out.data();

  std::unique_ptr<detail::ColumnKernel> column_kernel;
  std::unique_ptr<detail::LineKernel> line_kernel;
  std::vector<const void*> rows;
  std::vector<void*> results;
  if (columns) {
    column_kernel = detail::make_column_kernel(backend, n_, -1, precision_, Effort::estimate);
    for (Index j = 0; j < n_; ++j) {
      rows.push_back(from + j * count);
      results.push_back(to + j * count);
    }
  } else {
    detail::LineBatch batch{.type = type_, .n = n_, .count = count};
    batch.in_distance = ahead ? 2 * distance : distance;
    batch.out_distance = back ? 2 * distance : distance;
    batch.sign = ahead ? -1 : 1;
    line_kernel = backend.make(batch, precision_, Effort::estimate);
  }
  const detail::Buffer scratch(columns ? std::max<Index>(1, column_kernel->scratch_bytes()) : 1);

  const auto put = [&](Index line, Index j, std::complex<double> x) {
    if (ahead) {
      reinterpret_cast<Real*>(from)[2 * line * distance + j] = static_cast<Real>(x.real());
    } else {
      from[columns ? j * count + line : line * distance + j] = Complex(x);
    }
  };
  const auto got = [&](Index line, Index j) -> Complex {
    if (back) return reinterpret_cast<const Real*>(to)[2 * line * distance + j];
    return to[columns ? j * count + line : line * distance + j];
  };
  const Index in_points = back ? n_ / 2 + 1 : n_, out_points = ahead ? n_ / 2 + 1 : n_;
  LineErrors errors;
  for (std::size_t signal = 0; signal < all_signals.size(); ++signal) {
    for (Index line = 0; line < count; ++line) {
      for (Index j = 0; j < in_points; ++j) put(line, j, in_[signal][at(line * n_ + j)]);
    }
    if (columns) {
      const detail::ColumnRun run{.in = rows.data(), .out = results.data(), .columns = count};
      column_kernel->run(run, scratch.data());
    } else {
      line_kernel->run(from, to);
    }
    for (Index line = 0; line < count; ++line) {
      long double error = 0, norm = 0;
      for (Index j = 0; j < out_points; ++j) {
        const Long& exact = exact_[signal][at(line * n_ + j)];
        error += std::norm(Long(got(line, j)) - exact);
        norm += std::norm(exact);
      }
      // A result that is no number is as wrong as can be.
      const double relative = static_cast<double>(std::sqrt(error / norm));
      errors.of[signal] =
          std::max(errors.of[signal], std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative);
    }
  }
  return errors;
}

}  // namespace weft::tools
