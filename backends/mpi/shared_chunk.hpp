// SPDX-License-Identifier: BSD-3-Clause
// A chunk of the ordered tree of which several ranks have elements, and what of them travels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "accrue/backends/mpi/ordered_nodes.hpp"
#include "accrue/backends/mpi/space_memory.hpp"
#include "accrue/detail/sort_by_key.hpp"
#include "accrue/detail/tensor_matrices.hpp"
#include "accrue/groupings.hpp"
#include "accrue/transform_reduce.hpp"

namespace accrue::ranks {

/// Whether a function is one on all ranks, which then may be called by the rank that reduces, not by the one that has the elements.
template <class G>
inline constexpr bool is_one_function = std::is_empty_v<G>;
template <>
inline constexpr bool is_one_function<detail::scaled_sum> = true;
template <class G>
inline constexpr bool is_one_function<detail::apply_to_joined<G>> = is_one_function<G>;
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

/// A view like this one that reads f(array) in the place of each array: of those that a function reads which elements travel before, and of
/// what another one returns.
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
  return 8 * sizeof(T) + sort;
}
constexpr std::uint64_t joined_kinds(std::uint64_t a, std::uint64_t b) { return (a * 0x9e3779b97f4a7c15u + b) * 0xc2b2ae3d27d4eb4fu; }
template <class View>
inline constexpr std::uint64_t kind_of_arrays = element_kind<typename View::element>();
template <class View>
inline constexpr std::uint64_t kind_of_arrays<detail::widened_view<View>> = kind_of_arrays<View>;
template <class X, class Y>
inline constexpr std::uint64_t kind_of_arrays<detail::zipped_view<X, Y>> = joined_kinds(kind_of_arrays<X>, kind_of_arrays<Y>);
template <class View, class G>
  requires travels_before<G, View>
inline constexpr std::uint64_t kind_of_arrays<detail::transformed_view<View, G>> = joined_kinds(0, kind_of_arrays<View>);
template <class X, class Y, class G>
  requires travels_before<G, X, Y>
inline constexpr std::uint64_t kind_of_arrays<detail::zip_transformed_view<X, Y, G>> =
    joined_kinds(0, joined_kinds(kind_of_arrays<X>, kind_of_arrays<Y>));

/// The element of a range of one.
template <class T>
struct the_element {
  struct state {
    T value;
    bool any;
  };
  constexpr state start() const { return {T(), false}; }
  constexpr void fold(state& s, const T& x) const { s = {x, true}; }
  constexpr void merge(state& a, const state& b) const {
    if (b.any) a = b;
  }
  constexpr T finish(const state& s) const { return s.value; }
};

/// Copies elements [first, first + count) of what a device reads to the host's memory: of arrays, or what functions return that elements do
/// not travel before. Groups of one each are read where they lie.
template <class Space, class View>
void copy_elements(const Space& space, const View& v, std::size_t first, std::size_t count, std::byte* to) {
  using element = typename View::element;
  if (count == 0) return;
  std::vector<std::int32_t> offsets(count + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  const auto offsets_there = memory_of(space, offsets.size() * sizeof(std::int32_t));
  const auto results = memory_of(space, count * sizeof(element));
  space.copy(static_cast<void*>(offsets_there.get()), static_cast<const void*>(offsets.data()), offsets.size() * sizeof(std::int32_t));
  for (std::size_t done = 0; done < count;) {
    const std::size_t some = std::min(detail::left_in_matrix(v, first + done), count - done);
    const auto part = detail::slice(v, first + done, some);
    const detail::segment_groups<std::remove_const_t<decltype(part)>, std::int32_t> one_each{
        part, reinterpret_cast<const std::int32_t*>(offsets_there.get()), some};
    reduce_groups_into(space, detail::tiled<the_element<element>>{}, one_each, reinterpret_cast<element*>(results.get()) + done);
    done += some;
  }
  space.copy(static_cast<void*>(to), static_cast<const void*>(results.get()), count * sizeof(element));
  space.synchronize();
}
template <class Space, class T>
void copy_elements(const Space& space, const detail::contiguous_view<T>& v, std::size_t first, std::size_t count, std::byte* to) {
  if (count != 0) space.copy(static_cast<void*>(to), static_cast<const void*>(v.data + first), count * sizeof(T));
}
/// Those that lie close to each other with all that lies between them.
template <class Space, class T>
void copy_elements(const Space& space, const detail::strided_view<T>& v, std::size_t first, std::size_t count, std::byte* to) {
  if (v.contiguous()) return copy_elements(space, detail::contiguous_view<T>{v.data, v.size()}, first, count, to);
  if (count == 0) return;
  const auto offset = [&](std::size_t i) {
    return static_cast<std::ptrdiff_t>(i / v.columns) * v.row_stride + static_cast<std::ptrdiff_t>(i % v.columns) * v.column_stride;
  };
  auto [low, high] = std::pair(offset(first), offset(first));
  for (std::size_t i = first; i < first + count; ++i) {
    low = std::min(low, offset(i));
    high = std::max(high, offset(i));
  }
  const auto span = static_cast<std::size_t>(high - low + 1);
  if (span > 8 * count) return copy_elements<Space, detail::strided_view<T>>(space, v, first, count, to);
  const detail::host_block<std::byte> all(span * sizeof(T));
  space.copy(static_cast<void*>(all.data()), static_cast<const void*>(v.data + low), span * sizeof(T));
  space.synchronize();
  for (std::size_t i = first; i < first + count; ++i, to += sizeof(T)) {
    std::memcpy(to, all.data() + static_cast<std::size_t>(offset(i) - low) * sizeof(T), sizeof(T));
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
      return state_on_device(space_, r, in_memory(there.get(), size, visit_none), first);
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
