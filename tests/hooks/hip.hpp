// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <accrue/accrue.hpp>

namespace hook {

using space = accrue::hip;

}  // namespace hook

#include "device_variants.hpp"
