// SPDX-License-Identifier: BSD-3-Clause
// Contributions to arrays that fit in caches and to one that does not: what exact additions cost beside plain ones.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <array>
#include <cmath>
#include <memory>

#include "accrue_contenders.hpp"
#include "inputs.hpp"
#include "suites.hpp"

namespace perf::accumulate_suite {

using accrue::strategy;
using space = accrue::default_host_space;

/// Contributions of `width` doubles each, to random targets.
template <std::size_t width>
class problem {
 public:
  using value = std::array<double, width>;

  problem(std::size_t targets, std::size_t items) : y_(targets), where_(items), x_(items) {
    fill(x_.data()->data(), items * width, input::normal);
    for (std::size_t i = 0; i < items; ++i) where_[i] = static_cast<std::uint32_t>(mix(i) % targets);
    for (std::size_t k = 0; k < sampled; ++k) {
      accrue::superaccumulator<double> sum;
      for (std::size_t i = 0; i < items; ++i) {
        if (where_[i] == k) sum.add(x_[i][0]);
      }
      expected_[k] = sum.round<double>();
    }
  }

  void add_all(const space& on, const accrue::accumulate_options& how) {
    accrue::accumulate(on, y_, where_.size(), [this](std::size_t i, auto& out) { out.add(where_[i], x_[i]); }, how);
  }
  /// Whether sums from zero are right: of some targets, exactly or as rounding every addition leaves them.
  [[nodiscard]] bool right(const space& on, const accrue::accumulate_options& how) {
    std::fill(y_.begin(), y_.end(), value{});
    add_all(on, how);
    for (std::size_t k = 0; k < sampled; ++k) {
      const double bound = how.strategy == strategy::fixed_point && how.largest == 0 ? 0 : 1e-9;
      if (!(std::fabs(y_[k][0] - expected_[k]) <= bound)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t sampled = 20;
  std::vector<value> y_;
  std::vector<std::uint32_t> where_;
  std::vector<value> x_;
  double expected_[sampled] = {};
};

template <std::size_t width>
void measure(runner& r, const stage& host, std::size_t targets, int threads) {
  const std::size_t items = std::max<std::size_t>(targets, std::size_t{1} << 20);
  const auto on = space_at<space>({.threads = threads});
  auto made = std::make_shared<std::unique_ptr<problem<width>>>();
  std::vector<row> rows;
  accrue::accumulate_options bounded = strategy::fixed_point;
  bounded.largest = 16;  // of normal data
  for (const auto& [name, how] : std::initializer_list<std::pair<const char*, accrue::accumulate_options>>{
           {"replicated", strategy::replicated}, {"fixed_point", strategy::fixed_point}, {"fixed_point with a bound", bounded},
           {"atomic", strategy::atomic}}) {
    rows.push_back({.labels = {{"suite", "accumulate"}, {"where", "host"}, {"what", "accumulate"}, {"by", name}, {"type", "f64"},
                               {"width", width}, {"targets", targets}, {"n", items}, {"threads", threads}},
                    .bytes = items * (sizeof(std::uint32_t) + width * sizeof(double)),
                    .time = host.sampled([made, on, how = how](std::size_t) { (*made)->add_all(on, how); }, false),
                    .check = [made, on, how = how] { return json{{"verified", (*made)->right(on, how)}}; },
                    .is_reference = rows.empty()});
  }
  r.measure(std::move(rows), [made, targets, items] { *made = std::make_unique<problem<width>>(targets, items); });
}

void run(runner& r, const stage& host, const extent& e, json&) {
  std::vector<int> threads{e.threads.front()};
  if (e.threads.size() > 1) threads.push_back(e.threads.back());
  for (const std::size_t targets : {std::size_t{1000}, std::size_t{20000}, std::size_t{100000}, std::size_t{3000000}}) {
    if (targets * sizeof(double) > e.bytes) continue;
    for (const int t : threads) {
      measure<1>(r, host, targets, t);
      measure<3>(r, host, targets, t);
    }
  }
}

const bool added = (optional_suites().push_back({"accumulate", run}), true);

}  // namespace perf::accumulate_suite
