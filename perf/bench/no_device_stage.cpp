// SPDX-License-Identifier: BSD-3-Clause
// In builds without a device's backend.
#include "stage.hpp"

namespace perf {

std::unique_ptr<stage> make_device_stage() { return nullptr; }

}  // namespace perf
