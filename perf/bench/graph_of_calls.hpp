// SPDX-License-Identifier: BSD-3-Clause
// Calls captured into a graph.
#pragma once

#include <cuda_runtime_api.h>

#include "device_memory.hpp"

namespace perf {

inline void require(cudaError_t e) { check(e, "device"); }

/// A graph of so many calls, made again when another number is asked for.
class graph_of_calls {
 public:
  graph_of_calls() = default;
  graph_of_calls(const graph_of_calls&) = delete;
  graph_of_calls& operator=(const graph_of_calls&) = delete;
  ~graph_of_calls() { clear(); }

  template <class Call>
  void hold(cudaStream_t stream, std::size_t calls, const Call& call) {
    if (calls == calls_) return;
    clear();
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (std::size_t k = 0; k < calls; ++k) call(k);
    require(cudaStreamEndCapture(stream, &graph_));
    require(cudaGraphInstantiate(&instance_, graph_, 0));
    calls_ = calls;
    launch(stream);  // the first launch uploads it
  }
  void launch(cudaStream_t stream) const { require(cudaGraphLaunch(instance_, stream)); }

 private:
  void clear() {
    if (instance_ != nullptr) (void)cudaGraphExecDestroy(instance_);
    if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
    instance_ = nullptr;
    graph_ = nullptr;
    calls_ = 0;
  }
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t instance_ = nullptr;
  std::size_t calls_ = 0;
};

}  // namespace perf
