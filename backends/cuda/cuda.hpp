// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend: native kernels on NVIDIA devices. Plain C++ sources call the kernels of the compiled library; .cu files may
// also use reducers and functions of their own.
#pragma once

#include "accrue/backends/cuda/space.hpp"

#if defined(__CUDACC__)
#include "accrue/backends/cuda/kernel_api.cuh"
#endif
