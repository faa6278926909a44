// SPDX-License-Identifier: BSD-3-Clause
// What a rank does with its own elements for the ordered tree over all ranks: the nodes that its chunks make, and the chunk of which others
// have a part. On a host its threads do it, on a device reductions of stretches of chunks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "accrue/backends/mpi/space_memory.hpp"
#include "accrue/detail/host_reduce.hpp"
#include "accrue/detail/sort_by_key.hpp"
#include "accrue/ordered_tree.hpp"
#include "accrue/reducers/moments.hpp"
#include "accrue/reducers/products.hpp"
#include "accrue/reducers/sums.hpp"
#include "accrue/space.hpp"
#include "accrue/transform_reduce.hpp"

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
/// The state of a view on a device, which is a node of the tree, or its end.
template <class Space, class R, class View>
typename R::state state_on_device(const Space& space, const R& r, const View& view) {
  static_assert(requires { states_on_device<R>::reducer(r); },
                "accrue::mpi: on devices, ordered reductions over ranks are sums, means, norms, products, dot products, and reducers of "
                "elements of your own; not fuse");
  using states = states_on_device<R>;
  return states::state(reduce_range(space, states::reducer(r), view), view.size());
}

/// Pushes the nodes of elements [first, end) of a view, which are chunks `chunk` and the next of all; of those the last may be short.
template <class Space, class R, class View>
void push_chunks(const Space& space, const R& r, const View& view, std::size_t first, std::size_t end, std::uint64_t chunk,
                 std::vector<tree_node<typename R::state>>& nodes) {
  using state = typename R::state;
  constexpr std::size_t size = ordered_tree::chunk;
  const std::size_t count = ordered_tree::chunks(end - first);
  if constexpr (host_space<Space>) {
    const std::unique_ptr<state[]> states(new state[count]);
    auto member = [&](int rank, int members) {
      const detail::fp_environment member_environment;
      typename View::scratch scratch;
      const detail::share s = detail::staircase_share(count, rank, members, 0);
      for (std::size_t k = s.begin; k < s.end; ++k) {
        auto t = view.read(first + k * size, std::min(size, end - first - k * size), scratch);
        t.first = static_cast<std::size_t>(chunk + k) * size;
        states[k] = detail::chunk_state(r, t);
      }
    };
    team_of(space).run(member);
    for (std::size_t k = 0; k < count; ++k) push(r, nodes, {chunk + k, 1, states[k]});
  } else {
    for (std::size_t k = 0; k < count;) {  // the largest nodes that there are
      const std::uint64_t at = chunk + k;
      const std::uint64_t most = std::bit_floor(std::uint64_t{count - k});
      const std::uint64_t together = at == 0 ? most : std::min(most, at & (~at + 1));
      const std::size_t from = first + k * size;
      k += static_cast<std::size_t>(together);
      const auto some = detail::slice(view, from, std::min(first + k * size, end) - from);
      push(r, nodes, {at, together, state_on_device(space, r, some)});
    }
  }
}

/// Whether a function is one on all ranks, which then may be called by the rank that reduces, not by the one that has the elements.
template <class G>
inline constexpr bool is_one_function = std::is_empty_v<G>;
template <>
inline constexpr bool is_one_function<detail::scaled_sum> = true;
/// Whether elements say the same on all ranks: numbers in memory.
template <class T>
inline constexpr bool is_of_numbers = number<T>;
template <class Earlier, class Last>
inline constexpr bool is_of_numbers<detail::joined_elements<Earlier, Last>> = is_of_numbers<Earlier> && is_of_numbers<Last>;
template <class View>
inline constexpr bool reads_numbers = is_of_numbers<typename View::element>;
template <class Iterator>
inline constexpr bool reads_numbers<detail::iterator_view<Iterator>> = false;
/// Whether elements travel, rather than what is made of them.
template <class G, class... Views>
concept travels_before = is_one_function<G> && (reads_numbers<Views> && ...);

