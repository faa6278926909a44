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
  const plain::groups<T> g{static_cast<const T*>(d.x), columns ? d.length : d.groups, columns ? d.groups : d.length,
                           d.kind == grouping_kind::segments ? d.offsets : nullptr, columns};
  auto* const out = static_cast<T*>(results);
#if defined(__x86_64__)
  if (accrue::current_instruction_set() == accrue::instruction_set::avx512) return plain::avx512::sum_groups(g, out, at.threads);
  plain::avx2::sum_groups(g, out, at.threads);
#else
  plain::assumed::sum_groups(g, out, at.threads);
#endif
}

template <class T>
void add(const char* type) {
  auto& all = host_grouped_cases();
  for (const grouped_case& accrue : all) {
    if (accrue.what != "sum" || accrue.by != "accrue fast" || accrue.type != type) continue;
    grouped_case c = accrue;
    c.by = "plain loop";
    c.run = sum_plainly<T>;
    all.push_back(c);
    return;
  }
}

const bool added = (add<double>("f64"), add<float>("f32"), true);

}  // namespace

}  // namespace perf
