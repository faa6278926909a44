// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the compiled library, in groups: a backend compiles one source file for each (cmake/accrue_device.cmake).
#pragma once

#include <vector>

#include "accrue/closed_set.hpp"
#include "accrue/backends/simt/runtime/launch_request.hpp"

namespace accrue::simt {

enum class kernel_group : std::uint8_t {
  exact_sums,
  exact_products,
  exact_moments,
  integer_sums,
  integer_products,
  fast_sums,
  ordered_sums,
  scaled_products,
  extrema,
  positions,
  masked
};
inline constexpr int kernel_groups = static_cast<int>(kernel_group::masked) + 1;  // the last one

/// The group of an entry's kernel over arrays; those that take a mask are all in `masked`.
constexpr kernel_group group_of(const named_reduction& r) {
  using enum named_operation;
  const bool integers = detail::is_integer_type(r.element);
  switch (r.operation) {
    case min:
    case max:
    case min_number:
    case max_number:
    case minmax:
    case norm_inf:
      return kernel_group::extrema;
    case argmin:
    case argmax:
    case argminmax:
      return kernel_group::positions;
    case scaled_product:
    case scaled_product_sum:
    case scaled_product_difference:
      return kernel_group::scaled_products;
    default:
      break;
  }
  if (r.guarantee == guarantee_type::is_ordered) return kernel_group::ordered_sums;
  if (r.guarantee == guarantee_type::is_fast) return kernel_group::fast_sums;
  switch (r.operation) {
    case sum:
    case sum_abs:
    case mean:
    case bit_and:
    case bit_or:
    case bit_xor:
      return integers ? kernel_group::integer_sums : kernel_group::exact_sums;
    case moments:
      return integers ? kernel_group::integer_products : kernel_group::exact_moments;
    default:
      return integers ? kernel_group::integer_products : kernel_group::exact_products;
  }
}

/// What lists know of an operation's kernels; their launch function is here so that the library has it.
struct kernel_row {
  std::vector<kernel_facts> (*facts)(const device_facts& device);
  void (*launch)();
};

/// The kernels of a group; defined in library_kernels.cuh, for the group's source file alone.
template <class Space, kernel_group group>
std::vector<kernel_row> library_kernels();

}  // namespace accrue::simt
