// SPDX-License-Identifier: BSD-3-Clause
// Many results of one call: rows, columns, segments of every shape and groups by keys, by accrue and its rivals.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "grouped_cases.hpp"
#include "inputs.hpp"
#include "suites.hpp"

namespace perf {

std::vector<grouped_case>& host_grouped_cases() {
  static auto all = make_grouped_cases<accrue::default_host_space>();
  return all;
}

namespace {

struct grouping_shape {
  std::string grouping;  ///< rows, columns, segments of some distribution, or keys
  std::size_t length;    ///< of rows, mean of segments; or the number of columns, or of groups by keys
};

/// Offsets of segments over n elements, none empty: lengths that depend on the place alone.
std::vector<std::int64_t> offsets_of(const std::string& distribution, std::size_t mean, std::size_t n) {
  std::vector<std::int64_t> offsets{0};
  std::uint64_t k = 0;
  std::size_t at = 0;
  const bool giant = distribution == "one giant";
  while (at < n) {
    const double u = static_cast<double>(mix(++k) >> 11) * 0x1p-53;
    std::size_t length = mean;
    if (distribution == "uniform" || giant) length = 1 + static_cast<std::size_t>(u * static_cast<double>(2 * mean - 1));
    if (distribution == "power law") length = 1 + static_cast<std::size_t>(0.5 * static_cast<double>(mean) / std::sqrt(u + 1e-12));
    if (giant && at < n / 4 && at + length >= n / 4) length = n / 2;
    at = std::min(n, at + length);
    offsets.push_back(static_cast<std::int64_t>(at));
  }
  return offsets;
}

class shape_rows {
 public:
  shape_rows(const stage& on, const grouping_shape& shape, const std::string& type, std::size_t element_bytes, const extent& e)
      : on_(on), shape_(shape), type_(type), element_bytes_(element_bytes), n_(e.bytes / element_bytes) {
    if (shape.grouping == "rows" || shape.grouping == "columns") n_ = n_ / shape.length * shape.length;
  }
  [[nodiscard]] bool exists() const { return n_ != 0; }

  void measure(runner& r, const std::function<const void*()>& filled, input kind, int threads, bool all_operations) {
    data_.kind = shape_.grouping == "rows"          ? grouping_kind::rows
                 : shape_.grouping == "columns"     ? grouping_kind::columns
                 : shape_.grouping == "sorted keys" ? grouping_kind::sorted_keys
                 : shape_.grouping == "random keys" ? grouping_kind::any_keys
                                                    : grouping_kind::segments;
    std::vector<row> rows;
    auto& cases = threads > 0 ? host_grouped_cases() : device_grouped_cases();
    for (const grouped_case& c : cases) {
      if (c.type != type_ || !(all_operations || (c.what == "sum" && c.by != "accrue fast"))) continue;
      if (!c.takes(data_)) continue;
      json labels{{"suite", "groups"}, {"where", on_.name()}, {"what", c.what}, {"by", c.by}, {"type", type_},
                  {"input", name_of(kind)}, {"grouping", shape_.grouping}, {"length", shape_.length}, {"n", n_}};
      if (threads > 0) labels["threads"] = threads;
      if (r.measures(labels) && data_.groups == 0) lay_out();
      const std::size_t offset_bytes = data_.kind == grouping_kind::segments ? data_.groups * sizeof(std::int64_t)
                                       : data_.by_keys()                     ? n_ * sizeof(std::uint32_t)
                                                                             : 0;
      rows.push_back({.labels = labels,
                      .bytes = n_ * element_bytes_ + data_.groups * c.result_bytes + offset_bytes,
                      .time = on_.sampled([this, &c, threads](std::size_t) { c.run(on_.place(threads), data_, results_.get()); }, false),
                      .check = [this, &c] { return json{{"verified", right(c)}}; },
                      .must_be_right = c.by.starts_with("accrue"),
                      .is_reference = c.what == "sum" && c.by == "accrue exact"});
    }
    r.measure(std::move(rows), [&] {
      x_ = on_.allocate(n_ * element_bytes_);
      values_ = filled();
      on_.copy(x_.get(), values_, n_ * element_bytes_);
      if (data_.by_keys()) {
        there_ = there(keys_);
        data_.keys = static_cast<const std::uint32_t*>(there_.get());
      } else {
        there_ = there(offsets_);
        data_.offsets = static_cast<const std::int64_t*>(there_.get());
      }
      results_ = on_.allocate(data_.groups * most_result_bytes);
      data_.x = x_.get();
    });
  }

