// SPDX-License-Identifier: BSD-3-Clause
// The error-free extraction of extraction.hpp, written once over a number-like type: `double` or a SIMD vector. Included inside
// the namespace of each target (instruction set or device), because a function's target is that of its definition.
// `ACCRUE_EXTRACTION` is the target's inline specifier.

/// Adds `x` to window `s` and returns what did not fit the window's unit.
template <class V>
ACCRUE_EXTRACTION V extract(V& s, V x) {
  const V t = s + x;
  const V q = t - s;
  s = t;
  return x - q;
}
