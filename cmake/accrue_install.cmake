# SPDX-License-Identifier: BSD-3-Clause
# Installation and the package config that find_package(accrue) reads.
include(CMakePackageConfigHelpers)

set(accrue_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/accrue)
install(DIRECTORY include/accrue DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.inl")
install(FILES ${accrue_generated}/accrue/version.h ${accrue_generated}/accrue/version.hpp ${accrue_generated}/accrue/backends.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/accrue)
set(accrue_header_folders ${ACCRUE_BACKENDS})
if("cuda" IN_LIST ACCRUE_BACKENDS OR "hip" IN_LIST ACCRUE_BACKENDS)
  list(APPEND accrue_header_folders simt)
endif()
foreach(folder IN LISTS accrue_header_folders)
  install(DIRECTORY backends/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/accrue/backends
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh" PATTERN "library" EXCLUDE)
endforeach()
install(EXPORT accrue_targets NAMESPACE accrue:: DESTINATION ${accrue_package_dir})
configure_package_config_file(cmake/accrue-config.cmake.in accrue-config.cmake INSTALL_DESTINATION ${accrue_package_dir})
write_basic_package_version_file(accrue-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/accrue-config.cmake ${PROJECT_BINARY_DIR}/accrue-config-version.cmake
        DESTINATION ${accrue_package_dir})
