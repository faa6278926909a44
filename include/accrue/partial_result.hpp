// SPDX-License-Identifier: BSD-3-Clause
// Partial results: what a reduction knows of some of the elements, to be merged with what others know of the rest.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/state_fields.hpp"
#include "accrue/fuse.hpp"

namespace accrue {

/// The reduction of some elements by an order-free reducer, before its last step: `partial` makes it (partials.hpp), merging joins
/// it with those of other elements, from wherever, in any order; `finish` gives the result, the bits of one call on all of them.
///
///     auto p = accrue::partial(space, x, accrue::sum_of<double>{});
///     p += accrue::partial(other_space, y, accrue::sum_of<double>{});
///     double total = p.finish();
///
/// Where the state is a vector of integers that add (exact sums, dots, norms, means, moments, counts, and fusions of these), `words()`
/// are they: `MPI_Allreduce(MPI_IN_PLACE, p.words().data(), p.words().size(), MPI_INT64_T, MPI_SUM, comm)` merges. Words as `partial`
/// and `merge` leave them may be added over 2^30 partial results before the next merge.
///
/// Trivially copyable where the reducer is; host memory; not synchronised. Guarantee: the reducer's own. Empty: no elements.
template <class R>
class partial_result {
  static_assert(detail::is_order_free<R>(),
                "accrue: an ordered reducer has no partial results that merge: only reducers that declare order_free do");
  static_assert(!detail::is_additive<R>() || sizeof(typename R::state) % sizeof(std::int64_t) == 0,
                "accrue: the state of an additive reducer is made of int64_t alone");

 public:
  using reducer_type = R;
  using state_type = typename R::state;
  static_assert(std::is_trivially_copyable_v<state_type>, "accrue: a partial result's state is trivially copyable");

  /// Of no elements.
  partial_result()
    requires std::default_initializable<R>
      : partial_result(R{}) {}
  explicit partial_result(const R& reducer) : state_(tiled(reducer).empty()), reducer_(reducer) {}
  /// Of the elements that the state knows.
  partial_result(const R& reducer, const state_type& state) : state_(state), reducer_(reducer) {
    detail::normalize_state(tiled(reducer_), state_);
  }

  void merge(const partial_result& other) {
    const detail::fp_environment environment;
    const auto r = tiled(reducer_);
    if constexpr (detail::is_additive<R>()) detail::normalize_state(r, state_);  // its words may have grown outside
    r.merge(state_, other.state_);
    detail::normalize_state(r, state_);
  }
  partial_result& operator+=(const partial_result& other) {
    merge(other);
    return *this;
  }
  friend partial_result operator+(partial_result a, const partial_result& b) { return a += b; }

  /// The result. Throws as the named call does: `empty_range` for no elements, `overflow_error`.
  [[nodiscard]] auto finish() const {
    const detail::fp_environment environment;
    return tiled(reducer_).finish(state_);
  }

  /// The integers that add element-wise.
  [[nodiscard]] std::span<std::int64_t> words()
    requires(detail::is_additive<R>())
  {
    return {reinterpret_cast<std::int64_t*>(&state_), sizeof(state_type) / sizeof(std::int64_t)};
  }
  [[nodiscard]] std::span<const std::int64_t> words() const
    requires(detail::is_additive<R>())
  {
    return {reinterpret_cast<const std::int64_t*>(&state_), sizeof(state_type) / sizeof(std::int64_t)};
  }

  /// The partial result for files and messages, the same bytes on every machine for equal partial results: the seven bytes
  /// "accrue\0" and a version, 1; the kind, 32 bytes of text filled up with zeros ("sum f64"); the number of the state's bytes, of 64
  /// bits; the state; a checksum of 64 bits. Numbers are little-endian.
  [[nodiscard]] std::vector<std::byte> to_bytes() const {
    const detail::fp_environment environment;
    return detail::state_to_bytes(tiled(reducer_), state_);
  }
  /// Throws `bad_input` for bytes of another kind, version or length, and for damaged ones. `reducer` is what merges and finishes.
  [[nodiscard]] static partial_result from_bytes(std::span<const std::byte> bytes, const R& reducer = {}) {
    return {reducer, detail::state_from_bytes(tiled(reducer), bytes)};
  }

  /// For reducers of positions: the elements stand `first` places further on, behind those of other partial results.
  void move_positions(std::size_t first)
    requires detail::has_positions<R>
  {
    reducer_.move_positions(state_, first);
  }

  [[nodiscard]] const R& reducer() const { return reducer_; }
  [[nodiscard]] const state_type& state() const { return state_; }

 private:
  static auto tiled(const R& reducer) { return detail::tiled_t<R>{reducer}; }

  state_type state_;
  [[no_unique_address]] R reducer_;
};

}  // namespace accrue
