# Runs a program in which rank 1 leaves the others alone, and expects that the watchdog has every rank say where it is and
# ends the job, well before the program would end.
function(hang how)
  execute_process(COMMAND ${MPIEXEC} ${NUMPROC_FLAG} 3 ${PROGRAM} ${how} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output TIMEOUT 40)
  set(result ${result} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect how pattern)
  hang(${how})
  # A number: not what CMake says of a program that it had to end itself.
  if(NOT result MATCHES "^[1-9][0-9]*$")
    message(FATAL_ERROR "${how}: the job ended with '${result}':\n${output}")
  endif()
  foreach(line "rank 0: [^\n]*${pattern}" "rank 1: while others wait: not inside an execution" "rank 2: [^\n]*${pattern}")
    if(NOT output MATCHES "weft watchdog: ${line}")
      message(FATAL_ERROR "${how}: no line like '${line}' in:\n${output}")
    endif()
  endforeach()
endfunction()

expect(agreement "backward of 8 x 8 x 8 c2c double: agrees on the arguments")
expect(blocking "backward [^\n]*starts tile 0 of exchange 0 .2 tiles, alltoallv. with ranks [^\n]*1")
expect(waiting "backward [^\n]*waits for tile 0 of exchange 0 .2 tiles, pairwise. with ranks [^\n]*on their way: exchange 0")
expect(groups "backward to groups of 8 x 8 x 8 c2c double, step [^\n]*tile [0-9]+ of exchange 0 [^\n]*pairwise. with ranks? [^\n]*1")
expect(sphere_agreement "forward of a sphere on 8 x 8 x 8: agrees on the arguments")
expect(sphere_groups "waves from groups of a sphere on 8 x 8 x 8, step [^\n]*tile 0 of exchange 0 [^\n]*with ranks? [^\n]*1")
hang(nothing)
if(NOT result EQUAL 0 OR output MATCHES "watchdog")
  message(FATAL_ERROR "a job that does not hang ended with '${result}':\n${output}")
endif()
