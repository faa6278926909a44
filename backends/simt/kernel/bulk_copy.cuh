// SPDX-License-Identifier: BSD-3-Clause
// Bulk asynchronous copies into shared memory, with a barrier that counts the bytes that arrived: sm_90 and later.
#pragma once

#include "accrue/backends/simt/kernel/arithmetic.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
namespace accrue::simt {

ACCRUE_DEVICE unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

/// A barrier in shared memory that completes when the bytes announced for its phase have arrived.
struct arrival {
  alignas(8) std::uint64_t state;

  ACCRUE_DEVICE void start() { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&state)) : "memory"); }
  /// After `start`, before the first copy.
  static ACCRUE_DEVICE void fence_start() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
  ACCRUE_DEVICE void expect(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state)), "r"(bytes) : "memory");
  }
  ACCRUE_DEVICE void copy(void* to, const void* from, unsigned bytes) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(&state))
        : "memory");
  }
  /// Orders what this thread has read before copies that are asked for behind it, by whichever thread of the warp after `sync_warp`.
  /// Copies go another way than reads and overtake them where shared memory is busy.
  static ACCRUE_DEVICE void fence_reads() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
  ACCRUE_DEVICE void wait(unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(shared_address(&state)),
        "r"(parity)
        : "memory");
  }
};

}  // namespace accrue::simt
#endif
