// SPDX-License-Identifier: BSD-3-Clause
// The rungs of ladders A to E: kernels, launches, published figures.
#include "rungs.hpp"

#include <algorithm>
#include <utility>

#include "block_sums.cuh"
#include "compute_roof.cuh"
#include "data_blocks.cuh"
#include "grid_stride.cuh"
#include "resources.cuh"
#include "warp_sums.cuh"

namespace ladder {
namespace {

template <class T>
constexpr element element_of() {
  return std::is_same_v<T, int>      ? element::int32
         : std::is_same_v<T, float>  ? element::float32
         : std::is_same_v<T, double> ? element::float64
                                     : element::half16;
}

template <class Kernel>
resources resources_of(Kernel kernel, unsigned threads, std::size_t shared_bytes) {
  cudaFuncAttributes a{};
  check(cudaFuncGetAttributes(&a, kernel));
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared_bytes));
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  return {a.numRegs, a.sharedSizeBytes, shared_bytes, a.localSizeBytes, threads, static_cast<double>(blocks) * threads / most};
}

/// Blocks that the device holds of a kernel.
template <class Kernel>
unsigned resident_blocks(Kernel kernel, unsigned threads, std::size_t shared_bytes) {
  int blocks = 0;
  int multiprocessors = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared_bytes));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return static_cast<unsigned>(blocks * multiprocessors);
}

/// Launches a block-sum kernel again and again until one sum is left. `per_block` elements a block, at most `most_blocks` blocks.
template <class T>
void* until_one(void (*kernel)(const T*, T*, std::size_t), const buffers& b, std::size_t n, unsigned threads, std::size_t per_block,
                std::size_t most_blocks) {
  const T* in = static_cast<const T*>(b.input);
  T* out = static_cast<T*>(b.partials);
  T* next = static_cast<T*>(b.more_partials);
  for (;;) {
    const std::size_t blocks = std::min((n + per_block - 1) / per_block, most_blocks);
    kernel<<<static_cast<unsigned>(blocks), threads, threads * sizeof(T), b.stream>>>(in, out, n);
    if (blocks == 1) return out;
    in = out;
    n = blocks;
    std::swap(out, next);
  }
}

/// What limits a rung, and the profiler's counter that shows it.
struct limit_of {
  const char* text;
  const char* proof;
};

/// As many blocks as the input fills, or no more than the device holds at a time.
enum class grid { for_all, resident };

/// Adds rungs of one ladder.
class list {
 public:
  explicit list(std::vector<rung>& all) : all_(all) {}
  template <class T>
  void block_sums(const char* ladder, const char* name, void (*kernel)(const T*, T*, std::size_t), std::size_t n, unsigned threads,
                  std::size_t per_thread, double published_ms, const char* card, const limit_of& limit,
                  grid blocks = grid::for_all) {
    const std::size_t shared_bytes = threads * sizeof(T);
    all_.push_back({ladder, name, element_of<T>(), n, published_ms, card, limit.text, limit.proof, false, 1,
                    [=, most = std::size_t{0}](const buffers& b) mutable {
                      if (most == 0) most = blocks == grid::for_all ? ~most : resident_blocks(kernel, threads, shared_bytes);
                      return until_one(kernel, b, n, threads, threads * per_thread, most);
                    },
                    1, [=] { return resources_of(kernel, threads, shared_bytes); }});
  }
  template <class T>
  void data_blocks(const char* name, void (*kernel)(T*, T*, std::size_t), std::size_t n, unsigned threads, std::size_t blocks_each,
                   double published_ms, const limit_of& limit) {
    const std::size_t blocks = (n + threads * blocks_each - 1) / (threads * blocks_each);
    all_.push_back({"D", name, element_of<T>(), n, published_ms, "K80", limit.text, limit.proof, true, 1,
                    [=](const buffers& b) {
                      kernel<<<static_cast<unsigned>(blocks), threads, 0, b.stream>>>(static_cast<T*>(b.input),
                                                                                      static_cast<T*>(b.partials), n);
                      return b.partials;
                    },
                    blocks, [=] { return resources_of(kernel, threads, 0); }});
  }
  template <class T>
  void warp_sums(const char* name, void (*kernel)(const T*, T*, std::size_t), std::size_t n, bool shared, double published_ms,
                 const limit_of& limit) {
    constexpr unsigned threads = 256;
    const std::size_t bytes = shared ? threads * sizeof(T) : 0;
    all_.push_back({"E", name, element_of<T>(), n, published_ms, published_ms > 0 ? "K20c" : "", limit.text, limit.proof, false,
                    n / 32,
                    [=](const buffers& b) {
                      kernel<<<static_cast<unsigned>((n + threads - 1) / threads), threads, bytes, b.stream>>>(
                          static_cast<const T*>(b.input), static_cast<T*>(b.partials), n);
                      return b.partials;
                    },
                    1, [=] { return resources_of(kernel, threads, bytes); }});
  }

