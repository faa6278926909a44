// SPDX-License-Identifier: BSD-3-Clause
// What a form must be to the kernels: code<Form>. Forms with a partial result that a thread can hold share `partials`.
//
//   fold_kernel    accumulator, room (shared memory), start, fold(form, accumulator, room, elements, count, index_of), close,
//                  finish(form, room, grid, n, ending), zero_bytes, partial_bytes
//   ordered_kernel lane_state, state, start, fold, merge_lanes, chunk, merge, store
//
// `fold` takes up to n elements in registers; elements from `count` on are not there. All lanes of a warp call it together.
#pragma once

#include "accrue/backends/simt/blocks.cuh"
#include "accrue/backends/simt/forms.hpp"

namespace accrue::simt {

template <class Form>
struct code;

/// What the blocks of a grid share: `zeros` is zero when a kernel starts and when it ends; `partials` is not kept.
struct grid_memory {
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

/// The block and grid level of forms whose partial result is a value: threads join in a fixed order, blocks by the last block to
/// finish. `Code` has partial_of(form, accumulator), empty(form), merge(form, partial&, partial); add_state(form, partial&, state),
/// which returns how many elements the state knows, or 1 for some; store_state(form, partial, n, state); store(form, partial, n,
/// result, status, room); and join(form, partial) if the device can join a warp's lanes faster than by shuffles; needs_elements, if
/// there is no result of none.
template <class Code, class Form, class Partial>
struct partials {
  using partial = Partial;
  struct room {
    Partial of_warp[most_warps];
    Partial of_block;
  };
  static constexpr std::size_t zero_bytes = 0;
  static constexpr std::size_t partial_bytes = sizeof(Partial);  ///< for each block

  static ACCRUE_DEVICE void start(const Form&, room&) {}
  static ACCRUE_DEVICE bool needs_elements(const Form&) { return false; }
  template <class Accumulator>
  static ACCRUE_DEVICE void close(const Form& form, Accumulator& a, room& r, grid_memory grid) {
    const Partial p = join_threads(form, Code::partial_of(form, a), r);
    if (thread() == 0) {
      if (blocks() == 1) {
        r.of_block = p;
      } else {
        reinterpret_cast<Partial*>(grid.partials)[block()] = p;
      }
    }
  }
  static ACCRUE_DEVICE void finish(const Form& form, room& r, grid_memory grid, std::size_t n, const ending& e) {
    Partial p = Code::empty(form);
    if (blocks() == 1) {
      if (thread() == 0) p = r.of_block;
    } else {
      for (unsigned k = thread(); k < blocks(); k += threads())
        Code::merge(form, p, load_shared_by_device(reinterpret_cast<const Partial*>(grid.partials) + k));
      p = join_threads(form, p, r);
    }
    if (thread() != 0) return;
    if (e.states) [[unlikely]] {
      r.of_block = p;
      return end_with_states(form, r, n, e);
    }
    Code::store(form, p, n, e.result, e.status, static_cast<typename Code::room&>(r));
  }

 private:
  /// The end of thread 0 where states come in or go out.
  static ACCRUE_DEVICE_RARE void end_with_states(Form form, room& r, std::size_t n, ending e) {
    Partial p = r.of_block;
    if (e.earlier != nullptr) n += Code::add_state(form, p, e.earlier);
    if (e.keeps_state) {
      Code::store_state(form, p, n, e.result);
    } else if (!Code::needs_elements(form) || !e.lacks_elements(n)) {
      Code::store(form, p, n, e.result, e.status, static_cast<typename Code::room&>(r));
    }
  }
  static ACCRUE_DEVICE Partial join_threads(const Form& form, const Partial& p, room& r) {
    const auto join = [&](const Partial& v) {
      if constexpr (requires { Code::join(form, v); }) {
        return Code::join(form, v);
      } else {
        return merge_warp(v, [&](Partial& x, const Partial& y) { Code::merge(form, x, y); });
      }
    };
    return join_block(p, Code::empty(form), join, r.of_warp);
  }
};

}  // namespace accrue::simt
