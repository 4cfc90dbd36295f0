// Lengths with long primes, as convolutions of lengths without.
//
// Rader (Proc. IEEE 56, 1107, 1968), for primes p where p - 1 has small factors only: with a generator g,
//
//   X_{g^-r} = x_0 + sum_q x_{g^q} w^{g^(q-r)},   w = exp(-2 pi i / p):   a cyclic convolution of p - 1 points.
//
// Bluestein (IEEE Trans. Audio Electroacoust. 18, 451, 1970), for all others: since jk = (j^2 + k^2 - (k-j)^2) / 2,
//
//   X_k = c_k sum_j (x_j c_j) conj(c_{k-j}),   c_j = exp(-i pi j^2 / n):   one of 2n - 1 points or more.
//
// Both are: points from rows in another order (times factors), a transform, a product, a transform, points to rows in
// another order (times factors). The second transform has the exponent -1 as well and so gives the convolution in
// reverse, which the orders take back.
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "fft/lanes_plan.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

using Complex = std::complex<double>;

/// Longer ones would leave the cache.
constexpr Index most_points = Index{1} << 13;

/// exp(-2 pi i k / n)
Complex root(Index k, Index n) {
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(-std::sin(angle))};
}

struct Convolution {
  Index points = 0;                                 ///< of the transforms
  std::vector<std::int32_t> take, give;             ///< the row of each point, or -1
  std::vector<Complex> take_factors, give_factors;  ///< of those points; empty: all 1
  std::vector<Complex> kernel;                      ///< that the points are convolved with
  bool first_apart = false;                         ///< Rader: row 0 is the point after those that are convolved
};

Index power(Index base, Index exponent, Index modulus) {
  Index result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % modulus) {
    if (exponent % 2 == 1) result = result * base % modulus;
  }
  return result;
}

std::vector<Index> primes_of(Index n) {
  std::vector<Index> primes;
  for (Index prime = 2; prime * prime <= n; ++prime) {
    if (n % prime == 0) primes.push_back(prime);
    while (n % prime == 0) n /= prime;
  }
  if (n > 1) primes.push_back(n);
  return primes;
}

/// The smallest number whose powers are all of 1 ... p - 1.
Index generator_of(Index p) {
  const std::vector<Index> primes = primes_of(p - 1);
  for (Index g = 2;; ++g) {
    bool all = true;
    for (Index prime : primes) all = all && power(g, (p - 1) / prime, p) != 1;
    if (all) return g;
  }
}

Convolution rader(Index p) {
  Convolution result;
  result.points = p - 1;
  result.first_apart = true;
  const Index g = generator_of(p);
  // The kernel is w^(g^-r); point r of the convolution, which comes at place -r, is row g^-r.
  for (Index q = 0, at = 1; q < p - 1; ++q, at = at * g % p) {
    result.take.push_back(static_cast<std::int32_t>(at));
    result.kernel.push_back(root(power(at, p - 2, p), p));
  }
  result.take.push_back(0);
  result.give = result.take;
  return result;
}

Convolution bluestein(Index n, Index points) {
  Convolution result;
  result.points = points;
  const auto chirp = [&](Index j) { return root(j * j % (2 * n), 2 * n); };
  // Row j is taken to place -j, so that the convolution, with a kernel that is even, comes in order.
  result.take.assign(static_cast<std::size_t>(points), -1);
  result.take_factors.assign(static_cast<std::size_t>(points), 0);
  result.kernel.assign(static_cast<std::size_t>(points), 0);
  for (Index j = 0; j < n; ++j) {
    const auto place = static_cast<std::size_t>((points - j) % points);
    result.take[place] = static_cast<std::int32_t>(j);
    result.take_factors[place] = chirp(j);
    result.kernel[place] = result.kernel[static_cast<std::size_t>(j)] = std::conj(chirp(j));
    result.give.push_back(static_cast<std::int32_t>(j));
    result.give_factors.push_back(chirp(j));
  }
  return result;
}

/// The kernel's transform, over the number of points: that of both transforms of a convolution.
std::vector<Complex> spectrum_of(std::vector<Complex> kernel) {
  LineBatch batch;
  batch.n = static_cast<Index>(kernel.size());
  std::vector<Complex> spectrum(kernel.size());
  find_backend("reference").make(batch, Precision::double_, Effort::estimate)->run(kernel.data(), spectrum.data());
  for (Complex& number : spectrum) number /= static_cast<double>(batch.n);
  return spectrum;
}

