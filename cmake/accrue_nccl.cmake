# SPDX-License-Identifier: BSD-3-Clause
# NCCL, for the nccl backend: its header and library, beside CUDA's or where NCCL_ROOT says. Sources that include accrue/nccl.hpp see nccl.h.
if(NOT "cuda" IN_LIST ACCRUE_BACKENDS)
  message(FATAL_ERROR "the nccl backend needs the cuda backend: -DACCRUE_BACKENDS=\"...;cuda;nccl\"")
endif()
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/find)
find_package(NCCL 2.10 REQUIRED)
set(ACCRUE_APART_nccl ON)
