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

# Packaging is what is tested: the compiler need not try hard, and all these tests share one compiler cache, for which the
# compiler must have the same name (pip's builds would take the one that Python was made with).
set(quick_build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DWEFT_MKL=OFF
                -DCMAKE_UNITY_BUILD=${UNITY})
