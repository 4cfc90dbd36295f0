// The door of programs for FFTW-MPI; see doors.h.
#include <fftw3-mpi.h>

#include "doors.h"

static fftw_plan there = NULL, back = NULL;

int weft_doors_fftw_make(const int64_t shape[3], int comm) {
  // Plans out of place: FFTW_ESTIMATE does not look at the arrays, and others are given to each execution.
  fftw_complex arrays[2];
  const MPI_Comm all = MPI_Comm_f2c(comm);
  fftw_mpi_init();
  there = fftw_mpi_plan_dft_3d(shape[0], shape[1], shape[2], &arrays[0], &arrays[1], all, FFTW_FORWARD, FFTW_ESTIMATE);
  back = fftw_mpi_plan_dft_3d(shape[0], shape[1], shape[2], &arrays[0], &arrays[1], all, FFTW_BACKWARD, FFTW_ESTIMATE);
  return there == NULL || back == NULL;
}

int weft_doors_fftw_run(double* in, double* out, double* again, int pairs) {
  for (int i = 0; i < pairs; ++i) {
    fftw_mpi_execute_dft(there, (fftw_complex*)in, (fftw_complex*)out);
    fftw_mpi_execute_dft(back, (fftw_complex*)out, (fftw_complex*)again);
  }
  return 0;
}

int weft_doors_fftw_end(void) {
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  return 0;
}
