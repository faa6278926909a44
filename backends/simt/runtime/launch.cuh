// SPDX-License-Identifier: BSD-3-Clause
// Launches: how a source is cut for a device, and the launch itself through a backend's runtime.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>

#include "accrue/backends/simt/runtime/device_api.hpp"
#include "accrue/backends/simt/operations/element_programs.cuh"
#include "accrue/backends/simt/operations/exact_programs.cuh"
#include "accrue/backends/simt/operations/extrema_programs.cuh"
#include "accrue/backends/simt/operations/integer_programs.cuh"
#include "accrue/backends/simt/operations/masked_programs.cuh"
#include "accrue/backends/simt/runtime/launch_request.hpp"
#include "accrue/backends/simt/runtime/pair_launch.cuh"
#include "accrue/backends/simt/kernel/ordered_kernel.cuh"

namespace accrue::simt {

/// The dynamic shared memory of a fold kernel: the program's storage, then the ring of copied tiles.
template <class Op, class Source>
struct shared_plan {
  static constexpr std::size_t storage = (sizeof(typename kernel_program<Op>::shared_storage) + 127) / 128 * 128;
  std::size_t bytes = storage;
  std::size_t stage = 0;  ///< bytes
  unsigned stages = 0;

  /// `of_kernel()`: the bytes that the kernel declares itself, which depend on how well it was compiled.
  template <class OfKernel>
  shared_plan(const device_facts& device, const launch_shape& shape, unsigned threads, const OfKernel& of_kernel) {
    if (!copies_tiles<Op, Source> || device.architecture < 90) return;
    stage = std::size_t{threads} * loads_in_flight<Op, Source> * sizeof(typename reader<Source>::packed);
    const std::size_t taken = storage + (of_kernel() + 127) / 128 * 128;
    const std::size_t most = taken < device.shared_bytes ? (device.shared_bytes - taken) / stage : 0;
    stages = static_cast<unsigned>(std::min<std::size_t>({shape.copied_stages, most, most_stages}));
    bytes += stages * stage;
  }
  /// Blocks with few tiles need few stages.
  void use(unsigned tiles) {
    stages = std::min(stages, tiles);
    bytes = storage + stages * stage;
  }
};

/// Occupancies of a kernel by device and threads, asked for once. The runtime is too slow for every launch. Where source files have a copy
/// of the kernel each, but not of this, the first to ask has it, and others ask every time.
class occupancy_cache {
 public:
  template <class Kernel, class Ask>
  int get(Kernel kernel, int device, unsigned threads, const Ask& ask) {
    const auto asking = reinterpret_cast<std::uintptr_t>(kernel);
    std::uintptr_t first = kernel_.load(std::memory_order_relaxed);
    const bool own = first == asking || (first == 0 && (kernel_.compare_exchange_strong(first, asking, std::memory_order_relaxed) ||
                                                        first == asking));
    if (!own || device < 0 || device >= most_devices) return ask();
    std::atomic<int>& known = known_[static_cast<std::size_t>(device)][threads / least_warp - 1];
    int blocks = known.load(std::memory_order_acquire);
    if (blocks == 0) {
      blocks = ask();
      known.store(blocks, std::memory_order_release);
    }
    return blocks;
  }

 private:
  static constexpr int most_devices = 32;
  std::atomic<std::uintptr_t> kernel_{0};
  std::array<std::array<std::atomic<int>, most_warps>, most_devices> known_{};
};

inline call_memory memory_of(const launch_request& r) {
  return {reinterpret_cast<unsigned*>(r.workspace),
          r.workspace + ticket_bytes,
          r.workspace + ticket_bytes + zero_words_bytes,
          {r.result, r.status, r.earlier, r.keeps_state, false}};
}

/// What is left of a call's memory for the blocks' partial results.
inline std::size_t free_bytes(const launch_request& r) { return r.workspace_bytes - ticket_bytes - zero_words_bytes; }

template <class Source>
std::size_t bytes_of(const Source& source) {
  return size_of(source) * sizeof(typename reader<Source>::packed) / reader<Source>::width;
}

/// Enqueues a kernel.
template <class Space, class... Parameters>
void launch_kernel(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared_bytes, void* stream,
                   std::type_identity_t<Parameters>... arguments) {
  void* pointers[] = {&arguments...};
  kernel_api<Space>::launch(kernel, blocks, threads, shared_bytes, stream, pointers);
}

/// Enqueues a kernel that, where the device can, starts while the one before it in the stream ends. Before it touches what that one writes
/// or reads a block calls `wait_for_kernel_before`, and some block of the grid always does.
template <class Space, auto kernel>
class early_launch {
 public:
  template <class... Arguments>
  static void run(const device_facts& device, unsigned blocks, unsigned threads, std::size_t shared_bytes, void* stream,
                  const Arguments&... arguments) {
    launch(kernel, device, blocks, threads, shared_bytes, stream, arguments...);
  }

