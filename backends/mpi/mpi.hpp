// SPDX-License-Identifier: BSD-3-Clause
// The space of all ranks of a communicator.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "accrue/backends/mpi/exchange.hpp"
#include "accrue/backends/mpi/ordered_ranks.hpp"
#include "accrue/backends/mpi/window_sums.hpp"
#include "accrue/detail/compact_words.hpp"
#include "accrue/detail/group_reduce.hpp"
#include "accrue/detail/joined_states.hpp"
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
/// none too. Guarantee: `exact` gives the bits of the same call on all elements together in one process, for any number of ranks, any split
/// and any space on each; `ordered` those of the elements one rank after the other (host spaces); `fast` the same on every rank. Positions
/// of extrema count through the ranks. Groupings have as many groups on each rank: result k is of all ranks' groups k together, in the
/// memory of the space; with data on devices those whose states add (sums, dot products, norms, means, moments, counts).
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

namespace ranks {

/// The elements of neighbours' states, which stand in the messages in few bytes.
template <class R>
struct state_joining {
  using state = typename R::state;
  static_assert(std::is_trivially_copyable_v<state>, "accrue::mpi: a state that travels is trivially copyable");

  static void write(const state& s, first_message& m) {
    const std::size_t length = detail::compact(reinterpret_cast<const std::byte*>(&s), sizeof(state), m.payload);
    m.incomplete = length == 0 ? 1 : 0;
    m.length = static_cast<std::uint32_t>(length);
  }
  static state read(const R& r, const first_message& m) {
    state s = r.empty();
    (void)detail::expand(std::span(m.payload).first(m.length), reinterpret_cast<std::byte*>(&s), sizeof(state));
    return s;
  }
  static void join_messages(const void* what, std::byte* a, const std::byte* b) {
    const detail::fp_environment environment;
    const R& r = *static_cast<const R*>(what);
    auto& left = *reinterpret_cast<first_message*>(a);
    const auto& right = *reinterpret_cast<const first_message*>(b);
    state s = read(r, left);
    detail::join_states(r, s, read(r, right), left.elements);
    write(s, left);
  }
  /// A state and the number of elements it knows, in full.
  struct piece {
    state s;
    std::uint64_t elements;
  };
  static void join_pieces(const void* what, std::byte* a, const std::byte* b) {
    const detail::fp_environment environment;
    piece left;
    piece right;
    std::memcpy(static_cast<void*>(&left), a, sizeof(piece));
    std::memcpy(static_cast<void*>(&right), b, sizeof(piece));
    detail::join_states(*static_cast<const R*>(what), left.s, right.s, left.elements);
    left.elements += right.elements;
    std::memcpy(a, &left, sizeof(piece));
  }
};

/// Whether a reducer's state is one exact sum, whose words add.
template <class R>
concept one_exact_sum = detail::is_additive<R>() && travels_in_windows<typename R::state>;

/// What tells calls whose sums travel in windows from others, and those of groupings among them.
inline constexpr std::uint64_t windows_call = 3;

/// A reduction under way: its state on this rank, then that of all.
template <class R>
class state_exchange {
 public:
  using state = typename R::state;

  template <class Local>
  state_exchange(const communicator& c, const R& reducer, std::size_t elements, bool at_once, const Local& local)
      : of_(&c), reducer_(std::make_unique<R>(reducer)), first_(c, detail::kind_number(reducer), 1, at_once), elements_(elements) {
    first_.prepare([&](first_message& m) {
      mine_ = local();
      {
        const detail::fp_environment environment;
        detail::normalize_state(*reducer_, *mine_);
      }
      m.elements = elements;
      state_joining<R>::write(*mine_, m);
    });
    first_.start({reducer_.get(), state_joining<R>::join_messages});
  }
  [[nodiscard]] bool done() { return first_.done(); }
  /// The state of all ranks' elements.
  state wait() {
    const first_message& all = first_.wait();
    if (all.incomplete == 0) return state_joining<R>::read(*reducer_, all);
    typename state_joining<R>::piece piece{*mine_, elements_};
    join_over_ranks(*of_, reinterpret_cast<std::byte*>(&piece), 1, sizeof(piece), {reducer_.get(), state_joining<R>::join_pieces});
    return piece.s;
  }
  [[nodiscard]] const R& reducer() const { return *reducer_; }

