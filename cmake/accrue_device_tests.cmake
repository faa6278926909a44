# SPDX-License-Identifier: BSD-3-Clause
# Where no device can run the tests, benchmarks and the program of devices, they are compiled to see that they compile and link: with no
# optimizations, which halves the time, and for the first of several targets. Most of the library's kernels, whose registers are checked
# without a device, have the build's own.
if(NOT ACCRUE_RUN_ON_DEVICES)
  if(CMAKE_CUDA_COMPILER)
    include(CheckCompilerFlag)
    check_compiler_flag(CUDA "-Ofc=max" accrue_cuda_compiles_fast)  # CUDA 13
    set(CMAKE_CUDA_FLAGS_RELEASE "-DNDEBUG -Xcompiler=-O0")
    if(accrue_cuda_compiles_fast)
      string(APPEND CMAKE_CUDA_FLAGS_RELEASE " -Ofc=max")
    endif()
  endif()
  if(CMAKE_HIP_COMPILER AND CMAKE_HIP_PLATFORM STREQUAL amd)
    set(CMAKE_HIP_FLAGS_RELEASE "-DNDEBUG -O0")
  endif()
endif()
