// SPDX-License-Identifier: BSD-3-Clause
// The Kokkos backend: reductions of Views and of anything else that a Kokkos execution space can read.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>

#include "accrue/reductions.hpp"
#include "accrue/space.hpp"
#include "accrue/backends/kokkos/elements.hpp"
#include "accrue/backends/kokkos/fold_shares.hpp"
#include "accrue/backends/kokkos/spaces.hpp"

namespace accrue {

/// Runs on an instance of a Kokkos execution space: on one of the host's (Serial, OpenMP, Threads) by its own parallel_reduce; on Cuda
/// and HIP by accrue's native backend of that name, on the instance's stream, which must be in the build too.
///
/// Kokkos is started and stopped by its owner: `not_initialized` is thrown where it is not running. Calls that return a result wait
/// for this instance alone. `reduce_into(space, x, reducer, view)` leaves the result in a View of rank 0, on devices without
/// waiting. Calls may come from any threads at once; from inside an OpenMP region, and on Threads from any thread but the one that
/// started Kokkos, they run on the calling thread alone. Inside a Kokkos kernel use `kokkos_exact_sum` and its kin
/// (exact_reducers.hpp) instead. Kokkos's tools see every kernel under its reducer's name.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct kokkos {
  static_assert(!std::is_same_v<ExecutionSpace, ExecutionSpace>,
                "accrue::kokkos runs on Serial, OpenMP, Threads, Cuda and HIP: this execution space is none of them");
};

template <on_kokkos::host_space ExecutionSpace>
struct kokkos<ExecutionSpace> : detail::host_memory {
  static constexpr const char* name = "kokkos";

  ExecutionSpace instance = on_kokkos::default_instance<ExecutionSpace>();
  /// Into how many parts a range is cut, at most; 0: as many as the space runs at once.
  int shares = 0;
  /// Half the number of elements from which on a kernel pays.
  std::size_t grain = 16384;

  kokkos() = default;
  explicit kokkos(const ExecutionSpace& on) : instance(on) {}
  void synchronize() const { instance.fence(); }
};

template <on_kokkos::device_space ExecutionSpace>
struct kokkos<ExecutionSpace> {
  static constexpr const char* name = "kokkos";
  static constexpr bool asynchronous = true;

  ExecutionSpace instance = on_kokkos::default_instance<ExecutionSpace>();

  kokkos() = default;
  explicit kokkos(const ExecutionSpace& on) : instance(on) {}

  /// The backend that does the work, on this instance's stream.
  [[nodiscard]] auto native() const { return on_kokkos::native<ExecutionSpace>::of(instance); }
  [[nodiscard]] void* allocate(std::size_t size_bytes) const { return native().allocate(size_bytes); }
  void deallocate(void* p) const { native().deallocate(p); }
  void copy(void* to, const void* from, std::size_t size_bytes) const { native().copy(to, from, size_bytes); }
  void fill(void* to, int byte, std::size_t size_bytes) const { native().fill(to, byte, size_bytes); }
  void synchronize() const { native().synchronize(); }
};

/// The threads of a host space as a team, for what is compiled once for all host backends: forces, neighbour lists, accumulation.
template <on_kokkos::host_space E>
detail::host_team team_of(const kokkos<E>& space) {
  on_kokkos::require_initialized("kokkos");
  const auto run = [](const void* runtime, int threads, void (*body)(void* context, int rank, int size), void* context) {
    if (threads == 1) return body(context, 0, 1);
    const E& instance = *static_cast<const E*>(runtime);
    const std::lock_guard lock(on_kokkos::dispatch_mutex<E>());
    Kokkos::parallel_for("accrue::team",
                         Kokkos::RangePolicy<E, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>(instance, 0, threads),
                         [=](int rank) { body(context, rank, threads); });
    instance.fence();
  };
  const int threads = on_kokkos::inside_region<E>() ? 1 : static_cast<int>(space.instance.concurrency());
  return {threads, run, std::make_shared<const E>(space.instance)};
}

namespace on_kokkos {

/// Into how many parts a reduction is cut; 1: it stays on the calling thread. Throws where it cannot run.
template <host_space E, class View>
int shares_for(const kokkos<E>& space, const View& view) {
  require_initialized("reduce");
  check_host_readable(view);
  const int wanted = space.shares > 0 ? space.shares : static_cast<int>(space.instance.concurrency());
  // A kernel wakes all of Kokkos's threads in any case: once that pays, an eighth of the grain is worth a thread.
  const std::size_t grain = std::max<std::size_t>(space.grain, 1);
  const std::size_t useful = view.size() / grain < 2 ? 1 : view.size() / std::max<std::size_t>(grain / 8, 1);
  return inside_region<E>() ? 1 : static_cast<int>(std::min(static_cast<std::size_t>(wanted), useful));
}

}  // namespace on_kokkos

