// SPDX-License-Identifier: BSD-3-Clause
// Groupings: many results of one call. A named reduction, `reduce` or a fusion takes a grouping where it takes a range, and then where the
// results go: `count()` numbers of the result's type, a pointer or a contiguous range, in memory that the space can write.
//
//     accrue::sum(space, accrue::rows(matrix), totals);              // totals[i]: the sum of row i
//     accrue::argmin(space, accrue::columns(matrix), places);        // positions count within a group
//     accrue::moments(space, accrue::segments(x, offsets), each);    // of x[offsets[i]] up to x[offsets[i + 1]]
//     accrue::dot(space, accrue::rows(a), accrue::rows(b), dots);
//     accrue::sum(space, accrue::axis<1>(tensor), out);              // out[i, k] = sum over j of tensor[i, j, k], the last index fastest
//     accrue::sum(space, accrue::grouped(x, keys, count), totals);   // totals[k]: the sum of all x[i] with keys[i] == k
//     accrue::reduce(space, accrue::rows(matrix), reducer, results);
//     accrue::argmin(space, accrue::whole_positions(accrue::rows(matrix)), places);  // positions count within the matrix
//     auto p = accrue::partial(space, accrue::rows(matrix), reducer);   // to merge with those of other matrices: partial_results.hpp
//
// Guarantee: each result has the bits that the same call on its elements alone has (but for `fast`), whatever stands beside them, and it
// throws what that call throws: `empty_range` for one group without elements where there is no identity. Outputs are unspecified after an
// error; they may not overlap the inputs. Host spaces are done on return. Devices are asynchronous, as `reduce_into` is, and report such
// things later; there groupings need a source file that their compiler sees. Throws
// `size_mismatch` for outputs or second inputs of other numbers of groups.
// Functions of an element (transform_reduce, count_if) take no groupings.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "accrue/detail/tensor_view.hpp"
#include "accrue/view.hpp"

namespace accrue {

namespace detail {

/// Groups side by side, as columns of a matrix that is stored by rows: `count` of them whose first elements are `group_stride` apart, and
/// whose other elements follow `stride` apart.
template <class T>
struct neighbouring_groups {
  const T* data;
  std::size_t count;
  std::ptrdiff_t group_stride;
  std::size_t length;
  std::ptrdiff_t stride;

  /// Whether a cache line holds elements of several groups rather than several elements of one, and a group spans more pages than the
  /// processor remembers: below that, going through each alone was measured to be faster.
  [[nodiscard]] bool interleaved() const {
    const auto size = [](std::ptrdiff_t s) { return s < 0 ? -s : s; };
    const auto bytes = static_cast<std::ptrdiff_t>(sizeof(T));
    return count > 1 && length > 2048 && size(group_stride) < size(stride) && size(group_stride) * bytes <= 32;
  }
};

/// Where the elements of groups stand in the whole, whose last index runs fastest: `inner` groups lie between one element of a group and
/// the next.
struct group_places {
  std::size_t length;
  std::size_t inner;
  [[nodiscard]] constexpr std::size_t operator()(std::size_t k, std::size_t i) const {
    return (k / inner * length + i) * inner + k % inner;
  }
};
/// The same for segments.
template <class Offset>
struct segment_places {
  const Offset* offsets;
  [[nodiscard]] constexpr std::size_t operator()(std::size_t k, std::size_t i) const { return static_cast<std::size_t>(offsets[k]) + i; }
};

/// Groups of `length` elements `stride` apart, which begin `group_stride` apart.
template <class T>
struct strided_groups {
  using element = T;
  static constexpr bool is_grouping = true;
  static constexpr const char* call = "rows and columns";
  const T* data;
  std::size_t groups;
  std::size_t length;
  std::ptrdiff_t group_stride;
  std::ptrdiff_t stride;
  group_places places;

  [[nodiscard]] std::size_t count() const { return groups; }
  [[nodiscard]] std::size_t size() const { return groups * length; }
  [[nodiscard]] strided_view<T> group(std::size_t k) const {
    return {data + static_cast<std::ptrdiff_t>(k) * group_stride, 1, length, 0, stride};
  }
  [[nodiscard]] neighbouring_groups<T> from(std::size_t k) const {
    return {data + static_cast<std::ptrdiff_t>(k) * group_stride, groups - k, group_stride, length, stride};
  }
};

/// Slices of one view, from each offset to the next.
template <class View, class Offset>
struct segment_groups {
  using element = typename View::element;
  static constexpr bool is_grouping = true;
  static constexpr const char* call = "segments";
  View view;
  const Offset* offsets;
  std::size_t groups;

