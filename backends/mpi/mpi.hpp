// SPDX-License-Identifier: BSD-3-Clause
// The space of all ranks of a communicator.
#pragma once

#include <memory>
#include <utility>

#include "accrue/backends/mpi/grouped_ranks.hpp"
#include "accrue/backends/mpi/ordered_groups.hpp"
#include "accrue/backends/mpi/state_exchange.hpp"
#include "accrue/reductions.hpp"

namespace accrue {

/// All ranks of a communicator, each with a part of the data, in a space of its own.
///
///     accrue::mpi ranks;                                        // MPI_COMM_WORLD; the default host space on each rank, with all the
///                                                               // threads that OpenMP gives it: openmp(1) where ranks share processors
///     accrue::mpi ranks(comm, accrue::openmp{4});               // or accrue::cuda{}: the data of this rank are there
///     double s = accrue::sum(ranks, mine);                      // of all ranks' elements together, the same on every rank
///
/// Calls are collective: every rank of the communicator makes the same calls in the same order, with any number of elements of its own,
/// none too. Guarantee: `exact` gives the bits of the same call on all elements together in one process, for any number of ranks, any
/// split and any space on each; `ordered` those of the elements one rank after the other (on devices functions without captures, of arrays
/// of numbers, may be called by the rank of a neighbouring element); `fast` the same on every rank. Positions of extrema count through the
/// ranks. Groupings have as many groups on each rank: result k is of all ranks' groups k together, in the memory of the space.
///
/// Errors: what one rank throws, its reducer and inputs included, all ranks throw, with its number. `size_mismatch` where ranks call
/// different reductions or have different numbers of groups; `not_initialized` without MPI; `kernel_failure` with MPI's text.
/// MPI_THREAD_FUNNELED is enough: only the calling thread calls MPI. From several threads at a time each needs a communicator of its own,
/// and MPI_THREAD_MULTIPLE. The communicator is duplicated at its first use, so that messages of the caller's are not met. Views are
/// checked where they are made, before a space is known: what `segments`, `rows`, `where`, `view` and `slice` throw, the caller has to
/// share.
template <class Space = default_host_space>
struct mpi {
  using inner_space = Space;
  static constexpr const char* name = "mpi";

  MPI_Comm comm = MPI_COMM_WORLD;
  Space space{};

  mpi() = default;
  explicit mpi(MPI_Comm communicator, const Space& on_each = {}) : comm(communicator), space(on_each) {}

  // Memory of the space on this rank.
  [[nodiscard]] void* allocate(std::size_t size_bytes) const { return space.allocate(size_bytes); }
  void deallocate(void* p) const { space.deallocate(p); }
  void copy(void* to, const void* from, std::size_t size_bytes) const { space.copy(to, from, size_bytes); }
  void fill(void* to, int byte, std::size_t size_bytes) const { space.fill(to, byte, size_bytes); }
  void synchronize() const { space.synchronize(); }
};

/// A reduction over ranks that goes on while the caller does something else. `get` is collective as the call was, once; several may be
/// under way, and are waited for in the same order on all ranks, before the communicator is freed.
template <class R>
class pending_result {
 public:
  explicit pending_result(ranks::state_exchange<R> exchange) : exchange_(std::move(exchange)) {}
  /// Whether `get` will not wait for other ranks' first message.
  [[nodiscard]] bool ready() { return exchange_.done(); }
  /// The result, on every rank. Throws what the blocking call would.
  [[nodiscard]] auto get() { return exchange_.result(); }

