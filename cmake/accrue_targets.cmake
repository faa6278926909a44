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

# Headers include "accrue/backends/<name>/..."; the link makes the build tree look as the installed tree does.
set(accrue_generated ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${accrue_generated}/accrue)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/backends ${accrue_generated}/accrue/backends SYMBOLIC)

# accrue_library(<name> [sources...]): target accrue_<name>, alias accrue::<name>, installed and exported.
# Without sources it is headers only.
function(accrue_library name)
  if(ARGN)
    set(scope PUBLIC)
    add_library(accrue_${name} ${ARGN})
    set_target_properties(accrue_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
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
  install(TARGETS accrue_${name} EXPORT accrue_targets)
endfunction()

function(accrue_warnings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-psabi>)
endfunction()

# accrue::accrue, and the generated headers that say which backends are in it.
function(accrue_add_umbrella)
  add_library(accrue INTERFACE)
  add_library(accrue::accrue ALIAS accrue)
  set(accrue_backend_includes "")
  foreach(backend IN LISTS ACCRUE_BACKENDS)
    target_link_libraries(accrue INTERFACE accrue::${backend})
    string(APPEND accrue_backend_includes "#include \"accrue/backends/${backend}/${backend}.hpp\"\n")
  endforeach()
  set(accrue_missing_backends "")
  foreach(backend IN LISTS ACCRUE_KNOWN_BACKENDS)
    if(NOT backend IN_LIST ACCRUE_BACKENDS)
      configure_file(${PROJECT_SOURCE_DIR}/cmake/missing_backend.hpp.in ${PROJECT_BINARY_DIR}/missing.tmp @ONLY)
      file(READ ${PROJECT_BINARY_DIR}/missing.tmp text)
      string(APPEND accrue_missing_backends "${text}")
    endif()
  endforeach()
  string(JOIN " " accrue_backend_names ${ACCRUE_BACKENDS})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/backends.hpp.in ${accrue_generated}/accrue/backends.hpp @ONLY)
  install(TARGETS accrue EXPORT accrue_targets)
endfunction()
