# Runs tests that hang (hanging_test.cpp), and expects that mpi_main.cpp has every rank say where it is and ends the job,
# well before the tests would end.
set(ENV{WEFT_TEST_LIMIT} 5)
unset(ENV{WEFT_WATCHDOG})

function(hang name)
  execute_process(COMMAND ${MPIEXEC} ${NUMPROC_FLAG} 3 ${PROGRAM} --gtest_filter=${name} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 60)
  set(result ${result} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect name)
  hang(${name})
  # A number: not what CMake says of a program that it had to end itself.
  if(NOT result MATCHES "^[1-9][0-9]*$")
    message(FATAL_ERROR "${name}: the job ended with '${result}':\n${output}")
  endif()
  foreach(line IN LISTS ARGN)
    if(NOT output MATCHES "${line}")
      message(FATAL_ERROR "${name}: no line like '${line}' in:\n${output}")
    endif()
  endforeach()
endfunction()

foreach(rank 0 1 2)
  list(APPEND all "test guard: rank ${rank}: [^\n]*Hanging.OutsideOfTransforms")
endforeach()
expect(Hanging.OutsideOfTransforms ${all})
expect(Hanging.InATransform "weft watchdog: rank 0: [^\n]*waits for tile 0 of exchange 0"
       "weft watchdog: rank 1: while others wait: not inside an execution"
       "weft watchdog: rank 2: [^\n]*waits for tile 0 of exchange 0")
expect(Hanging.OnOneRankAlone "test guard: rank 1: no end of Hanging.OnOneRankAlone after"
       "test guard: rank 0: [^\n]*the wait for the other ranks")
hang(Hanging.Not)
if(NOT result EQUAL 0 OR output MATCHES "guard|watchdog")
  message(FATAL_ERROR "a test that does not hang ended with '${result}':\n${output}")
endif()
