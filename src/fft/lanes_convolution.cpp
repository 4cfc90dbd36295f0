// Lengths with long primes: a step for each of them, which is a convolution, before the steps of the other factors.
//
// Rader (Proc. IEEE 56, 1107, 1968): with a generator g of the numbers 1 ... p - 1 modulo the prime p,
//
//   X_{g^i} = x_0 + sum_j x_{g^j} w^{g^(i+j)},   w = exp(-2 pi i / p):   a cyclic convolution of p - 1 points.
//
// It is: points in another order, a transform, a product, a transform, points in that order again. Both transforms have
// the exponent -1, so that the convolution comes in reverse, which turns i - j into i + j. If p - 1 has only small
// factors, they have p - 1 points; else 2p - 3 or more, of which all but p - 1 are zero.
//
// What rounds little stays so. The constant part of the points is known to give -1 times itself; the p - 1 bins of
// a cyclic convolution keep it apart. Zeros would spread it over all bins, and the errors of large numbers that should
// cancel would remain: there, the mean is taken from the points first. The kernel and its transform are
// computed in long double.
#include <algorithm>
#include <complex>
#include <memory>
#include <numeric>
#include <utility>

#include "fft/lanes_plan.hpp"
#include "fft/reference.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

/// Longer ones would leave the cache.
constexpr Index most_points = Index{1} << 12;

Index power(Index base, Index exponent, Index modulus) {
  Index result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % modulus) {
    if (exponent % 2 == 1) result = result * base % modulus;
  }
  return result;
}

