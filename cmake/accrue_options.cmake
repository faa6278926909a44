# SPDX-License-Identifier: BSD-3-Clause
# The options of the build, checked.

# A new backend is one name here, one folder in backends/ and one hook file in tests/hooks/.
set(ACCRUE_KNOWN_BACKENDS serial openmp cuda hip kokkos mpi)
set(ACCRUE_HOST_BACKENDS serial openmp)
set(accrue_oldest_cuda 12.4)  # that was built with

if(CMAKE_CXX_BYTE_ORDER STREQUAL BIG_ENDIAN)
  message(FATAL_ERROR "${CMAKE_SYSTEM_PROCESSOR} is big-endian: accrue's kernels and the bytes of its states are little-endian")
endif()

set(ACCRUE_BACKENDS "serial;openmp" CACHE STRING "Backends to build: any of ${ACCRUE_KNOWN_BACKENDS}")
set(ACCRUE_DEFAULT_BACKEND "" CACHE STRING "Backend behind accrue::default_space (default: the last of ACCRUE_BACKENDS but kokkos and mpi)")
option(ACCRUE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(ACCRUE_BUILD_C "Build the C interface" ${PROJECT_IS_TOP_LEVEL})
cmake_dependent_option(ACCRUE_BUILD_FORTRAN "Build the Fortran module over it" OFF ACCRUE_BUILD_C OFF)
option(ACCRUE_BUILD_PERF "Build the benchmarks" OFF)
option(ACCRUE_BUILD_TOOLS "Build the accrue program" ${PROJECT_IS_TOP_LEVEL})
option(ACCRUE_FETCH_DEPENDENCIES "Download dependencies that are not installed" OFF)
set(ACCRUE_SANITIZE "" CACHE STRING "Sanitizers for everything built here, as -fsanitize takes them")

foreach(backend IN LISTS ACCRUE_BACKENDS)
  if(NOT backend IN_LIST ACCRUE_KNOWN_BACKENDS)
    message(FATAL_ERROR "ACCRUE_BACKENDS names '${backend}'; this version knows: ${ACCRUE_KNOWN_BACKENDS}")
  endif()
endforeach()
if(NOT ACCRUE_BACKENDS)
  message(FATAL_ERROR "ACCRUE_BACKENDS is empty; name at least one of: ${ACCRUE_KNOWN_BACKENDS}")
endif()
if("cuda" IN_LIST ACCRUE_BACKENDS AND "hip" IN_LIST ACCRUE_BACKENDS)
  message(FATAL_ERROR "ACCRUE_BACKENDS names cuda and hip, whose kernels have the same names: build them apart")
endif()
if(ACCRUE_DEFAULT_BACKEND)
  set(accrue_default_backend ${ACCRUE_DEFAULT_BACKEND})
else()
  set(accrue_default_backend ${ACCRUE_BACKENDS})
  list(REMOVE_ITEM accrue_default_backend kokkos mpi)  # their users have to ask for them: they change how every source is compiled
  list(GET accrue_default_backend -1 accrue_default_backend)
endif()
if(NOT accrue_default_backend IN_LIST ACCRUE_BACKENDS)
  message(FATAL_ERROR "ACCRUE_DEFAULT_BACKEND is '${accrue_default_backend}', which ACCRUE_BACKENDS (${ACCRUE_BACKENDS}) leaves out")
endif()

# Where the program reduces what it has read into host memory.
set(accrue_default_host_backend "")
foreach(backend IN LISTS ACCRUE_BACKENDS accrue_default_backend)
  if(backend IN_LIST ACCRUE_HOST_BACKENDS)
    set(accrue_default_host_backend ${backend})
  endif()
endforeach()
if(NOT accrue_default_host_backend)
  message(FATAL_ERROR "ACCRUE_BACKENDS (${ACCRUE_BACKENDS}) has no host backend; add one of: ${ACCRUE_HOST_BACKENDS}")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Type of build" FORCE)
endif()
if(ACCRUE_SANITIZE)
  add_compile_options(-fsanitize=${ACCRUE_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${ACCRUE_SANITIZE})
endif()
