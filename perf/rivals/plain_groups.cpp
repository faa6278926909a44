// SPDX-License-Identifier: BSD-3-Clause
// Sums of groups by plain loops, as a user would write them, beside accrue's.
#include <accrue/instruction_set.hpp>

#include "grouped_case.hpp"
#include "plain_loops.hpp"

namespace perf {

namespace {

template <class T>
void sum_plainly(const place& at, const grouped_data& d, void* results) {
  const bool columns = d.kind == grouping_kind::columns;
  const auto* const x = static_cast<const T*>(d.x);
  const plain::groups<T> g{x, columns ? d.length : d.groups, columns ? d.groups : d.length,
                           d.kind == grouping_kind::segments ? d.offsets : nullptr, columns};
  auto* const out = static_cast<T*>(results);
  const auto run = [&](auto sum_groups, auto sum_by_keys) {
    d.by_keys() ? sum_by_keys(x, d.keys, d.n, out, d.groups, at.threads) : sum_groups(g, out, at.threads);
  };
#if defined(__x86_64__)
  using namespace plain;
  accrue::current_instruction_set() == accrue::instruction_set::avx512
      ? run([](auto... a) { avx512::sum_groups(a...); }, [](auto... a) { avx512::sum_by_keys(a...); })
      : run([](auto... a) { avx2::sum_groups(a...); }, [](auto... a) { avx2::sum_by_keys(a...); });
#else
  run([](auto... a) { plain::assumed::sum_groups(a...); }, [](auto... a) { plain::assumed::sum_by_keys(a...); });
#endif
}

const auto any = [](const grouped_data&) { return true; };
const bool added = (add_rival_sums(host_grouped_cases(), "f64", "plain loop", any, sum_plainly<double>),
                    add_rival_sums(host_grouped_cases(), "f32", "plain loop", any, sum_plainly<float>), true);

}  // namespace

}  // namespace perf
