// SPDX-License-Identifier: BSD-3-Clause
// How an accumulation keeps threads from writing over each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace accrue {

enum class strategy : std::uint8_t {
  automatic,   ///< chosen by a rule: see `accumulate` and `pair_forces`
  critical,    ///< private copies, merged one thread at a time in a critical section
  triangle,    ///< the same, with work shares that rise from thread to thread, so that threads reach the section one after another
  atomic,      ///< atomic additions to the shared array
  replicated,  ///< private copies, merged in parallel: each thread adds up its slice of the targets, where others wrote to it
  gather,      ///< each work item adds to its own target alone: no conflicts
  fixed_point  ///< `replicated` in integers, exact in `accumulate`: the same bits for any order and number of threads
};

inline constexpr strategy all_strategies[] = {strategy::critical,   strategy::triangle, strategy::atomic,
                                              strategy::replicated, strategy::gather,   strategy::fixed_point};

constexpr std::string_view to_string(strategy s) {
  switch (s) {
    case strategy::automatic:
      return "automatic";
    case strategy::critical:
      return "critical";
    case strategy::triangle:
      return "triangle";
    case strategy::atomic:
      return "atomic";
    case strategy::replicated:
      return "replicated";
    case strategy::gather:
      return "gather";
    case strategy::fixed_point:
      return "fixed_point";
  }
  return "";
}

/// The strategy of that name, if there is one.
constexpr std::optional<strategy> strategy_named(std::string_view name) {
  if (name == to_string(strategy::automatic)) return strategy::automatic;
  for (const strategy s : all_strategies) {
    if (name == to_string(s)) return s;
  }
  return std::nullopt;
}

}  // namespace accrue
