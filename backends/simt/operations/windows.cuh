// SPDX-License-Identifier: BSD-3-Clause
// The windows of a thread (extraction.hpp has what they are): running sums that take terms without error as long as a warp's tiles
// fit, and what happens where they do not.
#pragma once

#include "accrue/detail/extraction.hpp"
#include "accrue/backends/simt/operations/digits.cuh"
#include "accrue/backends/simt/operations/term_sizes.cuh"

namespace accrue::simt {

/// Adds `x` to window `s` and returns what did not fit the window's unit.
ACCRUE_DEVICE double extract(double& s, double x) {
  const double t = s + x;
  const double q = t - s;
  s = t;
  return x - q;
}

/// Where a warp's windows stand, and when they move: up at once; down when tile after tile stayed far below them.
struct window_place {
  unsigned top;      ///< exponent field of the top window's anchor
  unsigned refusals;  ///< refused tiles in a row that lay far below the windows
  unsigned backoff;

  ACCRUE_DEVICE void start(unsigned lowest) {
    top = lowest;
    refusals = 0;
    backoff = 4;
  }
  /// Whether the windows should move to `wanted`, a tile having been refused, for being too large if `up`.
  ACCRUE_DEVICE bool should_move(unsigned wanted, bool up, unsigned step) {
    if (up) return wanted > top;
    if (wanted + step >= top || ++refusals < backoff) return false;
    refusals = 0;
    backoff = backoff < 1024 ? 2 * backoff : backoff;
    return true;
  }
};

/// Terms of one element: a double, or a product and its rounding error.
struct single_term {
  static constexpr bool two = false;
  double value;
};
inline constexpr unsigned smallest_safe_factor = (1023u - 484) << 20;
struct product_term {
  static constexpr bool two = true;
  double value;
  double error;
  unsigned smallest_factor = ~0u;  ///< upper half of its bits: below those of 2^-484 the error may have underflowed
};

/// Windows of one thread. `usual` of them take every tile; a tile that leaves a remainder below them goes through all `most`. The
/// place of the windows is the warp's, so that a warp decides as one. A tile that is folded again is so `in_turn` terms at a time,
/// for the sake of registers.
template <class Term, int usual, int most, int in_turn>
class window_stack {
 public:
  static constexpr bool two_terms = Term::two;
  /// Terms between readings: each gives a window two additions if it is a product.
  static constexpr unsigned terms_per_reading = Term::two ? detail::adds_per_window / 2 : detail::adds_per_window;

  ACCRUE_DEVICE void start() {
    place_.start(lowest_top);
    terms_ = 0;
    readings_ = 0;
#pragma unroll
    for (int j = 0; j < most; ++j) units_[j] = 0;
    set_anchors();
  }

  /// Folds the terms `Terms::of(x)` of the warp's tile. `put()` deposits the lane's terms into the digits; elements that are not
  /// there are zeros.
  template <class Terms, class Element, int n, class Storage, class Put>
  ACCRUE_DEVICE void fold(const Element (&x)[n], Storage& storage, const Put& put) {
    static_assert(n <= terms_per_reading);
    if ((terms_ & ~of_any_size) > terms_per_reading - n) read_off(storage);
    attempt<usual> first(*this, anchor_high(0));
#pragma unroll
    for (int k = 0; k < n; ++k) first.add(Terms::of(x[k]));
    if (any(first.refused())) {
      refold<Terms>(x, storage, put);
    } else {
      thread_took(detail::way::usual_windows);
#pragma unroll
      for (int j = 0; j < usual; ++j) sum_[j] = first.sum[j];
    }
    terms_ = (terms_ | of_any_size) + n;
  }

