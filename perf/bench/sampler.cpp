// SPDX-License-Identifier: BSD-3-Clause
#include "sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace perf {

timing summary(std::vector<double> times, const stopping_rule& rule) {
  auto sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const double median = sorted[sorted.size() / 2];
  // The number of times below the true median is binomial(n, 1/2).
  const double reach = 0.98 * std::sqrt(n);
  const auto at = [&](double rank) { return sorted[static_cast<std::size_t>(std::clamp(rank, 0.0, n - 1))]; };
  const double spread = (at(std::ceil(n / 2 + reach)) - at(std::floor(n / 2 - reach) - 1)) / (2 * median);
  return {median, spread, sorted.size(), spread <= rule.spread, std::move(times)};
}

ratio time_over(const timing& a, const timing& b) {
  std::vector<double> quotients(std::min(a.times.size(), b.times.size()));
  for (std::size_t k = 0; k < quotients.size(); ++k) quotients[k] = a.times[k] / b.times[k];
  const timing t = summary(std::move(quotients), {});
  return {t.median_s, t.spread};
}

std::vector<timing> time_in_turns(const std::vector<sample>& samples, const stopping_rule& rule) {
  constexpr double group_s = 2e-3;
  constexpr std::size_t most_calls = 200;
  constexpr std::size_t fewest_rounds = 9;
  std::vector<std::size_t> calls;
  for (const sample& s : samples) {
    s(1);  // first calls allocate and load code
    calls.push_back(static_cast<std::size_t>(std::clamp(group_s / std::max(s(1), 1e-9), 1.0, static_cast<double>(most_calls))));
  }
  std::vector<std::vector<double>> times(samples.size());
  std::vector<timing> timings(samples.size());
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t round = 1;; ++round) {
    for (std::size_t k = 0; k < samples.size(); ++k) times[k].push_back(samples[k](calls[k]));
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const bool last =
        round >= rule.rounds || (round >= fewest_rounds && spent >= rule.seconds * static_cast<double>(samples.size()));
    if (!last && round < fewest_rounds) continue;
    bool settled = true;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      timings[k] = summary(times[k], rule);
      settled = settled && timings[k].settled;
    }
    if (settled || last) return timings;
  }
}

}  // namespace perf