 private:
  ranks::state_exchange<R> exchange_;
};

/// A space in whose place a grouping's results are on one rank alone; on the others the output is not looked at. A call that has one result
/// returns it on every rank.
///
///     accrue::sum(accrue::to_root(ranks, 0), accrue::rows(levels), sums);
template <class Space>
struct rooted : Space {
  int root = 0;
  [[nodiscard]] ranks::delivery results() const { return {ranks::delivery::to::one, root}; }
  [[nodiscard]] std::size_t results_here(std::size_t count) const { return results().here(this->comm, count).size(); }
};
/// Calls throw `invalid_argument` for a rank that the communicator has not, and `size_mismatch` where ranks name different ones.
template <class Space>
rooted<mpi<Space>> to_root(const mpi<Space>& ranks, int root = 0) {
  return {{ranks}, root};
}

/// A space in whose place each rank gets its share of a grouping's results: of n those from `here(n).begin` to `here(n).end`, in the order
/// of the ranks, as many on each, or one less. A call that has one result returns it on every rank.
///
///     auto shares = accrue::scattered(ranks);
///     std::vector<double> sums(shares.here(n).size());
///     accrue::sum(shares, accrue::rows(levels), sums);
template <class Space>
struct scattering : Space {
  [[nodiscard]] ranks::delivery results() const { return {ranks::delivery::to::shares, 0}; }
  [[nodiscard]] detail::share here(std::size_t count) const { return results().here(this->comm, count); }
  [[nodiscard]] std::size_t results_here(std::size_t count) const { return here(count).size(); }
};
template <class Space>
scattering<mpi<Space>> scattered(const mpi<Space>& ranks) {
  return {{ranks}};
}

/// A space in whose place reductions begin and return at once, with the local part done:
///
///     auto pending = accrue::dot(accrue::begin(ranks), r, r);
///     ...                                                       // other work
///     double rr = pending.get();
template <class Space>
struct beginning : Space {};
template <class Space>
beginning<mpi<Space>> begin(const mpi<Space>& ranks) {
  return {ranks};
}

namespace ranks {

/// The state of what this rank has, on its way to the others.
template <class Space, class R, class View>
state_exchange<R> exchange_states(const mpi<Space>& space, const R& reducer, const View& view, bool at_once) {
  return state_exchange<R>(communicator_of(space.comm), space.space, reducer, view, at_once);
}

}  // namespace ranks

template <class Space, class R, class View>
typename R::state reduce_state(const mpi<Space>& space, const R& reducer, const View& view) {
  if constexpr (detail::is_order_free<R>()) {
    return ranks::exchange_states(space, reducer, view, true).wait();
  } else {
    return ranks::ordered_state(ranks::communicator_of(space.comm), space.space, reducer, view, detail::kind_number(reducer));
  }
}
template <class Space, class R, class View>
detail::result_of<R> reduce_range(const mpi<Space>& space, const R& reducer, const View& view) {
  if constexpr (detail::is_order_free<R>()) {
    return ranks::exchange_states(space, reducer, view, true).result();
  } else {
    const auto state = reduce_state(space, reducer, view);
    const detail::fp_environment environment;
    return reducer.finish(state);
  }
}
template <class Space, class R, class View>
pending_result<R> begin_range(const beginning<mpi<Space>>& space, const R& reducer, const View& view) {
  static_assert(detail::is_order_free<R>(), "accrue::begin: ordered reductions over ranks wait for their neighbours' elements");
  return pending_result<R>(ranks::exchange_states(static_cast<const mpi<Space>&>(space), reducer, view, false));
}

namespace ranks {

/// The results of all ranks' groups, to those ranks that get them.
template <class Space, class R, class Groups, class Result>
void deliver_groups(const mpi<Space>& space, const R& reducer, const Groups& groups, Result* out, const delivery& results) {
  const auto& c = communicator_of(space.comm);
  const auto reduce = [&](const auto& of_this_rank) {
    if constexpr (detail::is_order_free<R>()) {
      reduce_groups(c, space.space, reducer, of_this_rank, out, results);
    } else {
      reduce_ordered_groups(space, c, reducer, of_this_rank, out, results);
    }
  };
  if constexpr (host_space<Space> && requires { groups.keys; }) {
    using sorted_type = decltype(detail::sorted_groups(team_of(space.space), groups));
    const auto sorted = detail::with_peers(space, [&] { return std::make_unique<sorted_type>(team_of(space.space), groups); });
    reduce(sorted->segments());
  } else {
    reduce(groups);
  }
}

}  // namespace ranks

template <class Space, class R, class Groups, class Result>
void reduce_groups_into(const mpi<Space>& space, const R& reducer, const Groups& groups, Result* out) {
  ranks::deliver_groups(space, reducer, groups, out, {});
}
template <class Space, class R, class Groups, class Result>
void reduce_groups_into(const rooted<mpi<Space>>& space, const R& reducer, const Groups& groups, Result* out) {
  ranks::deliver_groups(space, reducer, groups, out, space.results());
}
template <class Space, class R, class Groups, class Result>
void reduce_groups_into(const scattering<mpi<Space>>& space, const R& reducer, const Groups& groups, Result* out) {
  ranks::deliver_groups(space, reducer, groups, out, space.results());
}

/// What a rank cannot even begin with, all ranks throw.
template <class Space>
[[noreturn]] void fail_with_peers(const mpi<Space>& space, errc code, const char* what) {
  ranks::fail_together(ranks::communicator_of(space.comm), code, what, true);
}
template <class Space>
[[noreturn]] void fail_with_peers(const beginning<mpi<Space>>& space, errc code, const char* what) {
  ranks::fail_together(ranks::communicator_of(space.comm), code, what, false);
}

}  // namespace accrue
