// SPDX-License-Identifier: BSD-3-Clause
// How an exact sum's accumulator takes its tiles: the cheapest way that the data allow, proven tile by tile.
#include "accrue/detail/exact_accumulator.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "accrue/detail/extraction.hpp"
#include "accrue/detail/ways.hpp"
#include "exact_kernels.hpp"
#include "exception_flags.hpp"

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

namespace accrue::kernels {

void bins_deleter::operator()(exponent_bins* bins) const noexcept { delete bins; }

namespace {

using detail::took;

constexpr detail::way windows_of_depth(int depth) {
  using detail::way;
  return depth == 2 ? way::windows_2 : depth == 3 ? way::windows_3 : depth == 4 ? way::windows_4 : way::windows_6;
}

/// Whether terms are split at all: products of doubles have too many bits, and squares of floats seldom lie close enough together.
template <class T>
constexpr bool splits(term what) {
  return !is_product(what) || (sizeof(T) == 4 && what == term::product);
}

/// Tiles that go straight to a dearer way before a cheaper one is tried again: at first, and at most, doubling each time it fails.
constexpr std::uint16_t first_backoff = 32;
constexpr std::uint16_t most_backoff = 1024;
/// What a long tile is cut into.
constexpr std::size_t usual_tile = 2048;

/// Refusals in a row that move an accumulator to the next way.
constexpr std::uint8_t refusals_allowed = 2;

/// A total grows by at most 2^51 for each lane and block, of which a tile has at most 4096 / 32: 2^58 in a fold, 2^62 in 16.
constexpr int folds_per_drain = 16;
/// Whether bins must be drained before another tile, of up to two terms an element.
bool is_full(const exponent_bins& bins) {
  return bins.elements + 2 * exact_accumulator::largest_tile > exponent_bins::most_elements;
}

void drain_bins(exponent_bins& bins, detail::limb_sink sink) {
  for (std::size_t index = 0; index < 4096; ++index) {
    exponent_bins::pair& bin = bins.bin[index];
    if (bin.low == 0) continue;
    const int field = static_cast<int>(index & 2047);
    const bool negative = (index >> 11) != 0;
    const int exponent = (field != 0 ? field : 1) - 1075;
    const std::uint64_t count = bin.low >> exponent_bins::count_shift;
    sink.deposit(bin.low & ((std::uint64_t{1} << exponent_bins::count_shift) - 1), negative, exponent);
    sink.deposit(bin.high, negative, exponent + exponent_bins::low_bits);
    if (field != 0) sink.deposit(count, negative, exponent + 52);  // the bit that normal numbers do not store
    bin = {};
  }
  for (std::size_t w = 0; w < detail::pending; ++w) {
    sink.special(static_cast<detail::special_word>(w)) += bins.special[w];
    bins.special[w] = 0;
  }
  bins.elements = 0;
}

/// Element by element, whatever the elements are.
template <class T>
void add_each(detail::limb_sink sink, term what, operands<T> tile) {
  took(detail::way::one_by_one);
  for (std::size_t i = 0; i < tile.size; ++i) {
    const double x = tile.x[i];
    switch (what) {
      case term::value: sink.add(x); break;
      case term::magnitude: sink.add(std::fabs(x)); break;
      case term::square: sink.add_product(x, x); break;
      case term::product: sink.add_product(x, tile.y[i]); break;
    }
  }
}

/// Calls `visit(values, count)` with the tile's terms as doubles whose sum is exact, or answers false if a term has none.
template <class T, class Visit>
bool expand(term what, operands<T> tile, Visit visit) {
  constexpr std::size_t chunk = 128;
  constexpr double safe = 0x1p-969;
  if (sizeof(T) == 8 && what == term::value) {
    visit(reinterpret_cast<const double*>(tile.x), tile.size);
    return true;
  }
  const bool two_terms = sizeof(T) == 8 && is_product(what);
  for (std::size_t begin = 0; begin < tile.size; begin += chunk) {
    const std::size_t count = tile.size - begin < chunk ? tile.size - begin : chunk;
    double values[2 * chunk];
    std::size_t filled = 0;
    for (std::size_t i = begin; i < begin + count; ++i) {
      const double x = tile.x[i];
      const double y = what == term::product ? static_cast<double>(tile.y[i]) : x;
      const double p = what == term::value ? x : what == term::magnitude ? std::fabs(x) : x * y;
      values[filled++] = p;
      if (two_terms) {
        if (p < safe && p > -safe && x != 0 && y != 0) return false;
        values[filled++] = std::fma(x, y, -p);
      }
    }
    visit(values, filled);
  }
  return true;
}

}  // namespace

exact_accumulator::exact_accumulator()
    : lanes_{}, windows_{}, way_(exception_flags_work() ? way::split : way::windows),
      refusals_(0),
      backoff_(0),
      next_backoff_(first_backoff),
      split_folds_(0),
      split_limit_(~std::uint32_t{0}) {}

template <native_float T>
bool exact_accumulator::fold(term what, operands<T> tile) {
  if (way_ == way::split) {
    if (splits<T>(what)) {
      if (split_folds_ >= split_limit_) return false;  // about to run out of bits: drained before a tile is tried in vain
      if (!split_fold(lanes_, what, tile)) return false;
      took(detail::way::split);
      ++split_folds_;
      refusals_ = 0;
      next_backoff_ = first_backoff;
      return true;
    }
    way_ = way::windows;
  }
  if (tile.size > largest_tile) return false;
  if (backoff_ != 0 && --backoff_ == 0) {
    if (way_ == way::bins) {
      way_ = way::windows;
      backoff_ = next_backoff_;
    } else if (splits<T>(what) && exception_flags_work()) {
      way_ = way::split;
    }
    refusals_ = 0;
    return fold(what, tile);
  }
  return way_ == way::windows ? fold_windows(what, tile) : fold_bins(what, tile);
}

template <native_float T>
bool exact_accumulator::fold_windows(term what, operands<T> tile) {
  if (windows_.depth == 0 || windows_.folds == folds_per_drain) return false;
  if (!window_fold(windows_, what, tile)) return false;
  took(windows_of_depth(windows_.depth));
  refusals_ = 0;
  return true;
}

template <native_float T>
bool exact_accumulator::fold_bins(term what, operands<T> tile) {
  if (!bins_) bins_.reset(new exponent_bins{});
  exponent_bins& bins = *bins_;
  if (is_full(bins)) return false;
  if (sizeof(T) == 8 && is_product(what)) {  // a product with no exact pair of terms must be found before any is added
    if (largest_exponent(what, tile) >= 1024 || !expand(what, tile, [](const double*, std::size_t) {})) return false;
  }
  took(detail::way::bins);
  expand(what, tile, [&](const double* values, std::size_t count) {
    add_to_bins(bins, values, count);
    bins.elements += count;
    exponent_bins::pair& positive = bins.bin[2047];
    exponent_bins::pair& negative = bins.bin[4095];
    if (positive.low == 0 && negative.low == 0) return;
    positive = negative = {};
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(values[i])) ++bins.special[detail::nans];
      if (std::isinf(values[i])) ++bins.special[values[i] > 0 ? detail::positive_infinities : detail::negative_infinities];
    }
  });
  return true;
}

