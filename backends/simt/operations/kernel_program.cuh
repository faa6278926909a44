// SPDX-License-Identifier: BSD-3-Clause
// What an operation must be to the kernels: kernel_program<Op>. Those with a partial result that a thread can hold share `partials`.
//
//   fold_kernel    accumulator, storage (shared memory), start, fold(op, accumulator, storage, elements, count, index_of), close,
//                  finish(op, storage, team, n, ending), zero_bytes, partial_bytes
//   ordered_kernel lane_state, state, start, fold, merge_lanes, chunk, merge, store
//
// `fold` takes up to n elements in registers; elements from `count` on are not there. All lanes of a warp call it together.
#pragma once

#include "accrue/backends/simt/kernel/blocks.cuh"
#include "accrue/backends/simt/operations/operation_of.hpp"

namespace accrue::simt {

template <class Op>
struct kernel_program;

/// The blocks that reduce a range together, as one of them sees it: its place among them, and the memory that they share. `zeros` is zero
/// when a kernel starts and when it ends; `partials` is not kept.
struct block_team {
  unsigned index;
  unsigned count;
  unsigned char* zeros;
  unsigned char* partials;
};

/// How a call ends: with the result, or with the reducer's state as the host has it (`keeps_state`), of these elements and of those
/// that an earlier state knows.
struct ending {
  void* result;
  int* status;
  const void* earlier;  ///< nullptr: none
  bool keeps_state;
  bool states;  ///< either of the two

  /// The same for what lies behind the first bytes of results and states.
  [[nodiscard]] ACCRUE_DEVICE ending behind(std::size_t result_bytes, std::size_t state_bytes) const {
    ending e = *this;
    e.result = static_cast<unsigned char*>(result) + (states && keeps_state ? state_bytes : result_bytes);
    if (states && earlier != nullptr) e.earlier = static_cast<const unsigned char*>(earlier) + state_bytes;
    return e;
  }
  /// For operations that need elements: whether there are none, which the caller is told.
  [[nodiscard]] ACCRUE_DEVICE bool lacks_elements(std::size_t n) const {
    if (n != 0 || !states || keeps_state) return false;
    *status = static_cast<int>(errc::empty_range);
    return true;
  }
};

/// The block and grid level of operations whose partial result is a value: threads join in a fixed order, blocks by the last block
/// to finish. `Program` has partial_of(op, accumulator), empty(op), merge(op, partial&, partial); add_state(op, partial&, state),
/// which returns how many elements the state knows, or 1 for some; store_state(op, partial, n, state); store(op, partial, n,
/// result, status, storage); and join(op, partial) if the device can join a warp's lanes faster than by shuffles; needs_elements, if
/// there is no result of none.
template <class Program, class Op, class Partial>
struct partials {
  using partial = Partial;
  struct shared_storage {
    Partial of_warp[most_warps];
    Partial of_block;
  };
  static constexpr std::size_t zero_bytes = 0;
  static constexpr std::size_t partial_bytes = sizeof(Partial);  ///< for each block

  static ACCRUE_DEVICE void start(const Op&, shared_storage&) {}
  static ACCRUE_DEVICE bool needs_elements(const Op&) { return false; }
  template <class Accumulator>
  static ACCRUE_DEVICE void close(const Op& op, Accumulator& a, shared_storage& r, const block_team& team) {
    const Partial p = join_threads(op, Program::partial_of(op, a), r);
    if (thread() == 0) {
      if (team.count == 1) {
        r.of_block = p;
      } else {
        reinterpret_cast<Partial*>(team.partials)[team.index] = p;
      }
    }
  }
  static ACCRUE_DEVICE void finish(const Op& op, shared_storage& r, const block_team& team, std::size_t n, const ending& e) {
    Partial p = Program::empty(op);
    if (team.count == 1) {
      if (thread() == 0) p = r.of_block;
    } else {
      for (unsigned k = thread(); k < team.count; k += threads())
        Program::merge(op, p, load_shared_by_device(reinterpret_cast<const Partial*>(team.partials) + k));
      p = join_threads(op, p, r);
    }
    if (thread() != 0) return;
    if (e.states) [[unlikely]] {
      r.of_block = p;
      return end_with_states(op, r, n, e);
    }
    Program::store(op, p, n, e.result, e.status, static_cast<typename Program::shared_storage&>(r));
  }

 private:
  /// The end of thread 0 where states come in or go out.
  static ACCRUE_DEVICE_RARE void end_with_states(Op op, shared_storage& r, std::size_t n, ending e) {
    Partial p = r.of_block;
    if (e.earlier != nullptr) n += Program::add_state(op, p, e.earlier);
    if (e.keeps_state) {
      Program::store_state(op, p, n, e.result);
    } else if (!Program::needs_elements(op) || !e.lacks_elements(n)) {
      Program::store(op, p, n, e.result, e.status, static_cast<typename Program::shared_storage&>(r));
    }
  }
  static ACCRUE_DEVICE Partial join_threads(const Op& op, const Partial& p, shared_storage& r) {
    const auto join = [&](const Partial& v) {
      if constexpr (requires { Program::join(op, v); }) {
        return Program::join(op, v);
      } else {
        return merge_warp(v, [&](Partial& x, const Partial& y) { Program::merge(op, x, y); });
      }
    };
    return join_block(p, Program::empty(op), join, r.of_warp);
  }
};

}  // namespace accrue::simt
