# How a program answers on two ranks: for the scripts that test the command lines.

# Runs PROGRAM with the arguments; it must end with `status` and print what matches `pattern`. Sets `out`.
function(run status pattern)
  execute_process(COMMAND ${LAUNCH} ${PROGRAM} ${ARGN}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL status OR NOT "${output}${errors}" MATCHES "${pattern}")
    message(FATAL_ERROR "${PROGRAM} ${ARGN}\nended with ${result} instead of ${status}, or without '${pattern}':\n"
                        "${output}${errors}")
  endif()
  set(out "${output}" PARENT_SCOPE)
endfunction()

# `json` must hold `expected` at the path of keys that follows.
function(expect json expected)
  string(JSON value ERROR_VARIABLE error GET "${json}" ${ARGN})
  if(error OR NOT value STREQUAL expected)
    message(FATAL_ERROR "JSON: ${ARGN} is '${value}' (${error}) instead of '${expected}' in\n${json}")
  endif()
endfunction()

# The value at the path of keys must be a number above zero.
function(expect_positive json)
  string(JSON value ERROR_VARIABLE error GET "${json}" ${ARGN})
  if(error OR NOT value GREATER 0)
    message(FATAL_ERROR "JSON: ${ARGN} is '${value}' (${error}) instead of a number above 0 in\n${json}")
  endif()
endfunction()

# The file of that name, written by the last run, into `content`; nothing may be left beside it.
function(take file)
  file(READ ${file} text)
  file(REMOVE ${file})
  file(GLOB beside ${file}.*)
  if(beside)
    message(FATAL_ERROR "left behind: ${beside}")
  endif()
  set(content "${text}" PARENT_SCOPE)
endfunction()