template <native_float T>
void exact_accumulator::refold(detail::limb_sink sink, term what, operands<T> tile) {
  if (way_ == way::split && split_folds_ != 0) {
    // Sums that grow refuse a tile after some number of them; from then on they are drained a little earlier.
    if (split_folds_ >= 4 && split_folds_ < split_limit_) split_limit_ = split_folds_ - split_folds_ / 4;
    drain_split(sink);
    took(detail::way::split_drained);
    if (fold(what, tile)) return;
  }
  if (tile.size > largest_tile) {
    for (std::size_t begin = 0; begin < tile.size; begin += usual_tile) {
      const std::size_t size = tile.size - begin < usual_tile ? tile.size - begin : usual_tile;
      const operands<T> part = tile.part(begin, size);
      if (!fold(what, part)) refold(sink, what, part);
    }
    return;
  }
  if (way_ == way::split) {
    if (++refusals_ >= refusals_allowed) {
      move_to(way::windows);
    }
  }
  if (!exception_flags_work()) return add_each(sink, what, tile);
  if (bins_ && is_full(*bins_)) drain_bins(*bins_, sink);
  const int largest = largest_exponent(what, tile);
  if (way_ != way::bins && largest < 1024) {
    const int preferred = windows_.depth != 0 ? windows_.depth : 2;
    drain_windows(sink);
    const int offset = sizeof(T) == 8 && is_product(what) ? detail::error_offset : 0;
    for (int depth = preferred; depth <= deepest_windows; depth += depth == 4 ? 2 : 1) {
      // The top window's headroom may not push the last one below the smallest normal exponent, nor the first above the largest.
      int top = largest + detail::window_headroom;
      const int lowest_top = -1022 + (depth - 1) * detail::window_step + offset;
      top = top < lowest_top ? lowest_top : top > 1023 ? 1023 : top;
      windows_.top = top;
      windows_.depth = depth;
      if (!window_fold(windows_, what, tile)) continue;
      took(windows_of_depth(depth));
      return;
    }
    windows_.depth = 0;
    if (++refusals_ >= refusals_allowed && way_ == way::windows) {
      move_to(way::bins);
    }
  }
  if (!fold_bins(what, tile)) add_each(sink, what, tile);
}

void exact_accumulator::move_to(way dearer) {
  way_ = dearer;
  refusals_ = 0;
  backoff_ = next_backoff_;
  next_backoff_ = next_backoff_ < most_backoff ? static_cast<std::uint16_t>(2 * next_backoff_) : most_backoff;
}

void exact_accumulator::drain_split(detail::limb_sink sink) {
  for (std::size_t i = 0; i < split_lanes::count; ++i) {
    if (lanes_.high[i] != 0) sink.add(lanes_.high[i]);
    if (lanes_.low[i] != 0) sink.add(lanes_.low[i]);
  }
  lanes_ = {};
  split_folds_ = 0;
}

void exact_accumulator::drain_windows(detail::limb_sink sink) {
  for (int j = 0; j < windows_.depth; ++j) {
    const int unit = windows_.top - j * detail::window_step - 52;
    sink.deposit(windows_.total[j], unit);
    sink.deposit(windows_.error[j], unit - detail::error_offset);
    windows_.total[j] = 0;
    windows_.error[j] = 0;
  }
  windows_.folds = 0;
}

void exact_accumulator::drain(detail::limb_sink sink) {
  drain_split(sink);
  drain_windows(sink);
  if (bins_) drain_bins(*bins_, sink);
  narrow.drain(sink);
}

template bool exact_accumulator::fold(term, operands<float>);
template bool exact_accumulator::fold(term, operands<double>);
template void exact_accumulator::refold(detail::limb_sink, term, operands<float>);
template void exact_accumulator::refold(detail::limb_sink, term, operands<double>);

}  // namespace accrue::kernels
