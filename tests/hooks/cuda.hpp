// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <accrue/accrue.hpp>

namespace hook {

using space = accrue::cuda;

}  // namespace hook

#include "device_variants.hpp"
