// Backend `mkl`: oneMKL's DFTI, float and double. Built where oneMKL is found.
#include <mkl_dfti.h>
#include <mkl_version.h>

#include "base/text.hpp"
#include "fft/serial.hpp"

namespace weft::detail {

namespace {

void check(MKL_LONG status, const char* call) {
  if (status != DFTI_NO_ERROR) throw Error(concat("oneMKL failed: ", DftiErrorMessage(status), " in ", call));
}

#define WEFT_DFTI(call) check((call), #call)

/// A DFTI descriptor, freed at the end also when its set-up throws.
class Descriptor {
 public:
  Descriptor(Precision precision, bool real, Index n) {
    const DFTI_CONFIG_VALUE numbers = precision == Precision::double_ ? DFTI_DOUBLE : DFTI_SINGLE;
    WEFT_DFTI(DftiCreateDescriptor(&handle_, numbers, real ? DFTI_REAL : DFTI_COMPLEX, 1, static_cast<MKL_LONG>(n)));
  }
  ~Descriptor() { DftiFreeDescriptor(&handle_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  DFTI_DESCRIPTOR_HANDLE get() const { return handle_; }

 private:
  DFTI_DESCRIPTOR_HANDLE handle_ = nullptr;
};

// Since 2024 strides are named by domain (forward, backward), before by role (input, output).
#if INTEL_MKL_VERSION >= 20240000
constexpr bool by_domain = true;
constexpr DFTI_CONFIG_PARAM first_strides = DFTI_FWD_STRIDES, first_distance = DFTI_FWD_DISTANCE,
                            second_strides = DFTI_BWD_STRIDES, second_distance = DFTI_BWD_DISTANCE;
#else
constexpr bool by_domain = false;
constexpr DFTI_CONFIG_PARAM first_strides = DFTI_INPUT_STRIDES, first_distance = DFTI_INPUT_DISTANCE,
                            second_strides = DFTI_OUTPUT_STRIDES, second_distance = DFTI_OUTPUT_DISTANCE;
#endif

class MklKernel final : public LineKernel {
 public:
  MklKernel(const LineBatch& batch, Precision precision)
      : descriptor_(precision, batch.type != LineType::c2c, batch.n),
        forward_((traits_of(batch.type).sign != 0 ? traits_of(batch.type).sign : batch.sign) < 0),
        in_place_(batch.in_place) {
    const DFTI_DESCRIPTOR_HANDLE handle = descriptor_.get();
    WEFT_DFTI(DftiSetValue(handle, DFTI_PLACEMENT, in_place_ ? DFTI_INPLACE : DFTI_NOT_INPLACE));
    WEFT_DFTI(DftiSetValue(handle, DFTI_NUMBER_OF_TRANSFORMS, static_cast<MKL_LONG>(batch.count)));
    const bool swapped = by_domain && !forward_;
    set_end(swapped ? second_strides : first_strides, swapped ? second_distance : first_distance, batch.in_stride,
            batch.in_distance);
    set_end(swapped ? first_strides : second_strides, swapped ? first_distance : second_distance, batch.out_stride,
            batch.out_distance);
    if (batch.type != LineType::c2c) {
      WEFT_DFTI(DftiSetValue(handle, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
    }
    // Ranks share the node already: one thread each.
    WEFT_DFTI(DftiSetValue(handle, DFTI_THREAD_LIMIT, static_cast<MKL_LONG>(1)));
    WEFT_DFTI(DftiCommitDescriptor(handle));
  }

  void run(void* in, void* out) const override {
    const DFTI_DESCRIPTOR_HANDLE handle = descriptor_.get();
    MKL_LONG status = DFTI_NO_ERROR;
    if (in_place_) {
      status = forward_ ? DftiComputeForward(handle, in) : DftiComputeBackward(handle, in);
    } else {
      status = forward_ ? DftiComputeForward(handle, in, out) : DftiComputeBackward(handle, in, out);
    }
    check(status, "DftiCompute");
  }

 private:
  void set_end(DFTI_CONFIG_PARAM strides, DFTI_CONFIG_PARAM distance, Index stride, Index between) {
    MKL_LONG values[2] = {0, static_cast<MKL_LONG>(stride)};
    WEFT_DFTI(DftiSetValue(descriptor_.get(), strides, values));
    WEFT_DFTI(DftiSetValue(descriptor_.get(), distance, static_cast<MKL_LONG>(between)));
  }

  Descriptor descriptor_;
  bool forward_, in_place_;
};

}  // namespace

Backend mkl_backend() {
  return {"mkl", "oneMKL DFTI",
          [](const LineBatch& batch, Precision precision, Effort effort) -> std::unique_ptr<LineKernel> {
            if (traits_of(batch.type).between_reals()) return find_backend("fftw").make(batch, precision, effort);
            return std::make_unique<MklKernel>(batch, precision);
          }};
}

}  // namespace weft::detail
