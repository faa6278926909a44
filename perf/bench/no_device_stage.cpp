// SPDX-License-Identifier: BSD-3-Clause
// In builds without a device's backend.
#include "grouped_case.hpp"
#include "stage.hpp"

namespace perf {

std::unique_ptr<stage> make_device_stage() { return nullptr; }
std::vector<grouped_case>& device_grouped_cases() {
  static std::vector<grouped_case> none;
  return none;
}

}  // namespace perf
