// SPDX-License-Identifier: BSD-3-Clause
// The rows of a run: named, chosen by a filter, verified, timed in turns, printed and kept.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sampler.hpp"

namespace perf {

using json = nlohmann::ordered_json;

struct row {
  /// What tells it from others: suite, where, what, by, type, input, n, ...
  json labels;
  /// That a call reads.
  std::size_t bytes = 0;
  sample time;
  /// What the last call left: {"verified": true or false, ...}; null where a call has no result.
  std::function<json()> check;
  /// What else there is to say of it, found out once; it may hold "verified" too.
  std::function<json()> about;
  /// Whether a wrong result is this program's failure, or a rival's.
  bool must_be_right = true;
  /// Whether it reads the input and does no more. The fastest such row is its neighbours' limit.
  bool is_limit = false;
  /// Whether it is what its neighbours' speed is told in.
  bool is_reference = false;
};

struct choices {
  bool list = false;
  bool once = false;   ///< call and verify, and do not time
  std::string filter;  ///< words that must all be in a row's name
  stopping_rule stop;
  std::function<void(const json& rows)> save;  ///< takes all finished rows whenever there are more
};

class runner {
 public:
  explicit runner(choices c) : choices_(std::move(c)) {}

  /// Rows of one input, which `prepare` makes when any of them is wanted. Their calls are verified, timed in turns, and verified
  /// again; `more` may add to a finished row.
  void measure(std::vector<row> rows, const std::function<void()>& prepare, const std::function<void(json&)>& more = {});

  [[nodiscard]] const json& rows() const { return rows_; }
  [[nodiscard]] bool all_right() const { return all_right_; }
  /// Whether a row with these labels is asked for, and more than named.
  [[nodiscard]] bool measures(const json& labels) const;
  /// Whether rows are timed at all.
  [[nodiscard]] bool timed() const { return !choices_.list && !choices_.once; }

 private:
  choices choices_;
  json rows_ = json::array();
  bool all_right_ = true;
};

}  // namespace perf
