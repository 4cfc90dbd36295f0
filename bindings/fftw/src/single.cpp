// fftwf_mpi_*, float.
#define WEFT_X(name) fftwf_##name
#define WEFT_REAL float
#define WEFT_LIBRARY WEFT_FFTW3F_MPI
#include <cstring>

#include "interface.hpp"
#include "interface.inc"
