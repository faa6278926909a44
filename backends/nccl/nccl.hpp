// SPDX-License-Identifier: BSD-3-Clause
// The space of all GPUs of an NCCL communicator.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "accrue/backends/nccl/exchange.hpp"
#include "accrue/detail/joined_states.hpp"
#include "accrue/reductions.hpp"

namespace accrue {

/// All ranks of an NCCL communicator, each with a part of the data on a GPU.
///
///     accrue::nccl gpus(comm, stream);                                  // of the current device; or (comm, accrue::cuda(device, stream))
///     double s = accrue::sum(gpus, mine);                               // of all ranks' elements together, the same on every rank
///     accrue::reduce_into(gpus, mine, accrue::sum_of<double>{}, total); // on the stream alone, into device memory
///     accrue::sum(gpus, accrue::rows(levels), sums);                    // sums[k]: of all ranks' rows k
///
/// Calls are collective: every rank of the communicator makes the same calls in the same order, from a thread of its own or a process of
/// its own, with any number of elements, none too. Guarantee: `exact` gives the bits of the same call on all elements together on one
/// device or host, for any number of ranks and any split; `fast` the same on every rank; `ordered` is for accrue::mpi.
///
/// Calls that return a result take any reduction; positions of extrema count through the ranks. What one rank throws, its inputs included,
/// all throw, with its number; `size_mismatch` where ranks call different reductions. Results in memory (`reduce_into`, `partial_into`,
/// groupings, which have as many groups on each rank and need a source file compiled by nvcc) are of reductions whose states add: exact
/// sums, dot products, norms, means, moments, counts. A local kernel, ncclAllReduce of 64-bit integers and a finishing kernel then stand
/// on the stream: nothing waits, and a graph may capture them. A rank that such a call throws on has sent a state of NaN if it was the
/// device that refused; where its arguments were refused the others wait, as in NCCL's own calls.
///
/// One thread at a time calls with a communicator. `kernel_failure` with NCCL's text for its errors. RCCL has the same names.
template <class Space = cuda>
struct nccl {
  using inner_space = Space;
  using stream_type = typename Space::stream_type;
  static constexpr const char* name = "nccl";
  static constexpr bool asynchronous = true;

  ncclComm_t comm;
  Space space{};

  explicit nccl(ncclComm_t communicator, const Space& on_each = {}) : comm(communicator), space(on_each) {}
  nccl(ncclComm_t communicator, stream_type stream) : comm(communicator), space(stream) {}

  // Memory of the space on this rank.
  [[nodiscard]] void* allocate(std::size_t size_bytes) const { return space.allocate(size_bytes); }
  void deallocate(void* p) const { space.deallocate(p); }
  void copy(void* to, const void* from, std::size_t size_bytes) const { space.copy(to, from, size_bytes); }
  void fill(void* to, int byte, std::size_t size_bytes) const { space.fill(to, byte, size_bytes); }
  void synchronize() const { space.synchronize(); }
};
template <class Stream>
nccl(ncclComm_t, Stream*) -> nccl<cuda>;

namespace nccl_ranks {

/// The `count` objects of every rank, by way of device memory. Waits.
template <class Space, class T>
std::vector<T> gathered(const nccl<Space>& space, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  int ranks = 0;
  check(ncclCommCount(space.comm, &ranks), space.comm, "ncclCommCount");
  std::vector<T> all(static_cast<std::size_t>(ranks), mine);
  const simt::asynchronous_call<Space> call(space.space);
  const simt::stream_memory<Space> memory(call, (all.size() + 1) * sizeof(T));
  space.copy(memory.data(), static_cast<const void*>(&mine), sizeof(T));
  gather(space.comm, memory.data(), memory.data() + sizeof(T), sizeof(T), space.space.stream);
  space.copy(static_cast<void*>(all.data()), memory.data() + sizeof(T), all.size() * sizeof(T));
  space.synchronize();
  return all;
}

template <class R>
void require_words() {
  static_assert(detail::is_additive<R>() && sizeof(typename R::state) % sizeof(std::int64_t) == 0,
                "accrue::nccl: results in memory are of reductions whose states add: exact sums, dot products, norms, means, moments, "
                "counts and fusions of these; calls that return a result take all");
}

/// Enqueues the states of all ranks' elements: `local(request)` those of this rank's.
template <class Space, class R, class Local>
void enqueue_states(const nccl<Space>& space, const simt::launch_request& request, std::size_t count, const Local& local) {
  constexpr std::size_t words = sizeof(typename R::state) / sizeof(std::int64_t);
  auto* const states = static_cast<std::int64_t*>(request.result);
  try {
    local(request);
  } catch (...) {  // the others are not kept waiting
    space.fill(states, 1, count * words * sizeof(std::int64_t));
    add_words(space.comm, states, count * words, request.stream);
    throw;
  }
  add_words(space.comm, states, count * words, request.stream);
}

/// A request whose memory ends before a state; where that is goes to `state`.
template <class State>
simt::launch_request before_state(simt::launch_request r, State*& state) {
  constexpr std::size_t bytes = (sizeof(State) + 255) / 256 * 256;
  r.workspace_bytes = r.workspace_bytes / 256 * 256 - bytes;
  state = reinterpret_cast<State*>(r.workspace + r.workspace_bytes);
  return r;
}

}  // namespace nccl_ranks

template <class Space, class R, class View>
typename R::state reduce_state(const nccl<Space>& space, const R& reducer, const View& view) {
  static_assert(detail::is_order_free<R>(), "accrue::nccl: ordered reductions over ranks are those of accrue::mpi");
  using state = typename R::state;
  static_assert(std::is_trivially_copyable_v<state>, "accrue::nccl: a state that travels is trivially copyable");
  nccl_ranks::message mine;
  mine.kind = detail::kind_number(reducer);
  mine.elements = view.size();
  mine.state_bytes = sizeof(state);
  std::optional<state> local;
  try {
    local = reduce_state(space.space, reducer, view);
    if constexpr (sizeof(state) <= nccl_ranks::message::room) std::memcpy(mine.state, static_cast<const void*>(&*local), sizeof(state));
  } catch (const error& e) {
    nccl_ranks::put_error(mine, e.code(), e.what());
  } catch (const std::exception& e) {  // memory, a function of the caller's
    nccl_ranks::put_error(mine, errc::internal, e.what());
  }
  const auto all = nccl_ranks::gathered(space, mine);
  nccl_ranks::throw_failures(all);

  const detail::fp_environment environment;
  std::vector<state> states;
  if constexpr (sizeof(state) > nccl_ranks::message::room) states = nccl_ranks::gathered(space, *local);
  state joined = reducer.empty();
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if constexpr (sizeof(state) <= nccl_ranks::message::room) {
      std::memcpy(static_cast<void*>(&*local), all[k].state, sizeof(state));
    } else {
      local = states[k];
    }
    detail::join_states(reducer, joined, *local, before);
    before += all[k].elements;
  }
  return joined;
}
template <class Space, class R, class View>
detail::result_of<R> reduce_range(const nccl<Space>& space, const R& reducer, const View& view) {
  const auto state = reduce_state(space, reducer, view);
  const detail::fp_environment environment;
  return reducer.finish(state);
}