 private:
  const communicator* of_;
  std::unique_ptr<R> reducer_;
  exchange first_;
  std::size_t elements_;
  std::optional<state> mine_;
};

/// The same of an exact sum.
template <class R>
  requires one_exact_sum<R>
class state_exchange<R> {
 public:
  using state = typename R::state;

  template <class Local>
  state_exchange(const communicator& c, const R& reducer, std::size_t elements, bool at_once, const Local& local)
      : reducer_(reducer), sums_(std::make_unique<window_sums<state>>(c, detail::kind_number(reducer), windows_call, 1, at_once)) {
    sums_->start(elements, [&](const auto& out) { out[0] = local(); });
  }
  [[nodiscard]] bool done() { return sums_->done(); }
  state wait() {
    sums_->wait();
    state s = reducer_.empty();
    sums_->read(0, s);
    return s;
  }
  [[nodiscard]] const R& reducer() const { return reducer_; }

 private:
  R reducer_;
  std::unique_ptr<window_sums<state>> sums_;
};

}  // namespace ranks

/// A reduction over ranks that goes on while the caller does something else. `get` is collective as the call was, once; several may be
/// under way, and are waited for in the same order on all ranks, before the communicator is freed.
template <class R>
class pending_result {
 public:
  explicit pending_result(ranks::state_exchange<R> exchange) : exchange_(std::move(exchange)) {}
  /// Whether `get` will not wait for other ranks' first message.
  [[nodiscard]] bool ready() { return exchange_.done(); }
  /// The result, on every rank. Throws what the blocking call would.
  [[nodiscard]] auto get() {
    const auto state = exchange_.wait();
    const detail::fp_environment environment;
    return exchange_.reducer().finish(state);
  }

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

template <class Space, class R, class View>
typename R::state reduce_state(const mpi<Space>& space, const R& reducer, const View& view) {
  const auto& c = ranks::communicator_of(space.comm);
  if constexpr (detail::is_order_free<R>()) {
    return ranks::state_exchange<R>(c, reducer, view.size(), true, [&] { return reduce_state(space.space, reducer, view); }).wait();
  } else {
    return ranks::ordered_state(c, space.space, reducer, view, detail::kind_number(reducer));
  }
}
template <class Space, class R, class View>
detail::result_of<R> reduce_range(const mpi<Space>& space, const R& reducer, const View& view) {
  const auto state = reduce_state(space, reducer, view);
  const detail::fp_environment environment;
  return reducer.finish(state);
}
template <class Space, class R, class View>
pending_result<R> begin_range(const beginning<mpi<Space>>& space, const R& reducer, const View& view) {
  static_assert(detail::is_order_free<R>(), "accrue::begin: ordered reductions over ranks wait for their neighbours' elements");
  return pending_result<R>(ranks::state_exchange<R>(ranks::communicator_of(space.comm), reducer, view.size(), false,
                                                    [&] { return reduce_state(space.space, reducer, view); }));
}

namespace ranks {

/// The threads of the host that work for a space.
template <class Space>
detail::host_team host_team_for([[maybe_unused]] const Space& space) {
  if constexpr (host_space<Space>) {
    return team_of(space);
  } else {
    return team_of(default_host_space{});
  }
}

/// Calls f(part) for parts of the results, by as much of the team as pays, in the default environment.
template <class F>
void for_results(const detail::host_team& team, detail::share results, const F& f) {
  auto member = [&](int rank, int size) {
    const detail::fp_environment environment;
    const detail::share s = detail::staircase_share(results.size(), rank, size, 0);
    f(detail::share{results.begin + s.begin, results.begin + s.end});
  };
  team.with(static_cast<int>(std::min<std::size_t>(results.size() / 64 + 1, static_cast<std::size_t>(team.threads())))).run(member);
}

/// states[k] = the state of this rank's group k. `r` is the reducer in a form that gives states, or what else `states` takes.
template <class Space, class Form, class R, class Groups, class States>
void reduce_groups_here(const Space& space, const Form& form, const R& r, const Groups& groups, const States& states) {
  if constexpr (host_space<Space>) {
    detail::reduce_groups_on_host(team_of(space), form, groups, states, [&](const auto& v) { return reduce_state(space, r, v); });
  } else {
    using state = typename R::state;
    static_assert(detail::is_additive<R>(),
                  "accrue::mpi: groupings over ranks of data on devices are of reductions whose states add: sums, dot products, norms, means, "
                  "moments, counts");
    const std::size_t count = groups.count();
    if (count == 0) return;
    const auto release = [&](state* p) { space.deallocate(p); };
    const std::unique_ptr<state, decltype(release)> there(static_cast<state*>(space.allocate(count * sizeof(state))), release);
    reduce_group_states_into(space, r, groups, there.get());
    std::vector<state> here(count, r.empty());
    space.copy(static_cast<void*>(here.data()), static_cast<const void*>(there.get()), count * sizeof(state));
    space.synchronize();
    for (std::size_t k = 0; k < count; ++k) states[k] = here[k];
  }
}

/// out[k] = finish(k, ...) for the results of this rank, in the space's memory: `finish(part, results)` writes those of a part.
template <class Space, class Result, class Finish>
void write_results(const Space& space, detail::share here, Result* out, const Finish& finish) {
  const auto write = [&](Result* results) {
    for_results(host_team_for(space), here, [&](detail::share part) { finish(part, results + (part.begin - here.begin)); });
  };
  if constexpr (host_space<Space>) {
    write(out);
  } else {
    std::vector<Result> results(here.size());
    write(results.data());
    space.copy(static_cast<void*>(out), static_cast<const void*>(results.data()), results.size() * sizeof(Result));
    space.synchronize();
  }
}

/// out[k] = the result of all ranks' groups k, on ranks that get them: of exact sums.
template <class Space, class R, class Groups, class Result>
  requires one_exact_sum<R>
void reduce_groups(const communicator& c, const Space& space, const R& r, const Groups& groups, Result* out, const delivery& results) {
  using state = typename R::state;
  window_sums<state> sums(c, detail::kind_number(r), windows_call + 1 + results.kind(), groups.count(), true);
  sums.start(0, [&](const auto& states) { reduce_groups_here(space, gives_row<R>(r, sums), r, groups, states); });
  sums.wait(results);
  write_results(space, results.on(c.rank, c.size, groups.count()), out, [&](detail::share part, Result* to) {
    state s = r.empty();
    for (std::size_t k = part.begin; k < part.end; ++k) {
      sums.read(k, s);
      to[k - part.begin] = r.finish(s);
    }
  });
}

/// The same of other reductions. One message to agree, and one of all states: of those that add the words in use alone.
template <class Space, class R, class Groups, class Result>
void reduce_groups(const communicator& c, const Space& space, const R& r, const Groups& groups, Result* out, const delivery& results) {
  using state = typename R::state;
  using piece = typename state_joining<R>::piece;
  static_assert(std::is_trivially_copyable_v<state>, "accrue::mpi: a state that travels is trivially copyable");
  constexpr bool additive = detail::is_additive<R>() && sizeof(state) % sizeof(std::int64_t) == 0 &&
                            sizeof(state) / sizeof(std::int64_t) <= 8 * first_message::room;
  constexpr std::size_t words = sizeof(state) / sizeof(std::int64_t);
  const std::size_t count = groups.count();
  const detail::share here = results.on(c.rank, c.size, count);

  exchange first(c, detail::kind_number(r) + 1 + results.kind(), count);
  std::unique_ptr<state[]> states;
  first.prepare([&](first_message& m) {
    states.reset(new state[count]);
    reduce_groups_here(space, detail::gives_state<R>(r), r, groups, states.get());
    for_results(host_team_for(space), {0, count}, [&](detail::share part) {
      for (std::size_t k = part.begin; k < part.end; ++k) detail::normalize_state(r, states[k]);
    });
    if constexpr (additive) {
      std::uint64_t used[words] = {};
      for (std::size_t k = 0; k < count; ++k) {
        std::uint64_t word[words];
        std::memcpy(word, &states[k], sizeof(state));
        for (std::size_t w = 0; w < words; ++w) used[w] |= word[w];
      }
      for (std::size_t w = 0; w < words; ++w) {
        if (used[w] != 0) m.payload[w / 8] |= static_cast<std::byte>(1u << w % 8);
      }
    }
  });
  first.start({nullptr, additive ? join_words_in_use : nullptr});
  const first_message& all = first.wait();

  if constexpr (additive) {
    std::vector<std::size_t> used;
    for (std::size_t w = 0; w < words; ++w) {
      if ((std::to_integer<unsigned>(all.payload[w / 8]) >> w % 8 & 1) != 0) used.push_back(w);
    }
    auto travelling = memory_for_states<std::int64_t>(c, count * used.size());
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < used.size(); ++j) {
        std::memcpy(&travelling[k * used.size() + j], reinterpret_cast<const std::byte*>(&states[k]) + 8 * used[j], 8);
      }
    }
    add_over_ranks(c, travelling, used.size(), results);
    write_results(space, here, out, [&](detail::share part, Result* to) {
      for (std::size_t k = part.begin; k < part.end; ++k) {
        for (std::size_t j = 0; j < used.size(); ++j) {
          std::memcpy(reinterpret_cast<std::byte*>(&states[k]) + 8 * used[j], &travelling[k * used.size() + j], 8);
        }
        detail::normalize_state(r, states[k]);
        to[k - part.begin] = r.finish(states[k]);
      }
    });
  } else {
    auto pieces = memory_for_states<piece>(c, count);
    for (std::size_t k = 0; k < count; ++k) pieces[k] = {states[k], groups.group(k).size()};
    join_over_ranks(c, reinterpret_cast<std::byte*>(pieces.data()), count, sizeof(piece), {&r, state_joining<R>::join_pieces}, results);
    write_results(space, here, out, [&](detail::share part, Result* to) {
      for (std::size_t k = part.begin; k < part.end; ++k) to[k - part.begin] = r.finish(pieces[k].s);
    });
  }
}

