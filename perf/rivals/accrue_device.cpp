// SPDX-License-Identifier: BSD-3-Clause
// accrue on the device.
#include "accrue_contenders.hpp"

namespace perf {

namespace {

const bool added = (add_accrue<accrue::default_space>(device_contenders<float>()),
                    add_accrue<accrue::default_space>(device_contenders<double>()), true);

}  // namespace

}  // namespace perf
