// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite on the OpenMP backend: 1 to 8 threads, every merge method, however short the input.
#pragma once

#include "uploaded_array.hpp"

namespace hook {

using space = accrue::openmp;
inline space make() { return space(4, accrue::merge_method::tree, 64); }
inline std::vector<space> variants() {
  using accrue::merge_method;
  std::vector<space> all{space{}};
  for (int threads = 1; threads <= 9; ++threads) {
    for (const auto method : {merge_method::critical, merge_method::triangle, merge_method::tree}) {
      all.push_back(space(threads, method, 1));
    }
  }
  return all;
}
inline std::vector<space> teams() {
  std::vector<space> all;
  for (const int threads : {1, 2, 3, 5, 8}) all.push_back(space(threads));
  return all;
}

}  // namespace hook
