// SPDX-License-Identifier: BSD-3-Clause
// Spaces: what a backend is. Its folder defines a value type and, beside it, the functions that the concepts here name.
#pragma once

#include "accrue/detail/language.hpp"

#include <concepts>
#include <cstddef>
#include <exception>
#include <new>
#include <string_view>

#include "accrue/detail/host_team.hpp"
#include "accrue/error.hpp"

namespace accrue {

/// Where a reduction runs and where its data lives: the type, its name and its memory.
template <class S>
concept execution_space = requires(const S& s, void* p, const void* q, std::size_t n) {
  { S::name } -> std::convertible_to<std::string_view>;
  { s.allocate(n) } -> std::same_as<void*>;
  s.deallocate(p);
  s.copy(p, q, n);
  s.fill(p, 0, n);
  s.synchronize();
};

/// A space whose work runs behind its caller.
template <class S>
concept asynchronous_space = execution_space<S> && S::asynchronous;

namespace detail {

/// A reducer and a view to ask backends with.
struct sample_reducer {
  using state = int;
  static constexpr bool order_free = true;
  int finish(const state& s) const { return s; }
};
struct sample_view {
  [[nodiscard]] std::size_t size() const { return 0; }
};

template <class S>
concept has_team = requires(const S& s) {
  { team_of(s) } -> std::same_as<host_team>;
};
template <class S>
concept has_reduce_state = requires(const S& s, const sample_reducer& r, const sample_view& v) {
  { reduce_state(s, r, v) } -> std::same_as<int>;
};
template <class S>
concept has_reduce_range = requires(const S& s, const sample_reducer& r, const sample_view& v) {
  { reduce_range(s, r, v) } -> std::same_as<int>;
};
template <class S>
concept has_reduce_range_into = requires(const S& s, const sample_reducer& r, const sample_view& v, int* result) {
  reduce_range_into(s, r, v, result);
};
template <class S>
concept has_reduce_state_into = requires(const S& s, const sample_reducer& r, const sample_view& v, int* state) {
  reduce_state_into(s, r, v, state);
};
template <class S>
concept has_finish_state_into = requires(const S& s, const sample_reducer& r, const int* state, int* result) {
  finish_state_into(s, r, state, result);
};

}  // namespace detail

/// A space whose threads are the host's: `team_of(space)` gives them as a team (detail/host_team.hpp), for what is compiled once for
/// all such spaces: accumulation, neighbour lists, forces.
template <class S>
concept host_space = execution_space<S> && detail::has_team<S>;

/// Throws a readable message at whoever writes or uses a space that lacks a function of its backend:
///
/// | function                                           | does                                                             | spaces       |
/// | `reduce_state(space, reducer, view)`               | returns the state of a view, a `typename R::state`               | all          |
/// | `team_of(space)`                                   | the host's threads                                               | host         |
/// | `reduce_range(space, reducer, view)`               | returns the finished result; host spaces may leave it out        | devices      |
/// | `reduce_range_into(space, reducer, view, result)`  | writes it to the space's memory, and returns before it is there  | asynchronous |
/// | `reduce_state_into(space, reducer, view, state)`   | the same with the state                                          | asynchronous |
/// | `finish_state_into(space, reducer, state, result)` | ends a state in the space's memory there                         | asynchronous |
template <class S>
constexpr void require_backend() {
  static_assert(detail::has_reduce_state<S>, "accrue: the space's backend lacks reduce_state(space, reducer, view); see accrue/space.hpp");
  static_assert(detail::has_team<S> || detail::has_reduce_range<S>,
                "accrue: the space's backend lacks team_of(space), for threads of the host, or reduce_range(space, reducer, view), for "
                "devices; see accrue/space.hpp");
  if constexpr (asynchronous_space<S>) {
    static_assert(detail::has_reduce_range_into<S>,
                  "accrue: the space's backend lacks reduce_range_into(space, reducer, view, result); see accrue/space.hpp");
    static_assert(detail::has_reduce_state_into<S>,
                  "accrue: the space's backend lacks reduce_state_into(space, reducer, view, state); see accrue/space.hpp");
    static_assert(detail::has_finish_state_into<S>,
                  "accrue: the space's backend lacks finish_state_into(space, reducer, state, result); see accrue/space.hpp");
  }
}

namespace detail {

/// The team of a space, for what only host spaces do.
template <class S>
host_team host_team_of(const S& space) {
  static_assert(host_space<S>,
                "accrue: this call needs threads of the host, which spaces without team_of(space) have not, such as accrue::cuda and "
                "accrue::hip: there accumulate and scatter need a source file compiled by nvcc or hipcc, neighbor_list and pair_forces "
                "accrue/md/devices.hpp in it. Of accrue::mpi, name the space on each rank: ranks.space");
  if constexpr (host_space<S>) return team_of(space);
}

/// Whether calls with the space are made by peers too.
template <class S>
concept has_peers = requires(const S& s) { fail_with_peers(s, errc{}, ""); };
/// What f() gives. Where the space's call is made by peers too, they learn what f throws: fail_with_peers tells them, and throws for all.
template <class S, class F>
decltype(auto) with_peers(const S& space, const F& f) {
  if constexpr (has_peers<S>) {
    try {
      return f();
    } catch (const error& e) {
      fail_with_peers(space, e.code(), e.what());
    } catch (const std::bad_alloc&) {
      fail_with_peers(space, errc::out_of_memory, "accrue: no memory");
    } catch (const std::exception& e) {
      fail_with_peers(space, errc::internal, e.what());
    } catch (...) {
      fail_with_peers(space, errc::internal, "an exception of a caller's function");
    }
  } else {
    return f();
  }
}

/// The same for calls whose results go to memory: on asynchronous spaces, where nobody waits for them, peers are not told.
template <class S, class F>
decltype(auto) with_waiting_peers(const S& space, const F& f) {
  if constexpr (asynchronous_space<S>) {
    return f();
  } else {
    return with_peers(space, f);
  }
}

/// Memory of spaces whose data lives in the host's memory.
class host_memory {
 public:
  /// `size_bytes` bytes aligned to 64. Throws `errc::out_of_memory`.
  [[nodiscard]] void* allocate(std::size_t size_bytes) const;
  void deallocate(void* p) const;
  void copy(void* to, const void* from, std::size_t size_bytes) const;
  void fill(void* to, int byte, std::size_t size_bytes) const;
  /// Everything asked of the space so far has happened: host spaces never run behind their caller.
  void synchronize() const {}
};

}  // namespace detail
}  // namespace accrue