 private:
  static constexpr std::size_t most_result_bytes = 16;

  template <class T>
  [[nodiscard]] std::shared_ptr<void> there(const std::vector<T>& values) const {
    auto copy = on_.allocate(values.size() * sizeof(T));
    on_.copy(copy.get(), values.data(), values.size() * sizeof(T));
    return copy;
  }
  /// Where groups begin, which takes a while where they are many.
  void lay_out() {
    data_.n = n_;
    if (data_.by_keys()) {
      data_.groups = shape_.length;
      keys_.resize(n_);
      const bool sorted = data_.kind == grouping_kind::sorted_keys;
      for (std::size_t i = 0; i < n_; ++i) keys_[i] = static_cast<std::uint32_t>(sorted ? i * shape_.length / n_ : mix(i) % shape_.length);
      return;
    }
    data_.length = data_.kind == grouping_kind::columns ? n_ / shape_.length : shape_.length;
    if (data_.kind == grouping_kind::segments) {
      offsets_ = offsets_of(shape_.grouping, shape_.length, n_);
    } else {
      offsets_.resize((data_.kind == grouping_kind::columns ? shape_.length : n_ / shape_.length) + 1);
      for (std::size_t k = 0; k < offsets_.size(); ++k) offsets_[k] = static_cast<std::int64_t>(k * data_.length);
    }
    data_.groups = offsets_.size() - 1;
  }
  /// Some of the results, the longest group's among them, against the same reduction of each group alone.
  [[nodiscard]] bool right(const grouped_case& c) {
    const std::size_t groups = data_.groups;
    std::vector<unsigned char> results(groups * c.result_bytes);
    on_.copy(results.data(), results_.get(), results.size());
    const std::vector<unsigned char> nothing(results.size(), 0xa5);
    on_.copy(results_.get(), nothing.data(), nothing.size());
    if (data_.by_keys()) return right_by_keys(c, results);
    std::size_t longest = 0;
    for (std::size_t k = 0; k < groups; ++k) {
      if (offsets_[k + 1] - offsets_[k] > offsets_[longest + 1] - offsets_[longest]) longest = k;
    }
    const std::size_t sampled = std::min<std::size_t>(groups, std::clamp<std::size_t>((groups << 24) / data_.n, 2, 2000));
    for (std::size_t i = 0; i < sampled; ++i) {
      const std::size_t k = i == 0 ? longest : mix(i) % groups;
      const bool column = data_.kind == grouping_kind::columns;
      const std::size_t first = column ? k : static_cast<std::size_t>(offsets_[k]);
      const std::size_t n = column ? data_.length : static_cast<std::size_t>(offsets_[k + 1]) - first;
      if (n == 0 && c.what != "sum") continue;
      if (!right(c, results, k, static_cast<const unsigned char*>(values_) + first * element_bytes_, n, column ? groups : 1)) return false;
    }
    return true;
  }
  /// The same of groups by keys.
  [[nodiscard]] bool right_by_keys(const grouped_case& c, const std::vector<unsigned char>& results) const {
    constexpr std::size_t sampled = 8;
    const std::size_t apart = std::max<std::size_t>(data_.groups / sampled, 1);
    std::vector<std::vector<unsigned char>> elements(sampled);
    for (std::size_t i = 0; i < n_; ++i) {
      if (keys_[i] % apart != 0 || keys_[i] / apart >= sampled) continue;
      const auto* const x = static_cast<const unsigned char*>(values_) + i * element_bytes_;
      elements[keys_[i] / apart].insert(elements[keys_[i] / apart].end(), x, x + element_bytes_);
    }
    for (std::size_t k = 0; k < sampled && k * apart < data_.groups; ++k) {
      if (!right(c, results, k * apart, elements[k].data(), elements[k].size() / element_bytes_, 1)) return false;
    }
    return true;
  }
  /// Group k, of these elements.
  [[nodiscard]] bool right(const grouped_case& c, const std::vector<unsigned char>& results, std::size_t k, const void* x, std::size_t n,
                           std::size_t stride) const {
    const double expected = c.expected(x, n, stride);
    const double got = c.value(results.data() + k * c.result_bytes);
    const double rounding = element_bytes_ == 8 ? 0x1p-53 : 0x1p-24;
    const double bound = c.exact ? 0 : 2 * std::sqrt(static_cast<double>(n)) * rounding * c.magnitude(x, n, stride);
    return std::fabs(got - expected) <= bound;
  }

