// SPDX-License-Identifier: BSD-3-Clause
#include "info_device.hpp"

namespace accrue::program {

static const add_info_section added{
    {"hip", collect_devices<hip>, [](const nlohmann::ordered_json& j) { print_devices("hip", j); }}};

}  // namespace accrue::program
