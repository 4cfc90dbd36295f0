# run(COMMAND...): its output in `output`; the test fails if the command does.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(NOTICE "${output}")
    message(FATAL_ERROR "ended with ${result}: ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Packaging is what is tested: what is compiled is what this build has compiled before, in a folder as deep, so that the
# compiler cache has it (pip's builds would take the compiler that Python was made with). Fortran has no cache.
set(same_build -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_UNITY_BUILD=${UNITY} -DWEFT_NATIVE=${NATIVE}
               -DWEFT_MKL=${MKL} -DCMAKE_Fortran_FLAGS_RELEASE=-O0)
