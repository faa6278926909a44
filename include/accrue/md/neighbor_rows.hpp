// SPDX-License-Identifier: BSD-3-Clause
// A caller's own neighbour list: rows of particles' numbers, as they stand in memory.
#pragma once

#include "accrue/detail/language.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "accrue/detail/array_like.hpp"
#include "accrue/error.hpp"

namespace accrue {

namespace detail {

/// Rows in a caller's memory. Negative numbers become larger ones than there may be.
struct row_view {
  const void* bounds = nullptr;  ///< where rows begin, and the last one ends; or, of padded rows, how many partners each has
  unsigned bound_bytes = 4;
  bool bounds_are_signed = false;
  bool padded = false;
  const void* partners = nullptr;  ///< of 32 bits
  std::uint64_t places = 0;        ///< how many there are room for
  std::uint64_t rows = 0;
  std::uint64_t row_stride = 0;
  std::uint64_t partner_stride = 1;
  std::uint64_t room = ~std::uint64_t{0};  ///< of padded rows: no row has more partners
  std::uint64_t ghosts = 0;                ///< particles behind those of the rows

  [[nodiscard]] constexpr std::uint64_t particles() const { return rows + ghosts; }
};

template <class X, std::size_t rank>
concept array_of_rank = array_like<X> && rank_of<X>() == rank;

template <class T>
std::span<const T> numbers_at(const T* data, std::size_t size) {
  if (data == nullptr && size != 0) throw error(errc::null_data, "accrue: null data of a neighbour list's rows");
  return {data, size};
}
/// Numbers that lie one behind the other: of a contiguous range, or of an array of rank 1.
template <std::ranges::contiguous_range X>
auto as_numbers(const X& x) {
  return numbers_at(std::ranges::data(x), std::ranges::size(x));
}
template <array_of_rank<1> X>
  requires(!std::ranges::contiguous_range<X>)
auto as_numbers(const X& x) {
  const auto size = static_cast<std::size_t>(x.extent(0));
  if (size > 1 && x.stride(0) != 1) throw error(errc::invalid_argument, "accrue: rows' numbers must lie one behind the other");
  return numbers_at(pointer_of(x), size);
}
template <class X>
concept number_array = requires(const X& x) { as_numbers(x); };
template <number_array X>
using number_of = typename decltype(as_numbers(std::declval<const X&>()))::value_type;

template <class T>
concept row_partner = std::integral<T> && sizeof(T) == 4;
template <class T>
concept row_bound = row_partner<T> || (std::integral<T> && sizeof(T) == 8);
template <class X>
concept row_bounds = number_array<X> && row_bound<number_of<X>>;
template <class X>
concept row_partners = number_array<X> && row_partner<number_of<X>>;

}  // namespace detail

/// A neighbour list of a caller's own, for `neighbor_list::assign`: refers to the caller's arrays, which must be there until that returns.
struct neighbor_rows {
  detail::row_view view;

