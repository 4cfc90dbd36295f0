// Backend `lanes`: transforms of columns, and of lines, as many at once as a vector has lanes. `lanes_plan.cpp` has the
// steps, `lanes.hpp` their code.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#ifdef WEFT_LANES_SVE
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "base/buffer.hpp"
#include "fft/lanes_plan.hpp"
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
#ifdef WEFT_LANES_SVE
LanesCode<double> lanes_sve256_double();
LanesCode<float> lanes_sve256_single();
LanesCode<double> lanes_sve512_double();
LanesCode<float> lanes_sve512_single();
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

/// WEFT_TEST_LANES names the widest, so that all can be tested.
template <class T>
std::vector<LanesCode<T>> all_lanes() {
  std::vector<LanesCode<T>> all;
  const char* const widest = std::getenv("WEFT_TEST_LANES");
  const auto add = [&](const LanesCode<T>& code) {
    if (!all.empty() || widest == nullptr || std::string_view(code.name) == widest) all.push_back(code);
  };
#ifdef WEFT_LANES_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    add(choose<T>(lanes_avx512_double, lanes_avx512_single));
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    add(choose<T>(lanes_avx2_double, lanes_avx2_single));
  }
#endif
#ifdef WEFT_LANES_SVE
  // How wide vectors are is asked of each process, since it can be told to use less than there is.
  const int length = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 ? prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK : 0;
  if (length == 64) add(choose<T>(lanes_sve512_double, lanes_sve512_single));
  if (length == 32) add(choose<T>(lanes_sve256_double, lanes_sve256_single));
#endif
  const LanesCode<T> baseline = choose<T>(lanes_baseline_double, lanes_baseline_single);
  add(baseline);
  if (all.empty()) all.push_back(baseline);
  return all;
}

template <class T>
LanesCode<T> best_lanes() {
  return all_lanes<T>().front();
}

std::vector<const char*> lanes_here() {
  std::vector<const char*> names;
  for (const LanesCode<double>& code : all_lanes<double>()) names.push_back(code.name);
  return names;
}

template std::vector<LanesCode<double>> all_lanes<double>();
template std::vector<LanesCode<float>> all_lanes<float>();
template LanesCode<double> best_lanes<double>();
template LanesCode<float> best_lanes<float>();

namespace {

template <class T>
class LanesColumns final : public ColumnKernel {
 public:
  using Plans = std::vector<std::unique_ptr<LanesPlan<T>>>;
  /// Of all widths, the widest first.
  LanesColumns(Index n, Plans plans) : n_(n), plans_(std::move(plans)) {}
  Index scratch_bytes() const override {
    Index most = 0;
    for (const auto& plan : plans_) most = std::max(most, plan->scratch_bytes());
    return most;
  }

  bool asks_ahead() const override { return true; }
  bool negates() const override {
    return std::all_of(plans_.begin(), plans_.end(), [](const auto& plan) { return plan->negates(); });
  }
  void run(const ColumnRun& run, void* scratch) const override {
    LanesStep<T> s{};
    s.in = reinterpret_cast<const T* const*>(run.in);
    s.out = reinterpret_cast<T* const*>(run.out);
    s.scale = static_cast<T>(run.scale);
    s.scale_of_second = run.negative_out ? -s.scale : s.scale;
    s.negative = run.negative_in;
    if (run.ahead != nullptr) {
      const Index groups = (run.columns + plans_.front()->width() - 1) / plans_.front()->width();
      const Index butterflies = groups * plans_.front()->butterflies();
      run.ahead->lines = (run.ahead_lines + butterflies - 1) / butterflies;
      s.ahead = run.ahead;
    }
    const bool streamed = run.streamed && streamable(run);
    std::size_t plan = 0;
    for (Index column = 0; column < run.columns; column += plans_[plan]->width()) {
      const Index left = run.columns - column;
      // The last columns cost what vectors have room for.
      while (plan + 1 < plans_.size() && left <= plans_[plan + 1]->width()) ++plan;
      const Index width = plans_[plan]->width(), bytes = 2 * width * static_cast<Index>(sizeof(T));  // of a row
      s.at_in = 2 * (run.in_first + column);
      s.at_out = 2 * (run.out_first + column);
      s.columns = static_cast<int>(std::min(left, width));
      s.streamed = streamed && bytes % cache_line == 0;
      s.ahead_in = run.fetch_in ? bytes : 0;
      s.ahead_out = run.fetch_out ? bytes : 0;
      plans_[plan]->run(s, scratch);
    }
  }

