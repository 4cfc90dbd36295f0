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
_weft_resolve(MPIEXEC_EXECUTABLE "The program that starts MPI programs")

# FindMPI takes the first mpiexec in PATH, which can be another MPI's than a compiler named by the user. The one beside the
# compiler with the same suffix is surely right: mpicxx.mpich, mpiexec.mpich.
if(MPI_CXX_COMPILER AND NOT MPIEXEC_EXECUTABLE)
  get_filename_component(_weft_folder ${MPI_CXX_COMPILER} DIRECTORY)
  get_filename_component(_weft_suffix ${MPI_CXX_COMPILER} EXT)
  find_program(MPIEXEC_EXECUTABLE mpiexec${_weft_suffix} PATHS ${_weft_folder} NO_DEFAULT_PATH)
endif()

set(MPI_CXX_SKIP_MPICXX ON) # the MPI-2 C++ bindings are neither needed nor always there
find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
set(WEFT_MPICH OFF)
if(MPI_CXX_LIBRARIES MATCHES "libmpich|libmpi\\.so\\.12")
  set(WEFT_MPICH ON)
endif()
