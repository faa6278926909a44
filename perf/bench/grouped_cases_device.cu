// SPDX-License-Identifier: BSD-3-Clause
#include "grouped_cases.hpp"

namespace perf {

std::vector<grouped_case>& device_grouped_cases() {
  static auto all = make_grouped_cases<accrue::default_space>();
  return all;
}

}  // namespace perf