 private:
  template <class... Parameters>
  static void launch(void (*)(Parameters...), const device_facts& device, unsigned blocks, unsigned threads, std::size_t shared_bytes,
                     void* stream, std::type_identity_t<Parameters>... arguments) {
    void* pointers[] = {&arguments...};
    if constexpr (requires { kernel_api<Space>::may_start_early(kernel); }) {
      constexpr int never = 1;  // 0: not asked yet
      constexpr int always = 2;
      static occupancy_cache early;
      const auto ask = [] { return kernel_api<Space>::may_start_early(kernel) ? always : never; };
      if (early.get(kernel, device.device, least_warp, ask) == always) {
        return kernel_api<Space>::launch_early(kernel, blocks, threads, shared_bytes, stream, pointers);
      }
    }
    kernel_api<Space>::launch(kernel, blocks, threads, shared_bytes, stream, pointers);
  }
};

/// The fold kernel's launch.
template <class Space, class Op, class Source>
struct fold_launch {
  static constexpr auto kernel = fold_kernel<Op, Source>;
  static inline occupancy_cache occupancies;
  static inline occupancy_cache shared_bytes;

  static int occupancy(const device_facts& device, unsigned threads, std::size_t shared) {
    return occupancies.get(kernel, device.device, threads, [&] { return kernel_api<Space>::occupancy(kernel, device, threads, shared); });
  }
  static std::size_t shared_of_kernel(const device_facts& device) {
    const auto ask = [] { return static_cast<int>(kernel_api<Space>::shared_bytes(kernel)) + 1; };
    return static_cast<std::size_t>(shared_bytes.get(kernel, device.device, least_warp, ask) - 1);
  }

  static void run(const launch_request& request, const Op& op, const Source& source) {
    using program = kernel_program<Op>;
    static_assert(program::zero_bytes <= zero_words_bytes, "accrue: too many exact sums in one pass");
    const device_facts& device = *request.device;
    const launch_shape shape = shape_for(device.architecture, sizeof(stored_element<Source>));
    constexpr std::size_t thread_elements = std::size_t{loads_in_flight<Op, Source>} * reader<Source>::width;
    unsigned threads = std::min(request.threads != 0 ? request.threads : shape.threads, threads_at_most<Op>);
    const bool single =
        request.blocks == 0 && bytes_of(source) <= (Op::traits::compute_bound ? shape.single_exact_bytes : shape.single_bytes);
    if (request.threads == 0 && single) {  // small sizes: as few warps as have something to do
      const std::size_t busy = (size_of(source) + 7) / 8;
      while (threads > device.warp_width && busy <= threads / 2) threads /= 2;
    } else if (request.threads == 0) {  // medium sizes: smaller blocks, so that all multiprocessors have one
      while (threads > 128 && size_of(source) / (threads * thread_elements) < device.multiprocessors) threads /= 2;
    }
    shared_plan<Op, Source> shared(device, shape, threads, [&] { return shared_of_kernel(device); });
    cut c = cut_for(source, threads * thread_elements, 0, request.keeps_state || request.earlier != nullptr);
    unsigned blocks = request.blocks != 0 ? request.blocks : 1;
    const auto resident = static_cast<unsigned>(std::max(occupancy(device, threads, shared.bytes), 1));
    if (request.blocks == 0 && !single) {
      const std::size_t most = std::size_t{std::min(resident, shape.blocks_each)} * device.multiprocessors;
      blocks = static_cast<unsigned>(std::clamp<std::size_t>(std::max(c.tiles, c.loose / (std::size_t{threads} * 8)), 1, most));
    }
    if constexpr (program::partial_bytes != 0) {
      const std::size_t most = free_bytes(request) / program::partial_bytes;
      blocks = static_cast<unsigned>(std::min<std::size_t>(blocks, std::max<std::size_t>(most, 1)));
    }
    shared.use(static_cast<unsigned>(std::min<std::size_t>((c.tiles + blocks - 1) / blocks, most_stages)));
    c.stages = shared.stages;
    launch_kernel<Space>(kernel, blocks, threads, shared.bytes, request.stream, op, source, c, memory_of(request));
  }

