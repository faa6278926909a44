// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite on a Kokkos execution space, ACCRUE_TEST_KOKKOS_SPACE.
#pragma once

#include <accrue/accrue.hpp>

#include "accrue/backends/kokkos/kokkos.hpp"

namespace hook {

using space = accrue::kokkos<Kokkos::ACCRUE_TEST_KOKKOS_SPACE>;

/// Kokkos runs from the first use to the end of the program.
inline void start_kokkos() { static const Kokkos::ScopeGuard running; }

}  // namespace hook

#if defined(ACCRUE_TEST_KOKKOS_DEVICE)
#include "uploaded_array.hpp"

namespace hook {

inline space make() {
  start_kokkos();
  return {};
}
/// Two instances: the default one's stream and another.
inline std::vector<space> variants() {
  start_kokkos();
  static const auto parts = Kokkos::Experimental::partition_space(typename decltype(space::instance)::execution_space(), 1, 1);
  return {space{}, space{parts[1]}};
}

}  // namespace hook
#else
#include "uploaded_array.hpp"

namespace hook {

inline space make() {
  start_kokkos();
  space s;
  s.grain = 64;
  return s;
}
/// Ranges cut into any number of parts, however short they are.
inline std::vector<space> variants() {
  start_kokkos();
  std::vector<space> all{space{}};
  for (const int shares : {1, 2, 3, 5, 9}) {
    space s;
    s.shares = shares;
    s.grain = 1;
    all.push_back(s);
  }
  return all;
}
/// As many threads as Kokkos was started with.
inline std::vector<space> teams() {
  start_kokkos();
  return {space{}};
}

}  // namespace hook
#endif
