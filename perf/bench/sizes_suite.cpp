// SPDX-License-Identifier: BSD-3-Clause
// All contenders' sums of every size.
#include <algorithm>
#include <cmath>

#include "contest.hpp"
#include "correctness.hpp"
#include "inputs.hpp"
#include "suites.hpp"

namespace perf {

namespace {

/// Sums of the first n of some values, which the calls read at changing places.
template <class T>
class many_sizes {
 public:
  many_sizes(const stage& on, const extent& e)
      : on_(on), elements_(std::max(std::size_t{1} << e.most_log2, 2 * e.cache_bytes / sizeof(T))) {}

  void measure(runner& r, int log2) {
    const std::size_t n = std::size_t{1} << log2;
    std::vector<row> rows;
    for (const bool in_graph : {false, true}) {
      for (const auto& c : on_.contenders<T>()) {
        if (c.what != operation::sum || n > c.most || (in_graph && !(on_.has_graphs() && c.capturable))) continue;
        json labels{{"suite", "sizes"}, {"where", on_.name()}, {"what", "sum"}, {"by", c.name}, {"type", type_name<T>}, {"n", n}};
        const int threads = c.parallel ? on_.threads() : 1;
        if (on_.threads() > 0) labels["threads"] = threads;
        if (on_.has_graphs()) labels["how"] = in_graph ? "graph" : "stream";
        const auto call = [this, &c, n, threads](std::size_t k) {
          c.run(on_.place(threads), at(k, n), nullptr, n, static_cast<T*>(result_.get()));
        };
        const auto verify = [this, &c, n, threads] {
          const T got = result_of(on_, c, threads, at(0, n), static_cast<const T*>(nullptr), n);
          const double error = std::fabs(static_cast<double>(got) - static_cast<double>(expected_));
          return json{{"error_ulp", error_ulp(got, expected_)}, {"verified", error <= (is_exact(c.name) ? 0 : bound_)}};
        };
        rows.push_back({labels, n * sizeof(T), verify, on_.sampled(call, in_graph), is_accrue(c.name)});
      }
    }
    r.measure(std::move(rows), [&] {
      prepare();
      expected_ = exact_result(operation::sum, host_.data(), static_cast<const T*>(nullptr), n);
      bound_ = likely_error(operation::sum, host_.data(), static_cast<const T*>(nullptr), n);
    });
  }

 private:
  void prepare() {
    if (memory_) return;
    result_ = on_.allocate(256);
    memory_ = on_.allocate(elements_ * sizeof(T));
    host_.resize(elements_);
    fill(host_.data(), elements_, input::uniform);
    on_.copy(memory_.get(), host_.data(), elements_ * sizeof(T));
  }
  [[nodiscard]] const T* at(std::size_t k, std::size_t n) const {
    const std::size_t stride = std::max<std::size_t>(n, 256 / sizeof(T));
    return static_cast<const T*>(memory_.get()) + k % (elements_ / stride) * stride;
  }

  const stage& on_;
  std::size_t elements_;
  std::vector<T> host_;
  T expected_{};
  double bound_ = 0;
  std::shared_ptr<void> memory_;
  std::shared_ptr<void> result_;
};

template <class T>
void sizes_of_type(runner& r, const stage& on, const extent& e) {
  many_sizes<T> sizes(on, e);
  for (int log2 = 4; log2 <= e.most_log2; ++log2) sizes.measure(r, log2);
}

}  // namespace

void sizes_suite(runner& r, const stage& on, const extent& e) {
  sizes_of_type<float>(r, on, e);
  sizes_of_type<double>(r, on, e);
}

}  // namespace perf
