// SPDX-License-Identifier: BSD-3-Clause
// The nodes of the ordered tree over all ranks, and the states that a device gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "accrue/fuse.hpp"
#include "accrue/ordered_tree.hpp"
#include "accrue/reducers/moments.hpp"
#include "accrue/reducers/products.hpp"
#include "accrue/reducers/sums.hpp"
#include "accrue/space.hpp"

namespace accrue::ranks {

/// A node of the tree over chunks `first` up to `first + count`, a power of two that divides `first`, or the last chunks.
template <class State>
struct tree_node {
  std::uint64_t first;
  std::uint64_t count;
  State state;
};
/// Appends a node behind others, and joins what the tree joins.
template <class R>
void push(const R& r, std::vector<tree_node<typename R::state>>& nodes, const tree_node<typename R::state>& next) {
  nodes.push_back(next);
  while (nodes.size() >= 2) {
    auto& left = nodes[nodes.size() - 2];
    const auto& right = nodes.back();
    if (left.count != right.count || left.first % (2 * left.count) != 0) return;
    r.merge(left.state, right.state);
    left.count *= 2;
    nodes.pop_back();
  }
}

/// An ordered reducer's states by another one, whose result on a device says what the state of so many elements is.
template <class R>
struct states_on_device;
/// Where the state is that result.
template <class R, class ByResult = R>
struct results_are_states {
  static ByResult reducer(const R&) { return {}; }
  static typename R::state state(const detail::result_of<ByResult>& result, std::size_t) { return result; }
};
template <class T, class R, detail::term what, bool root>
struct states_on_device<detail::sum_reducer<T, R, what, ordered_t, root>>
    : results_are_states<detail::sum_reducer<T, R, what, ordered_t, root>, detail::sum_reducer<T, R, what, ordered_t>> {};
template <class T, class R, detail::term what, bool root>
struct states_on_device<detail::complex_norm<T, R, what, ordered_t, root>>
    : results_are_states<detail::complex_norm<T, R, what, ordered_t, root>, detail::complex_norm<T, R, what, ordered_t>> {};
template <class T, class R>
struct states_on_device<product_of<T, R>> : results_are_states<product_of<T, R>> {};
template <>
struct states_on_device<detail::tiled<scaled_product_of>> : results_are_states<detail::tiled<scaled_product_of>> {};
template <class T, class R>
struct states_on_device<mean_of<T, R, ordered_t>> {
  using mean = mean_of<T, R, ordered_t>;
  static typename mean::terms reducer(const mean&) { return {}; }
  static typename mean::state state(const R& sum, std::size_t count) { return {sum, static_cast<std::int64_t>(count)}; }
};
/// Complex sums and dot products.
template <class R>
struct complex_results_are_states {
  static R reducer(const R& r) { return r; }
  static typename R::state state(const detail::result_of<R>& z, std::size_t) { return {z.real(), z.imag()}; }
};
template <class T>
struct states_on_device<detail::complex_sum<T, ordered_t>> : complex_results_are_states<detail::complex_sum<T, ordered_t>> {};
template <class T, bool conjugate>
struct states_on_device<detail::complex_dot<T, ordered_t, conjugate>>
    : complex_results_are_states<detail::complex_dot<T, ordered_t, conjugate>> {};
/// The caller's own: the same, but for the last step.
template <class R>
struct without_last_step {
  using state = typename R::state;
  R reducer;
  constexpr state start() const { return reducer.start(); }
  template <class T>
  constexpr void fold(state& s, const T& x) const {
    reducer.fold(s, x);
  }
  constexpr void merge(state& a, const state& b) const { reducer.merge(a, b); }
  constexpr state finish(const state& s) const { return s; }
};
template <class R>
struct states_on_device<detail::tiled<R>> {
  static detail::tiled<without_last_step<R>> reducer(const detail::tiled<R>& r) { return {{r.reducer}}; }
  static typename R::state state(const typename R::state& s, std::size_t) { return s; }
};
/// The state of a view on a device, which is a node of the tree, or its end, and whose first element is number `first` of all.
template <class Space, class R, class View>
typename R::state state_on_device(const Space& space, const R& r, const View& view, std::size_t first) {
  if constexpr (detail::is_order_free<R>()) {
    auto s = reduce_state(space, r, view);
    if constexpr (detail::has_positions<R>) r.move_positions(s, first);
    return s;
  } else {
    static_assert(requires { states_on_device<R>::reducer(r); },
                  "accrue::mpi: on devices, ordered reductions over ranks are sums, means, norms, products, dot products, reducers of "
                  "elements of your own, and fuse of these and of exact ones");
    using states = states_on_device<R>;
    return states::state(reduce_range(space, states::reducer(r), view), view.size());
  }
}
/// One reducer after the other, each in a pass of its own.
template <class Space, class... R, class View>
typename fused<R...>::state state_on_device(const Space& space, const fused<R...>& r, const View& view, std::size_t first) {
  return std::apply(
      [&](const auto&... one) { return detail::make_pack<typename R::state...>(state_on_device(space, one, view, first)...); },
      r.reducers);
}

}  // namespace accrue::ranks
