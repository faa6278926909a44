// SPDX-License-Identifier: BSD-3-Clause
// Operations on the elements that a mask takes: the operation itself, and how many elements they were, which its end asks for.
#pragma once

#include "accrue/backends/simt/operations/kernel_program.cuh"

namespace accrue::simt {

/// The number of elements.
struct element_count {};
template <>
struct kernel_program<element_count> : partials<kernel_program<element_count>, element_count, unsigned long long> {
  using base = partials<kernel_program, element_count, unsigned long long>;
  struct shared_storage : base::shared_storage {};
  using accumulator = unsigned long long;

  static ACCRUE_DEVICE unsigned long long partial_of(const element_count&, accumulator a) { return a; }
  static ACCRUE_DEVICE unsigned long long empty(const element_count&) { return 0; }
  static ACCRUE_DEVICE void merge(const element_count&, unsigned long long& a, unsigned long long b) { a += b; }
  static ACCRUE_DEVICE std::size_t add_state(const element_count&, unsigned long long&, const void*) { return 0; }
  static ACCRUE_DEVICE void store_state(const element_count&, unsigned long long, std::size_t, void*) {}
  static ACCRUE_DEVICE void store(const element_count&, unsigned long long n, std::size_t, void*, int*, shared_storage& r) {
    r.of_block = n;
  }
};

template <class Op>
struct kernel_program<on_taken<Op>> {
  using op_type = on_taken<Op>;
  using program = kernel_program<Op>;
  using counter = kernel_program<element_count>;
  struct accumulator {
    typename program::accumulator inner;
    unsigned long long count;
  };
  struct shared_storage {
    typename program::shared_storage inner;
    counter::shared_storage count;
  };
  static constexpr std::size_t zero_bytes = program::zero_bytes;
  static constexpr std::size_t partial_bytes = program::partial_bytes + 2 * counter::partial_bytes;  ///< the counts stand behind

  static ACCRUE_DEVICE void start(const op_type& op, accumulator& a, shared_storage& r) {
    program::start(op.op, a.inner, r.inner);
    a.count = 0;
  }
  template <int n, class Element, class Index>
  static ACCRUE_DEVICE void fold(const op_type& op, accumulator& a, shared_storage& r, const Element (&x)[n], unsigned count,
                                 Index index_of) {
    program::fold(op.op, a.inner, r.inner, x, count, index_of);
    a.count += count;
  }
  static ACCRUE_DEVICE bool saturated(const op_type& op, const accumulator& a)
    requires requires { program::saturated(op.op, a.inner); }
  {
    return program::saturated(op.op, a.inner);
  }
  static ACCRUE_DEVICE void close(const op_type& op, accumulator& a, shared_storage& r, const block_team& team) {
    counter::close({}, a.count, r.count, counts(team));
    program::close(op.op, a.inner, r.inner, team);
  }
  static ACCRUE_DEVICE void finish(const op_type& op, shared_storage& r, const block_team& team, std::size_t, ending e) {
    counter::finish({}, r.count, counts(team), 0, {});
    sync_block();
    e.states = true;  // so that an end without elements is noticed
    program::finish(op.op, r.inner, team, r.count.of_block, e);
  }

 private:
  static ACCRUE_DEVICE block_team counts(const block_team& team) {
    constexpr std::size_t bytes = counter::partial_bytes;
    return {team.index, team.count, nullptr, team.partials + (program::partial_bytes * team.count + bytes - 1) / bytes * bytes};
  }
};

}  // namespace accrue::simt
