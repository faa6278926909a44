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

/// The reduction of a typed call, prefix operation _ element. Does not compile for a name of none.
consteval named_reduction reduction_named(std::string_view call) {
  const auto element = call.substr(call.rfind('_') + 1);
  for (std::size_t e = 0; e < std::size(element_names); ++e) {
    if (element != element_names[e]) continue;
    for (std::size_t o = 0; o < std::size(operation_names); ++o) {
      const auto before = call.substr(0, call.size() - element.size() - 1);
      if (!before.ends_with(operation_names[o])) continue;
      named_reduction r{static_cast<named_operation>(o), static_cast<element_type>(e), {}, {}};
      r.result = default_result(r.operation, r.element);
      for (const auto g : {guarantee_type::is_exact, guarantee_type::is_ordered, guarantee_type::is_fast}) {
        r.guarantee = g;
        if (in_closed_set(r) && prefix_of(r) == before.substr(0, before.size() - operation_names[o].size())) return r;
      }
    }
  }
  throw "no typed call of that name";
}

}  // namespace accrue::c