  /// At the shape of a large input.
  static kernel_facts facts(const device_facts& device, const char* name) {
    const unsigned threads =
        std::min(shape_for(device.architecture, sizeof(stored_element<Source>)).threads, threads_at_most<Op>);
    const shared_plan<Op, Source> shared(device, shape_for(device.architecture, sizeof(stored_element<Source>)), threads,
                                         [&] { return shared_of_kernel(device); });
    kernel_facts f = kernel_api<Space>::facts(kernel, name);
    f.dynamic_shared_bytes = shared.bytes;
    f.threads = threads;
    f.blocks_per_multiprocessor = occupancy(device, threads, shared.bytes);
    return f;
  }
};

/// The ordered kernel's launch.
template <class Space, class Op, class Source>
struct ordered_launch {
  static constexpr auto kernel = ordered_kernel<Op, Source>;
  static inline occupancy_cache occupancies;
  static int occupancy(const device_facts& device, unsigned threads, std::size_t shared) {
    return occupancies.get(kernel, device.device, threads, [&] { return kernel_api<Space>::occupancy(kernel, device, threads, shared); });
  }
  static void run(const launch_request& request, const Op& op, const Source& source) {
    using state = typename kernel_program<Op>::state;
    const device_facts& device = *request.device;
    ordered_cut c = ordered_cut_for(source);
    const bool as_tuned = request.blocks == 0 && request.threads == 0;
    if (as_tuned && c.chunks <= device.multiprocessors && c.chunks * sizeof(state) <= free_bytes(request)) {
      const unsigned busy = static_cast<unsigned>(std::bit_ceil(std::clamp<std::size_t>(c.n, device.warp_width, ordered_tree::lanes)));
      launch_kernel<Space>(chunk_kernel<Op, Source>, std::max(static_cast<unsigned>(c.chunks), 1u), busy,
                           busy * sizeof(typename kernel_program<Op>::lane_state), request.stream, op, source, c, memory_of(request));
      return;
    }
    constexpr std::size_t shared = longest_run * sizeof(state);
    const auto resident = static_cast<unsigned>(std::max(occupancy(device, most_ordered_threads, shared), 1));
    c.run = longest_run;  // shorter where blocks would be too few
    while (c.run > 1 && c.chunks / c.run < std::size_t{resident} * device.multiprocessors) c.run /= 2;
    const std::size_t nodes = (c.chunks + c.run - 1) / c.run;
    if (nodes > free_bytes(request) / sizeof(state)) {
      throw error(errc::out_of_memory, "accrue: an ordered reduction of " + std::to_string(c.n) +
                                           " elements needs a workspace of " +
                                           std::to_string(nodes * sizeof(state) + ticket_bytes + zero_words_bytes) + " bytes");
    }
    const unsigned threads = std::min(request.threads != 0 ? request.threads : c.run * device.warp_width, most_ordered_threads);
    const unsigned blocks =
        request.blocks != 0 ? request.blocks : static_cast<unsigned>(std::clamp<std::size_t>(nodes, 1, std::size_t{1} << 30));
    launch_kernel<Space>(kernel, blocks, threads, shared, request.stream, op, source, c, memory_of(request));
  }

  static kernel_facts facts(const device_facts& device, const char* name) {
    kernel_facts f = kernel_api<Space>::facts(kernel, name);
    f.threads = most_ordered_threads;
    f.dynamic_shared_bytes = longest_run * sizeof(typename kernel_program<Op>::state);
    f.blocks_per_multiprocessor = occupancy(device, most_ordered_threads, f.dynamic_shared_bytes);
    return f;
  }
};

template <class Space, class Op, class Source>
using kernel_launch = std::conditional_t<Op::traits::ordered, ordered_launch<Space, Op, Source>, fold_launch<Space, Op, Source>>;

template <class Space, class First, class... Rest, class Source>
void launch_apart(const launch_request& request, const fused_operations<First, Rest...>& op, const Source& source);
template <class Space, class Source>
void launch_apart(const launch_request&, const fused_operations<>&, const Source&) {}

/// Enqueues the reduction of a source by an operation.
template <class Space, class Op, class Source>
void launch_here(const launch_request& request, const Op& op, const Source& source) {
  if constexpr (Op::traits::ordered && requires { op.rest; }) {
    // Orders that differ cannot share a pass.
    launch_apart<Space>(request, op, source);
  } else if (!pair_launch<Space, Op, Source>::run(request, op, source)) {
    kernel_launch<Space, Op, Source>::run(request, op, source);
  }
}
template <class Space, class First, class... Rest, class Source>
void launch_apart(const launch_request& request, const fused_operations<First, Rest...>& op, const Source& source) {
  launch_request one = request;
  one.result = static_cast<unsigned char*>(request.result) + op.offset;
  launch<Space>(one, op.first, source);
  launch_apart<Space>(request, op.rest, source);
}

}  // namespace accrue::simt
