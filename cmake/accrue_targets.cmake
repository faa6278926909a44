# SPDX-License-Identifier: BSD-3-Clause
# How targets are made: one way for libraries, and the umbrella accrue::accrue over all that was built.

find_package(hwy CONFIG QUIET)
if(NOT hwy_FOUND)
  if(NOT ACCRUE_FETCH_DEPENDENCIES)
    message(FATAL_ERROR "Google Highway is missing: install libhwy-dev, or configure with -DACCRUE_FETCH_DEPENDENCIES=ON")
  endif()
  include(FetchContent)
  set(HWY_ENABLE_TESTS OFF)
  set(HWY_ENABLE_EXAMPLES OFF)
  FetchContent_Declare(hwy URL https://github.com/google/highway/archive/refs/tags/1.0.3.tar.gz)
  FetchContent_MakeAvailable(hwy)
  add_library(hwy::hwy ALIAS hwy)
endif()

# Installed programs and libraries find their libraries wherever both were moved.
set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR} $ORIGIN)

# Headers include "accrue/backends/<name>/..."; the link makes the build tree look as the installed tree does.
set(accrue_generated ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${accrue_generated}/accrue)
configure_file(cmake/exported_names.map.in ${PROJECT_BINARY_DIR}/exported_names.map @ONLY)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/backends ${accrue_generated}/accrue/backends SYMBOLIC)

# accrue_library(<name> [sources...]): target accrue_<name>, alias accrue::<name>, installed and exported.
# Without sources it is headers only.
function(accrue_library name)
  if(ARGN)
    set(scope PUBLIC)
    add_library(accrue_${name} ${ARGN})
    # As shared libraries they export accrue's names alone, and are of one minor version. As static ones in a shared library of the user's they
    # export nothing, unless a visibility is asked for.
    set_target_properties(accrue_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON VISIBILITY_INLINES_HIDDEN ON
                          VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    if(NOT BUILD_SHARED_LIBS)
      accrue_hide_names(accrue_${name})
    elseif(NOT APPLE)
      target_link_options(accrue_${name} PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/exported_names.map)
      set_target_properties(accrue_${name} PROPERTIES LINK_DEPENDS ${PROJECT_BINARY_DIR}/exported_names.map)
    endif()
    accrue_warnings(accrue_${name})
  else()
    set(scope INTERFACE)
    add_library(accrue_${name} INTERFACE)
  endif()
  add_library(accrue::${name} ALIAS accrue_${name})
  set_target_properties(accrue_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(accrue_${name} ${scope} cxx_std_20)
  target_include_directories(accrue_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${accrue_generated}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  accrue_install_target(accrue_${name})
endfunction()

function(accrue_hide_names target)
  foreach(language C CXX)
    if(NOT DEFINED CMAKE_${language}_VISIBILITY_PRESET)
      set_target_properties(${target} PROPERTIES ${language}_VISIBILITY_PRESET hidden)
    endif()
  endforeach()
endfunction()

# Shared libraries are for who runs programs, the rest for who builds them.
function(accrue_install_target target)
  install(TARGETS ${target} EXPORT accrue_targets
          RUNTIME COMPONENT runtime LIBRARY COMPONENT runtime NAMELINK_COMPONENT development ARCHIVE COMPONENT development)
endfunction()

# Takes the build type's -O out of the C++ flags of the calling folder.
macro(accrue_without_optimisation_flags)
  if(CMAKE_BUILD_TYPE)
    string(TOUPPER CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE} flags)
    string(REGEX REPLACE "-O[^ ]*" "" ${flags} "${${flags}}")
  endif()
endmacro()

function(accrue_warnings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-psabi>)
endfunction()

# accrue::accrue, and the generated headers that say which backends are in it.
function(accrue_add_umbrella)
  add_library(accrue INTERFACE)
  add_library(accrue::accrue ALIAS accrue)
  set(accrue_backend_includes "")
  set(accrue_late_includes "")  # of a backend that refers to others
  foreach(backend IN LISTS ACCRUE_BACKENDS)
    set(line "#include \"accrue/backends/${backend}/${backend}.hpp\"\n")
    if(NOT ACCRUE_APART_${backend})
      target_link_libraries(accrue INTERFACE accrue::${backend})
      string(APPEND accrue_backend_includes ${line})
    elseif(backend STREQUAL accrue_default_backend)
      target_link_libraries(accrue INTERFACE accrue::${backend})
      string(APPEND accrue_late_includes ${line})
    else()
      target_link_libraries(accrue_${backend} INTERFACE accrue)
    endif()
  endforeach()
  if(DEFINED ACCRUE_SPACE_${accrue_default_backend})
    set(accrue_default_space ${ACCRUE_SPACE_${accrue_default_backend}})
  else()
    set(accrue_default_space ${accrue_default_backend})
  endif()
  set(built ${ACCRUE_BACKENDS})
  foreach(backend IN LISTS ACCRUE_BACKENDS)
    if(ACCRUE_APART_${backend})
      list(REMOVE_ITEM built ${backend})
    endif()
  endforeach()
  string(JOIN ", " accrue_built_spaces ${built})
  set(accrue_missing_backends "")
  foreach(backend IN LISTS ACCRUE_KNOWN_BACKENDS)
    if(NOT backend IN_LIST ACCRUE_BACKENDS)
      set(missing ${PROJECT_SOURCE_DIR}/backends/${backend}/missing.hpp.in)
      if(NOT EXISTS ${missing})
        set(missing ${PROJECT_SOURCE_DIR}/cmake/missing_backend.hpp.in)
      endif()
      configure_file(${missing} ${PROJECT_BINARY_DIR}/missing.tmp @ONLY)
      file(READ ${PROJECT_BINARY_DIR}/missing.tmp text)
      string(APPEND accrue_missing_backends "${text}")
    endif()
  endforeach()
  string(JOIN " " accrue_backend_names ${ACCRUE_BACKENDS})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/backends.hpp.in ${accrue_generated}/accrue/backends.hpp @ONLY)
  accrue_install_target(accrue)
endfunction()
