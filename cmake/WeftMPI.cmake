# MPI, with the mpiexec that belongs to it.

# A program that was named without its folder: where it is.
function(_weft_resolve variable documentation)
  if(${variable} AND NOT IS_ABSOLUTE "${${variable}}")
    find_program(path ${${variable}} NO_CACHE)
    if(path)
      set(${variable} ${path} CACHE FILEPATH "${documentation}" FORCE)
    endif()
  endif()
endfunction()
_weft_resolve(MPI_C_COMPILER "MPI's C compiler")
_weft_resolve(MPI_CXX_COMPILER "MPI's C++ compiler")
_weft_resolve(MPI_Fortran_COMPILER "MPI's Fortran compiler")
_weft_resolve(MPIEXEC_EXECUTABLE "The program that starts MPI programs")

# The standard ABI (MPI 5.0, chapter 20) has compilers of its own beside those of the library's own interface.
set(_weft_kind "")
if(WEFT_MPI_ABI)
  set(_weft_kind _abi)
  if(NOT MPI_CXX_COMPILER)
    find_program(MPI_CXX_COMPILER mpicxx_abi)
  endif()
endif()

# FindMPI takes the first mpiexec in PATH, which can be another MPI's than a compiler named by the user, and so with the
# compilers of other languages. What lies beside the compiler with the same suffix is surely right: mpicxx.mpich, mpicc.mpich,
# mpiexec.mpich.
if(MPI_CXX_COMPILER)
  get_filename_component(_weft_folder ${MPI_CXX_COMPILER} DIRECTORY)
  get_filename_component(_weft_suffix ${MPI_CXX_COMPILER} EXT)
  foreach(program MPIEXEC_EXECUTABLE:mpiexec MPI_C_COMPILER:mpicc${_weft_kind} MPI_Fortran_COMPILER:mpifort)
    string(REGEX MATCH "(.*):(.*)" program ${program})
    find_program(${CMAKE_MATCH_1} ${CMAKE_MATCH_2}${_weft_suffix} PATHS ${_weft_folder} NO_DEFAULT_PATH)
  endforeach()
endif()

set(MPI_CXX_SKIP_MPICXX ON) # the MPI-2 C++ bindings are neither needed nor always there
set(_weft_languages CXX)
if(WEFT_BUILD_C)
  list(APPEND _weft_languages C)
endif()
find_package(MPI 3.1 REQUIRED COMPONENTS ${_weft_languages})
if(WEFT_MPI_ABI)
  # FindMPI has lost what the compiler of C++ defines, which chooses the header, because it skips the bindings of MPI-2.
  foreach(language IN LISTS _weft_languages)
    set_property(TARGET MPI::MPI_${language} APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS MPI_ABI WEFT_MPI_ABI)
  endforeach()
endif()
# What the library is and has, by its header: MPICH and its relatives have many file names, and Open MPI 5 says that it is MPI
# 3.1 though it has persistent collectives.
include(CheckCXXSourceCompiles)
include(CheckCXXSymbolExists)
set(_weft_required ${CMAKE_REQUIRED_LIBRARIES})
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
check_cxx_symbol_exists(MPICH_NUMVERSION mpi.h WEFT_MPI_IS_MPICH)
check_cxx_symbol_exists(I_MPI_NUMVERSION mpi.h WEFT_MPI_IS_INTEL)
check_cxx_symbol_exists(MPI_Alltoallw_init mpi.h WEFT_HAVE_ALLTOALLV_INIT)
check_cxx_source_compiles("#include <mpi.h>
#if defined(OPEN_MPI) || defined(MPICH_VERSION)
#error the interface of one library
#endif
int main() { return MPI_ABI_VERSION + MPI_Comm_toint(MPI_COMM_WORLD); }" WEFT_MPI_IS_ABI)
set(CMAKE_REQUIRED_LIBRARIES ${_weft_required})
set(WEFT_MPICH OFF)
if(WEFT_MPI_IS_MPICH OR WEFT_MPI_IS_INTEL)
  set(WEFT_MPICH ON)
endif()
# (A compiler that is MPI's own, as Cray's, names no libraries.)
if(WEFT_MPI_ABI AND (NOT WEFT_MPI_IS_ABI OR NOT "${MPI_CXX_LIBRARIES}" MATCHES "^$|libmpi_abi"))
  message(FATAL_ERROR "WEFT_MPI_ABI is ON; what ${MPI_CXX_COMPILER} compiles for is not the standard ABI of MPI 5.0. Name a \
compiler that does, e.g. -DMPI_CXX_COMPILER=mpicxx_abi, which is MPICH's since 5.0")
elseif(NOT WEFT_MPI_ABI AND "${MPI_CXX_LIBRARIES}" MATCHES "libmpi_abi")
  message(FATAL_ERROR "${MPI_CXX_COMPILER} links with libmpi_abi, the standard ABI of MPI 5.0: set WEFT_MPI_ABI=ON, or name \
another compiler with -DMPI_CXX_COMPILER=")
endif()
