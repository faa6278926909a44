// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite on a device: the tuned launch shape and odd ones. hook::space is the backend's.
#pragma once

#include "uploaded_array.hpp"

namespace hook {

inline space make() { return space{}; }
inline std::vector<space> variants() {
  std::vector<space> all{space{}};
  for (const auto& [blocks, threads] :
       {std::pair{1u, 32u}, {1u, 512u}, {2u, 64u}, {3u, 96u}, {7u, 160u}, {31u, 480u}, {133u, 128u}, {264u, 512u}}) {
    space s;
    s.blocks = blocks;
    s.threads = threads;
    all.push_back(s);
  }
  return all;
}

}  // namespace hook