/// In order, each as often as it is a factor.
std::vector<Index> primes_of(Index n) {
  std::vector<Index> primes;
  for (Index prime = 2; prime * prime <= n; ++prime) {
    for (; n % prime == 0; n /= prime) primes.push_back(prime);
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

/// How many points make the convolution of at least so many fastest: for each, a step costs its trip through scratch
/// and about what its prime factors add up to (47 points by 96 take 0.7 of the time of 91 = 7 x 13).
template <class T>
Index best_points(Index least, const LanesCode<T>& code) {
  Index best = 0, best_work = 0;
  for (Index points = least; points < least + least / 2; ++points) {
    const std::vector<int> radices = radices_of(points, code);
    const std::vector<Index> primes = primes_of(points);
    const Index steps = static_cast<Index>(radices.size());
    const Index work = points * std::accumulate(primes.begin(), primes.end(), 4 * steps);
    // Of 8192 points, those of a butterfly share their places in the cache.
    if (!radices.empty() && points != 8192 && (best == 0 || work < best_work)) {
      best = points;
      best_work = work;
    }
  }
  return best;
}

/// Transforms of a prime number of points in scratch. Immutable.
template <class T>
class Rader {
 public:
  Rader(Index p, const LanesCode<T>& code) : code_(code), p_(p), points_(p - 1) {
    std::vector<int> radices = radices_of(points_, code);
    if (radices.empty()) {
      points_ = best_points(2 * p - 3, code);
      radices = radices_of(points_, code);
    }
    steps_ = radix_steps<T>(radices);
    const Index g = generator_of(p);
    std::vector<LongComplex> kernel(static_cast<std::size_t>(points_)), spectrum(kernel.size());
    for (Index i = 0, at = 1; i <= 2 * (p - 2); ++i, at = at * g % p) {
      if (i < p - 1) give_.push_back(static_cast<std::int32_t>(at));
      kernel[static_cast<std::size_t>((2 * points_ - i) % points_)] = std::conj(root_of_one(at, p));
    }
    take_ = give_;
    take_.resize(kernel.size(), -1);
    take_.push_back(0);
    give_.push_back(0);
    // Over the number of points, which both transforms together give.
    ReferenceLine(points_, -1).run(kernel, spectrum);
    for (const LongComplex& number : spectrum) {
      kernel_.push_back(static_cast<T>(number.real() / static_cast<long double>(points_)));
      kernel_.push_back(static_cast<T>(number.imag() / static_cast<long double>(points_)));
    }
  }

  /// The numbers of the points as `run` wants them, negative for zeros, and as it leaves them: the last is point 0.
  const std::vector<std::int32_t>& take() const { return take_; }
  const std::vector<std::int32_t>& give() const { return give_; }
  Index butterflies() const { return 2 * butterflies_of(steps_); }
  /// Of each of two arrays: one point more than are taken.
  Index scratch_bytes() const { return bytes_of_points(points_ + 2, code_); }

  /// From `points` to `points`.
  void run(LanesStep<T> s, T* points, T* other) const {
    const Index lanes = 2 * code_.width;
    T* const zero = points + points_ * lanes;  // x_0, and later X_0
    T* const mean = zero + lanes;
    const bool centred = points_ > p_ - 1;
    if (centred) {
      s.to = points;
      s.from = mean;
      s.m = p_ - 1;
      s.scale = T{1} / static_cast<T>(p_ - 1);
      code_.centre(s);
    }
    T* const sum = transform(s, points, other);
    for (Index i = 0; i < lanes; ++i) {
      const T x = zero[i], all = centred ? mean[i] * static_cast<T>(p_ - 1) : T{0};
      zero[i] = x + (all + sum[i]);
      mean[i] = centred ? x - mean[i] : x;
    }
    s.to = sum;
    s.m = points_;
    s.twiddles = kernel_.data();
    code_.multiply(s);
    // To frequency 0: to all points.
    for (Index i = 0; i < lanes; ++i) sum[i] += mean[i];
    transform(s, sum, sum == points ? other : points);
    T* const last = points + (p_ - 1) * lanes;
    for (Index i = 0; i < lanes; ++i) last[i] = zero[i];
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
  Index p_, points_;  ///< of the transforms
  std::vector<std::int32_t> take_, give_;
  std::vector<T> kernel_;
  std::vector<RadixStep<T>> steps_;
};

template <class T>
class ConvolutionPlan final : public LanesPlan<T> {
 public:
  ConvolutionPlan(Index n, int sign, const LanesCode<T>& code) : LanesPlan<T>(code.width), code_(code) {
    std::vector<int> radices;
    Index rest = n;
    for (Index prime : primes_of(n)) {
      if (!has_long_primes(prime)) continue;
      primes_.push_back(std::make_unique<Rader<T>>(prime, code));
      part_ = std::max(part_, primes_.back()->scratch_bytes());
      radices.push_back(static_cast<int>(prime));
      rest /= prime;
    }
    const std::vector<int> others = radices_of(rest, code);
    radices.insert(radices.end(), others.begin(), others.end());
    steps_ = radix_steps<T>(radices);
    if (steps_.size() > 1) whole_ = bytes_of_points(n, code);
    // The exponent +1 gives the same points in reverse.
    const auto row = [&](Index k) { return static_cast<std::int32_t>(sign < 0 || k == 0 ? k : n - k); };
    for (Index k = 0; k < n; ++k) order_.push_back(row(k));
    const RadixStep<T>&first = steps_.front(), &last = steps_.back();
    for (Index i = 0; i < first.m; ++i) {
      for (const Index point : primes_.front()->take()) {
        take_.push_back(static_cast<std::int32_t>(point < 0 ? point : i + first.m * point));
      }
    }
    if (primes_.size() < steps_.size()) return;
    for (Index i = 0; i < last.l; ++i) {
      for (const Index point : primes_.back()->give()) give_.push_back(row(i + last.l * point));
    }
  }

  Index scratch_bytes() const override { return 2 * part_ + halves() * whole_; }

  Index butterflies() const override {
    Index all = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      all += steps_[i].m * steps_[i].l * (i < primes_.size() ? primes_[i]->butterflies() : 1);
    }
    return all;
  }

  void run(LanesStep<T> s, void* scratch) const override {
    T* const parts = static_cast<T*>(scratch);
    T* const wholes = parts + 2 * part_ / numbers;
    T* const arrays[2] = {wholes, wholes + (halves() - 1) * whole_ / numbers};
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const RadixStep<T>& step = steps_[i];
      s.from = arrays[(i + 1) % 2];
      s.to = arrays[i % 2];
      s.twiddles = step.twiddles.data();
      s.m = step.m;
      s.l = step.l;
      if (i < primes_.size()) {
        convolve(s, i, parts, parts + part_ / numbers);
      } else {
        s.order = order_.data();
        (i + 1 == steps_.size() ? code_.last : code_.middle)[step.radix](s);
      }
    }
  }

 private:
  static constexpr Index numbers = sizeof(T);

  /// Arrays of all points between steps.
  Index halves() const { return std::min(static_cast<Index>(steps_.size()) - 1, Index{2}); }

  /// A step whose butterflies are those of a long prime.
  void convolve(const LanesStep<T>& s, std::size_t i, T* points, T* other) const {
    const Rader<T>& prime = *primes_[i];
    const auto radix = static_cast<Index>(steps_[i].radix), lanes = Index{2} * code_.width;
    LanesStep<T> part = s;
    for (Index p = 0; p < s.m; ++p) {
      for (Index q = 0; q < s.l; ++q) {
        part.to = points;
        part.m = static_cast<Index>(prime.take().size());
        if (i == 0) {
          part.order = take_.data() + p * part.m;
          code_.take(part);
        } else {
          part.from = s.from + (q + s.l * p) * lanes;
          part.l = s.l * s.m;
          part.order = prime.take().data();
          code_.gather(part);
        }
        prime.run(s, points, other);
        part.from = points;
        part.m = radix;
        if (i + 1 == steps_.size()) {
          part.order = give_.data() + q * radix;
          code_.give(part);
        } else {
          part.to = s.to + (q + s.l * radix * p) * lanes;
          part.l = s.l;
          part.order = prime.give().data();
          part.twiddles = s.twiddles + 2 * (radix - 1) * p;
          code_.scatter(part);
        }
      }
    }
  }

  LanesCode<T> code_;
  std::vector<std::unique_ptr<Rader<T>>> primes_;  ///< of the first steps
  std::vector<RadixStep<T>> steps_;
  std::vector<std::int32_t> order_;        ///< of the rows of the result
  std::vector<std::int32_t> take_, give_;  ///< rows of each butterfly of the first and the last step
  Index part_ = 0, whole_ = 0;             ///< bytes of an array of a butterfly's points, and of all
};

}  // namespace

template <class T>
std::unique_ptr<LanesPlan<T>> make_convolution(Index n, int sign, const LanesCode<T>& code) {
  if (n > most_points) return nullptr;
  return std::make_unique<ConvolutionPlan<T>>(n, sign, code);
}

template std::unique_ptr<LanesPlan<double>> make_convolution(Index, int, const LanesCode<double>&);
template std::unique_ptr<LanesPlan<float>> make_convolution(Index, int, const LanesCode<float>&);

}  // namespace weft::detail
