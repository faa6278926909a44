// SPDX-License-Identifier: BSD-3-Clause
// The CPU benchmarks, on Google Benchmark. A row is named operation/variant/data/where/threads; perf/report.py divides rows of one
// run. Results are checked against the superaccumulator before anything is timed.
//
// Usage: accrue_perf [--set=AVX2|AVX-512|SSE2] [--threads=N]... [--mib=N] [Google Benchmark's flags]
#include <benchmark/benchmark.h>

#include <accrue/accrue.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "baselines.hpp"
#include "machine.hpp"

namespace {

constexpr std::size_t in_l1 = 2048;   // 16 KiB of doubles
constexpr std::size_t in_l2 = 32768;  // 256 KiB
std::size_t in_memory = 1 << 25;      // 256 MiB, or what --mib asks for: more than the last-level cache

template <class T>
std::shared_ptr<std::vector<T>> make(const std::string& kind, std::size_t n) {
  auto x = std::make_shared<std::vector<T>>(n);
  std::mt19937_64 bits(42);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  for (T& v : *x) {
    if (kind == "uniform") v = static_cast<T>(unit(bits));
    if (kind == "normal") v = static_cast<T>(normal(bits));
    if (kind == "wide") v = static_cast<T>(std::ldexp(normal(bits), static_cast<int>(bits() % 601) - 300));
  }
  return x;
}

/// Times `call()`, which returns a number; bytes are what it reads.
template <class Call>
void add(const std::string& name, std::size_t bytes, Call call) {
  benchmark::RegisterBenchmark(name.c_str(), [bytes, call](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(call());
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  })->UseRealTime();
}

void require(bool good, const char* what) {
  if (good) return;
  std::cerr << "accrue_perf: " << what << " is wrong\n";
  std::exit(1);
}

template <class T>
T checked_sum(const std::vector<T>& x) {
  accrue::superaccumulator<T> s;
  for (const T v : x) s.add(v);
  const T total = s.template round<T>();
  require(accrue::sum(accrue::openmp(2), x) == total, "the exact sum");
  return total;
}

struct loops {
  double (*sum_f64)(const double*, std::size_t, int);
  float (*sum_f32)(const float*, std::size_t, int);
  double (*dot)(const double*, const double*, std::size_t, int);
  double (*sum_squares)(const double*, std::size_t, int);
  double (*min)(const double*, std::size_t, int);
  double (*max)(const double*, std::size_t, int);
  std::size_t (*argmin)(const double*, std::size_t, int);
};

loops plain_loops() {
#if defined(__x86_64__)
  if (accrue::current_instruction_set() == accrue::instruction_set::avx512) {
    namespace b = baseline::avx512;
    return {b::sum, b::sum, b::dot, b::sum_squares, b::min, b::max, b::argmin};
  }
  namespace b = baseline::avx2;
#else
  namespace b = baseline::assumed;
#endif
  return {b::sum, b::sum, b::dot, b::sum_squares, b::min, b::max, b::argmin};
}

void add_from_memory(int threads) {
  const loops plain = plain_loops();
  const accrue::openmp space(threads);
  const std::string at = "/memory/" + std::to_string(threads);
  const std::size_t bytes = in_memory * sizeof(double);
  static const auto uniform = make<double>("uniform", in_memory);
  static const auto normal = make<double>("normal", in_memory);
  static const auto wide = make<double>("wide", in_memory);
  static const auto uniform32 = make<float>("uniform", 2 * in_memory);
  static const auto normal32 = make<float>("normal", 2 * in_memory);
  for (const auto& x : {uniform, normal, wide}) checked_sum(*x);
  checked_sum(*normal32);

  add("sum_f64/plain/uniform" + at, bytes, [=] { return plain.sum_f64(uniform->data(), in_memory, threads); });
  add("sum_f64/exact/uniform" + at, bytes, [=] { return accrue::sum(space, *uniform); });
  add("sum_f64/exact/normal" + at, bytes, [=] { return accrue::sum(space, *normal); });
  add("sum_f64/exact/wide" + at, bytes, [=] { return accrue::sum(space, *wide); });
  add("sum_f64/fast/uniform" + at, bytes, [=] { return accrue::sum(space, *uniform, accrue::fast); });
  add("sum_f64/ordered/uniform" + at, bytes, [=] { return accrue::sum(space, *uniform, accrue::ordered); });
  add("sum_f32/plain/uniform" + at, bytes, [=] { return plain.sum_f32(uniform32->data(), 2 * in_memory, threads); });
  add("sum_f32/exact/uniform" + at, bytes, [=] { return accrue::sum(space, *uniform32); });
  add("sum_f32/exact/normal" + at, bytes, [=] { return accrue::sum(space, *normal32); });
  add("sum_f32/fast/uniform" + at, bytes, [=] { return accrue::sum(space, *uniform32, accrue::fast); });
  add("dot_f64/plain/normal" + at, 2 * bytes, [=] { return plain.dot(normal->data(), uniform->data(), in_memory, threads); });
  add("dot_f64/exact/normal" + at, 2 * bytes, [=] { return accrue::dot(space, *normal, *uniform); });
  add("sum_squares_f64/plain/normal" + at, bytes, [=] { return plain.sum_squares(normal->data(), in_memory, threads); });
  add("sum_squares_f64/exact/normal" + at, bytes, [=] { return accrue::sum_squares(space, *normal); });
  add("sum_squares_f64/exact/uniform" + at, bytes, [=] { return accrue::sum_squares(space, *uniform); });
  add("moments_f64/exact/normal" + at, bytes, [=] { return accrue::moments(space, *normal).variance; });
  add("min_f64/plain/normal" + at, bytes, [=] { return plain.min(normal->data(), in_memory, threads); });
  add("min_f64/any/normal" + at, bytes, [=] { return accrue::min(space, *normal); });
  add("max_f64/plain/normal" + at, bytes, [=] { return plain.max(normal->data(), in_memory, threads); });
  add("max_f64/any/normal" + at, bytes, [=] { return accrue::max(space, *normal); });
  add("argmin_f64/plain/normal" + at, bytes, [=] { return plain.argmin(normal->data(), in_memory, threads); });
  add("argmin_f64/any/normal" + at, bytes, [=] { return accrue::argmin(space, *normal).index; });
}

void add_from_caches() {
  const loops plain = plain_loops();
  const accrue::serial space;
  for (const auto& [where, n] : {std::pair<std::string, std::size_t>{"L1", in_l1}, {"L2", in_l2}}) {
    const auto x = make<double>("normal", n);
    const auto y = make<float>("normal", n);
    checked_sum(*x);
    const std::size_t bytes = n * sizeof(double);
    add("sum_f64/plain/normal/" + where + "/1", bytes, [=, n = n] { return plain.sum_f64(x->data(), n, 1); });
    add("sum_f64/exact/normal/" + where + "/1", bytes, [=] { return accrue::sum(space, *x); });
    add("sum_f32/plain/normal/" + where + "/1", bytes / 2, [=, n = n] { return plain.sum_f32(y->data(), n, 1); });
    add("sum_f32/exact/normal/" + where + "/1", bytes / 2, [=] { return accrue::sum(space, *y); });
  }
  for (const std::size_t n : {8, 100, 1000}) {
    const auto x = make<double>("normal", n);
    add("sum_f64/exact/normal/n=" + std::to_string(n) + "/1", n * sizeof(double), [=] { return accrue::sum(space, *x); });
    add("dot_f64/exact/normal/n=" + std::to_string(n) + "/1", 2 * n * sizeof(double), [=] { return accrue::dot(space, *x, *x); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> threads;
  std::vector<char*> rest;
  for (int k = 0; k < argc; ++k) {
    const std::string a = argv[k];
    if (a.starts_with("--set=")) {
      using accrue::instruction_set;
      for (const auto set : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
        if (a.substr(6) != accrue::to_string(set)) continue;
        if (accrue::limit_instruction_set(set) != set) {
          std::cerr << "accrue_perf: this processor has no " << a.substr(6) << "\n";
          return 1;
        }
      }
    } else if (a.starts_with("--mib=")) {
      in_memory = std::stoull(a.substr(6)) << 17;
    } else if (a.starts_with("--threads=")) {
      threads.push_back(std::stoi(a.substr(10)));
    } else {
      rest.push_back(argv[k]);
    }
  }
  if (threads.empty()) {
    threads.push_back(1);
    if (std::thread::hardware_concurrency() > 1) threads.push_back(static_cast<int>(std::thread::hardware_concurrency()));
  }
  const auto machine = perf::machine();
  for (const auto& [key, value] : machine.items()) {
    if (key != "date") benchmark::AddCustomContext(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  benchmark::AddCustomContext("memory_bytes", std::to_string(in_memory * sizeof(double)));
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 1;
  add_from_caches();
  for (const int t : threads) add_from_memory(t);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
