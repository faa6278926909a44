// SPDX-License-Identifier: BSD-3-Clause
// What each thread of a team does in a reduction, whatever is reduced.
#include "accrue/backends/openmp/fold_team.hpp"

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_team.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/backends/openmp/team.hpp"

namespace accrue::omp {
namespace {

/// Tells others, who may be waiting, that a thread's state is there; also on the way out of an exception.
struct announcement {
  std::atomic<bool>& ready;
  ~announcement() { ready.store(true, std::memory_order_release); }
};
struct alignas(64) ready_flag {
  std::atomic<bool> ready{false};
};

}  // namespace

const void* fold_by_team(const team_reduction& reduction, void* states, int threads, merge_method method) {
  const std::unique_ptr<ready_flag[]> flags(new ready_flag[static_cast<std::size_t>(threads)]);
  const auto state_of = [&](int rank) -> void* {
    return static_cast<std::byte*>(states) + static_cast<std::size_t>(rank) * reduction.state_stride;
  };
  void* const total = state_of(threads);
  detail::team_lock critical;
  std::atomic<bool> stop{false};
  const double step = method == merge_method::triangle ? reduction.merge_elements->load(std::memory_order_relaxed) : 0;

  // Merges the states pairwise into that of rank 0: a thread waits for rank + 1, rank + 2, rank + 4 ... as long as those fall to it.
  const auto merge_tree = [&](int rank, int size) {
    for (int distance = 1; distance < size; distance *= 2) {
      if (rank % (2 * distance) != 0) break;
      if (rank + distance >= size) continue;
      while (!flags[static_cast<std::size_t>(rank + distance)].ready.load(std::memory_order_acquire)) detail::yield_thread();
      reduction.merge(reduction.of, state_of(rank), state_of(rank + distance));
    }
  };
  auto member = [&](int rank, int size) {
    const detail::fp_environment environment;
    void* const mine = state_of(rank);
    const announcement done{flags[static_cast<std::size_t>(rank)].ready};
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
  return method == merge_method::tree ? state_of(0) : total;
}

}  // namespace accrue::omp
