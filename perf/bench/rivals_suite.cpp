// SPDX-License-Identifier: BSD-3-Clause
// All contenders on one large input of each operation: the suites `rivals` and `scaling`.
#include <fmt/format.h>

#include <algorithm>

#include "contest.hpp"
#include "inputs.hpp"
#include "rotating_input.hpp"
#include "suites.hpp"

namespace perf {

namespace {

/// The contender's errors on the correctness cases, in units in the last place, or in words where that says nothing. An exact one
/// must be right on all of them.
template <class T>
json errors_of(const stage& on, const contender<T>& c, int threads) {
  json errors = json::object();
  std::size_t exact = 0;
  const auto result = on.allocate(sizeof(T));
  (void)take<T>(on, result.get());
  for (const auto& one : correctness_cases<T>()) {
    const std::size_t bytes = one.x.size() * sizeof(T);
    const auto x = on.allocate(bytes);
    const auto y = on.allocate(bytes);
    on.copy(x.get(), one.x.data(), bytes);
    on.copy(y.get(), one.y.data(), bytes);
    c.run(on.place(threads), static_cast<const T*>(x.get()), static_cast<const T*>(y.get()), one.x.size(),
          static_cast<T*>(result.get()));
    const T expected = one.result_of(c.what);
    const T got = take<T>(on, result.get());
    const double ulp = error_ulp(got, expected);
    if (ulp == 0) ++exact;
    if (ulp >= 0) {
      errors[one.name] = ulp;
    } else {
      errors[one.name] = fmt::format("{:.9g} for {:.9g}", got, expected);
    }
  }
  const std::size_t all = correctness_cases<T>().size();
  json found{{"errors_ulp", errors}, {"exact_cases", fmt::format("{}/{}", exact, all)}};
  if (is_exact(c.name)) found["verified"] = exact == all;
  return found;
}

/// One operation of all contenders on one large input.
template <class T>
class large_input {
 public:
  large_input(const stage& on, const extent& e) : on_(on), x_(on, 2 * e.cache_bytes), y_(on, 2 * e.cache_bytes), bytes_(e.bytes) {}

  /// Rows of the contenders that `wanted` takes.
  template <class Wanted>
  std::vector<row> rows(const char* suite, operation what, int threads, bool with_errors, const Wanted& wanted) {
    const std::size_t n = bytes_ / sizeof(T) / (what == operation::dot ? 2 : 1);
    std::vector<row> all;
    for (const auto& c : on_.contenders<T>()) {
      if ((c.what != what && c.what != operation::read) || n > c.most || !wanted(c)) continue;
      const int used = c.parallel ? threads : 1;
      // The limit reads as much in one array.
      const std::size_t count = c.what == operation::read && what == operation::dot ? 2 * n : n;
      json labels{{"suite", suite}, {"where", on_.name()},  {"what", name_of(what)},
                  {"by", c.name},   {"type", type_name<T>}, {"input", "uniform"},
                  {"n", n}};
      if (on_.threads() > 0) labels["threads"] = used;
      const auto call = [this, &c, used, count](std::size_t k) {
        c.run(on_.place(used), x_.at(k), c.what == operation::dot ? y_.at(k) : nullptr, count, static_cast<T*>(result_.get()));
      };
      row r{.labels = labels,
            .bytes = bytes_,
            .time = on_.sampled(call, false),
            .must_be_right = is_accrue(c.name),
            .is_limit = c.what == operation::read};
      if (!r.is_limit) {
        r.check = [this, &c] { return verified<T>(on_, c, result_.get(), expected_, bound_); };
        if (with_errors) r.about = [this, &c, used] { return errors_of(on_, c, used); };
      }
      all.push_back(std::move(r));
    }
    return all;
  }
  void prepare(operation what) {
    result_ = on_.allocate(256);
    const std::size_t count = bytes_ / sizeof(T);
    host_.resize(count);
    fill(host_.data(), count, input::uniform);
    const std::size_t n = what == operation::dot ? count / 2 : count;
    const T* second = host_.data() + (count - n);
    expected_ = exact_result(what, host_.data(), second, n);
    bound_ = what == operation::min ? 0 : likely_error(what, host_.data(), second, n);
    x_.hold(host_.data(), count);
    if (what == operation::dot) y_.hold(second, n);
  }

 private:
  const stage& on_;
  rotating_input<T> x_;
  rotating_input<T> y_;
  std::size_t bytes_;
  std::vector<T> host_;
  T expected_{};
  double bound_ = 0;
  std::shared_ptr<void> result_;
};

template <class T>
void rivals_of_type(runner& r, const stage& on, const extent& e) {
  for (const operation what : {operation::sum, operation::dot, operation::sum_abs, operation::min}) {
    large_input<T> input(on, e);
    r.measure(input.rows("rivals", what, on.threads(), true, [](const auto&) { return true; }), [&] { input.prepare(what); });
  }
}

}  // namespace

void rivals_suite(runner& r, const stage& on, const extent& e) {
  rivals_of_type<double>(r, on, e);
  rivals_of_type<float>(r, on, e);
}

void scaling_suite(runner& r, const stage& host, const extent& e) {
  for (const operation what : {operation::sum, operation::dot, operation::min}) {
    large_input<double> input(host, e);
    bool prepared = false;
    for (const int threads : e.threads) {
      const auto wanted = [](const contender<double>& c) {
        return c.parallel && (c.what == operation::read || is_accrue(c.name) || c.name == "OpenMP reduction");
      };
      r.measure(input.rows("scaling", what, threads, false, wanted), [&] {
        if (!prepared) input.prepare(what);
        prepared = true;
      });
    }
  }
}

}  // namespace perf
