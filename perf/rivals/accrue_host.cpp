// SPDX-License-Identifier: BSD-3-Clause
// accrue on the host.
#include "accrue_contenders.hpp"

namespace perf {

namespace {

const bool added = (add_accrue<accrue::default_host_space>(host_contenders<float>()),
                    add_accrue<accrue::default_host_space>(host_contenders<double>()), true);

}  // namespace

}  // namespace perf
