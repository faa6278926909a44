// SPDX-License-Identifier: BSD-3-Clause
// Partial results of groupings: one for each group, to be merged with those of the same groups elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "accrue/detail/compact_words.hpp"
#include "accrue/groupings.hpp"
#include "accrue/partial_result.hpp"

namespace accrue {

/// The partial results of `size()` groups by an order-free reducer, which `partial` of a grouping makes: what partial_result<R> is for
/// one, for many. Merging joins group k with group k; `finish` gives what one call with all elements gives.
///
///     accrue::partial_results<accrue::sum_of<double>> totals(levels);                                    // no elements yet
///     for (const auto& part : parts) totals += accrue::partial(space, accrue::rows(part), accrue::sum_of<double>{});
///     totals.finish(out);                                                                                // out[k], levels of them
///
/// Host memory, `sizeof(R::state)` bytes a group; not synchronised. Guarantee: the reducer's own.
template <class R>
class partial_results {
 public:
  using reducer_type = R;
  using state_type = typename R::state;

  /// Of so many groups without elements.
  explicit partial_results(std::size_t groups = 0, const R& reducer = R{}) : states_(groups, {tiled(reducer).empty()}), reducer_(reducer) {}
  /// Of the elements that the states know.
  partial_results(const R& reducer, std::span<const state_type> states) : reducer_(reducer) {
    states_.reserve(states.size());
    for (const state_type& s : states) states_.push_back({s});
    for (element& e : states_) detail::normalize_state(tiled(reducer_), e.state);
  }

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  /// Group k's. Throws `out_of_range` for k from size() on, as `merge(k, ...)` does.
  [[nodiscard]] partial_result<R> operator[](std::size_t k) const { return {reducer_, states_[checked(k)].state}; }

  /// Throws `size_mismatch` for another number of groups, and changes nothing then.
  void merge(const partial_results& other) {
    if (other.size() != size()) detail::throw_group_mismatch("partial_results::merge", size(), other.size());
    const detail::fp_environment environment;
    for (std::size_t k = 0; k < size(); ++k) merge_state(states_[k].state, other.states_[k].state);
  }
  /// Joins a partial result into group k's.
  void merge(std::size_t k, const partial_result<R>& other) {
    const detail::fp_environment environment;
    merge_state(states_[checked(k)].state, other.state());
  }
  partial_results& operator+=(const partial_results& other) {
    merge(other);
    return *this;
  }
  friend partial_results operator+(partial_results a, const partial_results& b) {
    a += b;
    return a;
  }

  /// out[k]: group k's result; a pointer or a contiguous range of host memory. Throws as the named call does, for the first group that has
  /// no result: `empty_range`, `overflow_error`.
  template <class Out>
  void finish(Out&& out) const {
    const detail::fp_environment environment;
    const auto r = tiled(reducer_);
    using result = detail::result_of<decltype(tiled(reducer_))>;
    auto* const results = detail::place_of_results<result>("partial_results", detail::output_of(out), size());
    for (std::size_t k = 0; k < size(); ++k) detail::in_group(k, [&] { results[k] = r.finish(states_[k].state); });
  }

  /// The integers that add element-wise, group after group: partial_result.hpp says how.
  [[nodiscard]] std::span<std::int64_t> words()
    requires(detail::is_additive<R>())
  {
    return {reinterpret_cast<std::int64_t*>(states_.data()), states_.size() * (sizeof(state_type) / sizeof(std::int64_t))};
  }

  /// For reducers of positions: in each group, the elements stand `first` places further on.
  void move_positions(std::size_t first)
    requires detail::has_positions<R>
  {
    for (element& e : states_) reducer_.move_positions(e.state, first);
  }

  /// For files and messages, the same bytes on every machine for equal partial results: those of partial_result::to_bytes, of version 2,
  /// whose payload is the number of groups, of 64 bits, and then the states in compact form: two bits for each 64-bit word of the state
  /// (0: zero; 1: 2^32 - 1; 2: below 2^32; 3: any), filled up to a whole byte, then what these leave open in 0, 0, 4 and 8 bytes. An exact
  /// sum of doubles takes 18 bytes and four for each digit in use, where its state takes 576.
  [[nodiscard]] std::vector<std::byte> to_bytes() const {
    const detail::fp_environment environment;
    const auto r = tiled(reducer_);
    std::vector<std::byte> payload;
    detail::byte_writer{payload}(static_cast<std::uint64_t>(size()));
    std::vector<std::byte> fields;
    std::vector<std::byte> room;
    for (auto [s] : states_) {
      detail::normalize_state(r, s);
      fields.clear();
      detail::visit_fields(r, s, detail::byte_writer(fields));
      room.resize(detail::code_bytes(fields.size()) + (fields.size() + 7) / 8 * 8);
      const std::size_t length = detail::compact(fields.data(), fields.size(), room);
      payload.insert(payload.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(length));
    }
    std::vector<std::byte> bytes;
    detail::put_header(bytes, detail::groups_version, detail::kind_of(r), payload.size());
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    detail::byte_writer{bytes}(detail::checksum(bytes));
    return bytes;
  }
  /// Throws `bad_input` for bytes of another kind, version or length, and for damaged ones.
  [[nodiscard]] static partial_results from_bytes(std::span<const std::byte> bytes, const R& reducer = R{}) {
    const auto r = tiled(reducer);
    std::span<const std::byte> payload = detail::checked_payload(bytes, detail::groups_version, detail::kind_of(r));
    std::uint64_t groups = 0;
    detail::byte_reader{payload}(groups);
    std::vector<std::byte> fields;
    auto state = r.empty();
    detail::visit_fields(r, std::as_const(state), detail::byte_writer(fields));
    if (groups > payload.size()) detail::refuse_bytes(std::to_string(groups) + " groups, for which these bytes are too few");
    partial_results read(static_cast<std::size_t>(groups), reducer);
    for (std::uint64_t k = 0; k < groups; ++k) {
      const std::size_t length = detail::expand(payload, fields.data(), fields.size());
      if (length == 0) detail::refuse_bytes("the bytes end within the state of group " + std::to_string(k));
      payload = payload.subspan(length);
      std::span<const std::byte> left = fields;
      detail::visit_fields(r, state, detail::byte_reader(left));
      read.states_[k] = {state};
      detail::normalize_state(r, read.states_[k].state);
    }
    if (!payload.empty()) detail::refuse_bytes(std::to_string(payload.size()) + " bytes too many");
    return read;
  }

  [[nodiscard]] const R& reducer() const { return reducer_; }
  [[nodiscard]] std::span<const state_type> states() const { return {reinterpret_cast<const state_type*>(states_.data()), size()}; }

 private:
  static_assert(detail::is_order_free<R>(),
                "accrue: an ordered reducer has no partial results that merge: only reducers that declare order_free do");
  static auto tiled(const R& reducer) { return detail::tiled_t<R>{reducer}; }
  [[nodiscard]] std::size_t checked(std::size_t k) const {
    if (k >= size()) {
      throw error(errc::out_of_range, "accrue::partial_results: group " + std::to_string(k) + " of " + std::to_string(size()));
    }
    return k;
  }
  void merge_state(state_type& mine, const state_type& other) const {
    const auto r = tiled(reducer_);
    if constexpr (detail::is_additive<R>()) detail::normalize_state(r, mine);  // its words may have grown outside
    r.merge(mine, other);
    detail::normalize_state(r, mine);
  }

  /// A vector of them keeps states of type bool apart.
  struct element {
    state_type state;
  };
  std::vector<element> states_;
  [[no_unique_address]] R reducer_;
};

}  // namespace accrue
