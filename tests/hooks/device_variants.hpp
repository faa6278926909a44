// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite on a device: the tuned launch shape and odd ones. hook::space is the backend's.
#pragma once

#include "uploaded_array.hpp"

namespace hook {

inline space make() { return space{}; }
inline std::vector<space> variants() {
  std::vector<space> all{space{}};
  constexpr std::pair<unsigned, unsigned> shapes[] = {{1, 32}, {1, 512}, {2, 64}, {3, 96}, {7, 160}, {31, 480}, {133, 128}, {264, 512}};
  for (const auto& [blocks, threads] : shapes) {
    space s;
    s.blocks = blocks;
    s.threads = threads;
    all.push_back(s);
  }
  return all;
}

}  // namespace hook
