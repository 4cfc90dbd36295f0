# Finds oneMKL as Intel's installer, Debian (libmkl-dev) or PyPI (mkl-devel, in the active virtual environment) put it.
# Makes the imported target OneMKL::dfti, the single dynamic library.

find_path(
  OneMKL_INCLUDE_DIR mkl_dfti.h
  HINTS ENV MKLROOT ENV VIRTUAL_ENV
  PATH_SUFFIXES include include/mkl mkl
  PATHS /opt/intel/oneapi/mkl/latest)
find_library(
  OneMKL_LIBRARY
  NAMES mkl_rt libmkl_rt.so.2 libmkl_rt.so.3
  HINTS ENV MKLROOT ENV VIRTUAL_ENV
  PATH_SUFFIXES lib lib/intel64
  PATHS /opt/intel/oneapi/mkl/latest)
mark_as_advanced(OneMKL_INCLUDE_DIR OneMKL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneMKL REQUIRED_VARS OneMKL_LIBRARY OneMKL_INCLUDE_DIR)

if(OneMKL_FOUND AND NOT TARGET OneMKL::dfti)
  add_library(OneMKL::dfti UNKNOWN IMPORTED)
  set_target_properties(OneMKL::dfti PROPERTIES IMPORTED_LOCATION ${OneMKL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                                                  ${OneMKL_INCLUDE_DIR})
endif()
