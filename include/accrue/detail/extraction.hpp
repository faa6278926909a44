// SPDX-License-Identifier: BSD-3-Clause
// The layout of the windows that exact sums rest on.
//
// A window is a running sum S that stays in one binade [2^k, 2^(k+1)), starting from its anchor 1.5 * 2^k. Adding x rounds x
// to a multiple of u = 2^(k-52), the window's unit: t = S + x, and q = t - S is that multiple, without error; x - q, also
// without error, is what the next window down must take. So S - anchor is an exact integer count of units, however many
// elements went in, as long as S did not leave its binade. Sources that include this file are compiled without contraction
// and without fast-math; under either the identities above are void.
#pragma once

namespace accrue::detail {

/// Additions that each lane of a window takes before its sum is read off and the window is set to its anchor again.
inline constexpr int adds_per_window = 32;

/// Binades between the largest element and the top window: 2^5 additions, a bit for the sign, one of slack, and one for later
/// tiles to hold elements up to twice as large.
inline constexpr int window_headroom = 9;

/// Binades from one window to the next below. A remainder is at most half a unit, 2^(k-53), so 2^5 of them stay below
/// 2^(k-48), which must be under half of the next window's 2^k'.
inline constexpr int window_step = 46;

/// The rounding errors of products have a stack of windows of their own. Terms stay below half of the top window's 2^k, which is
/// checked, so an error is at most 2^(k-54), and 2^5 of them stay below 2^(k-49): under half of an anchor 2^(k-47), unchecked.
inline constexpr int error_offset = 47;

}  // namespace accrue::detail
