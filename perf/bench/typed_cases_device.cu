// SPDX-License-Identifier: BSD-3-Clause
#include "typed_cases.hpp"

namespace perf {

const std::vector<typed_case>& device_typed_cases() {
  static const auto all = make_typed_cases<accrue::default_space>();
  return all;
}

}  // namespace perf
