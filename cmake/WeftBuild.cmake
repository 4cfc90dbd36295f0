# How Weft's own targets are compiled, and where they are put in the build tree.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the static library also goes into the Python extension

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  else()
    # Without optimisation it would be ten times slower, and nobody would know why. Of the parent nothing is changed.
    message(STATUS "Weft is built as Release, since CMAKE_BUILD_TYPE is not set")
    set(CMAKE_BUILD_TYPE Release)
  endif()
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  # Installed programs find the shared library beside them, and oneMKL where it was found.
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
  if(BUILD_SHARED_LIBS)
    set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()

  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  foreach(language C CXX)
    if(CCACHE_PROGRAM AND NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    endif()
  endforeach()
endif()

add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>" "$<$<COMPILE_LANGUAGE:CXX>:-Wconversion>")
# Clang's -Wconversion also speaks of signs, GCC's does not: std::array's sizes have none, Weft's indices have one.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:-Wno-sign-conversion>")
if(WEFT_NATIVE)
  add_compile_options(-march=native)
endif()
if(WEFT_SANITIZE)
  # Of a debug build so much as the sanitizers need; most of what else they cost is time to compile.
  add_compile_options(-O1 -g1 -UNDEBUG -fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
  # Into every program; see the source.
  add_library(weft_keep_loaded OBJECT ${PROJECT_SOURCE_DIR}/tests/support/keep_loaded.c)
  link_libraries("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:weft_keep_loaded>>")
  add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,--export-dynamic-symbol=dlclose>")
endif()

# A program that C's (or Fortran's) linker links with static libraries of C++ needs what that of C++ would bring.
set(WEFT_CXX_RUNTIME ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM WEFT_CXX_RUNTIME ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})

# Of a shared library no other symbols are to be seen than those that the linker's version script `map` names.
function(weft_show_only target map)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY" AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${target} PRIVATE -Wl,--version-script=${map})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()

# add_subdirectory for parts that a source archive may leave out (tests, tools).
function(weft_add_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()

# What is on no path that is measured - tests, command lines, small files - is compiled without much optimisation, in half
# the time. The function is for sources of a folder.
set(WEFT_COLD_OPTIONS "")
if(WEFT_SANITIZE)
  set(WEFT_COLD_OPTIONS -O0)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(WEFT_COLD_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endif()
function(weft_compile_quickly)
  set_source_files_properties(${ARGV} PROPERTIES COMPILE_OPTIONS "${WEFT_COLD_OPTIONS}")
endfunction()

# With CMAKE_UNITY_BUILD, the sources of a folder are compiled as one file: most of their cost is what they include.
# Targets that do not ask for it are compiled file by file.
set(WEFT_UNITY_BUILD ${CMAKE_UNITY_BUILD})
set(CMAKE_UNITY_BUILD OFF)
function(weft_group_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD "${WEFT_UNITY_BUILD}" UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT folder)
      set(folder ${target})
    endif()
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
