# What cannot be returned ends the job, with a line that says why.
function(expect which pattern)
  execute_process(COMMAND ${MPIEXEC} ${NUMPROC_FLAG} 2 ${PROGRAM} ${which} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output TIMEOUT 40)
  # A number: not what CMake says of a program that it had to end itself.
  if(NOT result MATCHES "^[1-9][0-9]*$" OR NOT output MATCHES "weft: [^\n]*${pattern}" OR output MATCHES "[Ss]egmentation|the job goes on")
    message(FATAL_ERROR "${which}: ended with '${result}':\n${output}")
  endif()
endfunction()

# A program that makes no plan through the library that was put before its own is told so, once.
if(PRELOADED)
  execute_process(COMMAND ${MPIEXEC} ${NUMPROC_FLAG} 2 ${ENV} LD_PRELOAD=${PRELOADED} ${PROGRAM} no_plan
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 40)
  string(REGEX MATCHALL "made no plan through the drop-in[^\n]*-lweft_fftw3_mpi before" lines "${output}")
  list(LENGTH lines count)
  if(NOT result EQUAL 0 OR NOT count EQUAL 1)
    message(FATAL_ERROR "no_plan: ended with '${result}':\n${output}")
  endif()
endif()

expect(null_plan "fftw_execute: the plan is NULL")
expect(destroyed "fftw_execute: the plan has been destroyed")
expect(null_array "fftw_mpi_execute_dft: the output array is null: fftw_mpi_plan_dft_3d")
expect(null_transposition "fftw_execute: the input array is null: fftw_mpi_plan_transpose")
expect(no_ranks "the communicator is MPI_COMM_NULL")
