// SPDX-License-Identifier: BSD-3-Clause
// A team's reduction: every thread folds its share into a state on cache lines of its own, then the states are merged.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "accrue/detail/host_reduce.hpp"
#include "accrue/backends/openmp/merge_method.hpp"

namespace accrue::omp {

/// One thread's partial state, apart from its neighbours' cache lines.
struct alignas(64) team_slot {
  std::atomic<bool> ready{false};
};
template <class State>
struct slot : team_slot {
  State state;
};

/// A reduction whose order does not matter, as its team sees it.
struct team_reduction {
  const void* of;
  void (*fold)(const void* of, std::size_t begin, std::size_t end, team_slot& into, std::atomic<bool>& stop);
  void (*merge)(const void* of, team_slot& into, const team_slot& from);
  std::size_t elements;
  std::size_t slot_bytes;
  std::atomic<double>* merge_elements;  ///< elements folded in the time of one merge, measured by the triangle method
};
/// Folds shares into the slots of at most `threads` threads, behind which stands one more, and merges those. Their states are empty before.
/// Returns the one that then has it all.
const team_slot& fold_by_team(const team_reduction& reduction, team_slot* slots, int threads, merge_method method);

/// The state of a view whose order does not matter.
template <class R, class View>
typename R::state fold_shares(const R& reducer, const View& view, int threads, merge_method method) {
  using slot_type = slot<typename R::state>;
  struct inputs {
    const R& reducer;
    const View& view;
  } const of{reducer, view};
  static std::atomic<double> merge_elements{0};
  const auto count = static_cast<std::size_t>(threads) + 1;
  const std::unique_ptr<slot_type[]> slots(new slot_type[count]);
  for (std::size_t k = 0; k < count; ++k) slots[k].state = reducer.empty();
  const team_reduction erased{&of,
                              [](const void* what, std::size_t begin, std::size_t end, team_slot& into, std::atomic<bool>& stop) {
                                const auto& in = *static_cast<const inputs*>(what);
                                detail::fold_range(in.reducer, in.view, begin, end, static_cast<slot_type&>(into).state, stop);
                              },
                              [](const void* what, team_slot& into, const team_slot& from) {
                                const R& r = static_cast<const inputs*>(what)->reducer;
                                r.merge(static_cast<slot_type&>(into).state, static_cast<const slot_type&>(from).state);
                              },
                              view.size(), sizeof(slot_type), &merge_elements};
  return static_cast<const slot_type&>(fold_by_team(erased, slots.get(), threads, method)).state;
}

}  // namespace accrue::omp
