// SPDX-License-Identifier: BSD-3-Clause
// Exact moments of floating elements.
#pragma once

#include "accrue/backends/simt/families.cuh"

namespace accrue::simt::families {

template <class T>
using moments = kernel_of<simt::exact_moments<T>, array<T>>;

template <class Space>
std::vector<kernel_row> exact_moments() {
  return rows_of<Space>(family<moments<double>, moments<float>, moments<half>, moments<bfloat16>>{});
}

}  // namespace accrue::simt::families
