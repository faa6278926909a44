// SPDX-License-Identifier: BSD-3-Clause
// Two windows of f32 for 16-bit floats, whose few bits they hold: adding x to an anchor leaves x in units in the anchor's last
// bits, so that the sum is an integer sum of bit patterns.
#pragma once

#include "accrue/backends/simt/operations/digits.cuh"
#include "accrue/backends/simt/operations/windows.cuh"

namespace accrue::simt {

/// The windows of a thread for elements of T. A window's anchor is 1.5 * 2^k and takes |x| <= 2^(k-1) in units of 2^(k-23); the
/// second stands 23 binades lower. For binary16 the two hold every finite value: 40 bits. For bfloat16 they stand where the data
/// are.
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

  template <class Terms, int n, class Storage, class Put>
  ACCRUE_DEVICE void fold(const T (&element)[n], Storage& storage, const Put& put) {
    if (terms_ > terms_per_reading - n) read_off();
    T x[n];
#pragma unroll
    for (int k = 0; k < n; ++k) x[k] = Terms::of(element[k]);
    constexpr unsigned words = (n + 1) / 2;
    unsigned word[words] = {};
    memcpy(word, x, sizeof(x));
    if (any(!fits(word))) return refold<n>(word, storage, put);
    thread_took(detail::way::short_usual);
    const float top = std::bit_cast<float>(anchor(0));
    const float low = std::bit_cast<float>(anchor(1));
    const auto fold_one = [&](float v) {
      const float first = add(v, top);
      const float second = add(subtract(v, subtract(first, top)), low);
      bits_[0] += std::bit_cast<unsigned>(first);
      bits_[1] += std::bit_cast<unsigned>(second);
    };
#pragma unroll
    for (unsigned k = 0; k < words; ++k) for_halves<n>(word[k], fold_one);
    terms_ += n;
  }

  template <class Storage>
  ACCRUE_DEVICE void drain(Storage& storage) {
    read_off();
    const int mine = sum_of_lanes(units_);
    if (lane() < 8 && mine != 0) {
      const auto place = static_cast<int>(lane());
      storage.deposit(std::int64_t{mine},
                   static_cast<int>(place_.top) - static_cast<int>(step) * (place / 4) - 150 + 16 * (place % 4));
    }
    units_[0] = units_[1] = 0;
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

  static ACCRUE_DEVICE float lower_half(unsigned word) { return to_float(std::bit_cast<T>(static_cast<std::uint16_t>(word))); }
  static ACCRUE_DEVICE float upper_half(unsigned word) {
    if constexpr (!fixed) return std::bit_cast<float>(word & 0xffff0000u);
    return to_float(std::bit_cast<T>(static_cast<std::uint16_t>(word >> 16)));
  }
  /// Calls f with both elements of a word; a single element has one of its own.
  template <unsigned n, class F>
  static ACCRUE_DEVICE void for_halves(unsigned word, const F& f) {
    static_assert(n == 1 || n % 2 == 0);
    f(lower_half(word));
    if (n != 1) f(upper_half(word));
  }
  /// Whether the windows surely hold pairs of elements, by their exponents alone.
  template <unsigned words>
  ACCRUE_DEVICE bool fits(const unsigned (&word)[words]) const {
    constexpr unsigned magnitudes = 0x7fff7fffu;
    unsigned largest = 0;
#pragma unroll
    for (unsigned k = 0; k < words; k += 2) {
      largest = largest_halves(largest, word[k] & magnitudes, word[k + 1 < words ? k + 1 : k] & magnitudes);
    }
    const unsigned a = largest & 0xffff;
    const unsigned b = largest >> 16;
    if constexpr (fixed) return (a > b ? a : b) < 0x7c00;
    unsigned smallest = ~0u;  // of what is not zero, less one
#pragma unroll
    for (unsigned k = 0; k < words; ++k) smallest = smallest_halves_after_add(word[k] & magnitudes, ~0u, smallest);
    const unsigned c = smallest & 0xffff;
    const unsigned d = smallest >> 16;
    // The last of bfloat16's bits stands 7 below the first, and must not be below the last window's.
    constexpr unsigned depth = 2 * step - 7;
    const unsigned least = place_.top > depth + 1 ? (place_.top - depth) << 7 : 0;
    return ((a > b ? a : b) <= (place_.top - 1) << 7) & ((c < d ? c : d) + 1 >= least);
  }

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

  /// A tile's additions, which count only if nothing was refused (windows.cuh).
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
  template <unsigned n, unsigned words, class Storage, class Put>
  ACCRUE_DEVICE void refold(const unsigned (&word)[words], Storage& storage, const Put& put) {
    for (int round = 0;; ++round) {
      attempt again(*this);
      unsigned largest = 0;
      const auto add_one = [&](float x) {
        again.add(x);
        const unsigned field = (std::bit_cast<unsigned>(x) >> 23) & 255;
        largest = field != 255 && field > largest ? field : largest;
      };
      constexpr unsigned at_once = words > 4 ? 4 : words;
      for_each_in_turn<at_once>(word, words, [&](unsigned, unsigned w) { for_halves<n>(w, add_one); });
      const bool refused = again.refused();
      if (!any(refused)) {
        keep(again);
        thread_took(detail::way::short_refolded);
        terms_ += n;
        place_.refusals = 0;
        return;
      }
      if (!fixed && round == 0 && move(largest_in_warp(largest), any(again.too_large()), storage)) continue;
      // A lane that deposits its terms leaves as many zeros in its windows, which add an anchor each.
      if (refused) {
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) bits_[j] += n * anchor(j);
        thread_took(detail::way::short_deposited);
        put();
      } else {
        keep(again);
      }
      terms_ += n;
      return;
    }
  }
  template <class Storage>
  ACCRUE_DEVICE bool move(unsigned largest, bool up, Storage& storage) {
    unsigned wanted = largest + headroom;
    wanted = wanted < lowest_top ? lowest_top : wanted > highest_top ? highest_top : wanted;
    if (!place_.should_move(wanted, up, step)) return false;
    thread_took(detail::way::short_moved);
    if (filled_ || terms_ != 0) {
      drain(storage);
      storage.flush();
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
