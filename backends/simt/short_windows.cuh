// SPDX-License-Identifier: BSD-3-Clause
// Two windows of f32 for 16-bit floats, whose few bits they hold: adding x to an anchor leaves x in units in the anchor's last bits, so
// that the sum is an integer sum of bit patterns.
#pragma once

#include "accrue/backends/simt/digits.cuh"
#include "accrue/backends/simt/windows.cuh"

namespace accrue::simt {

/// The windows of a thread for elements of T. A window's anchor is 1.5 * 2^k and takes |x| <= 2^(k-1) in units of 2^(k-23); the second
/// stands 23 binades lower. For binary16 the two hold every finite value: 40 bits. For bfloat16 they stand where the data are.
template <small_float T>
class short_windows {
 public:
  static constexpr bool two_terms = false;

  ACCRUE_DEVICE void start() {
    place_.start(fixed ? fixed_top : lowest_top);
    terms_ = 0;
    filled_ = false;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      bits_[j] = 0;
      units_[j] = 0;
    }
  }

  template <int n, class Room, class Terms, class Put>
  ACCRUE_DEVICE void fold(const Terms& term, Room& room, const Put& put) {
    if (terms_ > terms_per_reading - n) read_off();
    attempt first(*this);
#pragma unroll
    for (int k = 0; k < n; ++k) first.add(term(k));
    if (any(first.refused())) {
      refold<n>(term, room, put);
    } else {
      keep(first);
      terms_ += n;
    }
  }

  template <class Room>
  ACCRUE_DEVICE void drain(Room& room) {
    read_off();
    std::int64_t mine = 0;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const std::int64_t sum = shuffle(sum_warp(units_[j]), 0);
      if (lane() == j) mine = sum;
      units_[j] = 0;
    }
    if (lane() < 2 && mine != 0) room.deposit(mine, static_cast<int>(place_.top) - static_cast<int>(step * lane()) - 150);
  }

 private:
  static constexpr bool fixed = std::is_same_v<T, half>;
  static constexpr unsigned step = 23;
  static constexpr unsigned fixed_top = 127 + 22;  ///< units of 2^-1 and 2^-24
  static constexpr unsigned lowest_top = 1 + step;
  static constexpr unsigned highest_top = 254;
  static constexpr unsigned headroom = 3;  ///< the half of 2^k, and values twice as large later on
  /// Additions of up to 2^22 units that 32 bits hold.
  static constexpr unsigned terms_per_reading = 480;

  ACCRUE_DEVICE unsigned anchor(unsigned j) const { return ((place_.top - step * j) << 23) | 0x400000u; }
  ACCRUE_DEVICE void read_off() {
    filled_ = true;
#pragma unroll
    for (unsigned j = 0; j < 2; ++j) {
      units_[j] += static_cast<int>(bits_[j] - terms_ * anchor(j));
      bits_[j] = 0;
    }
    terms_ = 0;
  }

  struct attempt {
    unsigned bits[2];
    float anchor[2];
    unsigned above = 0;
    unsigned below = 0;

    ACCRUE_DEVICE explicit attempt(const short_windows& w)
        : bits{w.bits_[0], w.bits_[1]}, anchor{std::bit_cast<float>(w.anchor(0)), std::bit_cast<float>(w.anchor(1))} {}
    ACCRUE_DEVICE void add(float x) {
      const float first = simt::add(x, anchor[0]);
      const float rest = subtract(x, subtract(first, anchor[0]));
      const float second = simt::add(rest, anchor[1]);
      bits[0] += std::bit_cast<unsigned>(first);
      bits[1] += std::bit_cast<unsigned>(second);
      above |= std::bit_cast<unsigned>(first) ^ std::bit_cast<unsigned>(anchor[0]);
      if constexpr (!fixed) below |= std::bit_cast<unsigned>(subtract(rest, subtract(second, anchor[1])));
    }
    ACCRUE_DEVICE bool too_large() const { return (above & 0xff800000u) != 0; }
    ACCRUE_DEVICE bool refused() const { return too_large() || (below << 1) != 0; }
  };
  ACCRUE_DEVICE void keep(const attempt& a) {
    bits_[0] = a.bits[0];
    bits_[1] = a.bits[1];
  }

  /// A tile that was refused: windows at the tile's own place, if they stand wrong; then the refusing lanes term by term.
  template <int n, class Room, class Terms, class Put>
  ACCRUE_DEVICE void refold(const Terms& term, Room& room, const Put& put) {
    for (int round = 0;; ++round) {
      attempt again(*this);
      unsigned largest = 0;
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const float x = term(k);
        again.add(x);
        const unsigned field = (std::bit_cast<unsigned>(x) >> 23) & 255;
        largest = field != 255 && field > largest ? field : largest;
      }
      const bool refused = again.refused();
      if (!any(refused)) {
        keep(again);
        terms_ += n;
        place_.strikes = 0;
        return;
      }
      if (!fixed && round == 0 && move(largest_in_warp(largest), any(again.too_large()), room)) continue;
      // A lane that deposits its terms leaves as many zeros in its windows, which add an anchor each.
      if (refused) {
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) bits_[j] += n * anchor(j);
#pragma unroll
        for (int k = 0; k < n; ++k) put(k);
      } else {
        keep(again);
      }
      terms_ += n;
      return;
    }
  }
  template <class Room>
  ACCRUE_DEVICE bool move(unsigned largest, bool up, Room& room) {
    unsigned wanted = largest + headroom;
    wanted = wanted < lowest_top ? lowest_top : wanted > highest_top ? highest_top : wanted;
    if (!place_.should_move(wanted, up, step)) return false;
    if (filled_ || terms_ != 0) {
      drain(room);
      room.flush();
    }
    place_.top = wanted;
    return true;
  }

  unsigned bits_[2];  ///< sums of bit patterns since the last reading
  std::int64_t units_[2];
  window_place place_;
  unsigned terms_;  ///< since the last reading; the same in all lanes
  bool filled_;     ///< whether there was a reading
};

}  // namespace accrue::simt
