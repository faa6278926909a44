// SPDX-License-Identifier: BSD-3-Clause
// Sums, sums of magnitudes and means of groups, by a device and of each group alone.
#pragma once

#include "conformance/suite.hpp"

namespace test {

enum class sums { values, magnitudes, means, squares, norms };

/// Whatever a sum is made of: a group on a host, or a grouping and where its results go.
template <class Space, class... Args>
auto sum_of(sums what, const Space& space, const Args&... args) {
  if (what == sums::magnitudes) return accrue::sum_abs(space, args...);
  if (what == sums::means) return accrue::mean(space, args...);
  if (what == sums::squares) return accrue::sum_squares(space, args...);
  if (what == sums::norms) return accrue::norm2(space, args...);
  return accrue::sum(space, args...);
}

/// The bits of each group's sum, where group k ends at ends[k + 1].
template <class T>
std::vector<std::string> each_alone(const std::vector<T>& x, const std::vector<std::size_t>& ends, sums what) {
  std::vector<std::string> text;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    text.push_back(bits(sum_of(what, accrue::serial{}, accrue::slice(x, ends[k], ends[k + 1] - ends[k]))));
  }
  return text;
}

}  // namespace test
