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

class device_memory {
 public:
  explicit device_memory(std::size_t bytes) { check(cudaMalloc(&p_, bytes)); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { (void)cudaFree(p_); }
  [[nodiscard]] unsigned char* get() const { return static_cast<unsigned char*>(p_); }

 private:
  void* p_ = nullptr;
};

/// A ladder's input on the device, in copies, and room for partial sums.
class ladder_input {
 public:
  ladder_input() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }

  row row_of(const rung& r) {
    const auto one = [this, &r](std::size_t copy) {
      return r.run({input_->get() + copy * bytes_, partials_->get(), more_->get(), stream_});
    };
    const auto verify = [this, &r, one] {
      restore();
      const void* result = one(0);
      check(cudaGetLastError());
      json found{{"verified", verified(r, result)},
                 {"limit", r.limit},
                 {"registers", r.needs.registers},
                 {"local_bytes", r.needs.local_bytes},
                 {"shared_bytes", r.needs.static_shared_bytes + r.needs.dynamic_shared_bytes},
                 {"threads", r.needs.threads},
                 {"occupancy", r.needs.occupancy}};
      if (!r.proof.empty()) found["proof"] = r.proof;
      if (r.published_ms > 0) {
        found["published_s"] = r.published_ms * 1e-3;
        found["published_on"] = r.published_on;
      }
      return found;
    };
    return {labels(r.ladder, r.name, r.type, r.n), r.n * bytes_of(r.type), verify,
            [this, one, in_place = r.in_place](std::size_t) { return seconds(one, in_place); }};
  }

  /// accrue's own sum of the same input.
  template <class T, accrue::guarantee G>
  row own(const std::string& name, element type, std::size_t n, G) {
    using result = accrue::total_t<T>;
    const auto one = [this, n](std::size_t copy) {
      accrue::cuda space;
      space.stream = stream_;
      accrue::reduce_into(space, accrue::view(reinterpret_cast<const T*>(input_->get()) + copy * n, n),
                          accrue::sum_of<T, result, G>{}, reinterpret_cast<result*>(partials_->get()));
    };
    const auto verify = [this, one] {
      restore();
      one(0);
      result got{};
      check(cudaMemcpyAsync(&got, partials_->get(), sizeof got, cudaMemcpyDefault, stream_));
      check(cudaStreamSynchronize(stream_));
      const double bound = std::is_same_v<G, accrue::fast_t> && !std::is_integral_v<T> ? 1e-5 * total_ : 0;
      return json{{"verified", std::fabs(static_cast<double>(got) - static_cast<double>(static_cast<result>(total_))) <= bound}};
    };
    return {labels("", name, type, n), n * sizeof(T), verify, [this, one](std::size_t) { return seconds(one, false); }};
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
    original_ = std::make_unique<device_memory>(bytes_);
    input_ = std::make_unique<device_memory>(bytes_ * copies_);
    partials_ = std::make_unique<device_memory>(bytes_ / 16 + 4096);
    more_ = std::make_unique<device_memory>(bytes_ / 16 + 4096);
    check(cudaMemcpy(original_->get(), bytes.data(), bytes_, cudaMemcpyDefault));
    check(cudaDeviceSynchronize());  // a copy from pageable memory may still be under way
  }

 private:
  static json labels(const std::string& ladder, const std::string& name, element type, std::size_t n) {
    return {{"suite", "ladder"}, {"ladder", ladder}, {"name", name}, {"type", name_of(type)}, {"n", n}};
  }
  void restore() {
    for (std::size_t k = 0; k < copies_; ++k) {
      check(cudaMemcpyAsync(input_->get() + k * bytes_, original_->get(), bytes_, cudaMemcpyDefault, stream_));
    }
    check(cudaStreamSynchronize(stream_));
  }

  bool verified(const rung& r, const void* result) const {
    const std::size_t count = r.sums * r.partial_sums;
    std::vector<unsigned char> sums(count * bytes_of(r.type));
    check(cudaMemcpyAsync(sums.data(), result, sums.size(), cudaMemcpyDefault, stream_));
    check(cudaStreamSynchronize(stream_));
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

  /// Seconds a call, of one on each copy.
  template <class One>
  double seconds(const One& one, bool restore_first) {
    if (restore_first) restore();
    check(cudaEventRecord(begin_, stream_));
    for (std::size_t k = 0; k < copies_; ++k) one(k);
    check(cudaEventRecord(end_, stream_));
    check(cudaEventSynchronize(end_));
    check(cudaGetLastError());
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_));
    return ms * 1e-3 / static_cast<double>(copies_);
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  element type_ = element::int32;
  std::size_t n_ = 0;
  std::size_t bytes_ = 0;
  std::size_t copies_ = 0;
  double total_ = 0;
  std::vector<int> values_;
  std::unique_ptr<device_memory> original_, input_, partials_, more_;
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
void run(runner& r, json& results) {
  const auto rungs = ladder::all_rungs();
  ladder_input input;
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
