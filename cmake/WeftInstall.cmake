# What `cmake --install` puts where: headers, library, find_package(weft) and pkg-config. The programs and the Python
# package have their rules beside them.

include(CMakePackageConfigHelpers)

set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS weft EXPORT weftTargets COMPONENT library)
if(TARGET weft_tuner)
  set_target_properties(weft_model weft_tuner PROPERTIES VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS weft_model weft_tuner EXPORT weftTargets COMPONENT library)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)

# A static library does not carry the libraries that it needs, so its users find them with the same modules.
set(WEFT_CONFIG_DEPENDENCIES "")
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
get_target_property(weft_type weft TYPE)
if(weft_type STREQUAL "STATIC_LIBRARY")
  string(APPEND WEFT_CONFIG_DEPENDENCIES "find_dependency(Threads)\nfind_dependency(FFTW COMPONENTS double single)\n")
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindFFTW.cmake DESTINATION ${config_folder} COMPONENT library)
  if(TARGET OpenMP::OpenMP_CXX)
    string(APPEND WEFT_CONFIG_DEPENDENCIES "find_dependency(OpenMP COMPONENTS CXX)\n")
  endif()
  if(TARGET OneMKL::dfti)
    string(APPEND WEFT_CONFIG_DEPENDENCIES "find_dependency(OneMKL)\n")
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindOneMKL.cmake DESTINATION ${config_folder} COMPONENT library)
  endif()
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in ${PROJECT_BINARY_DIR}/weftConfig.cmake
                              INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weftConfig.cmake ${PROJECT_BINARY_DIR}/weftConfigVersion.cmake
        DESTINATION ${config_folder} COMPONENT library)
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION ${config_folder} COMPONENT library)

# pkg-config has no word for "the MPI library": programs are compiled with its mpicxx, the .pc names the rest. A shared
# library brings its own dependencies.
set(WEFT_PC_REQUIRES "")
set(WEFT_PC_LIBS "")
if(weft_type STREQUAL "STATIC_LIBRARY")
  set(WEFT_PC_REQUIRES "fftw3 fftw3f")
  if(CMAKE_THREAD_LIBS_INIT)
    set(WEFT_PC_LIBS " ${CMAKE_THREAD_LIBS_INIT}")
  endif()
  if(TARGET OneMKL::dfti)
    string(APPEND WEFT_PC_LIBS " ${OneMKL_LIBRARY}")
  endif()
  if(TARGET OpenMP::OpenMP_CXX)
    string(APPEND WEFT_PC_LIBS " ${OpenMP_CXX_FLAGS}")
  endif()
endif()
get_filename_component(WEFT_PC_COMPILER ${MPI_CXX_COMPILER} NAME)
file(RELATIVE_PATH WEFT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft.pc.in ${PROJECT_BINARY_DIR}/weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
if(TARGET weft_model)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/weft-model.pc.in ${PROJECT_BINARY_DIR}/weft-model.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/weft-model.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
