// SPDX-License-Identifier: BSD-3-Clause
// A reduction on a host space of Kokkos's: each work item of a parallel_reduce folds one share of the range, and accrue's reducer,
// presented as one of Kokkos's, joins the states.
#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <type_traits>

#include "accrue/detail/host_reduce.hpp"
#include "accrue/backends/kokkos/reducer_base.hpp"
#include "accrue/backends/kokkos/spaces.hpp"

namespace accrue::on_kokkos {

/// A state on its way through Kokkos, which aligns values to 8 bytes, copies their bytes, and never destroys them.
template <class State>
class carried_state {
  static_assert(std::is_trivially_copy_constructible_v<State> && std::is_trivially_destructible_v<State>,
                "accrue: on Kokkos a reducer's state must be trivially copyable");

 public:
  void put(const State& s) { std::memcpy(words_, &s, sizeof(State)); }
  [[nodiscard]] State get() const {
    alignas(State) unsigned char bytes[sizeof(State)];
    std::memcpy(bytes, words_, sizeof(State));
    return *reinterpret_cast<const State*>(bytes);
  }

 private:
  std::int64_t words_[(sizeof(State) + 7) / 8];
};

/// An accrue reducer as a Kokkos reducer.
template <class R>
class state_reducer : public reducer_base<state_reducer<R>, carried_state<typename R::state>> {
  using base = reducer_base<state_reducer<R>, carried_state<typename R::state>>;

 public:
  using value_type = typename base::value_type;

  state_reducer(const R& r, value_type& result) : base(result), reducer_(&r) {}
  void init(value_type& v) const { v.put(reducer_->empty()); }
  void join_values(value_type& a, const value_type& b) const {
    const detail::fp_environment environment;
    auto joined = a.get();
    reducer_->merge(joined, b.get());
    a.put(joined);
  }

 private:
  const R* reducer_;
};

/// The first exception of a kernel's work items, which must not leave them.
class kept_exception {
 public:
  void keep() {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::current_exception();
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

template <class R, class View>
struct share_folder {
  const R* reducer;
  const View* view;
  int shares;
  std::atomic<bool>* stop;
  kept_exception* failure;

  void operator()(int k, carried_state<typename R::state>& partial) const {
    const detail::fp_environment environment;
    const detail::share mine = detail::staircase_share(view->size(), k, shares, 0);
    try {
      auto state = partial.get();
      detail::fold_range(*reducer, *view, mine.begin, mine.end, state, *stop);
      partial.put(state);
    } catch (...) {
      failure->keep();
      stop->store(true, std::memory_order_relaxed);
    }
  }
};

/// The state of a view whose order does not matter.
template <class E, class R, class View>
typename R::state fold_shares(const E& instance, const R& reducer, const View& view, int shares) {
  std::atomic<bool> stop{false};
  kept_exception failure;
  carried_state<typename R::state> total;
  Kokkos::parallel_reduce(label_of<R>(),
                          Kokkos::RangePolicy<E, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>(instance, 0, shares),
                          share_folder<R, View>{&reducer, &view, shares, &stop, &failure}, state_reducer<R>(reducer, total));
  failure.rethrow();
  return total.get();
}

}  // namespace accrue::on_kokkos
