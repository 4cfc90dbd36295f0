# A Fortran program, linked with the drop-in.
get_filename_component(libraries ${LIBRARY} DIRECTORY)
execute_process(COMMAND ${MPIFORT} -I${INCLUDE} ${CMAKE_CURRENT_LIST_DIR}/fortran.f90 -o ${FOLDER}/fortran -L${libraries}
                        -lweft_fftw3_mpi -lfftw3 -Wl,-rpath,${libraries} COMMAND_ERROR_IS_FATAL ANY)
set(ENV{WEFT_FFTW_VERBOSE} 1)
execute_process(COMMAND ${MPIEXEC} ${NUMPROC_FLAG} 2 ${FOLDER}/fortran OUTPUT_VARIABLE output ERROR_VARIABLE output
                RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT output MATCHES "r2c, in place: Weft" OR NOT output MATCHES "the spectrum is right")
  message(FATAL_ERROR "ended with ${result}:\n${output}")
endif()
