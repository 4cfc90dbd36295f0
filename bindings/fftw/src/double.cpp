// fftw_mpi_*, double.
#define WEFT_X(name) fftw_##name
#define WEFT_REAL double
#define WEFT_LIBRARY WEFT_FFTW3_MPI
#include <cstring>

#include "interface.hpp"
#include "interface.inc"
