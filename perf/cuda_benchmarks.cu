// SPDX-License-Identifier: BSD-3-Clause
// accrue on a CUDA device beside a kernel that only reads, and CUB: large inputs, and every size. Results go to a JSON file.
#include <cuda_runtime.h>

#include <CLI/CLI.hpp>
#include <accrue/accrue.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "accrue/backends/simt/device_info.cuh"
#include "cub_rival.hpp"

namespace perf {

using space = accrue::default_space;  // cuda, or hip over CUDA

using json = nlohmann::ordered_json;

void check(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// Inputs.

enum class data { uniform, normal, spread, whole_range };

__device__ std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
/// `spread`: exponents from -bits to bits alike.
template <class T>
__global__ void fill(T* p, std::size_t n, data kind, int bits) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x) {
    const std::uint64_t r = mix(i * 0x9e3779b97f4a7c15u + 12345);
    const std::uint64_t s = mix(r + 0x632be59bd9b4e019u);
    const double u = static_cast<double>(r >> 11) * 0x1p-53;
    const double v = static_cast<double>(s >> 11) * 0x1p-53;
    if constexpr (std::is_integral_v<T>) {
      p[i] = static_cast<T>(sizeof(T) == 8 ? r >> 36 : r);  // 2^28 of 28 bits fit a total
    } else if (kind == data::whole_range) {
      if constexpr (sizeof(T) == 8) {
        p[i] = std::bit_cast<T>((s & 1) << 63 | (s >> 8) % 2047 << 52 | r >> 12);
      } else if constexpr (sizeof(T) == 4) {
        p[i] = std::bit_cast<T>(static_cast<unsigned>((s & 1) << 31 | (s >> 8) % 255 << 23 | (r & 0x7fffff)));
      }
    } else {
      double x = u;
      if (kind == data::normal) x = sqrt(-2 * log(u + 1e-300)) * cospi(2 * v);
      if (kind == data::spread) x = (v < 0.5 ? -1 : 1) * exp2(2 * bits * u - bits);
      if constexpr (sizeof(T) == 2) {
        p[i] = T(static_cast<float>(x));
      } else {
        p[i] = static_cast<T>(x);
      }
    }
  }
}

// Timing.

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

struct events {
  cudaEvent_t begin, end;
  events() {
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
  }
  double seconds() const {
    float ms = 0;
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1e-3;
  }
};

/// Seconds a call on a stream: the median of `rounds` groups.
template <class Run>
double on_stream(cudaStream_t stream, int calls, int rounds, const Run& run) {
  const static events e;
  for (int k = 0; k < 3; ++k) run();
  std::vector<double> times;
  for (int r = 0; r < rounds; ++r) {
    check(cudaEventRecord(e.begin, stream));
    for (int k = 0; k < calls; ++k) run();
    check(cudaEventRecord(e.end, stream));
    times.push_back(e.seconds() / calls);
  }
  check(cudaGetLastError());
  return median(times);
}
/// Seconds a call inside a graph of `calls` of them.
template <class Run>
double in_graph(cudaStream_t stream, int calls, int rounds, const Run& run) {
  run();
  check(cudaStreamSynchronize(stream));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t instance = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  for (int k = 0; k < calls; ++k) run();
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&instance, graph, 0));
  const double t = on_stream(stream, 1, rounds, [&] { check(cudaGraphLaunch(instance, stream)); }) / calls;
  check(cudaGraphExecDestroy(instance));
  check(cudaGraphDestroy(graph));
  return t;
}

/// The releases of CUB that are measured, the newest first, by the names of their times in the results.
std::vector<std::pair<const char*, const cub_rival*>> cubs() {
  std::vector<std::pair<const char*, const cub_rival*>> all;
#if ACCRUE_PERF_NEWEST_CUB
  all.emplace_back("newest_cub", &newest_cub());
#endif
  all.emplace_back("toolkit_cub", &toolkit_cub());
  return all;
}

// The table of large inputs.

