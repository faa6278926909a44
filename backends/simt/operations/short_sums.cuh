// SPDX-License-Identifier: BSD-3-Clause
// Sums of 16-bit floats and of their products, where a warp's elements are multiples of one power of two and not too large for it: three
// doubles, which are not rounded.
#pragma once

#include "accrue/backends/simt/operations/windows.cuh"

namespace accrue::simt {

/// A thread's. With unit u, which is the warp's, elements are multiples of u below 2^42 u: their sum is one of 53 bits; products of two go
/// to two windows (extraction.hpp) with the units 2^42 u^2 and u^2. Additions stay below half of each for 2^9 elements. For binary16 this
/// is every finite value; of bfloat16 those whose products are floats, so that one number is converted to double for a pair.
template <small_float T>
class short_sums {
 public:
  ACCRUE_DEVICE void start() {
    place_.start(0);
    set_anchors();
#pragma unroll
    for (std::int64_t& u : units_) u = 0;
    terms_ = 0;
    readings_ = 0;
  }

  /// Whether elements of such sizes, the lane's, can be added in all lanes. Where they can not the unit may move: `drain()` comes first.
  template <class Drain>
  ACCRUE_DEVICE bool take(const size_range& sizes, const Drain& drain) {
    if (!any(!hold(sizes))) return true;
    return !fixed && move(sizes, drain) && !any(!hold(sizes));
  }
  /// Adds the squares of elements that were taken, and where `values` the elements.
  template <bool values, int n>
  ACCRUE_DEVICE void add_squares(const T (&x)[n]) {
    make_room(n);
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const double v = to_double(x[k]);
      if constexpr (values) sum_[2] = add(sum_[2], v);
      add_product(v, v);
    }
  }
  /// The products of pairs of elements.
  template <int n>
  ACCRUE_DEVICE void add_products(const pair_of<T> (&x)[n]) {
    make_room(n);
#pragma unroll
    for (int k = 0; k < n; ++k) add_term(widen(multiply(to_float(x[k].x), to_float(x[k].y))));
  }
  /// Whether the next tile needs `drain` first.
  [[nodiscard]] ACCRUE_DEVICE bool is_full() const { return readings_ == most_readings; }

  /// Moves the sums into the digits: of products, and where `values` is not nullptr of elements. All lanes take part.
  template <class Products, class Values>
  ACCRUE_DEVICE void drain(Products& products, Values* values) {
    take_units();
    const int mine = sum_of_lanes(units_);
    const unsigned piece = lane() % 4;
    const unsigned j = lane() / 4;
    if (j < 2 && mine != 0) {
      products.deposit(std::int64_t{mine}, 2 * unit() + (j == 0 ? element_bits : 0) + 16 * static_cast<int>(piece));
    }
    if constexpr (!std::is_same_v<Values, void>) {
      if (j == 2 && mine != 0) values->deposit(std::int64_t{mine}, unit() + 16 * static_cast<int>(piece));
      values->flush();
    }
    products.flush();
#pragma unroll
    for (std::int64_t& u : units_) u = 0;
    readings_ = 0;
  }

 private:
  static constexpr bool fixed = std::is_same_v<T, half>;
  static constexpr int lowest_unit = fixed ? -24 : -74;  ///< its square is a float
  static constexpr int highest = 64;                      ///< elements below 2^64 have products that are floats
  static constexpr int element_bits = 42;
  static constexpr unsigned most_terms = 512;
  static constexpr unsigned most_readings = 1024;  ///< each adds up to 2^51 units to 64 bits

  [[nodiscard]] ACCRUE_DEVICE int unit() const { return fixed ? lowest_unit : static_cast<int>(place_.top) + lowest_unit; }
  [[nodiscard]] ACCRUE_DEVICE bool hold(const size_range& sizes) const {
    return sizes.above <= unit() + element_bits && (fixed || (sizes.last >= unit() && sizes.above <= highest));
  }
  /// The anchor of a sum, in whose last bits its units are counted.
  [[nodiscard]] ACCRUE_DEVICE double anchor(unsigned j) const {
    const int last = j == 2 ? unit() : 2 * unit() + (j == 0 ? element_bits : 0);
    return from_words(static_cast<unsigned>(1023 + 52 + last) << 20 | 0x80000u, 0);
  }
  ACCRUE_DEVICE void set_anchors() {
#pragma unroll
    for (unsigned j = 0; j < 3; ++j) sum_[j] = anchor(j);
  }
  ACCRUE_DEVICE void add_product(double x, double y) {
    const double next = fused_multiply_add(x, y, sum_[0]);
    sum_[1] = add(sum_[1], fused_multiply_add(x, y, subtract(sum_[0], next)));
    sum_[0] = next;
  }
  ACCRUE_DEVICE void add_term(double p) {
    const double next = add(p, sum_[0]);
    sum_[1] = add(sum_[1], add(p, subtract(sum_[0], next)));
    sum_[0] = next;
  }
  ACCRUE_DEVICE void take_units() {
#pragma unroll
    for (unsigned j = 0; j < 3; ++j) units_[j] += std::bit_cast<std::int64_t>(sum_[j]) - std::bit_cast<std::int64_t>(anchor(j));
    set_anchors();
    terms_ = 0;
  }
  ACCRUE_DEVICE void make_room(unsigned n) {
    thread_took(detail::way::short_sums);
    if (terms_ + n > most_terms) {
      take_units();
      ++readings_;
    }
    terms_ += n;
  }
  /// Puts the unit where a tile needs it that was not taken, with room for larger elements.
  template <class Drain>
  ACCRUE_DEVICE bool move(const size_range& sizes, const Drain& drain) {
    constexpr int room = 8;
    const auto above = static_cast<int>(largest_in_warp(static_cast<unsigned>(sizes.above - lowest_unit))) + lowest_unit;
    if (above > highest) return false;
    const int wanted = above + room - element_bits - lowest_unit;
    if (!place_.should_move(wanted > 0 ? static_cast<unsigned>(wanted) : 0, above > unit() + element_bits, room)) return false;
    thread_took(detail::way::moved_unit);
    drain();
    place_.top = wanted > 0 ? static_cast<unsigned>(wanted) : 0;
    set_anchors();
    return true;
  }

  double sum_[3];  ///< the two windows of the products, and the elements'
  std::int64_t units_[3];
  window_place place_;  ///< of the unit: how far above the format's lowest bit
  unsigned terms_;      ///< since the sums were read off
  unsigned readings_;   ///< since the units were drained
};

}  // namespace accrue::simt
