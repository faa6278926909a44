// SPDX-License-Identifier: BSD-3-Clause
// An NVIDIA device as a stage, under the CUDA backend or HIP's over CUDA.
#include <cuda_runtime_api.h>

#include <accrue/accrue.hpp>
#include <cstdio>

#include "graph_of_calls.hpp"
#include "stage.hpp"

namespace perf {

namespace {

/// The clocks and the temperature at this moment, where the driver's tool says them.
std::string state_now() {
  std::string text;
  FILE* pipe =
      popen("nvidia-smi --query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw --format=csv,noheader -i 0 2>/dev/null", "r");
  if (pipe == nullptr) return text;
  char line[256];
  if (std::fgets(line, sizeof line, pipe) != nullptr) text = line;
  (void)pclose(pipe);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

class device_stage final : public stage {
 public:
  device_stage() {
    std::string why;
    const auto found = accrue::simt::devices<accrue::default_space>(why);
    if (found.empty()) throw accrue::error(accrue::errc::no_device, why);
    description_ = found.front();
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    require(cudaEventCreate(&begin_));
    require(cudaEventCreate(&end_));
    scratch_ = allocate(2 * cache_bytes());
  }
  [[nodiscard]] std::string name() const override { return accrue::default_space::name; }
  [[nodiscard]] nlohmann::ordered_json facts() const override {
    const auto& d = description_;
    return {{"device", d.name},
            {"driver", d.driver},
            {"runtime", d.runtime},
            {"clock_khz", d.clock_khz},
            {"memory_clock_khz", d.memory_clock_khz},
            {"clocks_temperature_power_now", state_now()}};
  }
  [[nodiscard]] std::size_t cache_bytes() const override { return description_.l2_bytes; }
  [[nodiscard]] int threads() const override { return 0; }
  [[nodiscard]] perf::place place(int) const override { return {.stream = stream_}; }

  [[nodiscard]] std::shared_ptr<void> allocate(std::size_t bytes) const override {
    void* p = nullptr;
    require(cudaMalloc(&p, bytes));
    return {p, [](void* q) { (void)cudaFree(q); }};
  }
  void copy(void* to, const void* from, std::size_t bytes) const override {
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
    require(cudaStreamSynchronize(stream_));
  }

  /// What earlier calls left in the cache is swept out first.
  [[nodiscard]] sample sampled(std::function<void(std::size_t)> call, bool in_graph) const override {
    const auto timed = [this](std::size_t calls, const auto& run) {
      require(cudaMemsetAsync(scratch_.get(), 0, 2 * cache_bytes(), stream_));
      require(cudaEventRecord(begin_, stream_));
      run();
      require(cudaEventRecord(end_, stream_));
      require(cudaEventSynchronize(end_));
      require(cudaGetLastError());
      float ms = 0;
      require(cudaEventElapsedTime(&ms, begin_, end_));
      return ms * 1e-3 / static_cast<double>(calls);
    };
    if (in_graph) {
      return [this, timed, call = std::move(call), graph = std::make_shared<graph_of_calls>()](std::size_t calls) {
        graph->hold(stream_, calls, call);
        return timed(calls, [&] { graph->launch(stream_); });
      };
    }
    return [timed, call = std::move(call), k = std::size_t{0}](std::size_t calls) mutable {
      return timed(calls, [&] {
        for (std::size_t c = 0; c < calls; ++c) call(k++);
      });
    };
  }
  [[nodiscard]] bool has_graphs() const override { return true; }
  [[nodiscard]] const std::vector<typed_case>& typed_cases() const override { return device_typed_cases(); }

 private:
  accrue::simt::device_description description_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  std::shared_ptr<void> scratch_;
};

}  // namespace

std::unique_ptr<stage> make_device_stage() { return std::make_unique<device_stage>(); }

}  // namespace perf