  [[nodiscard]] std::size_t count() const { return groups; }
  [[nodiscard]] std::size_t size() const { return view.size(); }
  [[nodiscard]] auto group(std::size_t k) const {
    const auto first = static_cast<std::size_t>(offsets[k]);
    const auto end = static_cast<std::size_t>(offsets[k + 1]);
    const bool gap = (k == 0 && first != 0) || (k + 1 == groups && end != view.size());
    if (end < first || end > view.size() || gap) {
      throw_bad_offsets(k, static_cast<long long>(offsets[k]), static_cast<long long>(offsets[k + 1]), view.size());
    }
    return slice(view, first, end - first);
  }
};

/// Groups of `length` elements `stride` apart, one for each element of `others`.
template <class T>
struct tensor_groups {
  using element = T;
  static constexpr bool is_grouping = true;
  static constexpr const char* call = "axis";
  const T* data;
  tensor_shape others;
  std::size_t length;
  std::ptrdiff_t stride;
  group_places places;

  [[nodiscard]] std::size_t count() const { return others.size(); }
  [[nodiscard]] std::size_t size() const { return count() * length; }
  [[nodiscard]] tensor_view<T> group(std::size_t k) const {
    return {data + others.offset(k), tensor_shape::of(length, length == 1 ? 1 : stride)};
  }
  [[nodiscard]] neighbouring_groups<T> from(std::size_t k) const {
    const std::size_t last = others.rank - 1;
    return {data + others.offset(k), others.extents[last] - k % others.extents[last], others.strides[last], length, stride};
  }
};
/// The groups along dimension d.
template <class T>
tensor_groups<T> groups_along(const T* data, const tensor_shape& shape, std::size_t d) {
  tensor_shape others;
  std::size_t inner = 1;
  for (std::size_t i = 0; i < shape.rank; ++i) {
    if (i != d) others.append(shape.extents[i], shape.strides[i]);
    if (i > d) inner *= shape.extents[i];
  }
  return {data, others.collapsed(), shape.extents[d], shape.strides[d], {shape.extents[d], inner}};
}

/// Arrays of any sizes.
template <class Range>
struct batch_groups {
  using element = typename decltype(as_view(*std::begin(std::declval<const Range&>()), ""))::element;
  static constexpr bool is_grouping = true;
  static constexpr const char* call = "batch";
  const Range* arrays;

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(std::size(*arrays)); }
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& a : *arrays) sum += as_view(a, "batch").size();
    return sum;
  }
  [[nodiscard]] auto group(std::size_t k) const { return as_view(std::begin(*arrays)[static_cast<std::ptrdiff_t>(k)], "batch"); }
};

/// What a view is like when its elements were put in another order: contiguous.
template <class View>
struct arranged {
  using type = contiguous_view<typename View::element>;
};
template <class View>
using arranged_view = typename arranged<View>::type;
template <class View>
struct arranged<widened_view<View>> {
  using type = widened_view<arranged_view<View>>;
};
template <class X, class Y>
struct arranged<zipped_view<X, Y>> {
  using type = zipped_view<arranged_view<X>, arranged_view<Y>>;
};
template <class View, class Mask>
struct arranged<masked_view<View, Mask>> {
  using type = masked_view<arranged_view<View>, arranged_view<Mask>>;
};

/// Elements of a view by their keys, in the view's order. Keys that are no group's are skipped, or an error.
template <class View, class Key>
struct key_groups {
  using element = typename View::element;
  static constexpr bool is_grouping = true;
  static constexpr const char* call = "grouped";
  View view;
  const Key* keys;
  std::size_t groups;
  bool skips_others;

  [[nodiscard]] std::size_t count() const { return groups; }
  [[nodiscard]] std::size_t size() const { return view.size(); }
  /// The kind of view that a group is once they are sorted.
  [[nodiscard]] arranged_view<View> group(std::size_t k) const;
};

/// A grouping whose positions are to count in the whole.
template <class Groups>
struct whole_groups {
  using element = typename Groups::element;
  static constexpr bool is_grouping = true;
  static constexpr const char* call = Groups::call;
  Groups within;

  [[nodiscard]] std::size_t count() const { return within.count(); }
  [[nodiscard]] std::size_t size() const { return within.size(); }
  [[nodiscard]] auto group(std::size_t k) const { return within.group(k); }
};
template <class G>
inline constexpr bool counts_in_whole = false;
template <class G>
inline constexpr bool counts_in_whole<whole_groups<G>> = true;

/// Pairs of elements of two groupings.
template <class X, class Y>
struct zipped_groups {
  using element = typename X::element;
  static constexpr bool is_grouping = true;
  static constexpr const char* call = X::call;
  X x;
  Y y;

  [[nodiscard]] std::size_t count() const { return x.count(); }
  [[nodiscard]] std::size_t size() const { return x.size(); }
  [[nodiscard]] auto group(std::size_t k) const { return zip(carried(x.group(k)), carried(y.group(k)), "groups"); }
};

