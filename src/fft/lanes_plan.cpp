// Which steps, in which order, with which factors.
//
// Stockham's algorithm, decimated in frequency: a step of radix r takes points p + m j (j = 0 ... r-1) of each of l
// interleaved transforms of length m r, and leaves r times as many of length m, in order at the end without any sorting
// (Van Loan, Computational Frameworks for the FFT, 1.7). All columns that fit a vector go through all steps together,
// so that what lies between the first step and the last never leaves the first cache levels.
#include "fft/lanes_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/buffer.hpp"
#include "base/factors.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

/// Factors of n, as few as possible and then as equal as possible; none if there is no code for some prime of it.
void search(Index n, const bool* allowed, std::vector<int>& chosen, std::vector<int>& best) {
  if (n == 1) {
    const auto largest = [](const std::vector<int>& radices) {
      return *std::max_element(radices.begin(), radices.end());
    };
    if (best.empty() || chosen.size() < best.size() ||
        (chosen.size() == best.size() && largest(chosen) < largest(best))) {
      best = chosen;
    }
    return;
  }
  if (!best.empty() && chosen.size() + 1 > best.size()) return;
  const int most = chosen.empty() ? LanesCode<double>::most : chosen.back();
  for (int radix = most; radix > 1; --radix) {
    if (!allowed[radix] || n % radix != 0) continue;
    chosen.push_back(radix);
    search(n / radix, allowed, chosen, best);
    chosen.pop_back();
  }
}

/// Lengths with small prime factors: from memory, through scratch, to memory.
template <class T>
class StockhamPlan final : public LanesPlan<T> {
 public:
  StockhamPlan(Index n, int sign, const std::vector<int>& radices, const LanesCode<T>& code)
      : LanesPlan<T>(code.width), code_(code), steps_(radix_steps<T>(radices)), half_(bytes_of_points(n, code)) {
    // The exponent +1 gives the same points in reverse.
    for (Index k = 0; k < n; ++k) order_.push_back(static_cast<std::int32_t>(sign < 0 || k == 0 ? k : n - k));
  }

  Index scratch_bytes() const override {
    return static_cast<Index>(std::min<std::size_t>(steps_.size() - 1, 2)) * half_;
  }

  Index butterflies() const override { return butterflies_of(steps_); }

  /// Then the second half of the rows is the second half of each butterfly's, at either end.
  bool negates() const override {
    const bool even = steps_.front().radix % 2 == 0 && steps_.back().radix % 2 == 0;
    return steps_.size() > 1 && even && std::is_sorted(order_.begin(), order_.end());
  }

  void run(LanesStep<T> s, void* scratch) const override {
    s.order = order_.data();
    if (steps_.size() == 1) {
      code_.only[steps_.front().radix](s);
      return;
    }
    T* const halves[2] = {static_cast<T*>(scratch), static_cast<T*>(scratch) + half_ / static_cast<Index>(sizeof(T))};
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const RadixStep<T>& step = steps_[i];
      s.from = halves[(i + 1) % 2];
      s.to = halves[i % 2];
      s.twiddles = step.twiddles.data();
      s.m = step.m;
      s.l = step.l;
      const auto& kind = i == 0 ? code_.first : i + 1 == steps_.size() ? code_.last : code_.middle;
      kind[step.radix](s);
    }
  }

 private:
  LanesCode<T> code_;
  std::vector<std::int32_t> order_;
  std::vector<RadixStep<T>> steps_;
  Index half_;
};

}  // namespace

bool has_long_primes(Index n) { return without_factors(n, {2, 3, 5, 7, 11, 13}) > 1; }

template <class T>
std::vector<int> radices_of(Index n, const LanesCode<T>& code) {
  bool allowed[LanesCode<T>::most + 1];
  for (int radix = 0; radix <= LanesCode<T>::most; ++radix) allowed[radix] = code.first[radix] != nullptr;
  std::vector<int> chosen, best;
  if (!has_long_primes(n) && n > 1) search(n, allowed, chosen, best);
  // The first step waits for its rows, which more and smaller butterflies hide with AVX-512 (128 points, in cache: 0.75
  // ns a point as 8 x 16, 0.81 as 16 x 8; with AVX2 1.02 and 0.96).
  if (best.size() == 2 && code.smaller_step_first) std::swap(best[0], best[1]);
  return best;
}

template <class T>
std::vector<RadixStep<T>> radix_steps(const std::vector<int>& radices) {
  std::vector<RadixStep<T>> steps;
  Index length = 1, before = 1;
  for (int radix : radices) length *= radix;
  for (int radix : radices) {
    RadixStep<T> step;
    step.radix = static_cast<std::size_t>(radix);
    step.l = before;
    step.m = length / radix;
    for (Index p = 0; p < step.m; ++p) {
      for (int k = 1; k < radix; ++k) {
        const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(p * k % length) /
                                  static_cast<long double>(length);
        step.twiddles.push_back(static_cast<T>(std::cos(angle)));
        step.twiddles.push_back(static_cast<T>(std::sin(angle)));
      }
    }
    before *= radix;
    length = step.m;
    steps.push_back(std::move(step));
  }
  return steps;
}

template <class T>
Index bytes_of_points(Index points, const LanesCode<T>& code) {
  return round_up(points * 2 * code.width * static_cast<Index>(sizeof(T)), cache_line);
}

template <class T>
std::unique_ptr<LanesPlan<T>> make_lanes_plan(Index n, int sign, const LanesCode<T>& code) {
  if (n == 1) return nullptr;
  const std::vector<int> radices = radices_of(n, code);
  if (radices.empty()) return make_convolution(n, sign, code);
  return std::make_unique<StockhamPlan<T>>(n, sign, radices, code);
}

template std::vector<int> radices_of(Index, const LanesCode<double>&);
template std::vector<int> radices_of(Index, const LanesCode<float>&);
template std::vector<RadixStep<double>> radix_steps(const std::vector<int>&);
template std::vector<RadixStep<float>> radix_steps(const std::vector<int>&);
template Index bytes_of_points(Index, const LanesCode<double>&);
template Index bytes_of_points(Index, const LanesCode<float>&);
template std::unique_ptr<LanesPlan<double>> make_lanes_plan(Index, int, const LanesCode<double>&);
template std::unique_ptr<LanesPlan<float>> make_lanes_plan(Index, int, const LanesCode<float>&);

}  // namespace weft::detail
