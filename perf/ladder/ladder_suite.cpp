// SPDX-License-Identifier: BSD-3-Clause
// The published ladders on today's device: every rung verified, timed beside accrue's own kernels, and set beside its published
// figure. A call's input is one of several copies that together exceed the last-level cache.
#include <accrue/accrue.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "rungs.hpp"
#include "suites.hpp"

namespace perf {

namespace {

using ladder::check;
using ladder::element;
using ladder::rung;

std::size_t bytes_of(element e) { return e == element::float64 ? 8 : e == element::half16 ? 2 : 4; }
const char* name_of(element e) {
  return e == element::int32 ? "i32" : e == element::float32 ? "f32" : e == element::float64 ? "f64" : "f16";
}

/// Small integers, so that every order gives floats the same sums of 32; larger floating sums are compared with a bound.
std::vector<int> values(std::size_t n) {
  std::vector<int> v(n);
  std::uint32_t state = 12345;
  for (auto& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<int>(state >> 27);
  }
  return v;
}
std::vector<unsigned char> as_bytes(const std::vector<int>& v, element e) {
  std::vector<unsigned char> bytes(v.size() * bytes_of(e));
  for (std::size_t i = 0; i < v.size(); ++i) {
    unsigned char* to = bytes.data() + i * bytes_of(e);
    const auto put = [&](auto x) { std::memcpy(to, &x, sizeof x); };
    switch (e) {
      case element::int32:
        put(v[i]);
        break;
      case element::float32:
        put(static_cast<float>(v[i]));
        break;
      case element::float64:
        put(static_cast<double>(v[i]));
        break;
      case element::half16:
        put(accrue::half(static_cast<float>(v[i])));
    }
  }
  return bytes;
}
double as_number(const unsigned char* p, element e) {
  const auto get = [&]<class T>(T x) {
    std::memcpy(&x, p, sizeof x);
    return x;
  };
  switch (e) {
    case element::int32:
      return get(int{});
    case element::float32:
      return static_cast<double>(get(float{}));
    case element::float64:
      return get(double{});
    case element::half16:
      return static_cast<double>(static_cast<float>(get(accrue::half{})));
  }
  return 0;
}

/// A ladder's input on the device, in copies, and room for partial sums. Without a device rows have names alone.
class ladder_input {
 public:
  explicit ladder_input(const stage* device) : device_(device) {}

  row row_of(const rung& r) {
    const auto call = [this, &r](std::size_t k) { last_result_ = r.run({copy(k), partials_.get(), more_.get(), stream()}); };
    const auto about = [&r] {
      const ladder::resources needs = r.needs();
      json found{{"limit", r.limit},
                 {"registers", needs.registers},
                 {"local_bytes", needs.local_bytes},
                 {"shared_bytes", needs.static_shared_bytes + needs.dynamic_shared_bytes},
                 {"threads", needs.threads},
                 {"occupancy", needs.occupancy}};
      if (!r.proof.empty()) found["proof"] = r.proof;
      if (r.published_ms > 0) {
        found["published_s"] = r.published_ms * 1e-3;
        found["published_on"] = r.published_on;
      }
      return found;
    };
    return {.labels = labels(r.ladder, r.name, r.type, r.n),
            .bytes = r.n * bytes_of(r.type),
            .time = sampled(call, r.in_place),
            .check =
                [this, &r] {
                  return json{{"verified", verified(r)}};
                },
            .about = about};
  }

  /// accrue's own sum of the same input.
  template <class T, accrue::guarantee G>
  row own(const std::string& name, element type, std::size_t n, G) {
    using result = accrue::total_t<T>;
    const auto call = [this, n](std::size_t k) {
      accrue::cuda space;
      space.stream = stream();
      accrue::reduce_into(space, accrue::view(reinterpret_cast<const T*>(copy(k)), n), accrue::sum_of<T, result, G>{},
                          static_cast<result*>(partials_.get()));
    };
    const auto right = [this] {
      result got{};
      take(&got, partials_.get(), sizeof got);
      const double bound = std::is_same_v<G, accrue::fast_t> && !std::is_integral_v<T> ? 1e-5 * total_ : 0;
      return json{{"verified", std::fabs(static_cast<double>(got) - static_cast<double>(static_cast<result>(total_))) <= bound}};
    };
    return {.labels = labels("", name, type, n), .bytes = n * sizeof(T), .time = sampled(call, false), .check = right};
  }

  /// Copies of the input, more than any cache holds, and room for partial sums.
  void prepare(element type, std::size_t n) {
    if (type_ == type && n_ == n) return;
    type_ = type;
    n_ = n;
    values_ = values(n);
    total_ = 0;
    for (const int x : values_) total_ += x;
    const auto bytes = as_bytes(values_, type);
    bytes_ = bytes.size();
    copies_ = std::max<std::size_t>(3, (std::size_t{512} << 20) / bytes_);
    input_ = nullptr;
    original_ = device_->allocate(bytes_);
    input_ = device_->allocate(bytes_ * copies_);
    partials_ = device_->allocate(bytes_ / 16 + 4096);
    more_ = device_->allocate(bytes_ / 16 + 4096);
    device_->copy(original_.get(), bytes.data(), bytes_);
    whole_ = false;
  }

