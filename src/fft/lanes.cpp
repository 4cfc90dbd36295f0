// Backend `lanes`: transforms of columns; which steps, in which order, with which factors.
//
// Stockham's algorithm, decimated in frequency: a step of radix r takes points p + m j (j = 0 ... r-1) of each of l
// interleaved transforms of length m r, and leaves r times as many of length m, in order at the end without any sorting
// (Van Loan, Computational Frameworks for the FFT, 1.7). All columns that fit a vector go through all steps together,
// so that what lies between the first step and the last never leaves the first cache levels.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "fft/lanes_steps.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

LanesCode<double> lanes_baseline_double();
LanesCode<float> lanes_baseline_single();
#ifdef WEFT_LANES_X86
LanesCode<double> lanes_avx2_double();
LanesCode<float> lanes_avx2_single();
LanesCode<double> lanes_avx512_double();
LanesCode<float> lanes_avx512_single();
#endif

namespace {

template <class T>
LanesCode<T> choose(LanesCode<double> (*as_double)(), LanesCode<float> (*as_single)()) {
  if constexpr (sizeof(T) == 8) {
    return as_double();
  } else {
    return as_single();
  }
}

/// The widest that this processor runs; WEFT_TEST_LANES names one that is not wider, so that all can be tested.
template <class T>
LanesCode<T> best_code() {
  const char* const most = std::getenv("WEFT_TEST_LANES");
  [[maybe_unused]] const auto allowed = [&](std::string_view name) { return most == nullptr || name == most; };
#ifdef WEFT_LANES_X86
  if (allowed("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return choose<T>(lanes_avx512_double, lanes_avx512_single);
  }
  if (allowed("avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return choose<T>(lanes_avx2_double, lanes_avx2_single);
  }
#endif
  return choose<T>(lanes_baseline_double, lanes_baseline_single);
}

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

template <class T>
std::vector<int> factors(Index n, const LanesCode<T>& code) {
  bool allowed[LanesCode<T>::most + 1];
  for (int radix = 0; radix <= LanesCode<T>::most; ++radix) allowed[radix] = code.first[radix] != nullptr;
  std::vector<int> chosen, best;
  Index rest = n;
  for (int prime : {2, 3, 5, 7}) {
    while (rest % prime == 0) rest /= prime;
  }
  if (rest == 1 && n > 1) search(n, allowed, chosen, best);
  return best;
}

template <class T>
class LanesKernel final : public ColumnKernel {
 public:
  LanesKernel(Index n, int sign, const std::vector<int>& radices, const LanesCode<T>& code) : n_(n), code_(code) {
    // The exponent +1 gives the same points in reverse.
    for (Index k = 0; k < n; ++k) order_.push_back(static_cast<std::int32_t>(sign < 0 || k == 0 ? k : n - k));
    Index length = n, before = 1;
    for (int radix : radices) {
      Step step;
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
      steps_.push_back(std::move(step));
    }
  }

  Index scratch_bytes() const override {
    return static_cast<Index>(std::min<std::size_t>(steps_.size() - 1, 2)) * half();
  }

  void run(const ColumnRun& run, void* scratch) const override {
    const auto* const in = reinterpret_cast<const T* const*>(run.in);
    auto* const out = reinterpret_cast<T* const*>(run.out);
    LanesStep<T> s{};
    s.in = in;
    s.out = out;
    s.order = order_.data();
    s.scale = static_cast<T>(run.scale);
    s.streamed = run.streamed && streamable(run);
    const Index group = 2 * code_.width;  // numbers of a row
    s.ahead_in = run.fetch_in ? group * static_cast<Index>(sizeof(T)) : 0;
    s.ahead_out = run.fetch_out ? group * static_cast<Index>(sizeof(T)) : 0;
    T* const halves[2] = {static_cast<T*>(scratch), static_cast<T*>(scratch) + half() / static_cast<Index>(sizeof(T))};
    for (Index column = 0; column < run.columns; column += code_.width) {
      s.at_in = 2 * (run.in_first + column);
      s.at_out = 2 * (run.out_first + column);
      s.columns = static_cast<int>(std::min<Index>(run.columns - column, code_.width));
      if (steps_.size() == 1) {
        code_.only[steps_.front().radix](s);
        continue;
      }
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step& step = steps_[i];
        s.from = halves[(i + 1) % 2];
        s.to = halves[i % 2];
        s.twiddles = step.twiddles.data();
        s.m = step.m;
        s.l = step.l;
        const auto& kind = i == 0 ? code_.first : i + 1 == steps_.size() ? code_.last : code_.middle;
        kind[step.radix](s);
      }
    }
  }

 private:
  struct Step {
    std::size_t radix = 0;
    Index m = 1, l = 1;
    std::vector<T> twiddles;
  };

  Index half() const { return round_up(n_ * 2 * code_.width * static_cast<Index>(sizeof(T)), cache_line); }

  /// Only whole cache lines are worth writing past the cache.
  bool streamable(const ColumnRun& run) const {
    if (2 * code_.width * static_cast<Index>(sizeof(T)) < cache_line) return false;
    for (Index row = 0; row < n_; ++row) {
      const auto* const to = static_cast<const T*>(run.out[row]) + 2 * run.out_first;
      if (reinterpret_cast<std::uintptr_t>(to) % cache_line != 0) return false;
    }
    return true;
  }

  Index n_;
  LanesCode<T> code_;
  std::vector<std::int32_t> order_;
  std::vector<Step> steps_;
};

template <class T>
std::unique_ptr<ColumnKernel> make(Index n, int sign) {
  const LanesCode<T> code = best_code<T>();
  const std::vector<int> radices = factors(n, code);
  if (radices.empty()) return nullptr;
  return std::make_unique<LanesKernel<T>>(n, sign, radices, code);
}

}  // namespace

Backend fftw_backend();

Backend lanes_backend() {
  return {"lanes", "Weft's own transforms of columns, FFTW 3 for rows and for lengths with prime factors above 7",
          fftw_backend().make, [](Index n, int sign, Precision precision) {
            return precision == Precision::double_ ? make<double>(n, sign) : make<float>(n, sign);
          }};
}

}  // namespace weft::detail