template <class T>
std::vector<T> numbers_of(const std::vector<Complex>& factors) {
  std::vector<T> numbers;
  for (const Complex& factor : factors) {
    numbers.push_back(static_cast<T>(factor.real()));
    numbers.push_back(static_cast<T>(factor.imag()));
  }
  return numbers;
}

template <class T>
class ConvolutionPlan final : public LanesPlan<T> {
 public:
  ConvolutionPlan(Index n, int sign, const Convolution& convolution, const LanesCode<T>& code)
      : LanesPlan<T>(code.width),
        code_(code),
        points_(convolution.points),
        first_apart_(convolution.first_apart),
        take_(convolution.take),
        give_(convolution.give),
        take_factors_(numbers_of<T>(convolution.take_factors)),
        give_factors_(numbers_of<T>(convolution.give_factors)),
        kernel_(numbers_of<T>(spectrum_of(convolution.kernel))),
        steps_(radix_steps<T>(radices_of(points_, code))),
        half_(bytes_of_points(points_ + 1, code)) {
    if (sign > 0) {
      for (std::int32_t& row : give_) row = row == 0 ? 0 : static_cast<std::int32_t>(n) - row;
    }
  }

  Index scratch_bytes() const override { return 2 * half_; }
  Index butterflies() const override { return 2 * butterflies_of(steps_); }

  void run(LanesStep<T> s, void* scratch) const override {
    const Index lanes = 2 * code_.width;
    T* const points = static_cast<T*>(scratch);
    T* const other = points + half_ / static_cast<Index>(sizeof(T));
    s.to = points;
    s.m = static_cast<Index>(take_.size());
    s.order = take_.data();
    s.twiddles = take_factors_.empty() ? nullptr : take_factors_.data();
    code_.take(s);
    T* const sum = transform(s, points, other);
    s.to = sum;
    T* const first = points + points_ * lanes;
    // Rader: row 0 is the sum of all, and x_0 is added to all others: to frequency 0, whose factor is -1 over the
    // number of points.
    for (Index i = 0; first_apart_ && i < lanes; ++i) {
      const T x = first[i];
      first[i] = x + sum[i];
      sum[i] -= x * static_cast<T>(points_);
    }
    s.m = points_;
    s.twiddles = kernel_.data();
    code_.multiply(s);
    s.from = transform(s, sum, sum == points ? other : points);
    s.m = static_cast<Index>(give_.size());
    s.order = give_.data();
    s.twiddles = give_factors_.empty() ? nullptr : give_factors_.data();
    code_.give(s);
  }

 private:
  /// Between two arrays; where the result is.
  T* transform(LanesStep<T> s, T* from, T* to) const {
    for (const RadixStep<T>& step : steps_) {
      s.from = from;
      s.to = to;
      s.twiddles = step.twiddles.data();
      s.m = step.m;
      s.l = step.l;
      code_.middle[step.radix](s);
      std::swap(from, to);
    }
    return from;
  }

  LanesCode<T> code_;
  Index points_;
  bool first_apart_;
  std::vector<std::int32_t> take_, give_;
  std::vector<T> take_factors_, give_factors_, kernel_;
  std::vector<RadixStep<T>> steps_;
  Index half_;
};

/// How many points make the convolution of at least so many fastest.
template <class T>
Index best_points(Index least, const LanesCode<T>& code) {
  Index best = 0;
  std::size_t best_work = 0;
  for (Index points = least; points < least + least / 2; ++points) {
    const std::vector<int> radices = radices_of(points, code);
    const std::size_t work = radices.size() * static_cast<std::size_t>(points);
    if (!radices.empty() && (best == 0 || work < best_work)) {
      best = points;
      best_work = work;
    }
  }
  return best;
}

}  // namespace

template <class T>
std::unique_ptr<LanesPlan<T>> make_convolution(Index n, int sign, const LanesCode<T>& code) {
  if (2 * n > most_points) return nullptr;
  if (primes_of(n).front() == n && !radices_of(n - 1, code).empty()) {
    return std::make_unique<ConvolutionPlan<T>>(n, sign, rader(n), code);
  }
  return std::make_unique<ConvolutionPlan<T>>(n, sign, bluestein(n, best_points(2 * n - 1, code)), code);
}

template std::unique_ptr<LanesPlan<double>> make_convolution(Index, int, const LanesCode<double>&);
template std::unique_ptr<LanesPlan<float>> make_convolution(Index, int, const LanesCode<float>&);

}  // namespace weft::detail