 private:
  static json labels(const std::string& ladder, const std::string& name, element type, std::size_t n) {
    return {{"suite", "ladder"}, {"ladder", ladder}, {"name", name}, {"type", name_of(type)}, {"n", n}};
  }
  [[nodiscard]] cudaStream_t stream() const { return static_cast<cudaStream_t>(device_->place(0).stream); }
  [[nodiscard]] unsigned char* copy(std::size_t k) const {
    return static_cast<unsigned char*>(input_.get()) + k % copies_ * bytes_;
  }
  void restore() {
    for (std::size_t k = 0; k < copies_; ++k) {
      check(cudaMemcpyAsync(copy(k), original_.get(), bytes_, cudaMemcpyDefault, stream()));
    }
  }
  /// Brings what lies at `from` to the host; it is lost there.
  void take(void* to, void* from, std::size_t bytes) const {
    device_->copy(to, from, bytes);
    check(cudaMemsetAsync(from, 0xa5, bytes, stream()));
  }

  bool verified(const rung& r) const {
    const std::size_t count = r.sums * r.partial_sums;
    std::vector<unsigned char> sums(count * bytes_of(r.type));
    take(sums.data(), last_result_, sums.size());
    if (r.sums != 1) {
      for (std::size_t k = 0; k < count; ++k) {
        double expected = 0;
        for (std::size_t i = 32 * k; i < 32 * k + 32; ++i) expected += values_[i];
        if (as_number(sums.data() + k * bytes_of(r.type), r.type) != expected) return false;
      }
      return true;
    }
    double got = 0;
    for (std::size_t k = 0; k < count; ++k) got += as_number(sums.data() + k * bytes_of(r.type), r.type);
    return std::fabs(got - total_) <= (r.type == element::float32 ? 1e-5 * total_ : 0);
  }

  /// Calls on copies in turn. Rungs that work in place find every copy whole once.
  sample sampled(const std::function<void(std::size_t)>& call, bool in_place) {
    if (device_ == nullptr) return {};
    return [this, in_place, timed = device_->sampled(call, false)](std::size_t calls) {
      if (!whole_) restore();
      whole_ = !in_place;
      return timed(in_place ? std::min(calls, copies_) : calls);
    };
  }

  const stage* device_;
  element type_ = element::int32;
  std::size_t n_ = 0;
  std::size_t bytes_ = 0;
  std::size_t copies_ = 0;
  double total_ = 0;
  bool whole_ = false;  ///< that no rung has worked in place since the copies were made
  void* last_result_ = nullptr;
  std::vector<int> values_;
  std::shared_ptr<void> original_, input_, partials_, more_;
};

/// Speed-ups over the rung before, and over the first.
class speed_ups {
 public:
  speed_ups(const char* time, const char* step, const char* cumulative) : time_(time), step_(step), cumulative_(cumulative) {}
  void add_to(json& j) {
    if (!j.contains(time_)) return;
    const double t = j[time_];
    if (first_s_ > 0) {
      if (j["ladder"] != "") j[step_] = before_s_ / t;
      j[cumulative_] = first_s_ / t;
    } else {
      first_s_ = t;
    }
    before_s_ = t;
  }

 private:
  const char* time_;
  const char* step_;
  const char* cumulative_;
  double first_s_ = 0;
  double before_s_ = 0;
};

/// A ladder's rungs in turns, with accrue beside them.
void run(runner& r, const stage* device, json& results) {
  const auto rungs = ladder::all_rungs();
  ladder_input input(device);
  if (r.timed()) {
    results["read_bytes_per_s"] = accrue::simt::measure_bandwidths<accrue::cuda>(0).read;
    results["additions_per_s"] = ladder::addition_rates();
  }
  for (std::size_t begin = 0, end = 0; begin < rungs.size(); begin = end) {
    const rung& first = rungs[begin];
    std::vector<row> rows;
    for (; end < rungs.size() && rungs[end].ladder == first.ladder && rungs[end].type == first.type; ++end) {
      rows.push_back(input.row_of(rungs[end]));
    }
    const std::string beside = ", beside " + first.ladder;
    if (first.type == element::int32 && first.sums == 1)
      rows.push_back(input.own<int>("accrue" + beside, first.type, first.n, accrue::exact));
    if (first.type == element::float32) {
      rows.push_back(input.own<float>("accrue fast" + beside, first.type, first.n, accrue::fast));
      rows.push_back(input.own<float>("accrue exact" + beside, first.type, first.n, accrue::exact));
    }
    speed_ups measured("median_s", "step", "cumulative");
    speed_ups published("published_s", "published_step", "published_cumulative");
    r.measure(
        std::move(rows), [&] { input.prepare(first.type, first.n); },
        [&](json& j) {
          measured.add_to(j);
          published.add_to(j);
        });
  }
}

const bool added = (ladder_suite() = run, true);

}  // namespace

}  // namespace perf