template <class X, class Y>
zipped_groups<X, Y> zip_groups(const X& x, const Y& y) {
  return {x, y};
}
template <class X, class Y, class Key>
auto zip_groups(const key_groups<X, Key>& x, const key_groups<Y, Key>& y) {
  if (x.keys != y.keys || x.skips_others != y.skips_others) throw_other_keys();
  const auto pairs = zip(carried(x.view), carried(y.view), "grouped");
  return key_groups<std::remove_const_t<decltype(pairs)>, Key>{pairs, x.keys, x.groups, x.skips_others};
}

template <class G>
concept grouping = G::is_grouping;

/// The kind of output that results can go to.
template <class Out, class Result>
constexpr bool takes_results() {
  if constexpr (std::is_pointer_v<Out>) {
    return std::is_same_v<std::remove_pointer_t<Out>, Result> || requires(const Out& out) {
      { std::data(*out) } -> std::same_as<Result*>;
    };
  } else {
    return false;
  }
}

/// The first result's place in an output as the caller gave it: a pointer, or what points to a range.
template <class Result, class Out>
Result* place_of_results(const char* call, Out out, std::size_t count) {
  static_assert(takes_results<Out, Result>(),
                "accrue: the output of a grouping is a pointer to, or a contiguous range of, writable numbers of the result's type: "
                "position<T> for argmin, moments_result<T> for moments, int64_t for sums of int, a std::tuple for fusions");
  if constexpr (std::is_same_v<Out, Result*>) {
    if (out == nullptr && count != 0) throw_bad_output(call, count, 0);
    return out;
  } else if constexpr (takes_results<Out, Result>()) {
    if constexpr (requires { out->stride(0); }) {
      static_assert(rank_of<std::remove_pointer_t<Out>>() == 1, "accrue: the output of a grouping has rank 1");
      if (count > 1 && static_cast<std::ptrdiff_t>(out->stride(0)) != 1) throw_strided_output(call);
    }
    if (const auto size = static_cast<std::size_t>(std::size(*out)); size != count) throw_bad_output(call, count, size);
    return std::data(*out);
  } else {
    return nullptr;
  }
}

/// A grouping and where its results go, in the place of a view.
template <grouping Groups, class Out>
struct grouped_input {
  using element = typename Groups::element;
  Groups groups;
  Out out;  ///< a pointer, or what points to a range

  [[nodiscard]] std::size_t size() const { return groups.size(); }
  template <class Result>
  [[nodiscard]] Result* results() const {
    return place_of_results<Result>(Groups::call, out, groups.count());
  }
  /// The same in a space that may deliver some of the results here, or none: then the output is not looked at.
  template <class Result, class S>
  [[nodiscard]] Result* results_in(const S& space) const {
    if constexpr (requires { space.results_here(groups.count()); }) {
      const std::size_t here = space.results_here(groups.count());
      return here != 0 ? place_of_results<Result>(Groups::call, out, here) : nullptr;
    } else {
      return results<Result>();
    }
  }
};
template <class G, class O>
inline constexpr bool is_view<grouped_input<G, O>> = true;

/// A pointer stays; of a range its address, which is used before the call is over.
template <class Out>
auto output_of(Out& out) {
  if constexpr (std::is_pointer_v<Out>) {
    return out;
  } else {
    return &out;
  }
}
template <grouping G, class Out>
grouped_input<G, decltype(output_of(std::declval<Out&>()))> with_output(const G& groups, Out& out) {
  return {groups, output_of(out)};
}

/// The strides of a matrix: mdspan, View, or view(p, rows, columns, row_stride).
template <class X>
auto matrix_of(const X& x, const char* call) {
  constexpr bool array = array_like<X>;
  if constexpr (array) {
    static_assert(rank_of<X>() == 2, "accrue::rows and columns take arrays of rank 2");
    return array_view(x, call);
  } else if constexpr (is_matrix<X>) {
    return as_view(x, call);
  } else {
    static_assert(!std::is_same_v<X, X>,
                  "accrue::rows and columns take an mdspan or Kokkos::View of rank 2, or accrue::view(p, rows, columns, row_stride), of "
                  "four arguments; masks go through segments(where(x, mask), offsets)");
    return strided_view<double>{};
  }
}

}  // namespace detail

