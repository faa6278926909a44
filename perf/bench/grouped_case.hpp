// SPDX-License-Identifier: BSD-3-Clause
// One reduction of all groups of a grouping, without its types: what the suite `groups` runs on every stage, by accrue and its rivals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contender.hpp"

namespace perf {

enum class grouping_kind { rows, columns, segments, sorted_keys, any_keys };

/// Elements at x, in the memory of the place: a matrix of `groups` rows of `length`, or of `groups` columns, or segments, or groups by
/// keys.
struct grouped_data {
  grouping_kind kind = grouping_kind::rows;
  const void* x = nullptr;
  std::size_t n = 0;
  std::size_t groups = 0;
  std::size_t length = 0;                 ///< of rows and columns
  const std::int64_t* offsets = nullptr;  ///< groups + 1, of rows too
  const std::uint32_t* keys = nullptr;    ///< n, each below `groups`

  [[nodiscard]] bool by_keys() const { return kind == grouping_kind::sorted_keys || kind == grouping_kind::any_keys; }
};

struct grouped_case {
  std::string what;
  std::string by;
  std::string type;
  std::size_t element_bytes;
  std::size_t result_bytes;
  bool exact;  ///< whether results must be those of accrue's reductions of each group; else near them
  /// Writes the results of all groups.
  std::function<void(const place&, const grouped_data&, void* results)> run;
  /// The result of elements at x, `stride` apart, in host memory, as a double.
  std::function<double(const void* x, std::size_t n, std::size_t stride)> expected;
  std::function<double(const void* result)> value;
  /// Of elements in host memory, the sum of their magnitudes.
  std::function<double(const void* x, std::size_t n, std::size_t stride)> magnitude;
  /// Which groupings it takes.
  std::function<bool(const grouped_data&)> takes;
};

/// Those of the host and of the device. Rivals add theirs before main.
std::vector<grouped_case>& host_grouped_cases();
std::vector<grouped_case>& device_grouped_cases();

/// Adds a rival's sums beside accrue's fast ones of that type.
inline void add_rival_sums(std::vector<grouped_case>& all, const std::string& type, const std::string& by,
                           const std::function<bool(const grouped_data&)>& takes,
                           const std::function<void(const place&, const grouped_data&, void* results)>& run) {
  for (const grouped_case& accrue : all) {
    if (accrue.what != "sum" || accrue.by != "accrue fast" || accrue.type != type) continue;
    grouped_case c = accrue;
    c.by = by;
    c.takes = takes;
    c.run = run;
    all.push_back(c);
    return;
  }
}

}  // namespace perf
