# Builds and installs the library, moves it, and builds a program outside of it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

function(run_outside program)
  run(${MPIEXEC} ${NUMPROC_FLAG} 2 ${program})
  if(NOT output MATCHES "weft ${VERSION}, 2 ranks.*: right")
    message(FATAL_ERROR "${program} printed:\n${output}")
  endif()
endfunction()

# Those in C print the same.
function(run_c_examples folder)
  foreach(example spectrum sphere)
    run(${MPIEXEC} ${NUMPROC_FLAG} 2 ${folder}/weft-${example}-c)
    if(NOT output MATCHES "weft ${VERSION}, C, 2 ranks: .*: right")
      message(FATAL_ERROR "${example} in C printed:\n${output}")
    endif()
  endforeach()
endfunction()

function(run_fortran_examples folder)
  foreach(example spectrum sphere)
    run(${MPIEXEC} ${NUMPROC_FLAG} 2 ${folder}/weft-${example}-fortran)
    if(NOT output MATCHES "the (spectrum is|transforms are) right")
      message(FATAL_ERROR "${example} in Fortran printed:\n${output}")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
set(prefix ${FOLDER}/prefix)
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{CMAKE_PREFIX_PATH} "")

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/weft -G ${GENERATOR} ${quick_build} -DBUILD_SHARED_LIBS=${SHARED}
    -DMPI_CXX_COMPILER=${MPICXX} -DCMAKE_INSTALL_PREFIX=${prefix} -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_TOOLS=OFF)
run(${CMAKE_COMMAND} --build ${FOLDER}/weft --parallel 2)
run(${CMAKE_COMMAND} --install ${FOLDER}/weft)
# Nothing that is installed may point back to where it was built.
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.pc)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  if(content MATCHES "${SOURCE}/(src|include|cmake)" OR content MATCHES "${FOLDER}")
    message(FATAL_ERROR "${text} names the source or build folder:\n${content}")
  endif()
endforeach()

# An installation can be moved.
file(RENAME ${prefix} ${FOLDER}/moved)
set(prefix ${FOLDER}/moved)

run(${CMAKE_COMMAND} -S ${SOURCE}/examples/outside -B ${FOLDER}/outside -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${FOLDER}/outside)
run_outside(${FOLDER}/outside/outside)
run(${FOLDER}/outside/predict)
if(NOT output MATCHES "256 ranks: [0-9.]+ ms predicted")
  message(FATAL_ERROR "predict printed:\n${output}")
endif()
run(${MPIEXEC} ${NUMPROC_FLAG} 2 ${FOLDER}/outside/tune)
if(NOT output MATCHES "chosen: .*times as long")
  message(FATAL_ERROR "tune printed:\n${output}")
endif()

# A project in C that knows no C++ compiler.
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/c -B ${FOLDER}/outside-c -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=none)
run(${CMAKE_COMMAND} --build ${FOLDER}/outside-c)
run_c_examples(${FOLDER}/outside-c)

# A project in Fortran, which knows no C++ compiler either.
if(FORTRAN)
  run(${CMAKE_COMMAND} -S ${SOURCE}/examples/fortran -B ${FOLDER}/outside-fortran -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
      -DCMAKE_CXX_COMPILER=none)
  run(${CMAKE_COMMAND} --build ${FOLDER}/outside-fortran)
  run_fortran_examples(${FOLDER}/outside-fortran)
endif()

# With pkg-config, as in a Makefile.
if(NOT PKG_CONFIG)
  return()
endif()
file(GLOB pc ${prefix}/lib*/pkgconfig ${prefix}/lib/*/pkgconfig)
list(GET pc 0 pc)
set(ENV{PKG_CONFIG_PATH} ${pc})
run(${PKG_CONFIG} --modversion weft)
string(STRIP "${output}" version)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config --modversion weft says '${version}', not '${VERSION}'")
endif()
run(${PKG_CONFIG} --cflags --libs weft)
separate_arguments(flags UNIX_COMMAND "${output}")
get_filename_component(libraries ${pc} DIRECTORY)
run(${MPICXX} -std=c++20 ${SOURCE}/examples/outside/outside.cpp -o ${FOLDER}/outside-pc ${flags} -Wl,-rpath,${libraries})
run_outside(${FOLDER}/outside-pc)
# In older C++ the cure is said, and nothing else.
execute_process(COMMAND ${MPICXX} -std=c++17 -c ${SOURCE}/examples/outside/outside.cpp -o ${FOLDER}/outside-17.o ${flags}
                RESULT_VARIABLE result ERROR_VARIABLE output)
string(REGEX MATCHALL "error: " errors "${output}")
list(LENGTH errors errors)
if(result EQUAL 0 OR NOT output MATCHES "need C\\+\\+20: compile with -std=c\\+\\+20" OR errors GREATER 2)
  message(FATAL_ERROR "with -std=c++17 the compiler ended with ${result} and ${errors} errors:\n${output}")
endif()
run(${PKG_CONFIG} --cflags --libs weft-model)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${MPICXX} -std=c++20 ${SOURCE}/examples/outside/predict.cpp -o ${FOLDER}/predict-pc ${flags} -Wl,-rpath,${libraries})
run(${PKG_CONFIG} --cflags --libs weft-tuner)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${MPICXX} -std=c++20 ${SOURCE}/examples/outside/tune.cpp -o ${FOLDER}/tune-pc ${flags} -Wl,-rpath,${libraries})
run(${PKG_CONFIG} --cflags --libs weft-c)
separate_arguments(flags UNIX_COMMAND "${output}")
file(MAKE_DIRECTORY ${FOLDER}/outside-c-pc)
foreach(example spectrum sphere)
  run(${MPICC} -std=c99 -pedantic -Werror ${SOURCE}/examples/c/${example}.c -o ${FOLDER}/outside-c-pc/weft-${example}-c ${flags} -lm
      -Wl,-rpath,${libraries})
endforeach()
run_c_examples(${FOLDER}/outside-c-pc)
if(FORTRAN)
  run(${PKG_CONFIG} --cflags --libs weft-fortran)
  separate_arguments(flags UNIX_COMMAND "${output}")
  file(MAKE_DIRECTORY ${FOLDER}/outside-fortran-pc)
  foreach(example spectrum sphere)
    run(${MPIFORT} ${SOURCE}/examples/fortran/${example}.f90 -o ${FOLDER}/outside-fortran-pc/weft-${example}-fortran ${flags}
        -Wl,-rpath,${libraries})
  endforeach()
  run_fortran_examples(${FOLDER}/outside-fortran-pc)
endif()

# A program for FFTW-MPI, relinked.
if(EXISTS ${pc}/weft-fftw3-mpi.pc)
  run(${PKG_CONFIG} --cflags --libs weft-fftw3-mpi)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(${MPICXX} -x c++ ${SOURCE}/tests/fftw/other_mpi.c -x none -o ${FOLDER}/fftw-pc ${flags} -Wl,-rpath,${libraries})
  run(${MPIEXEC} ${NUMPROC_FLAG} 2 ${FOLDER}/fftw-pc)
endif()