template <class Space, class R, class View>
void reduce_state_into(const nccl<Space>& space, const R& reducer, const View& view, typename R::state* state) {
  nccl_ranks::require_words<R>();
  const simt::asynchronous_call<Space> call(space.space);
  call.check_reachable(state);
  nccl_ranks::enqueue_states<Space, R>(space, simt::state_request<Space, R>(call, state), 1,
                                       [&](const auto& request) { simt::enqueue(call, request, reducer, view); });
}
template <class Space, class R, class View, class Result>
void reduce_range_into(const nccl<Space>& space, const R& reducer, const View& view, Result* result) {
  static_assert(std::is_same_v<Result, detail::result_of<R>>, "accrue::reduce_into: the reducer's result has another type");
  nccl_ranks::require_words<R>();
  const simt::asynchronous_call<Space> call(space.space);
  call.check_reachable(result);
  typename R::state* state = nullptr;
  auto first = nccl_ranks::before_state(simt::state_request<Space, R>(call, nullptr), state);
  first.result = state;
  nccl_ranks::enqueue_states<Space, R>(space, first, 1, [&](const auto& request) { simt::enqueue(call, request, reducer, view); });
  auto last = nccl_ranks::before_state(call.request(result), state);
  last.earlier = state;
  simt::with_operation(reducer, [&](const auto& op, const auto& source) { simt::launch<Space>(last, op, source); });
}
template <class Space, class R, class Result>
void finish_state_into(const nccl<Space>& space, const R& reducer, const typename R::state* state, Result* result) {
  finish_state_into(space.space, reducer, state, result);
}

template <class Space, class R, class Groups>
void reduce_group_states_into(const nccl<Space>& space, const R& reducer, const Groups& grouping, typename R::state* states) {
  nccl_ranks::require_words<R>();
  const simt::asynchronous_call<Space> call(space.space);
  nccl_ranks::enqueue_states<Space, R>(space, simt::state_request<Space, R>(call, states), grouping.count(), [&](const auto& request) {
    simt::enqueue_groups(call, request, reducer, grouping, sizeof(typename R::state));
  });
}
template <class Space, class R, class Groups, class Result>
void reduce_groups_into(const nccl<Space>& space, const R& reducer, const Groups& grouping, Result* out) {
  using state = typename R::state;
  const std::size_t count = grouping.count();
  if (count != 0) {
    const simt::asynchronous_call<Space> call(space.space);
    call.check_reachable(out);
    const simt::stream_memory<Space> memory(call, count * sizeof(state));
    auto* const states = reinterpret_cast<state*>(memory.data());
    reduce_group_states_into(space, reducer, grouping, states);
    finish_states_into(space.space, reducer, states, count, out);
  }
}
template <class Space, class R, class Result>
void finish_states_into(const nccl<Space>& space, const R& reducer, const typename R::state* states, std::size_t count, Result* results) {
  finish_states_into(space.space, reducer, states, count, results);
}

/// What a rank cannot even begin with, all ranks throw.
template <class Space>
[[noreturn]] void fail_with_peers(const nccl<Space>& space, errc code, const char* what) {
  nccl_ranks::message mine;
  nccl_ranks::put_error(mine, code, what);
  nccl_ranks::throw_failures(nccl_ranks::gathered(space, mine));
  throw error(errc::internal, "accrue::nccl: an error that no rank knows of");
}

}  // namespace accrue
