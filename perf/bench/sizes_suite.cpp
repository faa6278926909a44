// SPDX-License-Identifier: BSD-3-Clause
// All contenders' sums of every size.
#include "contest.hpp"
#include "inputs.hpp"
#include "rotating_input.hpp"
#include "suites.hpp"

namespace perf {

namespace {

/// Sums of the first n of some values.
template <class T>
class many_sizes {
 public:
  many_sizes(const stage& on, const extent& e) : on_(on), x_(on, 2 * e.cache_bytes), most_(std::size_t{1} << e.most_log2) {}

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
          c.run(on_.place(threads), x_.at(k), nullptr, n, static_cast<T*>(result_.get()));
        };
        rows.push_back({.labels = labels,
                        .bytes = n * sizeof(T),
                        .time = on_.sampled(call, in_graph),
                        .check = [this, &c] { return verified<T>(on_, c, result_.get(), expected_, bound_); },
                        .must_be_right = is_accrue(c.name)});
      }
    }
    r.measure(std::move(rows), [&] {
      if (host_.empty()) {
        host_.resize(most_);
        fill(host_.data(), most_, input::uniform);
        result_ = on_.allocate(256);
      }
      x_.hold(host_.data(), n);
      expected_ = exact_result(operation::sum, host_.data(), static_cast<const T*>(nullptr), n);
      bound_ = likely_error(operation::sum, host_.data(), static_cast<const T*>(nullptr), n);
    });
  }

 private:
  const stage& on_;
  rotating_input<T> x_;
  std::size_t most_;
  std::vector<T> host_;
  T expected_{};
  double bound_ = 0;
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
