// SPDX-License-Identifier: BSD-3-Clause
// accrue's reductions of groupings that the suite `groups` runs, for any of its spaces.
#pragma once

#include <accrue/accrue.hpp>

#include "accrue_contenders.hpp"
#include "grouped_case.hpp"

namespace perf {

/// `by_keys`: whether it takes groups by keys too.
template <bool by_keys, class Space, class T, class Result, class Call>
grouped_case make_grouped_case(const char* what, const char* by, const char* type, bool exact, Call call) {
  grouped_case c{what, by, type, sizeof(T), sizeof(Result), exact, {}, {}, {}, {}, {}};
  c.takes = [](const grouped_data& d) { return by_keys || !d.by_keys(); };
  c.run = [call](const place& at, const grouped_data& d, void* results) {
    const auto space = space_at<Space>(at);
    const auto* x = static_cast<const T*>(d.x);
    const std::span out(static_cast<Result*>(results), d.groups);
    if constexpr (by_keys) {
      if (d.by_keys()) return void(call(space, accrue::grouped(std::span(x, d.n), std::span(d.keys, d.n), d.groups), out));
    }
    if (d.kind == grouping_kind::segments) {
      call(space, accrue::segments(std::span(x, d.n), std::span(d.offsets, d.groups + 1)), out);
    } else if (d.kind == grouping_kind::rows) {
      call(space, accrue::rows(accrue::view(x, d.groups, d.length, d.length)), out);
    } else {
      call(space, accrue::columns(accrue::view(x, d.length, d.groups, d.groups)), out);
    }
  };
  const auto value_of = [](const Result& r) {
    if constexpr (requires { r.index; }) {
      return static_cast<double>(r.index);
    } else {
      return static_cast<double>(r);
    }
  };
  c.expected = [call, value_of](const void* x, std::size_t n, std::size_t stride) {
    return value_of(call(accrue::serial{}, accrue::view(static_cast<const T*>(x), n, static_cast<std::ptrdiff_t>(stride))));
  };
  c.magnitude = [](const void* x, std::size_t n, std::size_t stride) {
    return accrue::sum_abs<double>(accrue::serial{}, accrue::view(static_cast<const T*>(x), n, static_cast<std::ptrdiff_t>(stride)));
  };
  c.value = [value_of](const void* result) { return value_of(*static_cast<const Result*>(result)); };
  return c;
}

template <class Space>
std::vector<grouped_case> make_grouped_cases() {
  std::vector<grouped_case> all;
  const auto add = [&]<class T>(T, const char* type) {
    const auto put = [&]<class R, bool by_keys = false>(R, const char* what, const char* by, bool exact, auto call,
                                                        std::bool_constant<by_keys> = {}) {
      all.push_back(make_grouped_case<by_keys, Space, T, R>(what, by, type, exact, call));
    };
    put(T{}, "sum", "accrue exact", true, [](const auto& s, const auto&... x) { return accrue::sum(s, x...); }, std::true_type());
    put(T{}, "sum", "accrue fast", false, [](const auto& s, const auto&... x) { return accrue::sum(s, x..., accrue::fast); });
    put(T{}, "mean", "accrue exact", true, [](const auto& s, const auto&... x) { return accrue::mean(s, x...); });
    put(T{}, "sum of squares", "accrue exact", true, [](const auto& s, const auto&... x) { return accrue::sum_squares(s, x...); });
    put(T{}, "min", "accrue", true, [](const auto& s, const auto&... x) { return accrue::min(s, x...); });
    put(accrue::position<T>{}, "argmin", "accrue", true, [](const auto& s, const auto&... x) { return accrue::argmin(s, x...); });
  };
  add(double{}, "f64");
  add(float{}, "f32");
  return all;
}

}  // namespace perf