/// The rows of a matrix: an mdspan or Kokkos::View of rank 2, or view(p, rows, columns, row_stride).
template <class X>
auto rows(const X& x) {
  const auto m = detail::matrix_of(x, "rows");
  return detail::strided_groups<typename decltype(m)::element>{m.data, m.rows, m.columns, m.row_stride, m.column_stride, {m.columns, 1}};
}
/// Its columns.
template <class X>
auto columns(const X& x) {
  const auto m = detail::matrix_of(x, "columns");
  using element = typename decltype(m)::element;
  return detail::strided_groups<element>{m.data, m.columns, m.rows, m.column_stride, m.row_stride, {m.rows, m.columns}};
}
/// The lines along dimension d of an mdspan or Kokkos::View of rank 2 or more, one for each choice of the other indices, of which the last
/// runs fastest: axis<1> of a matrix are its rows, axis<0> its columns.
template <std::size_t d, class X>
auto axis(const X& x) {
  static_assert(detail::array_like<X>, "accrue::axis takes an mdspan or Kokkos::View");
  constexpr std::size_t rank = detail::rank_of<X>();
  static_assert(d < rank && rank >= 2, "accrue::axis<d>: an array of rank 2 or more has dimensions 0 to rank - 1");
  const auto shape = detail::shape_of(x, "axis");
  const auto* data = detail::as_elements(detail::pointer_of(x));
  return detail::groups_along(data, shape, d);
}
/// Elements [offsets[i], offsets[i + 1]) of x for each i: one offset more than groups, integers of any type in a contiguous range that the
/// space can read, ascending, the first 0 and the last the number of elements; equal ones make empty groups. Others are `out_of_range`.
/// x may be masked: segments(where(x, mask), offsets). Both must stay during the call that reads them.
template <class X, class Offsets>
auto segments(const X& x, const Offsets& offsets) {
  const auto v = detail::as_view(x, "segments");
  const auto at = detail::as_view(offsets, "segments");
  using view_type = std::remove_const_t<decltype(v)>;
  using offset = typename decltype(at)::element;
  static_assert(std::is_same_v<std::remove_const_t<decltype(at)>, detail::contiguous_view<offset>> && std::integral<offset>,
                "accrue::segments: offsets are integers in a contiguous range");
  if (at.size() == 0 || (at.size() == 1 && v.size() != 0)) detail::throw_no_offsets();
  return detail::segment_groups<view_type, offset>{v, at.data, at.size() - 1};
}
/// What may stand behind the keys of `grouped`: elements whose keys are no group's take no part.
struct skip_other_keys_t {};
inline constexpr skip_other_keys_t skip_other_keys{};
/// The elements of x by their keys, in any order: group k has those x[i] with keys[i] == k, in the order of x, for k from 0 up to `count`,
/// at most 2^32 - 2. As many keys as elements, integers of any type in a contiguous range that the space can read. Other keys are
/// `out_of_range`, or skipped where `skip_other_keys` is given. x may be masked: grouped(where(x, mask), keys, count). Two inputs of one
/// call name the same keys. Positions of extrema count within a group. Memory: a copy of the elements, brought together by their keys, and
/// 8 bytes for each group; for more than 8,191 groups a second copy and 8 bytes for each element. Keys that ascend need no copy on hosts,
/// nor do floating sums, which take 8 bytes for each group and thread, or several times that where elements differ much.
template <class X, class Keys, std::integral N, class... Skip>
  requires(sizeof...(Skip) == 0 || (std::same_as<Skip, skip_other_keys_t> && ...))
auto grouped(const X& x, const Keys& keys, N count, Skip...) {
  const auto v = detail::as_view(x, "grouped");
  const auto at = detail::as_view(keys, "grouped");
  using view_type = std::remove_const_t<decltype(v)>;
  using key = typename decltype(at)::element;
  static_assert(std::is_same_v<std::remove_const_t<decltype(at)>, detail::contiguous_view<key>> && std::integral<key>,
                "accrue::grouped: keys are integers in a contiguous range");
  detail::check_sizes(v.size(), at.size(), "grouped");
  const std::size_t groups = detail::count_of(count, "grouped");
  if (groups > 0xfffffffe) detail::throw_too_many_keys(groups);
  return detail::key_groups<view_type, key>{v, at.data, groups, sizeof...(Skip) != 0};
}
/// The arrays of a random-access range, each anything that the space can read, contiguous on devices, of any sizes. The range, which the
/// host reads, must stay during the call. Devices enqueue a kernel for each 128 of them, and for named reductions one or more for each of
/// 4 MiB and above; batches of pairs are for host spaces. Over ranks devices take any arrays and pairs, and then a kernel for each.
template <class Range>
auto batch(const Range& arrays) {
  return detail::batch_groups<Range>{&arrays};
}

/// The same groups, with positions that count in the whole and not within a group: in the matrix or tensor with its last index fastest, in
/// x of `segments` and `grouped`, in a batch as if its arrays stood one behind the other. For argmin, argmax, argminmax and fusions with
/// them, on host spaces and devices; not over ranks. Memory of `grouped`: 8 bytes more for each element on hosts.
template <detail::grouping Groups>
auto whole_positions(const Groups& groups) {
  return detail::whole_groups<Groups>{groups};
}

}  // namespace accrue
