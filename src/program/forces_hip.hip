// SPDX-License-Identifier: BSD-3-Clause
#include "lj_device_system.hpp"

namespace accrue::program {

static const set_run_on_device made(run_one<lj_device_system<hip>>);

}  // namespace accrue::program