  const stage& on_;
  grouping_shape shape_;
  std::string type_;
  std::size_t element_bytes_;
  std::size_t n_;
  grouped_data data_;
  const void* values_ = nullptr;  ///< in host memory
  std::vector<std::int64_t> offsets_;  ///< but of keys
  std::vector<std::uint32_t> keys_;
  std::shared_ptr<void> x_;
  std::shared_ptr<void> there_;
  std::shared_ptr<void> results_;
};

}  // namespace

void groups_suite(runner& r, const stage& on, const stage& host, const extent& e) {
  std::vector<grouping_shape> shapes;
  for (const std::size_t length : {1, 2, 3, 4, 8, 16, 32, 100, 128, 256, 1024, 4096, 65536, 4194304}) shapes.push_back({"rows", length});
  for (const std::size_t wide : {1, 3, 8, 32, 100, 1000, 20000, 1000000}) shapes.push_back({"columns", wide});
  for (const std::size_t mean : {2, 8, 32, 128, 1024, 65536}) shapes.push_back({"uniform", mean});
  for (const std::size_t mean : {8, 32, 128}) shapes.push_back({"power law", mean});
  shapes.push_back({"one giant", 8});
  for (const std::size_t groups : {1024, 1000000}) shapes.push_back({"sorted keys", groups});
  for (const std::size_t groups : {1024, 4096, 1000000}) shapes.push_back({"random keys", groups});
  std::vector<int> threads{0};
  if (on.threads() > 0) threads = e.threads.size() > 1 ? std::vector{e.threads.front(), e.threads.back()} : e.threads;
  for (const auto& [type, bytes] : {std::pair<const char*, std::size_t>{"f64", 8}, {"f32", 4}}) {
    for (const input kind : {input::normal, input::within_30}) {
      std::shared_ptr<void> values;
      const auto filled = [&, type_bytes = bytes]() -> const void* {
        if (values) return values.get();
        values = host.allocate(e.bytes);
        if (type_bytes == 8) {
          fill(static_cast<double*>(values.get()), e.bytes / 8, kind);
        } else {
          fill(static_cast<float*>(values.get()), e.bytes / 4, kind);
        }
        return values.get();
      };
      for (const grouping_shape& s : shapes) {
        const bool short_rows = s.grouping == "rows" && (s.length == 8 || s.length == 128);
        if (kind != input::normal && !short_rows && s.grouping != "uniform") continue;
        for (const int t : threads) {
          shape_rows rows(on, s, type, bytes, e);
          if (rows.exists()) rows.measure(r, filled, kind, t, kind == input::normal && (short_rows || s.length == 1024));
        }
      }
    }
  }
}

}  // namespace perf