  /// Whether two windows, three for terms with an error, take terms of such sizes whatever their bits are. So many additions stay below
  /// half of the top window; remainders and errors do below it; and the last unit divides them all. Errors are doubles.
  [[nodiscard]] ACCRUE_DEVICE bool hold(const size_range& sizes) const {
    const int top = static_cast<int>(place_.top) - 1023;
    const int last_unit = top - detail::window_step * (two_terms ? 2 : 1) - 52;
    return sizes.above <= top - 6 && sizes.last >= last_unit && (!two_terms || sizes.last >= -1074);
  }
  /// Whether the first window takes single terms of such sizes and leaves nothing to the next.
  [[nodiscard]] ACCRUE_DEVICE bool hold_in_first(const size_range& sizes) const {
    const int top = static_cast<int>(place_.top) - 1023;
    return sizes.above <= top - 6 && sizes.last >= top - 52;
  }
  /// Folds terms that they hold, or where `in_first` the first alone. A term that is a product without error is never rounded: twice fused.
  /// Terms of any size may have taken more of the top window than these leave: they are read off before.
  template <class Terms, bool in_first = false, class Element, int n, class Storage>
  ACCRUE_DEVICE void fold_held(const Element (&x)[n], Storage& storage) {
    if (terms_ > terms_per_reading - n) read_off(storage);
    thread_took(in_first ? detail::way::held_in_first : detail::way::held_by_sizes);
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if constexpr (in_first) {
        sum_[0] = add(sum_[0], Terms::of(x[k]).value);
      } else if constexpr (requires { Terms::factors(x[k]); }) {
        const pair_of<double> f = Terms::factors(x[k]);
        const double next = fused_multiply_add(f.x, f.y, sum_[0]);
        sum_[1] = add(sum_[1], fused_multiply_add(f.x, f.y, subtract(sum_[0], next)));
        sum_[0] = next;
      } else {
        const Term t = Terms::of(x[k]);
        sum_[1] = add(sum_[1], extract(sum_[0], t.value));
        if constexpr (two_terms) sum_[2] = add(sum_[2], extract(sum_[1], t.error));
      }
    }
    terms_ += n;
  }

  /// Makes room for terms up to an exponent field, which all lanes know.
  template <class Storage>
  ACCRUE_DEVICE void rise_to(unsigned largest, Storage& storage) {
    move(largest, true, storage);
  }

  /// Moves everything into the digits. All lanes take part.
  template <class Storage>
  ACCRUE_DEVICE void drain(Storage& storage) {
    take_units();
    const int mine = sum_of_lanes(units_);
    if (lane() < 4 * most && mine != 0) {
      const int j = static_cast<int>(lane()) / 4;
      storage.deposit(std::int64_t{mine},
                   static_cast<int>(place_.top) - detail::window_step * j - 1075 + 16 * (static_cast<int>(lane()) % 4));
    }
#pragma unroll
    for (int j = 0; j < most; ++j) units_[j] = 0;
    readings_ = 0;
  }

 private:
  // Exponent fields of the top anchor. The last window's unit is no less than the lowest bit of a double.
  static constexpr unsigned lowest_top = 1 + detail::window_step * (most - 1);
  static constexpr unsigned highest_top = 2046;
  static constexpr unsigned of_any_size = 256;
  static_assert(terms_per_reading < of_any_size);
  /// Readings that 64-bit counts of units hold: each adds up to 2^51.
  static constexpr unsigned most_readings = 2048;

  ACCRUE_DEVICE unsigned anchor_high(int j) const { return ((place_.top - detail::window_step * j) << 20) | 0x80000u; }
  ACCRUE_DEVICE void set_anchors() {
#pragma unroll
    for (int j = 0; j < most; ++j) sum_[j] = from_words(anchor_high(j), 0);
  }
  ACCRUE_DEVICE void take_units() {
#pragma unroll
    for (int j = 0; j < most; ++j) {
      units_[j] += std::bit_cast<std::int64_t>(sum_[j]) - (static_cast<std::int64_t>(anchor_high(j)) << 32);
    }
    set_anchors();
    terms_ = 0;
  }
  template <class Storage>
  ACCRUE_DEVICE void read_off(Storage& storage) {
    thread_took(detail::way::read_windows);
    take_units();
    if (++readings_ == most_readings) {
      drain(storage);
      storage.flush();
    }
  }

