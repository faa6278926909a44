// SPDX-License-Identifier: BSD-3-Clause
// A team's reduction: every thread folds its share into a state on cache lines of its own, then the states are merged.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "accrue/detail/host_reduce.hpp"
#include "accrue/backends/openmp/merge_method.hpp"

namespace accrue::omp {

/// A reduction whose order does not matter, as its team sees it.
struct team_reduction {
  const void* of;
  void (*fold)(const void* of, std::size_t begin, std::size_t end, void* state, std::atomic<bool>& stop);
  void (*merge)(const void* of, void* into, const void* from);
  std::size_t elements;
  std::size_t state_stride;             ///< bytes from a thread's state to the next one's
  std::atomic<double>* merge_elements;  ///< elements folded in the time of one merge, measured by the triangle method
};
/// Folds shares into the states of at most `threads` threads, which lie one after another with one more behind them, and merges those. All
/// are empty before. Returns the one that then has it all.
const void* fold_by_team(const team_reduction& reduction, void* states, int threads, merge_method method);

/// The state of a view whose order does not matter.
template <class R, class View>
typename R::state fold_shares(const R& reducer, const View& view, int threads, merge_method method) {
  using state = typename R::state;
  struct alignas(64) slot {  // apart from its neighbours' cache lines
    state value;
  };
  struct inputs {
    const R& reducer;
    const View& view;
  } const of{reducer, view};
  static std::atomic<double> merge_elements{0};
  const auto slots_there_are = static_cast<std::size_t>(threads) + 1;
  const std::unique_ptr<slot[]> slots(new slot[slots_there_are]);
  for (std::size_t k = 0; k < slots_there_are; ++k) slots[k].value = reducer.empty();
  const team_reduction erased{&of,
                              [](const void* what, std::size_t begin, std::size_t end, void* to, std::atomic<bool>& stop) {
                                const auto& in = *static_cast<const inputs*>(what);
                                detail::fold_range(in.reducer, in.view, begin, end, *static_cast<state*>(to), stop);
                              },
                              [](const void* what, void* into, const void* from) {
                                const R& r = static_cast<const inputs*>(what)->reducer;
                                r.merge(*static_cast<state*>(into), *static_cast<const state*>(from));
                              },
                              view.size(), sizeof(slot), &merge_elements};
  return *static_cast<const state*>(fold_by_team(erased, slots.get(), threads, method));
}

}  // namespace accrue::omp
