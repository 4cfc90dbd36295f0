# What only configuring shows: a build for another machine, where the compiler itself is MPI's and no other is looked for; and an MPI
# library that is MPICH and whose file has the name that others have, too.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(plain -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_TOOLS=OFF -DWEFT_BUILD_FORTRAN=OFF -DWEFT_MKL=OFF)
file(REMOVE_RECURSE ${FOLDER})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/cross ${plain} -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${PROCESSOR}
    -DCMAKE_C_COMPILER=${MPICC} -DCMAKE_CXX_COMPILER=${MPICXX})
get_filename_component(compiler ${MPICXX} NAME)
file(STRINGS ${FOLDER}/cross/weft.pc described REGEX "^Description: .*${compiler} ")
if(NOT described)
  message(FATAL_ERROR "${FOLDER}/cross/weft.pc does not name ${compiler}")
endif()

if(MPICH)
  file(CREATE_LINK ${MPI_LIBRARY} ${FOLDER}/libmpi.so SYMBOLIC)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/renamed ${plain} -DWEFT_BUILD_C=OFF -DCMAKE_CXX_COMPILER=${CXX}
      -DMPI_CXX_COMPILER=${MPICXX} -DMPI_CXX_HEADER_DIR=${MPI_HEADERS} -DMPI_CXX_LIB_NAMES=mpi -DMPI_mpi_LIBRARY=${FOLDER}/libmpi.so)
  load_cache(${FOLDER}/renamed READ_WITH_PREFIX found_ WEFT_MPI_IS_MPICH)
  if(NOT found_WEFT_MPI_IS_MPICH)
    message(FATAL_ERROR "${FOLDER}/libmpi.so is MPICH's, and is not taken for it")
  endif()
endif()
