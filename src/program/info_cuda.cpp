// SPDX-License-Identifier: BSD-3-Clause
#include "info_device.hpp"

namespace accrue::program {

static const add_info_section added{
    {"cuda", collect_devices<cuda>, [](const nlohmann::ordered_json& j) { print_devices("cuda", j); }}};

}  // namespace accrue::program
