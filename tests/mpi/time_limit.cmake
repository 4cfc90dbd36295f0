# Runs a deadlocking program as a test of an inner ctest with a time limit, and expects that ctest reports a timeout,
# well before the program would end (never), and leaves none of its processes behind.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
file(WRITE ${FOLDER}/CTestTestfile.cmake
     "add_test(hangs \"${MPIEXEC}\" ${NUMPROC_FLAG} 2 \"${PROGRAM}\")\nset_tests_properties(hangs PROPERTIES TIMEOUT 10)\n")
execute_process(COMMAND ${CTEST} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE output TIMEOUT 40)
if(result EQUAL 0 OR NOT output MATCHES "Timeout")
  message(FATAL_ERROR "a deadlock was not reported as a timeout; ctest ended with ${result}:\n${output}")
endif()

find_program(PGREP pgrep)
if(NOT PGREP)
  return()
endif()
# The launcher needs a moment to take its ranks down.
foreach(attempt RANGE 20)
  execute_process(COMMAND ${PGREP} -f "^${PROGRAM}" OUTPUT_VARIABLE left RESULT_VARIABLE none)
  if(NOT none EQUAL 0)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 0.5)
endforeach()
message(FATAL_ERROR "processes of the deadlocked program are still running:\n${left}")