 private:
  std::vector<rung>& all_;
};

constexpr limit_of divergence{"divergence: every warp runs every step, for ever fewer of its lanes", "issue_percent"};
constexpr limit_of conflicts{"bank conflicts in shared memory", "bank_conflicts"};
constexpr limit_of idle{"idle threads: half of them wait from the first step on", "issue_percent"};
constexpr limit_of loop{"instructions of the loop, and a barrier a step", "issue_percent"};
constexpr limit_of latency{"latency: two loads a thread in flight", "stalled_on_memory"};
constexpr limit_of latency_of_one{"latency: one load a thread in flight", "stalled_on_memory"};
constexpr limit_of latency_of_few{"latency: loads follow each other", "stalled_on_memory"};
constexpr limit_of too_short{"latency: the input ends before the loads fill the device", "stalled_on_memory"};
constexpr limit_of bandwidth{"bandwidth, less what latency leaves idle", "memory_throughput_percent"};
constexpr limit_of branches{"divergence: branches within warps", "branch_efficiency_percent"};
constexpr limit_of transactions{"transactions: loads that use little of each", "load_efficiency_percent"};
constexpr limit_of barriers{"a barrier for each step in global memory", "stalled_at_barriers"};
constexpr limit_of global_steps{"steps in global memory, which few warps hide", "stalled_on_memory"};

void harris(list& l) {
  constexpr std::size_t n = std::size_t{1} << 22;
  constexpr unsigned t = 128;
  const char* card = "G80";
  l.block_sums<int>("A", "interleaved addressing, divergent branching", divergent<int>, n, t, 1, 8.054, card, divergence);
  l.block_sums<int>("A", "interleaved addressing, bank conflicts", interleaved<int>, n, t, 1, 3.456, card, conflicts);
  l.block_sums<int>("A", "sequential addressing", sequential<int>, n, t, 1, 1.722, card, idle);
  l.block_sums<int>("A", "first add during global load", first_add_on_load<int>, n, t, 2, 0.965, card, loop);
  l.block_sums<int>("A", "last warp unrolled", last_warp_unrolled<int>, n, t, 2, 0.536, card, latency);
  l.block_sums<int>("A", "completely unrolled", completely_unrolled<t, int>, n, t, 2, 0.381, card, latency);
  l.block_sums<int>("A", "several elements a thread", several_elements_each<t, int>, n, t, 2, 0.268, card, too_short,
                    grid::resident);
}

void harris_on_floats(list& l) {
  constexpr std::size_t n = 32000000;  // as the published bandwidths imply
  constexpr unsigned t = 256;
  const char* card = "V100";
  l.block_sums<float>("B", "divergent", divergent<float>, n, t, 1, 0.804187, card, divergence);
  l.block_sums<float>("B", "no divergence, bank conflicts", interleaved<float>, n, t, 1, 0.506365, card, conflicts);
  l.block_sums<float>("B", "no bank conflicts", sequential<float>, n, t, 1, 0.397886, card, idle);
  l.block_sums<float>("B", "first add on load", first_add_on_load<float>, n, t, 2, 0.213182, card, loop);
  l.block_sums<float>("B", "last warp unrolled", last_warp_unrolled<float>, n, t, 2, 0.169215, card, latency);
  l.block_sums<float>("B", "completely unrolled", completely_unrolled<t, float>, n, t, 2, 0.166752, card, latency);
  l.block_sums<float>("B", "several elements a thread", several_elements_each<t, float>, n, t, 2, 0.166656, card, bandwidth,
                      grid::resident);
  l.block_sums<float>("B", "warp shuffle", warp_shuffle<t, float>, n, t, 2, 0.166175, card, bandwidth, grid::resident);
}

void to_grid_stride(list& l, std::vector<rung>& all) {
  constexpr std::size_t n = std::size_t{1} << 24;
  constexpr unsigned t = 256;
  const char* card = "V100 PCIe";
  all.push_back({"C", "global memory, a launch for each halving", element::float32, n, 4.609, card,
                 "memory traffic and a launch for each of the 24 steps", "dram_bytes", true, 1,
                 [](const buffers& b) {
                   for (std::size_t left = n; left > 1; left = (left + 1) / 2) {
                     const std::size_t adds = left / 2;
                     add_upper_half<<<static_cast<unsigned>((adds + t - 1) / t), t, 0, b.stream>>>(static_cast<float*>(b.input),
                                                                                                   left);
                   }
                   return b.input;
                 },
                 1, [] { return resources_of(add_upper_half<float>, t, 0); }});
  l.block_sums<float>("C", "shared memory, divergent", divergent<float>, n, t, 1, 0.624, card, divergence);
  l.block_sums<float>("C", "shared memory, interleaved addressing", interleaved<float>, n, t, 1, 0.446, card, conflicts);
  l.block_sums<float>("C", "shared memory, sequential addressing", sequential<float>, n, t, 1, 0.378, card, idle);
  l.block_sums<float>("C", "grid stride, grid from the occupancy API", grid_stride<float>, n, t, 1, 0.278, card, latency_of_one,
                      grid::resident);
  l.block_sums<float>("C", "four independent loads", four_loads<float>, n, t, 4, 0.264, card, bandwidth, grid::resident);
}