/// A view like this one, where f(array) reads each of its arrays, of what functions of no rank's own read, or of what others return.
template <class View, class F>
auto with_arrays(const View& v, const F& f) {
  return f(v);
}
template <class View, class F>
auto with_arrays(const detail::widened_view<View>& v, const F& f) {
  return detail::carried(with_arrays(v.view, f));
}
template <class X, class Y, class F>
auto with_arrays(const detail::zipped_view<X, Y>& v, const F& f) {
  const auto x = with_arrays(v.x, f);
  const auto y = with_arrays(v.y, f);
  return detail::zipped_view<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>>{x, y};
}
template <class View, class G, class F>
  requires travels_before<G, View>
auto with_arrays(const detail::transformed_view<View, G>& v, const F& f) {
  const auto x = with_arrays(v.view, f);
  return detail::transformed_view<std::remove_const_t<decltype(x)>, G>{x, v.f};
}
template <class X, class Y, class G, class F>
  requires travels_before<G, X, Y>
auto with_arrays(const detail::zip_transformed_view<X, Y, G>& v, const F& f) {
  const auto x = with_arrays(v.x, f);
  const auto y = with_arrays(v.y, f);
  return detail::zip_transformed_view<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>, G>{x, y, v.f};
}

/// A number for what travels of a view: ranks that differ in it are told.
template <class T>
constexpr std::uint64_t element_kind() {
  const std::uint64_t sort = integer<T> ? (std::is_signed_v<T> ? 1 : 2) : std::is_same_v<T, bfloat16> ? 3 : complex_number<T> ? 4 : 5;
  return 1 + 8 * sizeof(T) + sort;
}
constexpr std::uint64_t joined_kinds(std::uint64_t a, std::uint64_t b) { return (a * 0x9e3779b97f4a7c15u + b) * 0xc2b2ae3d27d4eb4fu; }
template <class View>
constexpr std::uint64_t kind_of_arrays(std::type_identity<View>) {
  return element_kind<typename View::element>();
}
template <class View>
constexpr std::uint64_t kind_of_arrays(std::type_identity<detail::widened_view<View>>) {
  return kind_of_arrays(std::type_identity<View>());
}
template <class X, class Y>
constexpr std::uint64_t kind_of_arrays(std::type_identity<detail::zipped_view<X, Y>>) {
  return joined_kinds(kind_of_arrays(std::type_identity<X>()), kind_of_arrays(std::type_identity<Y>()));
}
template <class View, class G>
  requires travels_before<G, View>
constexpr std::uint64_t kind_of_arrays(std::type_identity<detail::transformed_view<View, G>>) {
  return joined_kinds(0, kind_of_arrays(std::type_identity<View>()));
}
template <class X, class Y, class G>
  requires travels_before<G, X, Y>
constexpr std::uint64_t kind_of_arrays(std::type_identity<detail::zip_transformed_view<X, Y, G>>) {
  return joined_kinds(0, kind_of_arrays(std::type_identity<detail::zipped_view<X, Y>>()));
}

