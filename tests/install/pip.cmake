# `pip install` into an environment of its own, then the package and the command line from there. The packages that Weft
# needs are borrowed from the environment of this build: nothing is fetched.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${FOLDER} ${BUILD})
set(ENV{PYTHONPATH} "")
unset(ENV{VIRTUAL_ENV})
set(purelib "print(__import__('sysconfig').get_paths()['purelib'], end='')")

run(${PYTHON} -m venv --without-pip ${FOLDER}/venv)
set(python ${FOLDER}/venv/bin/python)
run(${PYTHON} -c "${purelib}")
set(lender ${output})
run(${python} -c "${purelib}")
set(packages ${output})
file(WRITE ${packages}/lender.pth "${lender}\n")

# Through the environment, because older versions of pip have no option for settings. From an empty folder, because
# Python looks for its modules where it is started, too.
list(JOIN same_build " " arguments)
set(ENV{CMAKE_ARGS} "${arguments} -DMPI_CXX_COMPILER=${MPICXX}")
set(ENV{SKBUILD_BUILD_DIR} ${BUILD})
file(MAKE_DIRECTORY ${FOLDER}/elsewhere)
run(${CMAKE_COMMAND} -E chdir ${FOLDER}/elsewhere
    ${python} -m pip wheel --disable-pip-version-check --no-build-isolation --no-deps --no-index --wheel-dir ${FOLDER} ${SOURCE})
file(GLOB wheel ${FOLDER}/*.whl)
set(install ${python} -m pip install --disable-pip-version-check --no-deps --no-index --force-reinstall)
run(${install} ${wheel})
# Only what the package has was built.
file(GLOB_RECURSE needless ${BUILD}/*weft_c.* ${BUILD}/*weft_fortran.*)
file(GLOB programs RELATIVE ${BUILD}/bin ${BUILD}/bin/*)
foreach(program IN LISTS programs)
  if(NOT EXISTS ${packages}/weft/bin/${program})
    list(APPEND needless ${program})
  endif()
endforeach()
if(needless OR NOT programs)
  message(FATAL_ERROR "programs: ${programs}; of no use to the package: ${needless}")
endif()

function(run_there pattern)
  run(${CMAKE_COMMAND} -E chdir ${FOLDER}/elsewhere ${ARGN})
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "'${pattern}' is not in:\n${output}")
  endif()
endfunction()

run_there("weft ${VERSION}" ${FOLDER}/venv/bin/weft --version)
run_there("tantale.*shimizu" ${FOLDER}/venv/bin/weft lab list)
run_there("Result verification successful" ${FOLDER}/venv/bin/weft npb --class S -n 2)
if(DROP_IN)
  run_there("LD_PRELOAD=${FOLDER}/venv/.*/weft/lib/libweft_fftw3_mpi.so" ${FOLDER}/venv/bin/weft run --as-fftw -n 2 env)
endif()
run_there("${FOLDER}/venv/.*2 ranks right" ${MPIEXEC} ${NUMPROC_FLAG} 2 ${python} ${CMAKE_CURRENT_LIST_DIR}/round_trip.py)

# The same wheel with its libraries in it, as ./run wheels makes them (there for other machines, and with the MPI libraries of PyPI).
# The MPI library stays outside, and in programs as well the other libraries are those of the wheel.
if(AUDITWHEEL)
  run(${AUDITWHEEL} ${SOURCE}/scripts/wheels.py repair ${wheel} ${FOLDER}/repaired)
  file(GLOB wheel ${FOLDER}/repaired/*manylinux*.whl)
  run(${install} ${wheel})
  file(GLOB files ${packages}/weft/_core*.so ${packages}/weft/bin/weft-npb)
  foreach(file IN LISTS files)
    run(ldd ${file})
    if(NOT output MATCHES "libfftw3-[0-9a-f]+.so[^\n]*=> ${packages}/weft/" OR output MATCHES "libmpi[^\n]*=> ${packages}")
      message(FATAL_ERROR "${file} takes its libraries from elsewhere:\n${output}")
    endif()
  endforeach()
  if(NOT MPICH) # Debian's has another file name than MPICH's own, which wheels ask for
    run_there("Result verification successful" ${FOLDER}/venv/bin/weft npb --class S -n 2)
    run_there("${FOLDER}/venv/.*2 ranks right" ${MPIEXEC} ${NUMPROC_FLAG} 2 ${python} ${CMAKE_CURRENT_LIST_DIR}/round_trip.py)
  endif()
endif()

# What pip has put into the environment, cmake puts anywhere.
run(${CMAKE_COMMAND} --install ${BUILD} --component python --prefix ${FOLDER}/prefix)
set(ENV{PYTHONPATH} ${FOLDER}/prefix)
file(WRITE ${FOLDER}/elsewhere/where.py "import weft.model\nprint(weft.__file__, *weft.model.machine_names())\n")
run_there("${FOLDER}/prefix/weft/__init__.py.* tantale" ${python} where.py)
file(REMOVE_RECURSE ${BUILD})
