// What the module needs of MPI itself; it uses none of MPI's modules but mpi_f08's type of a communicator.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The end of a program after an error that it has not asked for with stat=. `error stop` would end one process, and the
// others would wait for it.
void weft_fortran_stop(const char* message) {
  int running = 0, over = 0;
  fprintf(stderr, "weft: %s\n", message);
  fflush(stderr);
  if (MPI_Initialized(&running) == MPI_SUCCESS && running && MPI_Finalized(&over) == MPI_SUCCESS && !over) {
    usleep(100000);  // launchers lose what they have not read when a process aborts
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  exit(EXIT_FAILURE);
}

// -1 where there is none.
int weft_fortran_rank(MPI_Fint comm) {
  int rank = -1;
  return MPI_Comm_rank(MPI_Comm_f2c(comm), &rank) == MPI_SUCCESS ? rank : -1;
}
