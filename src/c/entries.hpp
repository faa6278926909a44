// SPDX-License-Identifier: BSD-3-Clause
// The part of the closed set that accrue.h has, entry by entry; a source file of the compiled library for each element type and kind of
// space.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "accrue/closed_set.hpp"
#include "arrays.hpp"

namespace accrue::c {

constexpr bool has_default_result(const named_reduction& r) { return r.result == default_result(r.operation, r.element); }
/// Results of the default type, and exact ones in double.
constexpr bool in_interface(const named_reduction& r) {
  return has_default_result(r) || (r.result == element_type::f64 && r.guarantee == guarantee_type::is_exact);
}
/// Places in the closed set, by operation, element, result (the default one, or a wide one) and guarantee.
inline constexpr auto places = [] {
  std::array<std::array<std::array<std::array<std::uint16_t, 3>, 2>, detail::element_types>, named_operations> all{};
  for (auto& of_operation : all) {
    for (auto& of_element : of_operation) of_element[0] = of_element[1] = {closed_set.size(), closed_set.size(), closed_set.size()};
  }
  for (std::size_t k = 0; k < closed_set.size(); ++k) {
    const named_reduction& r = closed_set[k];
    if (!in_interface(r)) continue;
    all[static_cast<std::size_t>(r.operation)][static_cast<std::size_t>(r.element)][has_default_result(r) ? 0 : 1]
       [static_cast<std::size_t>(r.guarantee)] = static_cast<std::uint16_t>(k);
  }
  return all;
}();
/// The place of a reduction in the closed set; its size for one that is not there, or not in accrue.h.
constexpr std::size_t place_of(const named_reduction& r) {
  return places[static_cast<std::size_t>(r.operation)][static_cast<std::size_t>(r.element)][has_default_result(r) ? 0 : 1]
               [static_cast<std::size_t>(r.guarantee)];
}

/// A partial result of some entry.
class any_partial {
 public:
  any_partial() = default;
  any_partial(const any_partial&) = default;
  any_partial& operator=(const any_partial&) = delete;
  virtual ~any_partial() = default;
  [[nodiscard]] virtual std::unique_ptr<any_partial> copy() const = 0;
  virtual void merge(const any_partial& other) = 0;
  virtual void move_positions(std::size_t first) = 0;
  virtual std::span<std::int64_t> words() = 0;
  virtual void finish(void* result) const = 0;
  [[nodiscard]] virtual std::vector<std::byte> to_bytes() const = 0;
  virtual void from_bytes(std::span<const std::byte> bytes) = 0;
  /// For messages: the state's memory, in the one form of its value, or with few words that are not zero (`to_add`); whether it is made of
  /// 64-bit integers that add; and how bytes of two states join, of which the right one stands behind `first` elements.
  virtual std::span<std::byte> state(bool to_add = false) = 0;
  [[nodiscard]] virtual bool adds() const = 0;
  virtual void join(std::byte* left, const std::byte* right, std::size_t first) const = 0;
};

/// What the library has of an entry.
struct entry_functions {
  std::size_t result_bytes = 0;
  std::unique_ptr<any_partial> (*partial)() = nullptr;  ///< null where partial results do not merge
};
/// What it has of an entry on one kind of space, of which it is given one.
struct functions_on_space {
  void (*reduce)(const void* space, const reduction& r) = nullptr;
  void (*add)(const void* space, const reduction& r, any_partial& to) = nullptr;  ///< null where there are no partial results
};

/// Entry k, whose element type is e.
template <element_type e>
entry_functions functions_of_element(std::size_t k);
template <element_type e, class Space>
functions_on_space functions_on(std::size_t k);

}  // namespace accrue::c
