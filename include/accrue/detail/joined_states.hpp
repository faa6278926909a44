// SPDX-License-Identifier: BSD-3-Clause
// States of processes or devices that take part in one call: which reduction they are of, and how neighbours' join.
#pragma once

#include <cstdint>
#include <string_view>

#include "accrue/detail/state_fields.hpp"
#include "accrue/reducer.hpp"

namespace accrue::detail {

/// What tells reductions apart: 64 bits of the kind of an exact sum, or of the reducer's type.
template <class R>
std::uint64_t kind_number([[maybe_unused]] const R& reducer) {
  const auto number_of = [](std::string_view text) {
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return sum;
  };
  if constexpr (requires(typename R::state s) { reducer.kind(), s.put_sign_in_digits(); }) {
    static const std::uint64_t number = number_of(reducer.kind());
    return number;
  } else {
    static const std::uint64_t number = number_of(__PRETTY_FUNCTION__);
    return number;
  }
}

/// `left` becomes both; the elements of `right` stand behind `first` others.
template <class R>
void join_states(const R& r, typename R::state& left, typename R::state right, std::uint64_t first) {
  if constexpr (has_positions<R>) r.move_positions(right, static_cast<std::size_t>(first));
  r.merge(left, right);
  normalize_state(r, left);
}

}  // namespace accrue::detail
