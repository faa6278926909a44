// SPDX-License-Identifier: BSD-3-Clause
// The closed set: the named reductions that exist, operation x element x result x guarantee, as one table. The library's kernels, and
// the answer to "is it compiled?", follow from it (closed_set_types.hpp has the types of an entry).
#pragma once

#include "accrue/detail/language.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "accrue/element.hpp"

namespace accrue {

/// The named functions of reductions.hpp that need no function of the caller's; norm1 is sum_abs.
enum class named_operation : std::uint8_t {
  sum, sum_abs, sum_squares, norm2, dot, dot_conjugated, mean, weighted_mean, moments,
  product, scaled_product, scaled_product_sum, scaled_product_difference,
  min, max, min_number, max_number, minmax, norm_inf, argmin, argmax, argminmax,
  bit_and, bit_or, bit_xor
};
inline constexpr std::size_t named_operations = static_cast<std::size_t>(named_operation::bit_xor) + 1;  // the last one

enum class guarantee_type : std::uint8_t { is_exact, is_ordered, is_fast };

/// One reduction. Results that are pairs, positions or moments have `result` for their values.
struct named_reduction {
  named_operation operation;
  element_type element;
  element_type result;
  guarantee_type guarantee;
  constexpr bool operator==(const named_reduction&) const = default;
};

namespace detail {

/// total_t, fraction_t and the real type of a complex one, as values.
constexpr element_type total_type_of(element_type e) {
  if (is_complex_type(e) || is_native_float(e)) return e;
  return !is_integer_type(e) ? element_type::f32 : e <= element_type::i64 ? element_type::i64 : element_type::u64;
}
constexpr element_type fraction_type_of(element_type e) { return is_integer_type(e) ? element_type::f64 : total_type_of(e); }
constexpr element_type real_type_of(element_type e) {
  return e == element_type::c128 ? element_type::f64 : e == element_type::c64 ? element_type::f32 : e;
}

}  // namespace detail

/// Whether operations read pairs of elements.
constexpr bool reads_pairs(named_operation o) {
  using enum named_operation;
  return o == dot || o == dot_conjugated || o == weighted_mean || o == scaled_product_sum || o == scaled_product_difference;
}

/// Whether the result is an element, or where one stands.
constexpr bool finds_elements(named_operation o) {
  return o >= named_operation::min && o <= named_operation::argminmax && o != named_operation::norm_inf;
}

/// Whether a reduction is in the set: the rules of the named functions. What calls also take is here once: integers of other names as those
/// of their width and sign, integer totals in any integer type as total_t, and what has the same bits under every guarantee as exact.
constexpr bool in_closed_set(const named_reduction& r) {
  using enum named_operation;
  const element_type e = r.element;
  const bool is_exact = r.guarantee == guarantee_type::is_exact;
  const bool integers = detail::is_integer_type(e);
  const bool complex = detail::is_complex_type(e);
  const bool rounded = detail::is_native_float(r.result) && (is_exact || !integers);  // to either type, under any guarantee
  const bool total = integers && is_exact && r.result == detail::total_type_of(e);
  if (finds_elements(r.operation)) return !complex && is_exact && r.result == e;
  switch (r.operation) {
    case sum:
    case dot:
      return complex ? r.result == e : total || rounded;
    case sum_abs:
    case sum_squares:
      return total || rounded;
    case norm2:
      return rounded;
    case dot_conjugated:
      return complex && r.result == e;
    case mean:
      return !complex && rounded;
    case weighted_mean:
      return !complex && !integers && is_exact && rounded;
    case moments:
      return !complex && is_exact && r.result == detail::fraction_type_of(e);
    case product:
      if (complex) return false;
      return integers ? total : !is_exact && rounded;
    case scaled_product:
    case scaled_product_sum:
    case scaled_product_difference:
      return !complex && r.guarantee == guarantee_type::is_ordered && r.result == element_type::f64;
    case norm_inf:
      return is_exact && r.result == (integers ? element_type::u64 : detail::total_type_of(detail::real_type_of(e)));
    case bit_and:
    case bit_or:
    case bit_xor:
      return integers && is_exact && r.result == e;
    default:
      return false;
  }
}

/// Whether the libraries of devices have its kernel for elements under a mask of bytes too.
constexpr bool has_masked_kernel(const named_reduction& r) {
  return detail::is_native_float(r.element) && r.guarantee != guarantee_type::is_ordered;
}

/// The result type that a named call has unless its caller asks for another.
constexpr element_type default_result(named_operation operation, element_type e) {
  using enum named_operation;
  if (finds_elements(operation)) return e;
  switch (operation) {
    case norm2:
    case mean:
    case moments:
      return detail::fraction_type_of(detail::real_type_of(e));
    case sum_abs:
    case sum_squares:
      return detail::total_type_of(detail::real_type_of(e));
    case norm_inf:
      return detail::is_integer_type(e) ? element_type::u64 : detail::total_type_of(detail::real_type_of(e));
    case scaled_product:
    case scaled_product_sum:
    case scaled_product_difference:
      return element_type::f64;
    case bit_and:
    case bit_or:
    case bit_xor:
      return e;
    default:
      return detail::total_type_of(e);
  }
}
/// The guarantee that it has unless its caller asks for another.
constexpr guarantee_type default_guarantee(named_operation operation, element_type e) {
  using enum named_operation;
  const bool scaled = operation == scaled_product || operation == scaled_product_sum || operation == scaled_product_difference;
  return scaled || (operation == product && !detail::is_integer_type(e)) ? guarantee_type::is_ordered : guarantee_type::is_exact;
}

namespace detail {

struct reduction_list {
  std::array<named_reduction, 1024> entry{};
  std::size_t size = 0;
};
inline constexpr reduction_list all_reductions = [] {
  reduction_list list;
  for (std::size_t operation = 0; operation < named_operations; ++operation) {
    for (std::size_t element = 0; element < detail::element_types; ++element) {
      for (std::size_t result = 0; result < detail::element_types; ++result) {
        for (const auto g : {guarantee_type::is_exact, guarantee_type::is_ordered, guarantee_type::is_fast}) {
          const named_reduction r{static_cast<named_operation>(operation), static_cast<element_type>(element),
                                  static_cast<element_type>(result), g};
          if (in_closed_set(r)) list.entry[list.size++] = r;
        }
      }
    }
  }
  return list;
}();

}  // namespace detail

/// All of them.
inline constexpr std::span<const named_reduction> closed_set{detail::all_reductions.entry.data(), detail::all_reductions.size};

}  // namespace accrue