class bench {
 public:
  bench(std::size_t bytes, std::string filter, unsigned blocks = 0, unsigned threads = 0)
      : bytes_(bytes), filter_(std::move(filter)) {
    check(cudaMalloc(&memory_, bytes));
    check(cudaMalloc(&out_, 4096));
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    space_.stream = stream_;
    space_.blocks = blocks;
    space_.threads = threads;
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, 0));
  }

  json rows = json::array();
  json sizes = json::array();

  void table() {
    read_rate_ = 0;
    for (int round = 0; round < 2; ++round)
      read_rate_ = std::max(read_rate_, rate([&] {
                              accrue::simt::read_kernel<<<multiprocessors_ * 8, 512, 0, stream_>>>(
                                  static_cast<const accrue::simt::quad*>(memory_), bytes_ / 16, static_cast<unsigned*>(out_));
                            }));
    row("read only", "", read_rate_);
    floats<double>("f64");
    floats<float>("f32");
    floats<accrue::half>("f16");
    floats<accrue::bfloat16>("bf16");
    integers<std::int32_t>("i32");
    integers<std::int64_t>("i64");
    integers<std::int8_t>("i8");
  }

  template <class T>
  void every_size(const char* type, int most) {
    fill<T><<<multiprocessors_ * 8, 256, 0, stream_>>>(static_cast<T*>(memory_), bytes_ / sizeof(T), data::uniform, 0);
    const T* x = static_cast<const T*>(memory_);
    T* out = static_cast<T*>(out_);
    for (int lg = 4; lg <= most && (sizeof(T) << lg) <= bytes_; ++lg) {
      const std::size_t n = std::size_t{1} << lg;
      const int calls = lg < 22 ? 100 : lg < 27 ? 20 : 3;
      const auto view = accrue::view(x, n);
      json r{{"type", type}, {"log2_n", lg}};
      const auto both = [&](const char* what, const auto& run) {
        r[std::string(what) + "_graph_us"] = 1e6 * in_graph(stream_, calls, 9, run);
        r[std::string(what) + "_stream_us"] = 1e6 * on_stream(stream_, calls, 9, run);
      };
      both("fast", [&] { accrue::reduce_into(space_, view, accrue::sum_of<T, T, accrue::fast_t>{}, out); });
      both("exact", [&] { accrue::reduce_into(space_, view, accrue::sum_of<T>{}, out); });
      for (const auto& [name, cub] : cubs()) both(name, [&, &rival = *cub] { rival.sum(x, out, n, stream_); });
      std::printf("%s\n", r.dump().c_str());
      std::fflush(stdout);
      sizes.push_back(std::move(r));
    }
  }

 private:
  template <class Run>
  double rate(const Run& run, std::size_t bytes = 0) {
    return static_cast<double>(bytes != 0 ? bytes : bytes_) / on_stream(stream_, 5, 7, run);
  }
  void row(const std::string& what, const std::string& type, double r) {
    rows.push_back(json{{"what", what}, {"type", type}, {"bytes_per_s", r}, {"of_read_only", r / read_rate_}});
    std::printf("%-34s%-5s%8.1f GB/s  %.3f\n", what.c_str(), type.c_str(), r * 1e-9, r / read_rate_);
    std::fflush(stdout);
  }
  [[nodiscard]] bool wanted(const std::string& what) const { return filter_.empty() || what.find(filter_) != std::string::npos; }
  template <class Reducer, class X>
  void measure(const std::string& what, const char* type, const X& x, const Reducer& reducer) {
    if (!wanted(what + " " + type)) return;
    using result = accrue::simt::result_of<Reducer>;
    row(what, type, rate([&] { accrue::reduce_into(space_, x, reducer, static_cast<result*>(out_)); }));
  }
  template <class T>
  auto filled(data kind, int bits = 0) {
    fill<T><<<multiprocessors_ * 8, 256, 0, stream_>>>(static_cast<T*>(memory_), bytes_ / sizeof(T), kind, bits);
    return accrue::view(static_cast<const T*>(memory_), bytes_ / sizeof(T));
  }

  template <class T>
  void floats(const char* type) {
    using R = accrue::total_t<T>;
    auto x = filled<T>(data::uniform);
    measure("fast sum", type, x, accrue::sum_of<T, R, accrue::fast_t>{});
    measure("ordered sum", type, x, accrue::sum_of<T, R, accrue::ordered_t>{});
    measure("min", type, x, accrue::min_of<T>{});
    measure("max", type, x, accrue::max_of<T>{});
    measure("argmin", type, x, accrue::argmin_of<T>{});
    measure("argmax", type, x, accrue::argmax_of<T>{});
    measure("fuse(sum, min, max)", type, x, accrue::fuse(accrue::sum_of<T>{}, accrue::min_of<T>{}, accrue::max_of<T>{}));
    measure("exact sum, uniform", type, x, accrue::sum_of<T>{});
    measure("exact sum of squares, uniform", type, x, accrue::sum_squares_of<T>{});
    measure("exact moments, uniform", type, x, accrue::moments_of<T>{});
    if (wanted(std::string("exact dot, uniform ") + type)) {
      const std::size_t half = bytes_ / sizeof(T) / 2;
      const auto* p = static_cast<const T*>(memory_);
      row("exact dot, uniform", type, rate([&] { dot_into(p, p + half, half, static_cast<R*>(out_)); }));
    }
    if constexpr (accrue::native_float<T>) {
      cub("uniform", type, static_cast<const T*>(memory_), x.size());
      for (const auto& [name, cub] : cubs()) {
        const std::string what = "CUB " + cub->version() + " min";
        if (wanted(what + " " + type)) {
          row(what, type,
              rate([&, &rival = *cub] { rival.min(static_cast<const T*>(memory_), static_cast<T*>(out_), x.size(), stream_); }));
        }
      }
    }
    x = filled<T>(data::normal);
    measure("exact sum, normal", type, x, accrue::sum_of<T>{});
    if constexpr (accrue::native_float<T>) {
      measure("exact sum of squares, normal", type, x, accrue::sum_squares_of<T>{});
      measure("exact moments, normal", type, x, accrue::moments_of<T>{});
      cub("normal", type, static_cast<const T*>(memory_), x.size());
      for (const int bits : {30, 40}) {
        x = filled<T>(data::spread, bits);
        measure("exact sum, exponents +-" + std::to_string(bits), type, x, accrue::sum_of<T>{});
      }
      x = filled<T>(data::whole_range);
      measure("exact sum, whole range", type, x, accrue::sum_of<T>{});
    }
  }
  template <class T>
  void integers(const char* type) {
    const auto x = filled<T>(data::uniform);
    measure("sum", type, x, accrue::sum_of<T>{});
    measure("min", type, x, accrue::min_of<T>{});
    measure("max", type, x, accrue::max_of<T>{});
    measure("argmin", type, x, accrue::argmin_of<T>{});
  }
  template <class T>
  void cub(const char* kind, const char* type, const T* x, std::size_t n) {
    for (const auto& [name, cub] : cubs()) {
      const auto one = [&, &rival = *cub](const char* level, cub_order order) {
        const std::string what = "CUB " + rival.version() + " " + level + ", " + kind;
        if (wanted(what + " " + type)) row(what, type, rate([&] { rival.sum(x, static_cast<T*>(out_), n, stream_, order); }));
      };
      one("run_to_run", cub_order::run_to_run);
      if (!cub->has_orders()) continue;
      one("not_guaranteed", cub_order::not_guaranteed);
      one("gpu_to_gpu", cub_order::gpu_to_gpu);
    }
  }
  template <class T>
  void dot_into(const T* x, const T* y, std::size_t n, accrue::total_t<T>* out) {
    using accrue::detail::carried;
    const auto zipped = accrue::detail::zip(carried(accrue::view(x, n)), carried(accrue::view(y, n)), "dot");
    reduce_range_into(space_, accrue::dot_of<T>{}, zipped, out);
  }

  std::size_t bytes_;
  std::string filter_;
  void* memory_ = nullptr;
  void* out_ = nullptr;
  cudaStream_t stream_ = nullptr;
  space space_;
  int multiprocessors_ = 0;
  double read_rate_ = 1;
};

