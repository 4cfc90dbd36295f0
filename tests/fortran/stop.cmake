# Without stat= an error ends the job with its message, and what was written before is there.
execute_process(COMMAND ${MPIEXEC} ${NUMPROC_FLAG} 2 ${PROGRAM} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(result EQUAL 0 OR NOT out MATCHES "before the error" OR out MATCHES "after the error" OR NOT "${out}${err}" MATCHES "weft: kind is 'q2c'; allowed are")
  message(FATAL_ERROR "ended with ${result}:\n${out}${err}")
endif()
