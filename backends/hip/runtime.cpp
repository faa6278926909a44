// SPDX-License-Identifier: BSD-3-Clause
// The device space over the HIP runtime.
#include "accrue/backends/hip/api.hpp"
#include "accrue/backends/simt/runtime/device_runtime.hpp"

namespace accrue::simt {

template struct device_space<hip, hip::stream_type>;
template class device_workspace<hip>;
template class device_call<hip>;
template class blocking_call<hip>;
template class asynchronous_call<hip>;
template class stream_memory<hip>;
template std::vector<device_description> devices<hip>(std::string& why);

}  // namespace accrue::simt