 private:
  /// Only whole cache lines are worth writing past the cache.
  bool streamable(const ColumnRun& run) const {
    for (Index row = 0; row < n_; ++row) {
      const auto* const to = static_cast<const T*>(run.out[row]) + 2 * run.out_first;
      if (reinterpret_cast<std::uintptr_t>(to) % cache_line != 0) return false;
    }
    return true;
  }

  Index n_;
  Plans plans_;
};

/// Complex lines that are contiguous, as many at once as there are lanes.
template <class T>
class LanesLines final : public LineKernel {
 public:
  LanesLines(std::unique_ptr<LanesPlan<T>> plan, const LineBatch& batch) : plan_(std::move(plan)), batch_(batch) {}

  void run(void* in, void* out) const override {
    thread_local Buffer scratch;
    if (scratch.bytes() < plan_->scratch_bytes()) scratch = Buffer(plan_->scratch_bytes());
    LanesStep<T> s{};
    s.scale = s.scale_of_second = 1;
    s.in_distance = 2 * batch_.in_distance;
    s.out_distance = 2 * batch_.out_distance;
    const Index width = plan_->width();
    // What is not in place comes from far away, and the next lines follow.
    s.ahead_in = batch_.in_place ? 0 : width * s.in_distance * static_cast<Index>(sizeof(T));
    for (Index line = 0; line < batch_.count; line += width) {
      s.lines_in = static_cast<const T*>(in) + line * s.in_distance;
      s.lines_out = static_cast<T*>(out) + line * s.out_distance;
      s.columns = static_cast<int>(std::min(batch_.count - line, width));
      plan_->run(s, scratch.data());
    }
  }

 private:
  std::unique_ptr<LanesPlan<T>> plan_;
  LineBatch batch_;
};

template <class T>
std::unique_ptr<ColumnKernel> make_columns(Index n, int sign) {
  typename LanesColumns<T>::Plans plans;
  for (const LanesCode<T>& code : all_lanes<T>()) {
    plans.push_back(make_lanes_plan(n, sign, code));
    if (!plans.back()) return nullptr;
  }
  return std::make_unique<LanesColumns<T>>(n, std::move(plans));
}

template <class T>
std::unique_ptr<LineKernel> make_lines(const LineBatch& batch) {
  if (batch.type != LineType::c2c || batch.in_stride != 1 || batch.out_stride != 1) return nullptr;
  auto plan = make_lanes_plan(batch.n, batch.sign, best_lanes<T>());
  return plan ? std::make_unique<LanesLines<T>>(std::move(plan), batch) : nullptr;
}

}  // namespace

std::unique_ptr<LineKernel> make_lanes(const LineBatch& batch, Precision precision) {
  return precision == Precision::double_ ? make_lines<double>(batch) : make_lines<float>(batch);
}

Backend lanes_backend() {
  return {
      "lanes", "Weft's own transforms of columns and rows, FFTW 3 for lengths above 4096 with prime factors above 13",
      [](const LineBatch& batch, Precision precision, Effort effort) {
        auto lines = batch.type == LineType::c2c ? make_lanes(batch, precision)
                     : traits_of(batch.type).between_reals()
                         ? make_lines_as_columns(find_backend("lanes"), batch, precision, effort)
                         : make_real_lines(batch, precision,
                                           [&](const LineBatch& complex) { return make_lanes(complex, precision); });
        return lines ? std::move(lines) : find_backend("fftw").make(batch, precision, effort);
      },
      [](Index n, int sign, Precision precision, Effort) {
        return precision == Precision::double_ ? make_columns<double>(n, sign) : make_columns<float>(n, sign);
      }};
}

}  // namespace weft::detail
