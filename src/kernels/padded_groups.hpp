// SPDX-License-Identifier: BSD-3-Clause
// Groups of few elements, before and behind the kernels that take as many as a vector has lanes.
#pragma once

#include <cstdint>

#include "accrue/detail/kernels.hpp"

namespace accrue::kernels {

/// A bit for each group.
template <class T>
constexpr std::uint64_t bits_of_all(const short_groups<T>& groups) {
  return groups.count != 0 ? ~std::uint64_t{0} >> (groups.most - groups.count) : 0;
}

/// With groups behind the last that are empty, up to a multiple of 8.
template <class T>
short_groups<T>& padded(short_groups<T>& groups) {
  for (std::size_t k = groups.count; k % 8 != 0; ++k) {
    groups.x[k] = groups.x[0];
    groups.y[k] = groups.x[0];
    groups.sizes[k] = 0;
  }
  return groups;
}

}  // namespace accrue::kernels
