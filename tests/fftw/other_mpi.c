/* Asks FFTW-MPI for no more than to begin. */
#include <fftw3-mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  MPI_Finalize();
  return 0;
}