  /// The same where `count` particles without rows follow: copies of particles, of other ranks or across a boundary, whose positions stand
  /// behind those of the rows' particles. Rows name them by their place. The box is open in directions where ghosts stand for images.
  [[nodiscard]] neighbor_rows with_ghosts(std::size_t count) const {
    neighbor_rows same = *this;
    same.view.ghosts = count;
    return same;
  }
};

/// Compressed rows: particle i's partners are partners[k], offsets[i] <= k < offsets[i + 1]. Offsets, one more than particles, are integers
/// of 32 or 64 bits, partners of 32: contiguous ranges or arrays of rank 1 (Views), in the memory of the space that takes them. Errors:
/// `size_mismatch` without any offset; `null_data`; `invalid_argument` for an array with another stride than 1.
template <detail::row_bounds Offsets, detail::row_partners Partners>
neighbor_rows compressed_rows(const Offsets& offsets, const Partners& partners) {
  const auto bounds = detail::as_numbers(offsets);
  const auto numbers = detail::as_numbers(partners);
  if (bounds.empty()) throw error(errc::size_mismatch, "accrue::compressed_rows: no offsets, where there is one more than rows");
  using bound = detail::number_of<Offsets>;
  return {{bounds.data(), sizeof(bound), std::signed_integral<bound>, false, numbers.data(), numbers.size(), bounds.size() - 1}};
}

/// Rows of equal room: particle i's partners are partners[i * row_stride + k * partner_stride], k < counts[i]. Where rows lie one behind
/// the other row_stride is the room of one; where all first partners do, then all second ones, it is 1, and partner_stride the number of
/// particles. A count beyond a row's room is an error where the list is assigned. Errors: `null_data`; as compressed_rows for strides.
template <detail::row_bounds Counts, detail::row_partners Partners>
neighbor_rows padded_rows(const Counts& counts, const Partners& partners, std::size_t row_stride, std::size_t partner_stride = 1) {
  const auto bounds = detail::as_numbers(counts);
  const auto numbers = detail::as_numbers(partners);
  using bound = detail::number_of<Counts>;
  return {{bounds.data(), sizeof(bound), std::signed_integral<bound>, true, numbers.data(), numbers.size(), bounds.size(), row_stride,
           partner_stride}};
}
/// The same in an array of rank 2 (a View): particle i's partners are partners(i, k), k < counts[i]. Errors: `size_mismatch` where it has
/// fewer rows than there are counts.
template <detail::row_bounds Counts, detail::array_of_rank<2> Partners>
  requires detail::row_partner<std::remove_cvref_t<decltype(*detail::pointer_of(std::declval<const Partners&>()))>>
neighbor_rows padded_rows(const Counts& counts, const Partners& partners) {
  const auto bounds = detail::as_numbers(counts);
  const auto extent = [&](std::size_t k) { return static_cast<std::uint64_t>(partners.extent(k)); };
  const auto stride = [&](std::size_t k) { return static_cast<std::uint64_t>(partners.stride(k)); };
  if (extent(0) < bounds.size()) throw error(errc::size_mismatch, "accrue::padded_rows: fewer rows than there are counts");
  const bool some = !bounds.empty() && extent(1) != 0;
  const auto numbers = detail::numbers_at(
      detail::pointer_of(partners), some ? (bounds.size() - 1) * stride(0) + (extent(1) - 1) * stride(1) + 1 : 0);
  using bound = detail::number_of<Counts>;
  return {{bounds.data(), sizeof(bound), std::signed_integral<bound>, true, numbers.data(), numbers.size(), bounds.size(), stride(0),
           stride(1), extent(1)}};
}

namespace detail {

/// Place of a row's first partner, and how many it has.
struct row_place {
  std::uint64_t first;
  std::uint64_t count;
};
constexpr std::uint64_t bound_of(const row_view& rows, std::uint64_t i) {
  if (rows.bound_bytes == 8) return static_cast<const std::uint64_t*>(rows.bounds)[i];
  const std::uint32_t v = static_cast<const std::uint32_t*>(rows.bounds)[i];
  return rows.bounds_are_signed && v >> 31 != 0 ? ~std::uint64_t{0} : v;
}
/// Where row i is; false if that is not within the places that there are, or is in other rows', or as many partners as there are rows.
constexpr bool find_row(const row_view& rows, std::uint64_t i, row_place& out) {
  out = {0, 0};
  if (i >= rows.rows) return true;  // a ghost
  const std::uint64_t bound = bound_of(rows, i);
  if (!rows.padded) {
    const std::uint64_t end = bound_of(rows, i + 1);
    out = {bound, end - bound};
    return bound <= end && end <= rows.places && out.count < rows.particles();
  }
  out = {0, bound};
  if (bound == 0) return true;
  const std::uint64_t row = rows.row_stride;
  const std::uint64_t partner = rows.partner_stride;
  if (bound >= rows.particles() || bound > rows.room) return false;
  if (rows.places == 0 || row == 0 || partner == 0 || i > (rows.places - 1) / row) return false;
  out.first = i * row;
  if (bound - 1 > (rows.places - 1 - out.first) / partner) return false;
  if (bound == 1 || rows.rows == 1) return true;
  return partner < row ? bound - 1 <= (row - 1) / partner : (rows.rows - 1) <= (partner - 1) / row;
}
/// A sum of these over a list is zero, and else but by chance (2^-64) not, where each pair is in both its rows. `rows`: pairs with
/// particles from there on, which have no rows, are left out.
constexpr std::uint64_t row_balance(std::uint32_t row, std::uint32_t partner, std::uint64_t rows) {
  if (partner >= rows) return 0;
  const bool behind = partner > row;
  std::uint64_t v = std::uint64_t{behind ? row : partner} << 32 | (behind ? partner : row);
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;  // S. Vigna's splitmix64
  v = (v ^ v >> 27) * 0x94d049bb133111ebu;
  v ^= v >> 31;
  return behind ? v : 0 - v;
}

/// Throws for the first of three rows: one that `find_row` refuses, one that has a partner that is not there, one that has its own
/// particle. Each is the number of a row, or has all bits set.
inline void refuse_rows(std::uint64_t outside, std::uint64_t not_there, std::uint64_t itself) {
  const std::uint64_t row = std::min({outside, not_there, itself});
  if (row == ~std::uint64_t{0}) return;
  throw error(errc::bad_input, "accrue::neighbor_list: row " + std::to_string(row) +
                                   (row == outside     ? " does not lie within its room, or has as many partners as there are particles"
                                    : row == not_there ? " has a partner that is not there"
                                                       : " has its own particle as a partner"));
}
inline void check_row_count(const row_view& rows, std::size_t positions) {
  if (rows.rows <= positions && rows.ghosts == positions - rows.rows) return;
  throw error(errc::size_mismatch, "accrue::neighbor_list: " + std::to_string(rows.rows) + " rows" +
                                       (rows.ghosts != 0 ? " and " + std::to_string(rows.ghosts) + " ghosts" : "") + " for " +
                                       std::to_string(positions) + " positions");
}
/// Throws where rows are not of the kind that they should be, by the sum of their row_balance. `entries`: of particles with rows.
inline void check_balance(bool full, std::uint64_t sum, std::uint64_t entries) {
  if (entries == 0 || full == (sum == 0)) return;
  throw error(errc::invalid_argument,
              full ? "accrue::neighbor_list: a full list has each pair in both rows, and these rows have not"
                   : "accrue::neighbor_list: a half list has each pair in one row, and these rows have all in both");
}

}  // namespace detail
}  // namespace accrue