template <on_kokkos::host_space E, class R, class View>
typename R::state reduce_state(const kokkos<E>& space, const R& reducer, const View& view) {
  const int shares = on_kokkos::shares_for(space, view);
  if (shares <= 1) {
    const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
    return detail::state_on_this_thread(reducer, view);
  }
  const std::lock_guard lock(on_kokkos::dispatch_mutex<E>());
  if constexpr (detail::is_order_free<R>()) {
    return on_kokkos::fold_shares(space.instance, reducer, view, shares);
  } else {
    const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
    const detail::host_team team = team_of(space);
    return detail::fold_tree(reducer, view, team.with(std::min(team.threads(), shares)));
  }
}
template <on_kokkos::host_space E, class R, class View>
detail::result_of<R> reduce_range(const kokkos<E>& space, const R& reducer, const View& view) {
  if (on_kokkos::shares_for(space, view) <= 1) {
    const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
    return detail::finish_on_host(reducer, view, [&] { return detail::state_on_this_thread(reducer, view); });
  }
  const detail::fp_environment environment;
  return reducer.finish(reduce_state(space, reducer, view));
}

template <on_kokkos::device_space E, class R, class View>
typename R::state reduce_state(const kokkos<E>& space, const R& reducer, const View& view) {
  on_kokkos::require_initialized("partial");
  const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
  return reduce_state(space.native(), reducer, view);
}
template <on_kokkos::device_space E, class R, class View>
void reduce_state_into(const kokkos<E>& space, const R& reducer, const View& view, typename R::state* state) {
  on_kokkos::require_initialized("partial_into");
  const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
  reduce_state_into(space.native(), reducer, view, state);
}
template <on_kokkos::device_space E, class R, class Groups, class Result>
void reduce_groups_into(const kokkos<E>& space, const R& reducer, const Groups& groups, Result* out) {
  on_kokkos::require_initialized("groups");
  const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
  reduce_groups_into(space.native(), reducer, groups, out);
}
template <on_kokkos::device_space E, class R, class Groups>
void reduce_group_states_into(const kokkos<E>& space, const R& reducer, const Groups& groups, typename R::state* states) {
  on_kokkos::require_initialized("partial");
  const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
  reduce_group_states_into(space.native(), reducer, groups, states);
}
template <on_kokkos::device_space E, class R, class Result>
void finish_states_into(const kokkos<E>& space, const R& reducer, const typename R::state* states, std::size_t count, Result* results) {
  on_kokkos::require_initialized("finish_into");
  finish_states_into(space.native(), reducer, states, count, results);
}
template <on_kokkos::device_space E, class R, class Result>
void finish_state_into(const kokkos<E>& space, const R& reducer, const typename R::state* state, Result* result) {
  on_kokkos::require_initialized("finish_into");
  finish_state_into(space.native(), reducer, state, result);
}
template <on_kokkos::device_space E, class R, class View>
detail::result_of<R> reduce_range(const kokkos<E>& space, const R& reducer, const View& view) {
  on_kokkos::require_initialized("reduce");
  const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
  return reduce_range(space.native(), reducer, view);
}
template <on_kokkos::device_space E, class R, class View, class Result>
void reduce_range_into(const kokkos<E>& space, const R& reducer, const View& view, Result* result) {
  on_kokkos::require_initialized("reduce_into");
  const on_kokkos::tool_kernel<E> shown(on_kokkos::label_of<R>(), space.instance);
  reduce_range_into(space.native(), reducer, view, result);
}

/// As `reduce_into` with a pointer: into a View of rank 0.
template <class E, class X, class R, class T, class... Properties>
void reduce_into(const kokkos<E>& space, const X& x, const R& reducer, const Kokkos::View<T, Properties...>& result) {
  static_assert(Kokkos::View<T, Properties...>::rank == 0, "accrue::reduce_into: the result is a View of rank 0");
  static_assert(Kokkos::SpaceAccessibility<E, typename Kokkos::View<T, Properties...>::memory_space>::accessible,
                "accrue::reduce_into: the execution space cannot write this View");
  reduce_into(space, x, reducer, result.data());
}

}  // namespace accrue
