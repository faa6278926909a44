// SPDX-License-Identifier: BSD-3-Clause
// What results were measured on, for all benchmark programs.
#pragma once

#include <nlohmann/json.hpp>

namespace perf {

/// Date, commit, compilers, and the host: processor, cores, clock now, caches, instruction set, where OpenMP's threads are bound.
nlohmann::ordered_json machine();

/// Bytes of the host's last-level cache, 32 MiB where the system does not say.
std::size_t last_level_cache_bytes();

}  // namespace perf
