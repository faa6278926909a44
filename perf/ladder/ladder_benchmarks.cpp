// SPDX-License-Identifier: BSD-3-Clause
// The published ladders on today's device: every rung verified, timed beside accrue's own kernels, and set beside its published
// figure. A row's time is the median over rounds; a round runs over copies of the input that together exceed the last-level cache,
// and rounds end when their median's spread is below a bound. Results go to a JSON file, progress to standard error.
#include <CLI/CLI.hpp>
#include <accrue/accrue.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "rungs.hpp"

namespace {

using json = nlohmann::ordered_json;
using ladder::buffers;
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

double quantile(std::vector<double> v, double q) {
  const auto k = static_cast<std::ptrdiff_t>(q * static_cast<double>(v.size() - 1));
  std::nth_element(v.begin(), v.begin() + k, v.end());
  return v[static_cast<std::size_t>(k)];
}

struct timing {
  double median_s;
  double spread;  ///< of the middle half of the rounds, over the median
  std::size_t rounds;
};

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

class bench {
 public:
  bench(double spread, std::size_t most_rounds) : spread_(spread), most_rounds_(most_rounds) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }

  json run(const rung& r) {
    prepare(r.type, r.n);
    const auto bytes = r.n * bytes_of(r.type);
    void* result = nullptr;
    const auto one = [&](std::size_t copy) {
      result = r.run({input_->get() + copy * bytes, partials_->get(), more_->get(), stream_});
    };
    restore();
    one(0);
    check(cudaGetLastError());
    const bool right = verify(r, result);
    const timing t = time(one, r.in_place);
    json row{{"ladder", r.ladder},
             {"name", r.name},
             {"type", name_of(r.type)},
             {"n", r.n},
             {"verified", right},
             {"median_s", t.median_s},
             {"spread", t.spread},
             {"rounds", t.rounds},
             {"bytes_per_s", static_cast<double>(bytes) / t.median_s},
             {"limit", r.limit},
             {"registers", r.needs.registers},
             {"local_bytes", r.needs.local_bytes},
             {"shared_bytes", r.needs.static_shared_bytes + r.needs.dynamic_shared_bytes},
             {"threads", r.needs.threads},
             {"occupancy", r.needs.occupancy}};
    if (r.published_ms > 0) {
      row["published_s"] = r.published_ms * 1e-3;
      row["published_on"] = r.published_on;
    }
    return row;
  }

  /// accrue's own sum of the same input.
  template <class T, accrue::guarantee G>
  json own(const char* name, element type, std::size_t n, G) {
    prepare(type, n);
    restore();
    accrue::cuda space;
    space.stream = stream_;
    const accrue::sum_of<T, accrue::total_t<T>, G> sum;
    using result = accrue::total_t<T>;
    const auto one = [&](std::size_t copy) {
      accrue::reduce_into(space, accrue::view(reinterpret_cast<const T*>(input_->get()) + copy * n, n), sum,
                          reinterpret_cast<result*>(partials_->get()));
    };
    one(0);
    result got{};
    check(cudaMemcpyAsync(&got, partials_->get(), sizeof got, cudaMemcpyDefault, stream_));
    check(cudaStreamSynchronize(stream_));
    const timing t = time(one, false);
    const double bound = std::is_same_v<G, accrue::fast_t> && !std::is_integral_v<T> ? 1e-5 * total_ : 0;
    return {{"ladder", ""},
            {"name", name},
            {"type", name_of(type)},
            {"n", n},
            {"verified", std::fabs(static_cast<double>(got) - static_cast<double>(static_cast<result>(total_))) <= bound},
            {"median_s", t.median_s},
            {"spread", t.spread},
            {"rounds", t.rounds},
            {"bytes_per_s", static_cast<double>(n * sizeof(T)) / t.median_s}};
  }

 private:
  /// Copies of the input, more than any cache holds, and room for partial sums.
  void prepare(element type, std::size_t n) {
    if (type_ == type && n_ == n) return;
    type_ = type;
    n_ = n;
    const auto v = values(n);
    total_ = 0;
    for (const int x : v) total_ += x;
    values_ = v;
    const auto bytes = as_bytes(v, type);
    copies_ = std::max<std::size_t>(3, (std::size_t{512} << 20) / bytes.size());
    input_ = nullptr;
    original_ = std::make_unique<device_memory>(bytes.size());
    input_ = std::make_unique<device_memory>(bytes.size() * copies_);
    partials_ = std::make_unique<device_memory>(bytes.size() / 16 + 4096);
    more_ = std::make_unique<device_memory>(bytes.size() / 16 + 4096);
    check(cudaMemcpy(original_->get(), bytes.data(), bytes.size(), cudaMemcpyDefault));
    check(cudaDeviceSynchronize());  // a copy from pageable memory may still be under way
  }
  void restore() {
    const std::size_t bytes = n_ * bytes_of(type_);
    for (std::size_t k = 0; k < copies_; ++k) {
      check(cudaMemcpyAsync(input_->get() + k * bytes, original_->get(), bytes, cudaMemcpyDefault, stream_));
    }
    check(cudaStreamSynchronize(stream_));
  }

