/* A program for FFTW-MPI, with no word of Weft in it: a field that is one wave has one number in its spectrum. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const ptrdiff_t n0 = 6, n1 = 8, n2 = 10;
  ptrdiff_t i, j, k, planes, first;
  fftw_complex* field;
  fftw_plan plan;
  int rank, wrong = 0, all_wrong = 0;
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  field = fftw_alloc_complex((size_t)fftw_mpi_local_size_3d(n0, n1, n2, MPI_COMM_WORLD, &planes, &first));
  plan = fftw_mpi_plan_dft_3d(n0, n1, n2, field, field, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  for (i = 0; i < planes; ++i)
    for (j = 0; j < n1; ++j)
      for (k = 0; k < n2; ++k) {
        const double turns =
            (double)(first + i) / (double)n0 + 2.0 * (double)j / (double)n1 + 3.0 * (double)k / (double)n2;
        field[(i * n1 + j) * n2 + k][0] = cos(2 * 3.14159265358979323846 * turns);
        field[(i * n1 + j) * n2 + k][1] = sin(2 * 3.14159265358979323846 * turns);
      }
  fftw_execute(plan);
  for (i = 0; i < planes; ++i)
    for (j = 0; j < n1; ++j)
      for (k = 0; k < n2; ++k) {
        const double expected = first + i == 1 && j == 2 && k == 3 ? (double)(n0 * n1 * n2) : 0;
        const double* number = field[(i * n1 + j) * n2 + k];
        if (!(fabs(number[0] - expected) + fabs(number[1]) < 1e-10)) wrong = 1;
      }
  fftw_destroy_plan(plan);
  fftw_free(field);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("the spectrum is %s\n", all_wrong ? "wrong" : "right");
  fftw_mpi_cleanup();
  MPI_Finalize();
  return 0;
}
