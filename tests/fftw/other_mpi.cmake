# A program of another MPI library that is run with this drop-in is told so.
get_filename_component(libraries ${LIBRARY} DIRECTORY)
execute_process(COMMAND ${OTHER_MPICC} -I${INCLUDE} ${CMAKE_CURRENT_LIST_DIR}/other_mpi.c -o ${FOLDER}/other_mpi
                        -L${libraries} -lweft_fftw3_mpi -Wl,-rpath,${libraries} -Wl,--unresolved-symbols=ignore-in-shared-libs
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OTHER_MPIEXEC} -n 2 ${FOLDER}/other_mpi OUTPUT_VARIABLE output ERROR_VARIABLE output
                RESULT_VARIABLE result TIMEOUT 60)
if(result EQUAL 0 OR NOT output MATCHES "was compiled with .*, but the program runs with ")
  message(FATAL_ERROR "ended with ${result}:\n${output}")
endif()
