# Weft inside of another project: it configures, Weft's own files are optimised, and the other project's are as it says.
# (What is built then is what all tests build.)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${FOLDER})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/parent -B ${FOLDER} -G ${GENERATOR} -DSOURCE=${SOURCE} -DCMAKE_CXX_COMPILER=${CXX}
    -DMPI_CXX_COMPILER=${MPICXX} -DWEFT_MKL=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
if(NOT output MATCHES "Weft is built as Release")
  message(FATAL_ERROR "nothing is said of the build type:\n${output}")
endif()

# What is not built by default is told by the option that builds it.
foreach(part "weft::tuner=WEFT_BUILD_TUNER" "weft::fortran=WEFT_BUILD_C and WEFT_BUILD_FORTRAN")
  string(REGEX MATCH "(.*)=(.*)" part ${part})
  set(name ${CMAKE_MATCH_1})
  set(option ${CMAKE_MATCH_2})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/parent -B ${FOLDER}/missing -G ${GENERATOR} -DSOURCE=${SOURCE}
                          -DCMAKE_CXX_COMPILER=${CXX} -DMPI_CXX_COMPILER=${MPICXX} -DWEFT_MKL=OFF -DPART=${name}
                  RESULT_VARIABLE result OUTPUT_VARIABLE missing ERROR_VARIABLE missing)
  string(REGEX REPLACE "[ \n]+" " " missing "${missing}")
  if(result EQUAL 0 OR NOT missing MATCHES "'parent' is linked with ${name}, which is not built: set ${option} to ON")
    message(FATAL_ERROR "${name}: ended with ${result}: ${missing}")
  endif()
endforeach()

file(READ ${FOLDER}/compile_commands.json commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
set(seen "")
foreach(i RANGE ${last})
  string(JSON file GET "${commands}" ${i} file)
  string(JSON command GET "${commands}" ${i} command)
  if(file MATCHES "src/layout/layout.cpp|bindings/c/layout.cpp" AND command MATCHES " -O3 ")
    list(APPEND seen weft)
  elseif(file MATCHES "examples/" AND NOT command MATCHES " -O")
    list(APPEND seen parent)
  endif()
endforeach()
list(SORT seen)
if(NOT seen STREQUAL "parent;parent;weft;weft")
  message(FATAL_ERROR "files are not optimised as they should be: ${seen}")
endif()
