// Backend `lanes`: transforms of columns; which steps, in which order, with which factors.
//
// Stockham's algorithm, decimated in frequency: a step of radix r takes points p + m j (j = 0 ... r-1) of each of l
// interleaved transforms of length m r, and leaves r times as many of length m, in order at the end without any sorting
// (Van Loan, Computational Frameworks for the FFT, 1.7). All columns that fit a vector go through all steps together,
// so that what lies between the first step and the last never leaves the first cache levels.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>
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

}  // namespace

/// WEFT_TEST_LANES names one that is not wider than what the processor runs, so that all can be tested.
template <class T>
LanesCode<T> best_lanes() {
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

template LanesCode<double> best_lanes<double>();
template LanesCode<float> best_lanes<float>();

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

/// The steps of transforms of one length, for groups of as many columns, or lines, as there are lanes.
template <class T>
class LanesPlan {
 public:
  LanesPlan(Index n, int sign, const std::vector<int>& radices, const LanesCode<T>& code) : n_(n), code_(code) {
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

  Index n() const { return n_; }
  int width() const { return code_.width; }
  const std::int32_t* order() const { return order_.data(); }
  Index scratch_bytes() const { return static_cast<Index>(std::min<std::size_t>(steps_.size() - 1, 2)) * half(); }

  /// Transforms a group; what is read and written is filled in.
  void run(LanesStep<T>& s, void* scratch) const {
    T* const halves[2] = {static_cast<T*>(scratch), static_cast<T*>(scratch) + half() / static_cast<Index>(sizeof(T))};
    if (steps_.size() == 1) {
      code_.only[steps_.front().radix](s);
      return;
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

 private:
  struct Step {
    std::size_t radix = 0;
    Index m = 1, l = 1;
    std::vector<T> twiddles;
  };

  Index half() const { return round_up(n_ * 2 * code_.width * static_cast<Index>(sizeof(T)), cache_line); }

  Index n_;
  LanesCode<T> code_;
  std::vector<std::int32_t> order_;
  std::vector<Step> steps_;
};

template <class T>
class LanesColumns final : public ColumnKernel {
 public:
  explicit LanesColumns(LanesPlan<T> plan) : plan_(std::move(plan)) {}
  Index scratch_bytes() const override { return plan_.scratch_bytes(); }

  void run(const ColumnRun& run, void* scratch) const override {
    LanesStep<T> s{};
    s.in = reinterpret_cast<const T* const*>(run.in);
    s.out = reinterpret_cast<T* const*>(run.out);
    s.order = plan_.order();
    s.scale = static_cast<T>(run.scale);
    s.streamed = run.streamed && streamable(run);
    const Index width = plan_.width(), group = 2 * width;  // numbers of a row
    s.ahead_in = run.fetch_in ? group * static_cast<Index>(sizeof(T)) : 0;
    s.ahead_out = run.fetch_out ? group * static_cast<Index>(sizeof(T)) : 0;
    for (Index column = 0; column < run.columns; column += width) {
      s.at_in = 2 * (run.in_first + column);
      s.at_out = 2 * (run.out_first + column);
      s.columns = static_cast<int>(std::min(run.columns - column, width));
      plan_.run(s, scratch);
    }
  }

 private:
  /// Only whole cache lines are worth writing past the cache.
  bool streamable(const ColumnRun& run) const {
    if (2 * plan_.width() * static_cast<Index>(sizeof(T)) < cache_line) return false;
    for (Index row = 0; row < plan_.n(); ++row) {
      const auto* const to = static_cast<const T*>(run.out[row]) + 2 * run.out_first;
      if (reinterpret_cast<std::uintptr_t>(to) % cache_line != 0) return false;
    }
    return true;
  }

  LanesPlan<T> plan_;
};

/// Complex lines that are contiguous, as many at once as there are lanes.
template <class T>
class LanesLines final : public LineKernel {
 public:
  LanesLines(LanesPlan<T> plan, const LineBatch& batch) : plan_(std::move(plan)), batch_(batch) {}

  void run(void* in, void* out) const override {
    thread_local Buffer scratch;
    if (scratch.bytes() < plan_.scratch_bytes()) scratch = Buffer(plan_.scratch_bytes());
    LanesStep<T> s{};
    s.order = plan_.order();
    s.scale = 1;
    s.in_distance = 2 * batch_.in_distance;
    s.out_distance = 2 * batch_.out_distance;
    const Index width = plan_.width();
    // What is not in place comes from far away, and the next lines follow.
    s.ahead_in = batch_.in_place ? 0 : width * s.in_distance * static_cast<Index>(sizeof(T));
    for (Index line = 0; line < batch_.count; line += width) {
      s.lines_in = static_cast<const T*>(in) + line * s.in_distance;
      s.lines_out = static_cast<T*>(out) + line * s.out_distance;
      s.columns = static_cast<int>(std::min(batch_.count - line, width));
      plan_.run(s, scratch.data());
    }
  }

 private:
  LanesPlan<T> plan_;
  LineBatch batch_;
};

/// None if there is no code for some prime factor of n.
template <class T>
std::optional<LanesPlan<T>> plan_of(Index n, int sign) {
  const LanesCode<T> code = best_lanes<T>();
  const std::vector<int> radices = factors(n, code);
  if (radices.empty()) return std::nullopt;
  return LanesPlan<T>(n, sign, radices, code);
}

template <class T>
std::unique_ptr<ColumnKernel> make_columns(Index n, int sign) {
  auto plan = plan_of<T>(n, sign);
  return plan ? std::make_unique<LanesColumns<T>>(*std::move(plan)) : nullptr;
}

template <class T>
std::unique_ptr<LineKernel> make_lines(const LineBatch& batch) {
  if (batch.type != LineType::c2c || batch.in_stride != 1 || batch.out_stride != 1) return nullptr;
  auto plan = plan_of<T>(batch.n, batch.sign);
  return plan ? std::make_unique<LanesLines<T>>(*std::move(plan), batch) : nullptr;
}

}  // namespace

std::unique_ptr<LineKernel> make_lanes(const LineBatch& batch, Precision precision) {
  return precision == Precision::double_ ? make_lines<double>(batch) : make_lines<float>(batch);
}

Backend lanes_backend() {
  return {"lanes", "Weft's own transforms of columns and rows, FFTW 3 where n has prime factors above 7",
          [](const LineBatch& batch, Precision precision, Effort effort) {
            auto lines = batch.type == LineType::c2c ? make_lanes(batch, precision)
                                                     : make_real_lines(batch, precision, [&](const LineBatch& half) {
                                                         return make_lanes(half, precision);
                                                       });
            return lines ? std::move(lines) : find_backend("fftw").make(batch, precision, effort);
          },
          [](Index n, int sign, Precision precision, Effort) {
            return precision == Precision::double_ ? make_columns<double>(n, sign) : make_columns<float>(n, sign);
          }};
}

}  // namespace weft::detail