/// Copies elements [first, first + count) of an array in a device's memory to the host's.
template <class Space, class View>
void copy_elements(const Space&, const View&, std::size_t, std::size_t, std::byte*) {
  static_assert(!std::is_same_v<View, View>,
                "accrue::mpi: on devices, ordered reductions over ranks read arrays, as they are or, of numbers, through functions without "
                "captures");
}
template <class Space, class T>
void copy_elements(const Space& space, const detail::contiguous_view<T>& v, std::size_t first, std::size_t count, std::byte* to) {
  if (count != 0) space.copy(static_cast<void*>(to), static_cast<const void*>(v.data + first), count * sizeof(T));
}
template <class Space, class T>
void copy_elements(const Space& space, const detail::strided_view<T>& v, std::size_t first, std::size_t count, std::byte* to) {
  if (v.contiguous()) return copy_elements(space, detail::contiguous_view<T>{v.data, v.size()}, first, count, to);
  constexpr std::size_t most_bytes = std::size_t{1} << 24;  // of a copy, which takes in what lies between the elements
  const auto offset = [&](std::size_t i) {
    return static_cast<std::ptrdiff_t>(i / v.columns) * v.row_stride + static_cast<std::ptrdiff_t>(i % v.columns) * v.column_stride;
  };
  for (std::size_t some = count; count != 0;) {
    auto [low, high] = std::pair(offset(first), offset(first));
    for (std::size_t i = first; i < first + some; ++i) {
      low = std::min(low, offset(i));
      high = std::max(high, offset(i));
    }
    const std::size_t bytes = static_cast<std::size_t>(high - low + 1) * sizeof(T);
    if (bytes > most_bytes && some > 1) {
      some /= 2;
      continue;
    }
    const detail::host_block<std::byte> all(bytes);
    space.copy(static_cast<void*>(all.data()), static_cast<const void*>(v.data + low), bytes);
    space.synchronize();
    for (std::size_t i = first; i < first + some; ++i, to += sizeof(T)) {
      std::memcpy(to, all.data() + static_cast<std::size_t>(offset(i) - low) * sizeof(T), sizeof(T));
    }
    first += some;
    count -= some;
    some = std::min(some, count);
  }
}
template <class Space, class View>
void copy_elements(const Space& space, const detail::sliced_view<View>& v, std::size_t first, std::size_t count, std::byte* to) {
  copy_elements(space, v.view, v.first + first, count, to);
}

/// A chunk of which several ranks have elements: those of the arrays that a view reads, in memory of the host.
template <class Space, class View>
class shared_chunk {
 public:
  shared_chunk(const Space& space, const View& view) : space_(space), view_(view) {
    for_each_array([this](std::byte*, std::size_t bytes) { bytes_ += ordered_tree::chunk * bytes; });
    memory_ = detail::host_block<std::byte>(bytes_);
  }

  /// Takes elements [first, first + count) of the view in, from element `at` of the chunk on.
  void take(std::size_t first, std::size_t count, std::size_t at) {
    std::byte* to = memory_.data();
    (void)with_arrays(view_, [&]<class Array>(const Array& array) {
      using element = typename Array::element;
      if constexpr (host_space<Space>) {
        typename Array::scratch scratch;
        std::memcpy(to + at * sizeof(element), array.read(first, count, scratch).data, count * sizeof(element));
      } else {
        copy_elements(space_, array, first, count, to + at * sizeof(element));
      }
      to += ordered_tree::chunk * sizeof(element);
      return array;
    });
    if constexpr (!host_space<Space>) space_.synchronize();
  }
  /// Calls `visit(pointer, bytes of an element)` for each array.
  template <class Visit>
  void for_each_array(const Visit& visit) const {
    (void)in_memory(memory_.data(), ordered_tree::chunk, visit);
  }
  /// The state of its first elements, which are element `first` and the next of all.
  template <class R>
  typename R::state state(const R& r, std::size_t size, std::size_t first) const {
    const auto visit_none = [](std::byte*, std::size_t) {};
    if constexpr (host_space<Space>) {
      const auto whole = in_memory(memory_.data(), size, visit_none);
      typename std::remove_const_t<decltype(whole)>::scratch scratch;
      auto t = whole.read(0, size, scratch);
      t.first = first;
      return detail::chunk_state(r, t);
    } else {
      const auto there = memory_of(space_, bytes_);
      space_.copy(static_cast<void*>(there.get()), static_cast<const void*>(memory_.data()), bytes_);
      return state_on_device(space_, r, in_memory(there.get(), size, visit_none));
    }
  }

 private:
  /// The view of a chunk's first elements from there on. Calls `visit(pointer, bytes of an element)` for each array.
  template <class Visit>
  auto in_memory(std::byte* memory, std::size_t size, const Visit& visit) const {
    return with_arrays(view_, [&]<class Array>(const Array&) {
      using element = typename Array::element;
      visit(memory, sizeof(element));
      const detail::contiguous_view<element> v{reinterpret_cast<const element*>(memory), size};
      if (memory != nullptr) memory += ordered_tree::chunk * sizeof(element);
      return v;
    });
  }

  const Space& space_;
  View view_;
  std::size_t bytes_ = 0;
  detail::host_block<std::byte> memory_;
};

}  // namespace accrue::ranks
