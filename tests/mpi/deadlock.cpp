// Not a test: a program that deadlocks on purpose, to prove that the time limit of a test ends one that does.
#include <mpi.h>

#include "weft/weft.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // Creation is collective, and rank 0 does not take part.
  if (rank != 0) weft::Transform<double> fft({.shape = {8, 8, 8}}, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
