// SPDX-License-Identifier: BSD-3-Clause
// The three guarantees a caller can ask for: what the bits of a result may depend on.
#pragma once

namespace accrue {

/// The exact real result, rounded once to nearest-even: bits depend on the multiset of inputs alone.
struct exact_t {
  static constexpr const char* name = "exact";
};

/// One documented combination tree (see ordered_tree.hpp): bits depend on the sequence of inputs alone.
struct ordered_t {
  static constexpr const char* name = "ordered";
};

/// Any order: bits may depend on anything.
struct fast_t {
  static constexpr const char* name = "fast";
};

inline constexpr exact_t exact{};
inline constexpr ordered_t ordered{};
inline constexpr fast_t fast{};

template <class G>
inline constexpr bool is_guarantee = false;
template <>
inline constexpr bool is_guarantee<exact_t> = true;
template <>
inline constexpr bool is_guarantee<ordered_t> = true;
template <>
inline constexpr bool is_guarantee<fast_t> = true;

template <class G>
concept guarantee = is_guarantee<G>;

}  // namespace accrue
