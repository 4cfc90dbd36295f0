/* What the benchmark of the languages' doors asks of each language, as functions that any of them can have: transforms
 * of complex double numbers, forward from `in` to `out` and backward from there to `again`, with the option
 * effort=estimate (what is measured when a plan is made would make them different). Each function returns 0 if all is
 * well. */
#ifndef WEFT_BENCH_DOORS_H
#define WEFT_BENCH_DOORS_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int weft_doors_c_make(const int64_t shape[3], int comm);
int weft_doors_c_run(double* in, double* out, double* again, int pairs);
int weft_doors_c_checked_run(double* in, double* out, double* again, int pairs);
int weft_doors_c_end(void);

int weft_doors_fortran_make(const int64_t shape[3], int comm);
int weft_doors_fortran_run(double* in, double* out, double* again, int pairs);
int weft_doors_fortran_end(void);

int weft_doors_fftw_make(const int64_t shape[3], int comm);
int weft_doors_fftw_run(double* in, double* out, double* again, int pairs);
int weft_doors_fftw_end(void);

#ifdef __cplusplus
}
#endif

#endif
