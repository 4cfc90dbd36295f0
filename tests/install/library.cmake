# Builds and installs the library, moves it, and builds a program outside of it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

function(run_outside program)
  run(${MPIEXEC} ${NUMPROC_FLAG} 2 ${program})
  if(NOT output MATCHES "weft ${VERSION}, 2 ranks.*: right")
    message(FATAL_ERROR "${program} printed:\n${output}")
  endif()
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
