// SPDX-License-Identifier: BSD-3-Clause
// The names of the typed calls.
#pragma once

#include <string_view>

#include "accrue/closed_set.hpp"

namespace accrue::c {

inline constexpr std::string_view operation_names[] = {
    "sum", "sum_abs", "sum_squares", "norm2", "dot", "dot_conjugated", "mean", "weighted_mean", "moments",
    "product", "scaled_product", "scaled_product_sum", "scaled_product_difference",
    "min", "max", "min_number", "max_number", "minmax", "norm_inf", "argmin", "argmax", "argminmax", "bit_and", "bit_or", "bit_xor"};
static_assert(std::size(operation_names) == named_operations);
inline constexpr std::string_view element_names[] = {"f64", "f32", "f16", "bf16", "i8",  "i16", "i32",
                                                     "i64", "u8",  "u16", "u32",  "u64", "c64", "c128"};
static_assert(std::size(element_names) == detail::element_types);

constexpr std::string_view name_of(named_operation o) { return operation_names[static_cast<std::size_t>(o)]; }
constexpr std::string_view name_of(element_type e) { return element_names[static_cast<std::size_t>(e)]; }

/// Typed calls are of results of the default type, under every guarantee.
constexpr bool is_typed(const named_reduction& r) { return r.result == default_result(r.operation, r.element); }
/// What stands before the operation: nothing for the default guarantee.
constexpr std::string_view prefix_of(const named_reduction& r) {
  if (r.guarantee == default_guarantee(r.operation, r.element)) return "accrue_";
  return r.guarantee == guarantee_type::is_ordered ? "accrue_ordered_" : "accrue_fast_";
}

/// The reduction of a typed call. Does not compile for a name of none.
consteval named_reduction reduction_named(std::string_view call) {
  for (const auto& r : closed_set) {
    const std::string_view parts[] = {prefix_of(r), name_of(r.operation), "_", name_of(r.element)};
    std::string_view rest = call;
    bool equal = is_typed(r);
    for (const auto part : parts) {
      equal = equal && rest.substr(0, part.size()) == part;
      if (equal) rest.remove_prefix(part.size());
    }
    if (equal && rest.empty()) return r;
  }
  throw "no typed call of that name";
}

}  // namespace accrue::c
