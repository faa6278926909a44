// SPDX-License-Identifier: BSD-3-Clause
// Sums, minima and maxima over the ranks of a communicator by the names and arguments of ocean model Omega's globalSum, on arrays with
// extents and strides: Kokkos::View or mdspan, of rank 1 to 15, in the host's memory or a device's. Its users link accrue::mpi.
//
//     #include <accrue/drop_in/global_sum.hpp>
//     using accrue::drop_in::globalSum;
//
// Source of names and arguments: E3SM-Project/Omega, components/omega/src/base/Reductions.h.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "accrue/mpi.hpp"

namespace accrue {

template <class ExecutionSpace>
struct kokkos;  // accrue/kokkos.hpp

namespace drop_in {

/// The space that reads an array of this type, made by default: the host's, or for a View in a device's memory Kokkos's (include
/// accrue/kokkos.hpp, and link accrue::kokkos). To be specialized for device arrays of your own:
///
///     template <> struct accrue::drop_in::space_of<my_array> { using type = accrue::cuda; };
template <class X>
struct space_of {
  using type = default_host_space;
};
template <class X>
  requires(!std::is_same_v<typename X::host_mirror_space::memory_space, typename X::memory_space>)
struct space_of<X> {
  using type = kokkos<typename X::execution_space>;
  static_assert(requires { sizeof(type); }, "accrue::globalSum: for Views on a device include accrue/kokkos.hpp before");
};

/// The first and the last index of each dimension, {first0, last0, first1, last1, ...}, both within: Omega's index ranges. A last index
/// below the first one: no elements. nullptr: the whole array.
using index_range = const std::vector<std::int32_t>*;

namespace detail {

template <class X>
concept array = accrue::detail::array_like<X>;
template <array X>
using element_of = std::remove_cvref_t<decltype(*accrue::detail::pointer_of(std::declval<const X&>()))>;

/// All ranks, for numbers of theirs and for arrays of a type.
inline mpi<default_host_space> ranks(MPI_Comm comm) { return mpi<default_host_space>(comm); }
template <class X>
auto ranks_with(MPI_Comm comm) {
  return mpi(comm, typename space_of<X>::type{});
}

/// Whether arrays are read by one space: all in the memory of the host, or of a device.
template <class X, class Y>
inline constexpr bool read_together = std::is_same_v<typename space_of<X>::type, typename space_of<Y>::type>;

/// The part of an array that a range says.
template <array X>
accrue::detail::tensor_view<element_of<X>> part_of(const X& x, index_range range, const char* call) {
  constexpr std::size_t rank = accrue::detail::rank_of<X>();
  accrue::detail::tensor_shape shape = accrue::detail::shape_of(x, call);
  const auto* data = accrue::detail::pointer_of(x);
  if (range == nullptr) return {data, shape.collapsed()};
  if (range->size() < 2 * rank) {
    throw error(errc::size_mismatch, std::string("accrue::") + call + ": an index range of " + std::to_string(range->size()) +
                                         " numbers for an array of rank " + std::to_string(rank));
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t first = (*range)[2 * d];
    const std::int64_t last = (*range)[2 * d + 1];
    if (last < first) return {data, accrue::detail::tensor_shape::of(0, 1)};
    if (first < 0 || last >= static_cast<std::int64_t>(shape.extents[d])) {
      throw error(errc::out_of_range, std::string("accrue::") + call + ": indices " + std::to_string(first) + " to " +
                                          std::to_string(last) + " of a dimension of " + std::to_string(shape.extents[d]));
    }
    data += first * shape.strides[d];
    shape.extents[d] = static_cast<std::size_t>(last - first) + 1;
  }
  return {data, shape.collapsed()};
}
/// A mask of the last dimensions of an array, as if it had all of them; and the part of it that a range says.
template <array X, array Mask>
auto mask_of(const X& x, const Mask& mask, index_range range, const char* call) {
  constexpr std::size_t rank = accrue::detail::rank_of<X>();
  constexpr std::size_t own = accrue::detail::rank_of<Mask>();
  static_assert(own <= rank, "accrue::globalMaskedSum: a mask has no more dimensions than its array");
  // One of rank 1 beside an array of rank 2 and more is of the dimension before the last: of cells that have levels.
  constexpr std::size_t first = own == 1 && rank > 1 ? rank - 2 : rank - own;
  const accrue::detail::tensor_shape of_mask = accrue::detail::shape_of(mask, call);
  accrue::detail::tensor_shape shape;
  const auto* data = accrue::detail::pointer_of(mask);
  for (std::size_t d = 0; d < rank; ++d) {
    const auto extent = static_cast<std::size_t>(x.extent(d));
    const bool has = d - first < own;  // which wraps around below first
    if (has && of_mask.extents[d - first] != extent) {
      throw error(errc::size_mismatch, std::string("accrue::") + call + ": a mask of " + std::to_string(of_mask.extents[d - first]) +
                                           " in a dimension of " + std::to_string(extent));
    }
    const std::ptrdiff_t stride = has ? of_mask.strides[d - first] : 0;
    const std::int64_t begin = range != nullptr ? (*range)[2 * d] : 0;
    const std::int64_t end = range != nullptr ? (*range)[2 * d + 1] + std::int64_t{1} : static_cast<std::int64_t>(extent);
    data += end > begin ? begin * stride : 0;
    shape.append(end > begin ? static_cast<std::size_t>(end - begin) : 0, stride);
  }
  return accrue::detail::tensor_view<element_of<Mask>>{data, shape.collapsed()};
}
/// What one rank cannot begin with, all throw.
template <class Make>
auto together(MPI_Comm comm, const Make& make) {
  return accrue::detail::with_peers(ranks(comm), make);
}

}  // namespace detail

/// The sum of an array's elements on all ranks, exact and rounded once to their type, the same on every rank. Of its part `range`, if
/// given. Collective, with the errors of accrue::mpi; `integer_overflow` where an integer sum does not fit; `size_mismatch` and
/// `out_of_range` for a range that is not the array's, on all ranks.
template <detail::array X>
auto globalSum(const X& array, MPI_Comm comm, index_range range = nullptr) {
  using T = detail::element_of<X>;
  const auto part = detail::together(comm, [&] { return detail::part_of(array, range, "globalSum"); });
  return accrue::sum<T>(detail::ranks_with<X>(comm), part);
}
/// The sum of the products of two arrays' elements, each with all its bits.
template <detail::array X, detail::array Y>
auto globalSum(const X& array, const Y& other, MPI_Comm comm, index_range range = nullptr) {
  using T = detail::element_of<X>;
  static_assert(accrue::detail::rank_of<X>() == accrue::detail::rank_of<Y>(), "accrue::globalSum: two arrays of one rank");
  static_assert(detail::read_together<X, Y>, "accrue::globalSum: two arrays in the same memory");
  const auto parts = detail::together(comm, [&] {
    return accrue::detail::zip(detail::part_of(array, range, "globalSum"), detail::part_of(other, range, "globalSum"), "globalSum");
  });
  return accrue::reduce(detail::ranks_with<X>(comm), parts, dot_of<T, T>{});
}
/// Of several arrays, in one exchange.
template <detail::array X>
auto globalSum(const std::vector<X>& arrays, MPI_Comm comm, index_range range = nullptr) {
  using T = detail::element_of<X>;
  const auto parts = detail::together(comm, [&] {
    std::vector<accrue::detail::tensor_view<T>> all;
    for (const X& x : arrays) all.push_back(detail::part_of(x, range, "globalSum"));
    return all;
  });
  std::vector<T> sums(arrays.size());
  accrue::sum<T>(detail::ranks_with<X>(comm), batch(parts), sums);
  return sums;
}
/// Of the products of several pairs of arrays, in one exchange.
template <detail::array X, detail::array Y>
auto globalSum(const std::vector<X>& arrays, const std::vector<Y>& others, MPI_Comm comm, index_range range = nullptr) {
  using T = detail::element_of<X>;
  static_assert(detail::read_together<X, Y>, "accrue::globalSum: arrays in the same memory");
  const auto parts = detail::together(comm, [&] {
    if (arrays.size() != others.size()) throw error(errc::size_mismatch, "accrue::globalSum: as many first arrays as second ones");
    const auto part = [&](const auto& x) { return detail::part_of(x, range, "globalSum"); };
    const auto pair = [&](std::size_t k) { return accrue::detail::zip(part(arrays[k]), part(others[k]), "globalSum"); };
    std::vector<decltype(pair(0))> all;
    for (std::size_t k = 0; k < arrays.size(); ++k) all.push_back(pair(k));
    return all;
  });
  std::vector<T> sums(arrays.size());
  accrue::reduce(detail::ranks_with<X>(comm), batch(parts), dot_of<T, T>{}, sums);
  return sums;
}
/// Of one number of each rank.
template <number T>
T globalSum(const T& value, MPI_Comm comm) {
  return accrue::sum<T>(detail::ranks(comm), view(&value, 1));
}
/// Of several, number by number, in one exchange.
template <number T>
std::vector<T> globalSum(const std::vector<T>& values, MPI_Comm comm) {
  std::vector<T> sums(values.size());
  accrue::sum<T>(detail::ranks(comm), rows(view(values.data(), values.size(), 1, 1)), sums);
  return sums;
}
/// The sum of the elements where a mask of bool or integers is not zero. It has the array's last dimensions or, of rank 1 beside more than
/// one, the last but one.
template <detail::array X, detail::array Mask>
auto globalMaskedSum(const X& array, const Mask& mask, MPI_Comm comm, index_range range = nullptr) {
  using T = detail::element_of<X>;
  static_assert(detail::read_together<X, Mask>, "accrue::globalMaskedSum: a mask in the memory of its array");
  const auto masked = detail::together(comm, [&] {
    const auto part = detail::part_of(array, range, "globalMaskedSum");
    return where(part, detail::mask_of(array, mask, range, "globalMaskedSum"));
  });
  return accrue::sum<T>(detail::ranks_with<X>(comm), masked);
}

/// The least and the largest element; NaN propagates. `empty_range` for no elements on all ranks together.
template <detail::array X>
auto globalMinVal(const X& array, MPI_Comm comm, index_range range = nullptr) {
  const auto part = detail::together(comm, [&] { return detail::part_of(array, range, "globalMinVal"); });
  return accrue::min(detail::ranks_with<X>(comm), part);
}
template <detail::array X>
auto globalMaxVal(const X& array, MPI_Comm comm, index_range range = nullptr) {
  const auto part = detail::together(comm, [&] { return detail::part_of(array, range, "globalMaxVal"); });
  return accrue::max(detail::ranks_with<X>(comm), part);
}
template <number T>
T globalMinVal(const T& value, MPI_Comm comm) {
  return accrue::min(detail::ranks(comm), view(&value, 1));
}
template <number T>
T globalMaxVal(const T& value, MPI_Comm comm) {
  return accrue::max(detail::ranks(comm), view(&value, 1));
}

}  // namespace drop_in

}  // namespace accrue