  bool verify(const rung& r, const void* result) const {
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

  template <class One>
  timing time(const One& one, bool restore_each) {
    if (most_rounds_ == 0) return {1, 0, 0};
    std::vector<double> times;
    timing t{};
    do {
      if (restore_each) restore();
      check(cudaEventRecord(begin_, stream_));
      for (std::size_t k = 0; k < copies_; ++k) one(k);
      check(cudaEventRecord(end_, stream_));
      check(cudaEventSynchronize(end_));
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin_, end_));
      if (!warm_) {  // the first round wakes the clocks
        warm_ = true;
        continue;
      }
      times.push_back(ms * 1e-3 / static_cast<double>(copies_));
      t = {quantile(times, 0.5), (quantile(times, 0.75) - quantile(times, 0.25)) / quantile(times, 0.5), times.size()};
    } while (times.size() < 9 || (t.spread > spread_ && times.size() < most_rounds_));
    check(cudaGetLastError());
    return t;
  }

  double spread_;
  std::size_t most_rounds_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  element type_ = element::int32;
  std::size_t n_ = 0;
  std::size_t copies_ = 0;
  double total_ = 0;
  bool warm_ = false;
  std::vector<int> values_;
  std::unique_ptr<device_memory> original_, input_, partials_, more_;
};

json machine() {
  std::string why;
  const auto found = accrue::simt::devices<accrue::cuda>(why);
  if (found.empty()) throw accrue::error(accrue::errc::no_device, why);
  const auto& d = found.front();
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return {{"date", date},
          {"device", d.name},
          {"driver", d.driver},
          {"runtime", d.runtime},
          {"clock_khz", d.clock_khz},
          {"memory_clock_khz", d.memory_clock_khz},
          {"compiler", ACCRUE_COMPILER},
          {"commit", ACCRUE_COMMIT},
          {"read_bytes_per_s", accrue::simt::measure_bandwidths<accrue::cuda>(0).read}};
}

void print(const json& r, double read, double before, double first) {
  std::printf("%-2s%-44s%-4s%9.2f us%9.1f GB/s  %5.3f of read", r["ladder"].get<std::string>().c_str(),
              r["name"].get<std::string>().c_str(), r["type"].get<std::string>().c_str(), 1e6 * r["median_s"].get<double>(),
              1e-9 * r["bytes_per_s"].get<double>(), r["bytes_per_s"].get<double>() / read);
  const double t = r["median_s"];
  if (before > 0) std::printf("  step %5.2f  cumulative %6.2f", before / t, first / t);
  if (r.contains("published_s"))
    std::printf("  published %9.2f us on %s", 1e6 * r["published_s"].get<double>(), r["published_on"].get<std::string>().c_str());
  std::printf("  %s\n", r["verified"].get<bool>() ? "right" : "WRONG");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The published reduction ladders on today's device"};
  std::string filter;
  std::string out;
  double spread = 0.01;
  std::size_t most_rounds = 101;
  bool list = false;
  bool once = false;
  app.add_flag("--list", list, "Name the rungs and end");
  app.add_flag("--once", once, "Verify each rung and time nothing: for profilers and race checkers");
  app.add_option("--filter", filter, "Only rungs whose ladder and name contain this text");
  app.add_option("--spread", spread, "Repeat until the middle half of the times lies within this part of the median");
  app.add_option("--rounds", most_rounds, "... or for so many rounds");
  app.add_option("--json", out, "Write the results to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    json j = list ? json{} : machine();
    if (!list) std::puts(j.dump().c_str());
    const double read = list ? 1 : j["read_bytes_per_s"].get<double>();
    if (once) most_rounds = 0;
    bench b(spread, most_rounds);
    std::map<std::string, std::pair<double, double>> steps;  // of a ladder: the time before, and the first
    bool all_right = true;
    json rows = json::array();
    const auto take = [&](const json& r) {
      auto& [before, first] = steps[r["ladder"]];
      if (first == 0) first = r["median_s"];
      print(r, read, r["ladder"] == "" ? 0 : before, first);
      before = r["median_s"];
      all_right = all_right && r["verified"].get<bool>();
      rows.push_back(r);
    };
    std::string current;
    const auto own_rows = [&](const rung& r) {
      if (r.type == element::int32 && r.sums == 1)
        take(b.own<int>(("accrue, beside " + r.ladder).c_str(), r.type, r.n, accrue::exact));
      if (r.type != element::float32) return;
      take(b.own<float>(("accrue fast, beside " + r.ladder).c_str(), r.type, r.n, accrue::fast));
      take(b.own<float>(("accrue exact, beside " + r.ladder).c_str(), r.type, r.n, accrue::exact));
    };
    const rung* last = nullptr;
    const auto rungs = ladder::all_rungs();
    for (const rung& r : rungs) {
      if (!filter.empty() && (r.ladder + " " + r.name).find(filter) == std::string::npos) continue;
      if (list) {
        std::printf("%s  %-44s %s, %zu elements; limit: %s\n", r.ladder.c_str(), r.name.c_str(), name_of(r.type), r.n,
                    r.limit.c_str());
        continue;
      }
      if (last != nullptr && last->ladder != r.ladder) own_rows(*last);
      std::fprintf(stderr, "%s %s\n", r.ladder.c_str(), r.name.c_str());
      take(b.run(r));
      last = &r;
    }
    if (last != nullptr) own_rows(*last);
    if (list) return 0;
    j["rows"] = rows;
    if (!out.empty()) std::ofstream(out) << j.dump(1) << '\n';
    if (!all_right) throw std::runtime_error("some results are wrong");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
