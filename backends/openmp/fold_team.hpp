// SPDX-License-Identifier: BSD-3-Clause
// A team's reduction: every thread folds its share into a state on cache lines of its own, then the states are merged.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/host_team.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/backends/openmp/merge_method.hpp"
#include "accrue/backends/openmp/team.hpp"

namespace accrue::omp {

/// One thread's partial state, apart from its neighbours' cache lines.
template <class State>
struct alignas(64) slot {
  State state;
  std::atomic<bool> ready{false};
};

/// Merges the slots pairwise into slot 0: thread `rank` waits for rank + 1, rank + 2, rank + 4 ... as long as those fall to it.
template <class R>
void merge_tree(const R& reducer, slot<typename R::state>* slots, int rank, int size) {
  for (int distance = 1; distance < size; distance *= 2) {
    if (rank % (2 * distance) != 0) break;
    if (rank + distance >= size) continue;
    auto& other = slots[rank + distance];
    while (!other.ready.load(std::memory_order_acquire)) detail::yield_thread();
    reducer.merge(slots[rank].state, other.state);
  }
}

/// The state of a view whose order does not matter.
template <class R, class View>
typename R::state fold_shares(const R& reducer, const View& view, int threads, merge_method method) {
  const detail::fp_environment environment;      // for the last steps on this thread; each member sets its own
  static std::atomic<double> merge_elements{0};  // elements folded in the time of one merge, measured by the triangle method
  using slots_t = std::unique_ptr<slot<typename R::state>[]>;
  const slots_t slots(new slot<typename R::state>[static_cast<std::size_t>(threads)]);
  for (int k = 0; k < threads; ++k) slots[static_cast<std::size_t>(k)].state = reducer.empty();
  auto total = reducer.empty();
  detail::team_lock critical;
  std::atomic<bool> stop{false};
  const double step = method == merge_method::triangle ? merge_elements.load(std::memory_order_relaxed) : 0;

  auto member = [&](int rank, int size) {
    const detail::fp_environment member_environment;
    auto& mine = slots[static_cast<std::size_t>(rank)];
    struct announce {  // also on the way out of an exception: others may be waiting
      std::atomic<bool>& ready;
      ~announce() { ready.store(true, std::memory_order_release); }
    } const done{mine.ready};
    const detail::share s = detail::staircase_share(view.size(), rank, size, step);
    const double begun = detail::steady_seconds();
    try {
      detail::fold_range(reducer, view, s.begin, s.end, mine.state, stop);
    } catch (...) {
      stop.store(true, std::memory_order_relaxed);
      throw;
    }
    if (method == merge_method::tree) {
      merge_tree(reducer, slots.get(), rank, size);
      return;
    }
    const double folded = detail::steady_seconds();
    const detail::held_lock held(critical);
    const double entered = detail::steady_seconds();
    reducer.merge(total, mine.state);
    if (method == merge_method::triangle && rank == 0 && folded > begun) {
      const double merge_share = (detail::steady_seconds() - entered) / (folded - begun);
      merge_elements.store(merge_share * static_cast<double>(s.end - s.begin), std::memory_order_relaxed);
    }
  };
  detail::host_team(threads, run_team).run(member);
  return method == merge_method::tree ? slots[0].state : total;
}

}  // namespace accrue::omp
