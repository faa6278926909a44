# SPDX-License-Identifier: BSD-3-Clause
# The CUDA language, for the cuda backend, its tests and its benchmarks.
if(CMAKE_VERSION VERSION_LESS 3.26)
  message(FATAL_ERROR "the cuda backend needs CMake 3.26 or later: ${CMAKE_VERSION} cannot compile CUDA as C++20")
endif()
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin DOC "The CUDA compiler")
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "CUDA architectures: machine code and PTX for each")
endif()
enable_language(CUDA)
set(ACCRUE_DEVICE_LANGUAGE_cuda CUDA)
set(ACCRUE_DEVICE_SUFFIX_cuda cu)
