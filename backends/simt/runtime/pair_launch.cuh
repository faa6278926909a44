// SPDX-License-Identifier: BSD-3-Clause
// The launch of the pair kernel: which sums take it, and in what shape.
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "accrue/backends/simt/kernel/pair_kernel.cuh"
#include "accrue/backends/simt/kernel/tuning.hpp"
#include "accrue/backends/simt/runtime/device_api.hpp"
#include "accrue/backends/simt/runtime/launch_request.hpp"

namespace accrue::simt {

/// Whether a runtime says that blocks start in the order of their indices, by having a launch of that name.
template <class Space, class Kernel>
inline constexpr bool starts_blocks_in_order =
    requires(Kernel kernel, unsigned u, std::size_t bytes, void* stream, void** arguments) {
      kernel_api<Space>::launch_in_order(kernel, u, u, bytes, stream, arguments);
    };

/// The launch for an operation and a source: of sums of elements that lie one behind the other, as results or states, and of the last step
/// of those states.
template <class Space, class Op, class Source>
struct pair_launch {
  static bool run(const launch_request&, const Op&, const Source&) { return false; }
  static void add_facts(const device_facts&, std::vector<kernel_facts>&) {}
};

template <class Space, native_float T, term what>
  requires(what == term::value || what == term::magnitude)
struct pair_launch<Space, exact_sum<T, what>, array<T>> {
  /// Enqueues the sum, or answers false where it takes another kernel.
  static bool run(const launch_request& request, const exact_sum<T, what>& op, const array<T>& source) {
    const device_facts& device = *request.device;
    const launch_shape shape = shape_for(device.architecture, sizeof(T));
    if (request.blocks != 0 || request.threads != 0 || op.step != last_step::value) return false;
    if (request.earlier != nullptr) {
      if (request.keeps_state || source.size != 0) return false;
      return enqueue(request, finish_state_kernel<T, what>, 1, device.warp_width, op, static_cast<const std::int64_t*>(request.earlier));
    }
    if (!source.contiguous() || source.size * sizeof(T) > shape.pair_bytes) return false;
    if (reinterpret_cast<std::uintptr_t>(source.data) % sizeof(T) != 0) return false;
    const vector_range<T> in = vector_range_of(source.data, source.size);
    const unsigned vectors = std::max(in.vectors(), 1u);
    // Few warps, and as few as have something to do.
    const auto warps_of = [&](unsigned loads) { return std::bit_ceil((vectors - 1) / (loads * device.warp_width) + 1); };
    const unsigned in_one_block = most_threads * 2;
    if (vectors <= in_one_block) {
      const bool long_tiles = warps_of(4) == 1 || vectors > in_one_block / 2;
      if (warps_of(2) > 1 && long_tiles) {
        return enqueue(request, small_sum_kernel<T, what, 4>, 1, warps_of(4) * device.warp_width, op, in);
      }
      return enqueue(request, small_sum_kernel<T, what, 2>, 1, warps_of(2) * device.warp_width, op, in);
    }
    if constexpr (starts_blocks_in_order<Space, decltype(&small_sum_kernel<T, what, 2>)>) {
      if (device.multiprocessors < 2) return false;  // slots are for several blocks
      const auto blocks_of = [&](unsigned threads, unsigned loads) { return (vectors - 1) / (threads * loads) + 1; };
      constexpr unsigned most = most_threads;
      const unsigned one_each = std::min(device.multiprocessors, 5 * device.warp_width);
      const unsigned two_each = std::min(2 * device.multiprocessors, 9 * device.warp_width);
      if (blocks_of(128, 4) <= std::min(16u, one_each)) {
        return enqueue(request, medium_sum_kernel<T, what, 4, 1>, blocks_of(128, 4), 128, op, in);
      }
      if (blocks_of(most, 2) <= std::min(64u, one_each)) {
        return enqueue(request, medium_sum_kernel<T, what, 2, 2>, blocks_of(most, 2), most, op, in);
      }
      if (blocks_of(most, 4) <= one_each) return enqueue(request, medium_sum_kernel<T, what, 4, 5>, blocks_of(most, 4), most, op, in);
      if (blocks_of(most, 8) <= one_each) return enqueue(request, medium_sum_kernel<T, what, 8, 5>, blocks_of(most, 8), most, op, in);
      if (request.keeps_state) return false;
      return enqueue(request, large_sum_kernel<T, what, 4, 9>, two_each, most, op, in);
    }
    return false;
  }

  static void add_facts(const device_facts& device, std::vector<kernel_facts>& all) {
    static const std::string of = std::string(what == term::magnitude ? "exact_sum of magnitudes, " : "exact_sum, ") +
                                  (sizeof(T) == 8 ? "double, " : "float, ");
    static const std::string names[] = {of + "small", of + "medium", of + "large"};
    const auto add = [&](auto kernel, const std::string& name) {
      kernel_facts f = kernel_api<Space>::facts(kernel, name.c_str());
      f.threads = most_threads;
      f.dynamic_shared_bytes = sizeof(storage);
      f.blocks_per_multiprocessor = kernel_api<Space>::occupancy(kernel, device, most_threads, sizeof(storage));
      all.push_back(f);
    };
    add(small_sum_kernel<T, what, 4>, names[0]);
    if constexpr (starts_blocks_in_order<Space, decltype(&small_sum_kernel<T, what, 2>)>) {
      add(medium_sum_kernel<T, what, 8, 5>, names[1]);
      add(large_sum_kernel<T, what, 4, 9>, names[2]);
    }
  }

 private:
  using storage = typename kernel_program<exact_sum<T, what>>::shared_storage;
  static constexpr std::size_t most_slots = 9 * 64;  // for each lane of a warp
  static_assert(storage::scratch_words * sizeof(std::int64_t) <= limb_bytes && limb_bytes + most_slots * slot_bytes <= zero_words_bytes);

  template <class Input>
  static bool enqueue(const launch_request& request, void (*kernel)(Input, pair_ending), unsigned blocks, unsigned threads,
                      const exact_sum<T, what>& op, std::type_identity_t<Input> in) {
    pair_ending end{request.result, request.workspace + ticket_bytes, request.keeps_state ? 0u : op.result.bytes};
    void* arguments[] = {&in, &end};
    if constexpr (starts_blocks_in_order<Space, decltype(kernel)>) {
      kernel_api<Space>::launch_in_order(kernel, blocks, threads, sizeof(storage), request.stream, arguments);
    } else {
      kernel_api<Space>::launch(kernel, blocks, threads, sizeof(storage), request.stream, arguments);
    }
    return true;
  }
};

}  // namespace accrue::simt
