// SPDX-License-Identifier: BSD-3-Clause
// A warp's ring of stages in shared memory, filled by bulk asynchronous copies that one lane asks for: sm_90 and later.
#pragma once

#include "accrue/backends/simt/kernel/arrays.cuh"
#include "accrue/backends/simt/kernel/bulk_copy.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
namespace accrue::simt {

template <class T>
ACCRUE_DEVICE void copy_to_stage(const array<T>& s, std::size_t first, unsigned bytes, vector16* to, arrival& full) {
  full.expect(bytes);
  full.copy(to, s.data + first, bytes);
}
/// The vectors of x, then those of y.
template <class T>
ACCRUE_DEVICE void copy_to_stage(const array_pair<T>& s, std::size_t first, unsigned bytes, vector16* to, arrival& full) {
  full.expect(2 * bytes);
  full.copy(to, s.x.data + first, bytes);
  full.copy(to + bytes / 16, s.y.data + first, bytes);
}

/// Stages of `loads` vectors for each lane. All lanes call all functions together; what is issued is taken in the same order.
template <class Source, unsigned loads>
class warp_ring {
 public:
  using packed = typename reader<Source>::packed;
  static constexpr unsigned arrays = sizeof(packed) / sizeof(vector16);
  static constexpr unsigned vectors = warp_width * loads;  ///< of each array

  ACCRUE_DEVICE warp_ring(vector16* rings, arrival* full, unsigned stages)
      : ring_(rings + std::size_t{warp()} * stages * vectors * arrays), full_(full), stages_(stages) {
    if (lane() == 0) {
#pragma unroll 1
      for (unsigned s = 0; s < stages_; ++s) full_[s].start();
      arrival::fence_start();
    }
    sync_warp();
  }
  /// Asks for consecutive vectors, the first of which begins with element `first`. A stage must be free.
  ACCRUE_DEVICE void issue(const Source& source, std::size_t first) {
    if (lane() == 0) copy_to_stage(source, first, vectors * sizeof(vector16), ring_ + in_ * vectors * arrays, full_[in_]);
    in_ = in_ + 1 == stages_ ? 0 : in_ + 1;
  }
  /// Waits for the oldest stage, takes it into registers and frees it.
  ACCRUE_DEVICE void take(packed (&p)[loads]) {
    full_[out_].wait(parity_);
    const vector16* from = ring_ + out_ * vectors * arrays + lane();
#pragma unroll
    for (unsigned u = 0; u < loads; ++u) {
      if constexpr (arrays == 1) {
        p[u] = {from[u * warp_width]};
      } else {
        p[u] = {from[u * warp_width], from[u * warp_width + vectors]};
      }
    }
    arrival::fence_reads();
    sync_warp();
    if (++out_ == stages_) {
      out_ = 0;
      parity_ ^= 1;
    }
  }

 private:
  vector16* ring_;
  arrival* full_;
  unsigned stages_;
  unsigned in_ = 0;
  unsigned out_ = 0;
  unsigned parity_ = 0;
};

}  // namespace accrue::simt
#endif
