// SPDX-License-Identifier: BSD-3-Clause
// What each thread of a team does in a reduction, whatever is reduced.
#include "accrue/backends/openmp/fold_team.hpp"

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_team.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/backends/openmp/team.hpp"

namespace accrue::omp {

const team_slot& fold_by_team(const team_reduction& reduction, team_slot* slots, int threads, merge_method method) {
  const auto slot_of = [&](int rank) -> team_slot& {
    return *reinterpret_cast<team_slot*>(reinterpret_cast<std::byte*>(slots) + static_cast<std::size_t>(rank) * reduction.slot_bytes);
  };
  team_slot& total = slot_of(threads);
  detail::team_lock critical;
  std::atomic<bool> stop{false};
  const double step = method == merge_method::triangle ? reduction.merge_elements->load(std::memory_order_relaxed) : 0;

  // Merges the states pairwise into that of rank 0: a thread waits for rank + 1, rank + 2, rank + 4 ... as long as those fall to it.
  const auto merge_tree = [&](int rank, int size) {
    for (int distance = 1; distance < size; distance *= 2) {
      if (rank % (2 * distance) != 0) break;
      if (rank + distance >= size) continue;
      const team_slot& other = slot_of(rank + distance);
      while (!other.ready.load(std::memory_order_acquire)) detail::yield_thread();
      reduction.merge(reduction.of, slot_of(rank), other);
    }
  };
  auto member = [&](int rank, int size) {
    const detail::fp_environment environment;
    team_slot& mine = slot_of(rank);
    struct announce {  // also on the way out of an exception: others may be waiting
      std::atomic<bool>& ready;
      ~announce() { ready.store(true, std::memory_order_release); }
    } const done{mine.ready};
    const detail::share s = detail::staircase_share(reduction.elements, rank, size, step);
    const double begun = detail::steady_seconds();
    try {
      reduction.fold(reduction.of, s.begin, s.end, mine, stop);
    } catch (...) {
      stop.store(true, std::memory_order_relaxed);
      throw;
    }
    if (method == merge_method::tree) {
      merge_tree(rank, size);
      return;
    }
    const double folded = detail::steady_seconds();
    const detail::held_lock held(critical);
    const double entered = detail::steady_seconds();
    reduction.merge(reduction.of, total, mine);
    if (method == merge_method::triangle && rank == 0 && folded > begun) {
      const double merge_share = (detail::steady_seconds() - entered) / (folded - begun);
      reduction.merge_elements->store(merge_share * static_cast<double>(s.end - s.begin), std::memory_order_relaxed);
    }
  };
  detail::host_team(threads, run_team).run(member);
  return method == merge_method::tree ? slot_of(0) : total;
}

}  // namespace accrue::omp
