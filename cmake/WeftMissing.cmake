# A project that has Weft inside and links with a part that is not built is told which option builds it; CMake itself says only
# that there is no such target. Looked at when all of that project has been read.

function(weft_check_links folder)
  set(options_of_parts "weft::model=WEFT_BUILD_TUNER" "weft::tuner=WEFT_BUILD_TUNER" "weft::c=WEFT_BUILD_C"
                       "weft::fortran=WEFT_BUILD_C and WEFT_BUILD_FORTRAN" "weft::fftw3_mpi=WEFT_BUILD_FFTW")
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_property(libraries TARGET ${target} PROPERTY ${property})
      foreach(entry IN LISTS options_of_parts)
        string(REGEX MATCH "(.*)=(.*)" entry ${entry})
        if(CMAKE_MATCH_1 IN_LIST libraries AND NOT TARGET ${CMAKE_MATCH_1})
          message(FATAL_ERROR "'${target}' is linked with ${CMAKE_MATCH_1}, which is not built: set ${CMAKE_MATCH_2} to ON before Weft "
                              "is added (by add_subdirectory or FetchContent_MakeAvailable), or with -D. If the option is ON, what that "
                              "part needs was not found.")
        endif()
      endforeach()
    endforeach()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    weft_check_links(${inner})
  endforeach()
endfunction()

if(NOT PROJECT_IS_TOP_LEVEL)
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL weft_check_links [[${CMAKE_SOURCE_DIR}]])")
endif()
