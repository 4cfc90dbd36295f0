// Backend `fftw`: FFTW 3, float and double.
#include <fftw3.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "base/buffer.hpp"
#include "base/checked.hpp"
#include "fft/serial.hpp"
#include "fft/wisdom.hpp"

namespace weft::detail {

namespace {

/// FFTW's two libraries under one set of names.
template <class Real>
struct Api;

#define WEFT_FFTW_API(REAL, X)                                  \
  template <>                                                   \
  struct Api<REAL> {                                            \
    using Plan = X(plan);                                       \
    using Complex = X(complex);                                 \
    using Dim = X(iodim64);                                     \
    static constexpr auto plan_c2c = X(plan_guru64_dft);        \
    static constexpr auto plan_r2c = X(plan_guru64_dft_r2c);    \
    static constexpr auto plan_c2r = X(plan_guru64_dft_c2r);    \
    static constexpr auto plan_r2r = X(plan_guru64_r2r);        \
    static constexpr auto run_c2c = X(execute_dft);             \
    static constexpr auto run_r2c = X(execute_dft_r2c);         \
    static constexpr auto run_c2r = X(execute_dft_c2r);         \
    static constexpr auto run_r2r = X(execute_r2r);             \
    static constexpr auto destroy = X(destroy_plan);            \
    static constexpr auto wisdom = X(export_wisdom_to_string);  \
    static constexpr auto learn = X(import_wisdom_from_string); \
  }
#define WEFT_DOUBLE(name) fftw_##name
#define WEFT_SINGLE(name) fftwf_##name
WEFT_FFTW_API(double, WEFT_DOUBLE);
WEFT_FFTW_API(float, WEFT_SINGLE);

/// FFTW's planner is one per process and not thread safe.
std::mutex& planner_mutex() {
  static std::mutex mutex;
  return mutex;
}

unsigned flags_of(Effort effort) {
  switch (effort) {
    case Effort::estimate: return FFTW_ESTIMATE;
    case Effort::measure: return FFTW_MEASURE;
    case Effort::patient: return FFTW_PATIENT;
  }
  return FFTW_MEASURE;
}

/// FFTW's name of a transform between real numbers.
fftw_r2r_kind kind_of(LineType type) {
  switch (type) {
    case LineType::dct1: return FFTW_REDFT00;
    case LineType::dct2: return FFTW_REDFT10;
    case LineType::dct3: return FFTW_REDFT01;
    case LineType::dct4: return FFTW_REDFT11;
    case LineType::dst1: return FFTW_RODFT00;
    case LineType::dst2: return FFTW_RODFT10;
    case LineType::dst3: return FFTW_RODFT01;
    case LineType::dst4: return FFTW_RODFT11;
    case LineType::r2hc: return FFTW_R2HC;
    case LineType::hc2r: return FFTW_HC2R;
    case LineType::dht: return FFTW_DHT;
    case LineType::none:
    case LineType::c2c:
    case LineType::r2c:
    case LineType::c2r: break;
  }
  throw Error(concat(traits_of(type).name, " is no transform between real numbers"));
}

template <class Real>
class FftwKernel final : public LineKernel {
  using Api_ = Api<Real>;
  using Complex = typename Api_::Complex;

 public:
  FftwKernel(const LineBatch& batch, Effort effort) : type_(batch.type) {
    const std::lock_guard lock(planner_mutex());
    const LineTraits& traits = traits_of(type_);
    const Index in_span = (traits.in_points(batch.n) - 1) * batch.in_stride + (batch.count - 1) * batch.in_distance + 1;
    const Index out_span =
        (traits.out_points(batch.n) - 1) * batch.out_stride + (batch.count - 1) * batch.out_distance + 1;
    // Measuring runs the transform: it needs arrays of its own, zeroed so that no denormals slow it down.
    const auto number_bytes = [](Number number) {
      return static_cast<Index>(number == Number::real ? sizeof(Real) : sizeof(Complex));
    };
    const Buffer in = Buffer::zeroed(std::max(in_span * number_bytes(traits.in), Index{1}));
    const Buffer out(batch.in_place ? 0 : std::max(out_span * number_bytes(traits.out), Index{1}));
    void* const from = in.data();
    void* const to = batch.in_place ? in.data() : out.data();
    const typename Api_::Dim line{batch.n, batch.in_stride, batch.out_stride};
    const typename Api_::Dim lines{batch.count, batch.in_distance, batch.out_distance};
    const unsigned flags = flags_of(effort);
    switch (type_) {
      case LineType::c2c:
        plan_ = Api_::plan_c2c(1, &line, 1, &lines, static_cast<Complex*>(from), static_cast<Complex*>(to), batch.sign,
                               flags);
        break;
      case LineType::r2c:
        plan_ = Api_::plan_r2c(1, &line, 1, &lines, static_cast<Real*>(from), static_cast<Complex*>(to), flags);
        break;
      case LineType::c2r:
        plan_ = Api_::plan_c2r(1, &line, 1, &lines, static_cast<Complex*>(from), static_cast<Real*>(to),
                               flags | FFTW_DESTROY_INPUT);
        break;
      default: {
        const auto kind = kind_of(type_);
        plan_ = Api_::plan_r2r(1, &line, 1, &lines, static_cast<Real*>(from), static_cast<Real*>(to), &kind,
                               batch.in_place ? flags : flags | FFTW_PRESERVE_INPUT);
      }
    }
    if (plan_ == nullptr) {
      throw Error(concat("FFTW has no plan for ", batch.count, " lines of ", batch.n, " points"));
    }
  }

  ~FftwKernel() override {
    const std::lock_guard lock(planner_mutex());
    Api_::destroy(plan_);
  }

  FftwKernel(const FftwKernel&) = delete;
  FftwKernel& operator=(const FftwKernel&) = delete;

  void run(void* in, void* out) const override {
    switch (type_) {
      case LineType::c2c: Api_::run_c2c(plan_, static_cast<Complex*>(in), static_cast<Complex*>(out)); break;
      case LineType::r2c: Api_::run_r2c(plan_, static_cast<Real*>(in), static_cast<Complex*>(out)); break;
      case LineType::c2r: Api_::run_c2r(plan_, static_cast<Complex*>(in), static_cast<Real*>(out)); break;
      default: Api_::run_r2r(plan_, static_cast<Real*>(in), static_cast<Real*>(out)); break;
    }
  }

 private:
  LineType type_;
  typename Api_::Plan plan_ = nullptr;
};

}  // namespace

std::string fftw_wisdom(Precision precision) {
  const std::lock_guard lock(planner_mutex());
  char* text = precision == Precision::double_ ? Api<double>::wisdom() : Api<float>::wisdom();
  const std::string wisdom = text == nullptr ? "" : text;
  std::free(text);
  return wisdom;
}

bool learn_fftw_wisdom(Precision precision, const std::string& wisdom) {
  const std::lock_guard lock(planner_mutex());
  const auto learn = precision == Precision::double_ ? Api<double>::learn : Api<float>::learn;
  return learn(wisdom.c_str()) != 0;
}

Backend fftw_backend() {
  return {"fftw", "FFTW 3",
          [](const LineBatch& batch, Precision precision, Effort effort) -> std::unique_ptr<LineKernel> {
            if (precision == Precision::double_) return std::make_unique<FftwKernel<double>>(batch, effort);
            return std::make_unique<FftwKernel<float>>(batch, effort);
          }};
}

}  // namespace weft::detail
