// SPDX-License-Identifier: BSD-3-Clause
// One of accrue's reductions of one element type, without its types: what the suite `types` runs on every stage and compares.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "contender.hpp"
#include "inputs.hpp"

namespace perf {

struct typed_case {
  std::string what;
  std::string type;
  input kind;
  std::size_t element_bytes;
  std::size_t result_bytes;
  std::function<void(void* x, std::size_t n)> fill;  ///< host memory
  /// *result = the reduction of n elements at x: memory of the place.
  std::function<void(const place&, const void* x, std::size_t n, void* result)> run;
  /// Whether two results, in host memory, are what the guarantee promises: the same, or near for fast sums.
  std::function<bool(const void* a, const void* b, std::size_t n)> agree;
};

/// Those of the device, compiled by its compiler.
const std::vector<typed_case>& device_typed_cases();

}  // namespace perf
