// SPDX-License-Identifier: BSD-3-Clause
// The statistics of one column, gathered piece by piece; exact states make the pieces free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "readers/column_file.hpp"

namespace accrue::program {

struct column_report {
  std::string name;
  std::string type;
  std::string group;  ///< the value of the column that groups are made by
  std::uint64_t count = 0;
  std::uint64_t empty_fields = 0;  ///< of the column, in all groups
  std::string sum;  ///< correctly rounded, or the integer itself
  double mean = 0;
  double standard_deviation = 0;
  std::string min;
  std::string max;
  std::uint64_t min_index = 0;
  std::uint64_t max_index = 0;
  std::string naive_sum;        ///< added from left to right in the type of the sum
  double naive_error_ulp = 0;   ///< its distance from the exact sum in units of the last place of the rounded sum
};

class column_stats {
 public:
  virtual ~column_stats() = default;
  virtual void add(const void* data, std::size_t size) = 0;
  [[nodiscard]] virtual column_report report(const std::string& name) const = 0;
};

std::unique_ptr<column_stats> make_column_stats(element_type type);

}  // namespace accrue::program
