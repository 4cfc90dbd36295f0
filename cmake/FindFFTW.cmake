# Finds FFTW 3: find_package(FFTW COMPONENTS double single OPTIONAL_COMPONENTS double_mpi single_mpi)
#
# Makes the imported targets FFTW::double (libfftw3), FFTW::single (libfftw3f), FFTW::double_mpi (libfftw3_mpi) and
# FFTW::single_mpi (libfftw3f_mpi). Distributions build the MPI libraries for one MPI library only, so they are found only
# if that is MPI::MPI_CXX's. FFTW_MPI_INCLUDE_DIR has fftw3-mpi.h, which is the same for all of them.

find_path(FFTW_INCLUDE_DIR fftw3.h)
mark_as_advanced(FFTW_INCLUDE_DIR)
if(FFTW_INCLUDE_DIR AND NOT FFTW_FIND_COMPONENTS)
  set(FFTW_FIND_COMPONENTS double)
endif()

function(_fftw_component component library)
  find_library(FFTW_${component}_LIBRARY ${library})
  mark_as_advanced(FFTW_${component}_LIBRARY)
  if(NOT FFTW_INCLUDE_DIR OR NOT FFTW_${component}_LIBRARY)
    return()
  endif()
  if(NOT TARGET FFTW::${component})
    add_library(FFTW::${component} UNKNOWN IMPORTED)
    set_target_properties(
      FFTW::${component} PROPERTIES IMPORTED_LOCATION ${FFTW_${component}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                                                 ${FFTW_INCLUDE_DIR})
  endif()
  set(FFTW_${component}_FOUND TRUE PARENT_SCOPE)
endfunction()

function(_fftw_mpi_component serial library)
  set(component ${serial}_mpi)
  find_path(FFTW_MPI_INCLUDE_DIR fftw3-mpi.h HINTS ${FFTW_INCLUDE_DIR})
  find_library(FFTW_${component}_LIBRARY ${library})
  mark_as_advanced(FFTW_MPI_INCLUDE_DIR FFTW_${component}_LIBRARY)
  if(NOT FFTW_MPI_INCLUDE_DIR OR NOT FFTW_${component}_LIBRARY OR NOT TARGET FFTW::${serial} OR NOT TARGET MPI::MPI_CXX)
    return()
  endif()
  # Linking would succeed with the wrong MPI too (the right one comes in as a dependency of the library): compare names.
  file(STRINGS ${FFTW_${component}_LIBRARY} needed REGEX "^lib[a-z]*mpi[a-z]*\\.so")
  set(same FALSE)
  foreach(library IN LISTS MPI_CXX_LIBRARIES)
    file(REAL_PATH ${library} library)
    get_filename_component(library ${library} NAME)
    foreach(name IN LISTS needed)
      string(FIND "${library}" "${name}" position)
      if(position EQUAL 0)
        set(same TRUE)
      endif()
    endforeach()
  endforeach()
  if(NOT same)
    return()
  endif()
  if(NOT TARGET FFTW::${component})
    add_library(FFTW::${component} UNKNOWN IMPORTED)
    set_target_properties(
      FFTW::${component}
      PROPERTIES IMPORTED_LOCATION ${FFTW_${component}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${FFTW_MPI_INCLUDE_DIR}
                 INTERFACE_LINK_LIBRARIES "FFTW::${serial};MPI::MPI_CXX")
  endif()
  set(FFTW_${component}_FOUND TRUE PARENT_SCOPE)
endfunction()

foreach(component IN LISTS FFTW_FIND_COMPONENTS)
  if(component STREQUAL "double")
    _fftw_component(double fftw3)
  elseif(component STREQUAL "single")
    _fftw_component(single fftw3f)
  elseif(component STREQUAL "double_mpi")
    _fftw_mpi_component(double fftw3_mpi)
  elseif(component STREQUAL "single_mpi")
    _fftw_mpi_component(single fftw3f_mpi)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW REQUIRED_VARS FFTW_INCLUDE_DIR HANDLE_COMPONENTS)
