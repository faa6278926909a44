// SPDX-License-Identifier: BSD-3-Clause
// The HIP backend: the kernels of backends/simt on AMD's devices, or through HIP's layer over CUDA on NVIDIA's. Plain C++ sources
// call the kernels of the compiled library; .hip files may also use reducers and functions of their own.
#pragma once

#include "accrue/backends/hip/space.hpp"

#if defined(__HIPCC__) || defined(__CUDACC__)
#include "accrue/backends/hip/kernel_api.cuh"
#endif
