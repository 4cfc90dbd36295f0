// FFTW's own functions, behind those of this library that have their names.
#pragma once

namespace weft::fftw {

/// The function of this name in the libraries after this one. Ends the job if there is none: this library needs FFTW's
/// serial ones.
void* next_function(const char* name);

/// The same for functions of FFTW-MPI: null if there is none. A program that is not linked with FFTW's MPI library gets
/// it from `library`, if that is not empty.
void* next_mpi_function(const char* name, const char* library);

/// Whether the program's fftw_execute (or fftwf_execute) is that of this library, so that it can take plans of Weft's.
bool is_before_fftw(const char* execute);

}  // namespace weft::fftw
