// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite on the serial backend.
#pragma once

#include "uploaded_array.hpp"

namespace hook {

using space = accrue::serial;
inline space make() { return {}; }
/// Ways of running that must not change a bit.
inline std::vector<space> variants() { return {space{}}; }
/// Spaces of every number of threads that accumulations are tried with.
inline std::vector<space> teams() { return {space{}}; }

}  // namespace hook
