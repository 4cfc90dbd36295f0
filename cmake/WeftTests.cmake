# Functions that make and register tests:
#
#   weft_add_mpi_run(name "1;2;3" COMMAND program argument... [TIMEOUT seconds] [LABELS label...])
#     A program (a target or a path) on each of these numbers of ranks: tests name.n1, name.n2, name.n3.
#
#   weft_add_test_program(name source... LIBRARIES target... INCLUDES folder...)
#     A GoogleTest program of many files, which share one compilation of the headers that they all have.
#
# A test that takes longer than its limit (120 s; more with sanitizers) fails: a deadlock is a failure, not a hang.
# Tests with the label `long` are left out where time is short (./run test), those with `rare` also in CI (./run test all).

include_guard()

set(WEFT_TEST_TIMEOUT 120 CACHE STRING "Seconds that a test may take unless it says otherwise")
set(WEFT_TEST_OTHER_ABI "" CACHE PATH "With WEFT_MPI_ABI, another MPI library that tests run with: where its bin and lib are")
set(_weft_timeout_factor 1)
if(WEFT_SANITIZE)
  set(_weft_timeout_factor 3)
elseif(CMAKE_CROSSCOMPILING) # for an emulator
  set(_weft_timeout_factor 10)
endif()

# Tests run many more ranks than there are processors: no binding, and give way while waiting, which halves the time of
# those with threads.
set(WEFT_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none
    OMPI_MCA_mpi_yield_when_idle=1
    PRTE_ALLOW_RUN_AS_ROOT=1
    PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    PRTE_MCA_hwloc_default_binding_policy=none
    OMP_NUM_THREADS=1
    OMP_WAIT_POLICY=passive
    WEFT_TEST_BUSY=0) # what the tuner keeps must not depend on what else runs
if(CMAKE_CROSSCOMPILING)
  list(APPEND WEFT_TEST_ENVIRONMENT WEFT_TEST_LIMIT=500)
endif()
if(WEFT_SANITIZE)
  # Of thread-local memory of loaded plugins, GCC 12's sanitizer takes one block in 256 for a header of glibc 2.19, and then
  # looks for pointers where there is no memory ("Tracer caught signal 11"): it must not follow that memory.
  list(APPEND WEFT_TEST_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1" "ASAN_OPTIONS=intercept_tls_get_addr=0"
       "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0")
endif()

# The other MPI library, where there is one, for what must be refused.
set(_weft_other .mpich)
if(WEFT_MPICH)
  set(_weft_other .openmpi)
endif()
if(WEFT_MPI_ABI) # the same library's own interface
  get_filename_component(_weft_folder ${MPI_CXX_COMPILER} DIRECTORY)
  find_program(WEFT_OTHER_MPICC mpicc PATHS ${_weft_folder} NO_DEFAULT_PATH NO_CACHE)
  set(WEFT_OTHER_MPIEXEC ${MPIEXEC_EXECUTABLE})
else()
  find_program(WEFT_OTHER_MPICC mpicc${_weft_other} NO_CACHE)
  find_program(WEFT_OTHER_MPIEXEC mpiexec${_weft_other} NO_CACHE)
endif()

# MPICH's ranks never give way while they wait, which makes more ranks than processors 500 times slower; see yield.c.
# Sanitizers want to be the first library of a process, so they do without.
set(_weft_launch_environment "")
if(WEFT_MPICH AND NOT WEFT_SANITIZE)
  add_library(weft_test_yield MODULE ${PROJECT_SOURCE_DIR}/tests/support/yield.c)
  target_link_libraries(weft_test_yield PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(weft_test_yield PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(_weft_launch_environment "LD_PRELOAD=${PROJECT_BINARY_DIR}/lib/weft_test_yield.so")
  if(CMAKE_CROSSCOMPILING) # for the programs that QEMU runs, not for QEMU
    set(_weft_launch_environment "QEMU_SET_ENV=${_weft_launch_environment}")
  endif()
endif()

function(_weft_test_properties test processors timeout labels environment)
  if(NOT timeout)
    set(timeout ${WEFT_TEST_TIMEOUT})
  endif()
  math(EXPR timeout "${timeout} * ${_weft_timeout_factor}")
  # The launcher gives up first, because it can still stop its ranks.
  math(EXPR launcher_timeout "${timeout} - 5")
  set_tests_properties(
    ${test} PROPERTIES PROCESSORS ${processors} TIMEOUT ${timeout} LABELS "${labels}"
                       ENVIRONMENT "${WEFT_TEST_ENVIRONMENT};MPIEXEC_TIMEOUT=${launcher_timeout};${environment}")
endfunction()

function(weft_add_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;INCLUDES")
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE weft::weft ${arg_LIBRARIES} MPI::MPI_CXX GTest::gtest)
  target_include_directories(${name} PRIVATE ${arg_INCLUDES})
  target_compile_options(${name} PRIVATE ${WEFT_COLD_OPTIONS})
  # Other people's headers only. A compiler cache may return the precompiled form of a header of ours as it was before a
  # comment changed, and then #pragma once does not know the header again.
  target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <mpi.h> <algorithm> <array> <complex> <functional> <memory>
                            <optional> <span> <string> <string_view> <vector>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

function(weft_add_mpi_run name ranks)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "COMMAND;LABELS")
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  elseif(NOT EXISTS ${program})
    message(FATAL_ERROR "weft_add_mpi_run(${name}): '${program}' is neither a target made before nor an existing file")
  endif()
  foreach(n IN LISTS ranks)
    add_test(NAME ${name}.n${n} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${MPIEXEC_PREFLAGS} ${program}
                                        ${MPIEXEC_POSTFLAGS} ${arg_COMMAND})
    _weft_test_properties(${name}.n${n} ${n} "${arg_TIMEOUT}" "mpi;${arg_LABELS}" "${_weft_launch_environment}")
  endforeach()
endfunction()
