// SPDX-License-Identifier: BSD-3-Clause
// How the partial states of a team come together. The bits are the same from each; only the waiting differs.
#pragma once

namespace accrue {

enum class merge_method {
  critical,  ///< one thread at a time adds its state to the shared one
  triangle,  ///< the same, with shares that rise from thread to thread so that they arrive one after another
  tree       ///< pairs of threads, then pairs of pairs
};

}  // namespace accrue
