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

# FindMPI takes the first mpiexec in PATH, which can be another MPI's than a compiler named by the user, and so with the
# compilers of other languages. What lies beside the compiler with the same suffix is surely right: mpicxx.mpich, mpicc.mpich,
# mpiexec.mpich.
if(MPI_CXX_COMPILER)
  get_filename_component(_weft_folder ${MPI_CXX_COMPILER} DIRECTORY)
  get_filename_component(_weft_suffix ${MPI_CXX_COMPILER} EXT)
  foreach(program MPIEXEC_EXECUTABLE:mpiexec MPI_C_COMPILER:mpicc MPI_Fortran_COMPILER:mpifort)
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
# What the library is and has, by its header: MPICH and its relatives have many file names, and Open MPI 5 says that it is MPI
# 3.1 though it has persistent collectives.
include(CheckCXXSymbolExists)
set(_weft_required ${CMAKE_REQUIRED_LIBRARIES})
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
check_cxx_symbol_exists(MPICH_NUMVERSION mpi.h WEFT_MPI_IS_MPICH)
check_cxx_symbol_exists(I_MPI_NUMVERSION mpi.h WEFT_MPI_IS_INTEL)
check_cxx_symbol_exists(MPI_Alltoallw_init mpi.h WEFT_HAVE_ALLTOALLV_INIT)
set(CMAKE_REQUIRED_LIBRARIES ${_weft_required})
set(WEFT_MPICH OFF)
if(WEFT_MPI_IS_MPICH OR WEFT_MPI_IS_INTEL)
  set(WEFT_MPICH ON)
endif()
