// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include <fmt/format.h>

#include <sstream>

namespace perf {

namespace {

std::string name_of(const json& labels) {
  std::string name;
  for (const auto& [key, value] : labels.items()) {
    if (!name.empty()) name += ' ';
    if (key == "n" || key == "threads") name += key + '=';
    name += value.is_string() ? value.get<std::string>() : value.dump();
  }
  return name;
}

bool holds_all(const std::string& name, const std::string& words) {
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    if (name.find(word) == std::string::npos) return false;
  }
  return true;
}

void print(const json& r, const std::string& name) {
  fmt::print("{:<88}", name);
  if (r.contains("median_s")) {
    fmt::print("{:>11.2f} us", 1e6 * r["median_s"].get<double>());
    if (r.contains("bytes_per_s")) fmt::print(" {:>8.1f} GB/s", 1e-9 * r["bytes_per_s"].get<double>());
    fmt::print(" +-{:.1f} %{}", 100 * r["spread"].get<double>(), r["settled"].get<bool>() ? "" : " (unsettled)");
  }
  if (r.contains("of_limit")) {
    fmt::print("  {:.3f} +-{:.1f} % of the limit", r["of_limit"].get<double>(), 100 * r["of_limit_spread"].get<double>());
  }
  if (r.contains("speed")) fmt::print("  speed {:.2f}", r["speed"].get<double>());
  for (const auto& [key, value] : r.items()) {
    if (key == "exact_cases") fmt::print("  exact on {}", value.get<std::string>());
    if (key == "published_s") {
      fmt::print("  published {:.2f} us on {}", 1e6 * value.get<double>(), r["published_on"].get<std::string>());
    }
    for (const char* ratio : {"step", "cumulative", "published_step", "published_cumulative"}) {
      if (key == ratio) fmt::print("  {} {:.2f}", ratio, value.get<double>());
    }
  }
  fmt::print("  {}\n", !r.contains("verified") ? "" : r["verified"].get<bool>() ? "right" : "WRONG");
  std::fflush(stdout);
}

/// Adds what was found; all that is verified must be right.
void add_to(json& r, const json& found) {
  const bool right = r.value("verified", true) && found.value("verified", true);
  const bool verified = r.contains("verified") || found.contains("verified");
  r.update(found);
  if (verified) r["verified"] = right;
}

/// Makes a call as it is timed, and looks at its result.
json called(const row& r) {
  r.time(1);
  return r.check ? r.check() : json::object();
}

}  // namespace

bool runner::measures(const json& labels) const { return !choices_.list && holds_all(name_of(labels), choices_.filter); }

void runner::measure(std::vector<row> rows, const std::function<void()>& prepare, const std::function<void(json&)>& more) {
  std::erase_if(rows, [&](const row& r) { return !holds_all(name_of(r.labels), choices_.filter); });
  if (rows.empty()) return;
  if (choices_.list) {
    for (const row& r : rows) fmt::print("{}\n", name_of(r.labels));
    return;
  }
  prepare();
  std::vector<sample> samples;
  std::vector<json> found;
  for (const row& r : rows) {
    fmt::print(stderr, "{}\n", name_of(r.labels));
    found.push_back(called(r));
    if (r.about) add_to(found.back(), r.about());
    samples.push_back(r.time);
  }
  std::vector<timing> timings(rows.size());
  if (!choices_.once) timings = time_in_turns(samples, choices_.stop);
  const timing* limit = nullptr;
  const timing* reference = nullptr;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].is_reference) reference = &timings[k];
    if (rows[k].is_limit && (limit == nullptr || timings[k].median_s < limit->median_s)) limit = &timings[k];
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    json r = rows[k].labels;
    add_to(r, found[k]);
    if (!choices_.once) {
      add_to(r, called(rows[k]));
      const timing& t = timings[k];
      if (rows[k].bytes != 0) r["bytes"] = rows[k].bytes;
      r["median_s"] = t.median_s;
      r["spread"] = t.spread;
      r["rounds"] = t.rounds;
      r["settled"] = t.settled;
      if (rows[k].bytes != 0) r["bytes_per_s"] = static_cast<double>(rows[k].bytes) / t.median_s;
      if (limit != nullptr && !rows[k].is_limit) {
        const ratio of = time_over(*limit, t);
        r["of_limit"] = of.median;
        r["of_limit_spread"] = of.spread;
      }
      if (reference != nullptr && !rows[k].is_reference) {
        const ratio of = time_over(*reference, t);
        r["speed"] = of.median;
        r["speed_spread"] = of.spread;
      }
    }
    if (more) more(r);
    print(r, name_of(rows[k].labels));
    all_right_ = all_right_ && (r.value("verified", true) || !rows[k].must_be_right);
    rows_.push_back(std::move(r));
  }
  if (choices_.save) choices_.save(rows_);
}

}  // namespace perf