json machine() {
  std::string why;
  const auto d = accrue::simt::devices<space>(why).at(0);
  const std::time_t now = std::time(nullptr);
  json versions;
  for (const auto& [name, cub] : cubs()) versions[name] = cub->version();
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return {{"date", date},
          {"backend", space::name},
          {"device", d.name},
          {"driver", d.driver},
          {"runtime", d.runtime},
          {"clock_khz", d.clock_khz},
          {"memory_clock_khz", d.memory_clock_khz},
          {"compiler", ACCRUE_COMPILER},
          {"commit", ACCRUE_COMMIT},
          {"cubs", versions}};
}

}  // namespace perf

int main(int argc, char** argv) {
  CLI::App app{"accrue on a CUDA device, beside CUB"};
  std::string suite = "all";
  std::string filter;
  std::string out;
  double gib = 2;
  int most = 31;
  unsigned blocks = 0;
  unsigned threads = 0;
  app.add_option("--suite", suite, "table, sizes or all")->check(CLI::IsMember({"table", "sizes", "all"}));
  app.add_option("--filter", filter, "Only rows of the table that contain this text");
  app.add_option("--gib", gib, "Size of the table's inputs");
  app.add_option("--most", most, "Largest log2 of the sizes");
  app.add_option("--blocks", blocks, "Launch shape of the table, where it is not to be the tuned one");
  app.add_option("--threads", threads, "Threads of a block, likewise");
  app.add_option("--json", out, "Write the results to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    perf::json j = perf::machine();
    std::puts(j.dump().c_str());
    {
      perf::bench b(static_cast<std::size_t>(gib * 1073741824.0), filter, blocks, threads);
      if (suite != "sizes") b.table();
      j["input_bytes"] = gib * 1073741824.0;
      j["table"] = b.rows;
    }
    if (suite != "table") {
      perf::bench b(std::size_t{8} << most, "");
      b.every_size<float>("f32", most);
      b.every_size<double>("f64", most);
      j["sizes"] = b.sizes;
    }
    if (!out.empty()) std::ofstream(out) << j.dump(1) << '\n';
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