  /// A tile's additions, which count only if nothing was refused: bits of the top window's sign and exponent that changed, and bits
  /// of any remainder below the last window.
  template <int depth>
  struct attempt {
    double sum[depth];
    unsigned anchor;
    unsigned above = 0;
    unsigned below_high = 0;
    unsigned below_low = 0;
    unsigned smallest = ~0u;

    ACCRUE_DEVICE attempt(const window_stack& w, unsigned top_anchor) : anchor(top_anchor) {
#pragma unroll
      for (int j = 0; j < depth; ++j) sum[j] = w.sum_[j];
    }
    ACCRUE_DEVICE void add(const Term& t) {
      double rest = extract(sum[0], t.value);
      above |= high_word(sum[0]) ^ anchor;
      if constexpr (Term::two) {
        // The error is below half a unit of the top window, as the remainder is: both go to the second.
        rest = extract(sum[1], rest);
#pragma unroll
        for (int j = 2; j < depth - 1; ++j) rest = extract(sum[j], rest);
        note(rest);
        double error = t.error;
#pragma unroll
        for (int j = 1; j < depth; ++j) error = extract(sum[j], error);
        note(error);
        smallest = t.smallest_factor < smallest ? t.smallest_factor : smallest;
      } else {
#pragma unroll
        for (int j = 1; j < depth; ++j) rest = extract(sum[j], rest);
        note(rest);
      }
    }
    ACCRUE_DEVICE void note(double rest) {
      below_high |= high_word(rest);
      below_low |= low_word(rest);
    }
    ACCRUE_DEVICE bool too_large() const { return (above & 0xfff00000u) != 0; }
    ACCRUE_DEVICE bool refused() const {
      return too_large() || ((below_high << 1) | below_low) != 0 || smallest < smallest_safe_factor;
    }
  };

  /// A tile that was refused: all windows; then windows at the tile's own place, if they stand wrong; then term by term.
  template <class Terms, class Element, int n, class Storage, class Put>
  ACCRUE_DEVICE void refold(const Element (&x)[n], Storage& storage, const Put& put) {
    for (int round = 0;; ++round) {
      attempt<most> all(*this, anchor_high(0));
      unsigned largest = 0;
      constexpr int at_once = n < in_turn ? n : in_turn;
      for_each_in_turn<at_once>(x, n, [&](unsigned, const Element& e) {
        const Term t = Terms::of(e);
        all.add(t);
        const unsigned field = (high_word(t.value) >> 20) & 2047;
        largest = field != 2047 && field > largest ? field : largest;
      });
      const bool refused = all.refused();
      if (!any(refused)) {
        keep(all);
        thread_took(detail::way::all_windows);
        place_.refusals = 0;
        return;
      }
      if (round == 0 && move(largest_in_warp(largest), any(all.too_large()), storage)) continue;
      if (!refused) {
        keep(all);
      } else {
        thread_took(detail::way::deposited);
        put();
      }
      return;
    }
  }
  ACCRUE_DEVICE void keep(const attempt<most>& all) {
#pragma unroll
    for (int j = 0; j < most; ++j) sum_[j] = all.sum[j];
  }

  /// Puts the windows where a tile needs them whose largest exponent field is `largest`.
  template <class Storage>
  ACCRUE_DEVICE bool move(unsigned largest, bool up, Storage& storage) {
    unsigned wanted = largest + detail::window_headroom;
    wanted = wanted < lowest_top ? lowest_top : wanted > highest_top ? highest_top : wanted;
    if (!place_.should_move(wanted, up, detail::window_step)) return false;
    thread_took(detail::way::moved_windows);
    if (terms_ + readings_ != 0) {
      drain(storage);
      storage.flush();
    }
    place_.top = wanted;
    set_anchors();
    return true;
  }

  double sum_[most];
  std::int64_t units_[most];
  window_place place_;
  unsigned terms_;     ///< since the sums were read off, and `of_any_size` where not all were held by their sizes
  unsigned readings_;  ///< since the units were drained
};

}  // namespace accrue::simt