/// The same over the ordered tree, one group after the other.
template <class Space, class R, class Groups, class Result>
void reduce_ordered_groups(const communicator& c, const Space& space, const R& r, const Groups& groups, Result* out,
                           const delivery& results) {
  const std::uint64_t kind = detail::kind_number(r) + 1 + results.kind();
  exchange first(c, kind, groups.count());
  first.start({});
  (void)first.wait();
  const detail::share here = results.on(c.rank, c.size, groups.count());
  for (std::size_t k = 0; k < groups.count(); ++k) {
    const auto v = detail::with_peers(mpi<Space>(c.callers, space), [&] { return groups.group(k); });
    const auto state = ordered_state(c, space, r, v, kind + 1 + k);
    if (k < here.begin || k >= here.end) continue;
    const detail::fp_environment environment;
    out[k - here.begin] = r.finish(state);
  }
}

/// The results of all ranks' groups, to those ranks that get them.
template <class Space, class R, class Groups, class Result>
void deliver_groups(const mpi<Space>& space, const R& reducer, const Groups& groups, Result* out, const delivery& results) {
  const auto& c = communicator_of(space.comm);
  const auto reduce = [&](const auto& of_this_rank) {
    if constexpr (detail::is_order_free<R>()) {
      reduce_groups(c, space.space, reducer, of_this_rank, out, results);
    } else {
      reduce_ordered_groups(c, space.space, reducer, of_this_rank, out, results);
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
