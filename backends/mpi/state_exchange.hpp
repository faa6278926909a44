// SPDX-License-Identifier: BSD-3-Clause
// One reduction over ranks: the states of neighbours in messages, and the exchange that joins them.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "accrue/backends/mpi/exchange.hpp"
#include "accrue/backends/mpi/window_sums.hpp"
#include "accrue/detail/compact_words.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/joined_states.hpp"

namespace accrue::ranks {

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

  template <class Space, class View>
  state_exchange(const communicator& c, const Space& space, const R& reducer, const View& view, bool at_once)
      : of_(&c), reducer_(std::make_unique<R>(reducer)), first_(c, detail::kind_number(reducer), 1, at_once), elements_(view.size()) {
    first_.prepare([&](first_message& m) {
      mine_ = reduce_state(space, reducer, view);
      {
        const detail::fp_environment environment;
        detail::normalize_state(*reducer_, *mine_);
      }
      m.elements = elements_;
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
  auto result() {
    const state s = wait();
    const detail::fp_environment environment;
    return reducer_->finish(s);
  }

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

  template <class Space, class View>
  state_exchange(const communicator& c, const Space& space, const R& reducer, const View& view, bool at_once)
      : reducer_(reducer), sums_(std::make_unique<window_sums<state>>(c, detail::kind_number(reducer), windows_call, 1, at_once)) {
    sums_->start(view.size(), [&](const auto& out) {
      const auto local = [&] { return reduce_state(space, reducer, view); };
      if constexpr (host_space<Space>) {
        out[0] = detail::finish_on_host(gives_row<R>(reducer, *sums_), view, local);
      } else {
        out[0] = local();
      }
    });
  }
  [[nodiscard]] bool done() { return sums_->done(); }
  state wait() {
    sums_->wait();
    state s = reducer_.empty();
    sums_->read(0, s);
    return s;
  }
  auto result() {
    sums_->wait();
    const detail::fp_environment environment;
    return sums_->result(0, reducer_);
  }

 private:
  R reducer_;
  std::unique_ptr<window_sums<state>> sums_;
};

}  // namespace accrue::ranks
