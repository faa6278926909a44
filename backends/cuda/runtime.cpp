// SPDX-License-Identifier: BSD-3-Clause
// The device space over the CUDA runtime.
#include "accrue/backends/simt/device_runtime.hpp"

// In this order: where a device compiler is at work, cuda.hpp brings launch.cuh, which needs all of api.hpp.
#include "accrue/backends/cuda/cuda.hpp"

#include "accrue/backends/cuda/api.hpp"

namespace accrue::simt {

template struct device_space<cuda, cuda::stream_type>;
template class device_workspace<cuda>;
template class device_call<cuda>;
template class blocking_call<cuda>;
template class asynchronous_call<cuda>;
template std::vector<device_description> devices<cuda>(std::string& why);

}  // namespace accrue::simt
