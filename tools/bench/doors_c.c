// The door of C; see doors.h.
#include "doors.h"

#include <weft/weft.h>

static weft_transform fft = NULL;

int weft_doors_c_make(const int64_t shape[3], int comm) {
  weft_problem problem = NULL;
  weft_options options = NULL;
  int failed = weft_problem_create(3, shape, &problem) || weft_options_create(&options) ||
               weft_options_set(options, "effort", "estimate") || weft_transform_create_f(problem, options, comm, &fft);
  failed = weft_options_destroy(&options) || failed;
  return weft_problem_destroy(&problem) || failed;
}

int weft_doors_c_run(double* in, double* out, double* again, int pairs) {
  for (int i = 0; i < pairs; ++i) {
    if (weft_transform_forward(fft, in, out) || weft_transform_backward(fft, out, again)) return 1;
  }
  return 0;
}

int weft_doors_c_checked_run(double* in, double* out, double* again, int pairs) {
  int64_t sizes[2];
  if (weft_transform_input_size(fft, &sizes[0]) || weft_transform_output_size(fft, &sizes[1])) return 1;
  for (int i = 0; i < pairs; ++i) {
    if (weft_transform_execute(fft, WEFT_FORWARD, in, WEFT_COMPLEX_DOUBLE, sizes[0], out, WEFT_COMPLEX_DOUBLE,
                               sizes[1]) ||
        weft_transform_execute(fft, WEFT_BACKWARD, out, WEFT_COMPLEX_DOUBLE, sizes[1], again, WEFT_COMPLEX_DOUBLE,
                               sizes[0])) {
      return 1;
    }
  }
  return 0;
}

int weft_doors_c_end(void) { return weft_transform_destroy(&fft); }
