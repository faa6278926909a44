// SPDX-License-Identifier: BSD-3-Clause
// The device space over the CUDA runtime.
#include "accrue/backends/cuda/api.hpp"
#include "accrue/backends/simt/runtime/device_runtime.hpp"

namespace accrue::simt {

template struct device_space<cuda, cuda::stream_type>;
template class device_workspace<cuda>;
template class device_call<cuda>;
template class blocking_call<cuda>;
template class asynchronous_call<cuda>;
template class stream_memory<cuda>;
template std::vector<device_description> devices<cuda>(std::string& why);

}  // namespace accrue::simt