void by_data_blocks(list& l) {
  constexpr std::size_t n = std::size_t{1} << 24;
  constexpr unsigned t = 512;
  l.data_blocks<int>("neighboured pairs, divergent", neighboured<int>, n, t, 1, 8.459, branches);
  l.data_blocks<int>("neighboured pairs, not divergent", neighboured_together<int>, n, t, 1, 7.832, transactions);
  l.data_blocks<int>("interleaved pairs", unrolled<1, int>, n, t, 1, 5.033, barriers);
  l.data_blocks<int>("unrolled by 2 data blocks", unrolled<2, int>, n, t, 2, 2.877, barriers);
  l.data_blocks<int>("unrolled by 4", unrolled<4, int>, n, t, 4, 1.452, barriers);
  l.data_blocks<int>("unrolled by 8", unrolled<8, int>, n, t, 8, 0.892, barriers);
  l.data_blocks<int>("by 8, last warp unrolled", unrolled_8_last_warp<int>, n, t, 8, 0.813, global_steps);
  l.data_blocks<int>("by 8, all loops and last warp unrolled", unrolled_8_all_loops<int>, n, t, 8, 0.789, global_steps);
  l.data_blocks<int>("template block size", unrolled_8_template<t, int>, n, t, 8, 0.777, global_steps);
}

template <class T>
void four_shuffles(list& l, const char* const (&names)[4], std::size_t n) {
  l.warp_sums<T>(names[0], warp_by_broadcast<T>, n, false, 0, {"32 shuffles where five would do", "stalled_on_shuffles"});
  l.warp_sums<T>(names[1], warp_by_shuffle_up<T>, n, false, 0, latency_of_one);
  l.warp_sums<T>(names[2], warp_by_shuffle_down<T>, n, false, std::is_same_v<T, int> ? 0.19290 : 0, latency_of_one);
  l.warp_sums<T>(names[3], warp_by_shuffle_xor<T>, n, false, 0, latency_of_one);
}

void within_a_warp(list& l) {
  constexpr std::size_t n = std::size_t{1} << 20;
  l.warp_sums<int>("sums of 32 through shared memory", warp_through_shared<int>, n, true, 0.25876,
                   {"a store and a load of shared memory for each step", "stalled_on_shared"});
  four_shuffles<int>(l, {"broadcast", "shuffle up", "shuffle down", "shuffle xor"}, n);
  four_shuffles<double>(l, {"broadcast, 64 bits", "shuffle up, 64 bits", "shuffle down, 64 bits", "shuffle xor, 64 bits"}, n);
  four_shuffles<__half>(l, {"broadcast, 16 bits", "shuffle up, 16 bits", "shuffle down, 16 bits", "shuffle xor, 16 bits"}, n);
}

void resource_rows(list& l) {
  constexpr std::size_t n = std::size_t{1} << 26;
  constexpr unsigned t = 256;
  const auto row = [&](const char* name, void (*kernel)(const float*, float*, std::size_t), const limit_of& limit) {
    l.block_sums<float>("R", name, kernel, n, t, 16, 0, "", limit, grid::resident);
  };
  row("sixteen loads, as compiled", unbounded<float>, latency_of_few);
  row("sixteen loads, __launch_bounds__(256, 8)", bounded<float>, bandwidth);
  row("sixteen loads, capped at 24 registers", capped<float>, {"local memory: what does not fit the registers", "dram_bytes"});
}

/// Additions a second, the median of five runs.
template <class T>
double addition_rate() {
  constexpr unsigned threads = 256;
  constexpr unsigned steps = 4096;
  const unsigned blocks = 8 * resident_blocks(only_add<T>, threads, 0);
  T* out = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaMalloc(&out, std::size_t{blocks} * threads * sizeof(T)));
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> rates;
  for (int round = 0; round < 6; ++round) {
    check(cudaEventRecord(begin));
    only_add<T><<<blocks, threads>>>(out, steps, T(1));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (round > 0) rates.push_back(2.0 * addition_chains * steps * blocks * threads / (ms * 1e-3));  // the first loads the code
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaFree(out));
  std::sort(rates.begin(), rates.end());
  return rates[2];
}

}  // namespace

std::map<std::string, double> addition_rates() {
  return {{"i32", addition_rate<int>()},
          {"f32", addition_rate<float>()},
          {"f64", addition_rate<double>()},
          {"f16", addition_rate<__half>()}};
}

std::vector<rung> all_rungs() {
  std::vector<rung> all;
  list l(all);
  harris(l);
  harris_on_floats(l);
  to_grid_stride(l, all);
  by_data_blocks(l);
  within_a_warp(l);
  resource_rows(l);
  return all;
}

}  // namespace ladder
