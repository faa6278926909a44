// SPDX-License-Identifier: BSD-3-Clause
// The kernels of exact sums by keys in no order. The first finds the range of the elements. The rest hold each sum as an integer with
// room for that range: in shared memory where groups are few; in limbs that carry nothing where the range is narrow; else in words.
#pragma once

#include "accrue/backends/simt/kernel/accumulate_kernel.cuh"

namespace accrue::simt {

inline constexpr unsigned key_sum_threads = 512;

/// Sums by keys. A kernel's argument.
template <class Source, class Key>
struct key_sums {
  using number = typename Source::element;
  Source source;
  const Key* keys;
  bool skips_others;
  contribution_plan<number, 1> plan;  ///< of words, with the results as targets, and the range of the elements
  std::size_t shared_bytes;
  const unsigned* wanted;  ///< zero there: the kernels do nothing; nullptr: they run

  [[nodiscard]] ACCRUE_DEVICE bool idle() const { return wanted != nullptr && *wanted == 0; }
  [[nodiscard]] ACCRUE_DEVICE number element(std::size_t i) const { return reader<Source>::near(source, i); }
  /// The group of an element; `plan.size` where it has none, which is an error unless such are skipped.
  [[nodiscard]] ACCRUE_DEVICE std::size_t group(std::size_t i) const {
    const auto key = static_cast<std::uint64_t>(keys[i]);
    if (key < plan.size) return key;
    if (!skips_others) *plan.status = static_cast<int>(errc::out_of_range);
    return plan.size;
  }
};

/// The range of the elements, as if they had been contributed.
template <class Source, class Key>
ACCRUE_KERNEL(accumulate_threads, 2)
element_range_kernel(key_sums<Source, Key> sums) {
  if (sums.idle()) return;
  using number = typename Source::element;
  constexpr unsigned at_once = 8;
  device_contributor<number, 1> out(sums.plan);
  const std::size_t n = size_of(sums.source);
  const std::size_t step = std::size_t{blocks()} * threads();
  std::size_t i = std::size_t{block()} * threads() + thread();
  for (; i - lane() + warp_width - 1 + (at_once - 1) * step < n; i += at_once * step) {  // all lanes of the warp
    number x[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) x[k] = sums.element(i + k * step);
    out.see_together(x);
  }
  for (; i < n; i += step) out.see(sums.element(i));
  out.finish();
}

/// A sum as `count` signed limbs of 64 bits, in each of which so many bits of the elements are added that no sum overflows. What is added
/// to one carries nothing into the next: as many lanes add to a sum's limbs at once, and wait for no answer.
struct limb_format {
  int lowest;  ///< place of the lowest bit
  int bits;
  unsigned count;  ///< 2 or 4; 0: the range wants more

  explicit ACCRUE_DEVICE limb_format(const contribution_range& range)
      : lowest(range.lowest()), bits(63 - detail::bit_width(range.adds)), count(0) {
    if (range.bits() <= 2 * bits) {
      count = 2;
    } else if (range.bits() <= 4 * bits) {
      count = 4;
    }
  }
};

/// Before anything was added. `in_limbs`: where the range allows it.
template <class Source, class Key>
ACCRUE_KERNEL(accumulate_threads, 2)
start_key_sums_kernel(key_sums<Source, Key> sums, bool in_limbs) {
  if (sums.idle()) return;
  const word_format f = sums.plan.range->format();
  const limb_format limbs(*sums.plan.range);
  const bool of_limbs = in_limbs && limbs.count != 0;
  const std::size_t each = of_limbs ? limbs.count : f.count;
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < sums.plan.size * each; k += std::size_t{blocks()} * threads()) {
    sums.plan.words[k] = of_limbs ? 0 : f.initial(static_cast<unsigned>(k % each));
  }
}

/// Adds all elements to words in device memory.
template <class Source, class Key>
ACCRUE_DEVICE void add_to_memory(const key_sums<Source, Key>& sums) {
  using number = typename Source::element;
  contribution_plan<number, 1> plan = sums.plan;
  plan.how = adding::to_words;
  plan.format = plan.range->format();
  device_contributor<number, 1> out(plan);
  const std::size_t n = size_of(sums.source);
  for (std::size_t i = std::size_t{block()} * threads() + thread(); i < n; i += std::size_t{blocks()} * threads()) {
    const std::size_t k = sums.group(i);
    if (k < plan.size) out.add(k, sums.element(i));
  }
}

/// An element that is no zero and finite, as an integer times the value of the lowest bit.
struct placed_integer {
  std::uint64_t significand;
  unsigned shift;

  ACCRUE_DEVICE placed_integer(const float_parts& x, int lowest) {
    const int above = static_cast<int>(x.place) - lowest;  // below zero: by bits that are zero
    significand = above < 0 ? x.significand >> -above : x.significand;
    shift = above < 0 ? 0 : static_cast<unsigned>(above);
  }
};

/// A lane's element on its way to the lanes that add it.
struct travelling_element {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  static constexpr unsigned digits = std::numeric_limits<double>::digits;
  std::uint32_t group;
  std::uint64_t packed;  ///< significand, shift, sign

  /// The bits that a limb has of it.
  [[nodiscard]] ACCRUE_DEVICE std::int64_t part_in(unsigned limb, int bits) const {
    const std::uint64_t significand = packed & ((std::uint64_t{1} << digits) - 1);
    const int down = static_cast<int>(limb) * bits - static_cast<int>(packed >> digits & 1023);
    std::uint64_t part = 0;
    if (down >= 0) {
      if (down < 64) part = significand >> down;
    } else if (down > -64) {
      part = significand << -down;
    }
    part &= (std::uint64_t{1} << bits) - 1;
    return packed >> 63 != 0 ? -static_cast<std::int64_t>(part) : static_cast<std::int64_t>(part);
  }
};

/// Adds all elements to limbs, of which as many lanes have one each.
template <unsigned limbs, class Source, class Key>
ACCRUE_DEVICE void add_to_limbs(const key_sums<Source, Key>& sums, const limb_format& f) {
  constexpr unsigned at_once = 4;
  const std::size_t n = size_of(sums.source);
  const std::size_t step = std::size_t{blocks()} * threads();
  for (std::size_t base = std::size_t{block()} * threads() + thread() - lane(); base < n; base += at_once * step) {
    typename Source::element x[at_once];
    std::size_t group[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const std::size_t i = base + k * step + lane();
      group[k] = i < n ? sums.group(i) : sums.plan.size;
      x[k] = i < n ? sums.element(i) : 0;
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const float_parts parts(x[k]);
      travelling_element mine{travelling_element::nowhere, 0};
      if (group[k] < sums.plan.size && parts.special) add_special(sums.plan, group[k], parts);
      if (group[k] < sums.plan.size && !parts.special && parts.significand != 0) {
        const placed_integer integer(parts, f.lowest);
        mine.group = static_cast<std::uint32_t>(group[k]);
        mine.packed = integer.significand | std::uint64_t{integer.shift} << travelling_element::digits |
                      std::uint64_t{parts.negative} << 63;
      }
#pragma unroll
      for (unsigned r = 0; r < limbs; ++r) {
        const unsigned from = lane() / limbs * limbs + r;
        const travelling_element that{shuffle(mine.group, from), shuffle(mine.packed, from)};
        if (that.group == travelling_element::nowhere) continue;
        const std::int64_t part = that.part_in(lane() % limbs, f.bits);
        if (part != 0) add_atomically(sums.plan.words + std::size_t{that.group} * limbs + lane() % limbs, static_cast<std::uint64_t>(part));
      }
    }
  }
}

/// Adds to sums in device memory.
template <class Source, class Key>
ACCRUE_KERNEL(key_sum_threads, 2)
add_by_key_kernel(key_sums<Source, Key> sums, bool in_limbs) {
  if (sums.idle()) return;
  const limb_format f(*sums.plan.range);
  if (!in_limbs || f.count == 0) return add_to_memory(sums);
  if (f.count == 2) return add_to_limbs<2>(sums, f);
  add_to_limbs<4>(sums, f);
}

/// Numbers in a block's memory, as words of 32 bits, in which shared memory adds: word after word, those of all numbers side by side. Every
/// word but the last starts at 2^31, as in word_format.
struct shared_numbers {
  static constexpr std::uint32_t start = std::uint32_t{1} << 31;
  std::uint32_t* words;
  std::size_t size;  ///< numbers
  unsigned count;    ///< words of each

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t initial(unsigned word) const { return word + 1 < count ? start : 0; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t& at(std::size_t k, unsigned word) const { return words[word * size + k]; }

  /// Adds an integer to number k: its words from `word` on, the lowest first, of which only the last has a sign. All lanes take one way
  /// through it.
  template <unsigned parts>
  ACCRUE_DEVICE void add(std::size_t k, unsigned word, const std::uint32_t (&part)[parts]) const {
    std::uint32_t carry = 0;
#pragma unroll
    for (unsigned p = 0; p + 1 < parts; ++p, ++word) {
      const std::uint64_t v = std::uint64_t{part[p]} + carry;
      const auto low = static_cast<std::uint32_t>(v);
      carry = static_cast<std::uint32_t>(v >> 32);
      if (low != 0 && word < count && fetch_add(&at(k, word), low) + low < low) ++carry;
    }
    const std::uint32_t top = part[parts - 1] + carry;
    int on = 0;
    if (top != 0 && word < count) {
      const std::uint32_t before = fetch_add(&at(k, word), top);
      on = static_cast<std::int32_t>(top) > 0 ? (before + top < before ? 1 : 0) : (before < 0u - top ? -1 : 0);
    }
    while (on != 0 && ++word < count) {
      const std::uint32_t before = fetch_add(&at(k, word), static_cast<std::uint32_t>(on));
      if (before != (on > 0 ? ~std::uint32_t{0} : 0u)) on = 0;
    }
  }
};

/// Adds to copies of the sums in each block's memory, then these to words in device memory; where the copies do not fit, elements to words.
template <class Source, class Key>
ACCRUE_KERNEL(key_sum_threads, 2)
add_by_key_in_shared_kernel(key_sums<Source, Key> sums) {
  if (sums.idle()) return;
  using number = typename Source::element;
  const contribution_range range = *sums.plan.range;
  const shared_numbers copies{reinterpret_cast<std::uint32_t*>(dynamic_shared()), sums.plan.size, range.words_of(32)};
  if (copies.size * copies.count * sizeof(std::uint32_t) > sums.shared_bytes) return add_to_memory(sums);
  for (std::size_t k = thread(); k < copies.size * copies.count; k += threads()) {
    copies.words[k] = copies.initial(static_cast<unsigned>(k / copies.size));
  }
  sync_block();
  constexpr unsigned at_once = 4;
  constexpr unsigned parts = sizeof(number) == 8 ? 3 : 2;  // of a significand that is shifted by less than a word
  const std::size_t n = size_of(sums.source);
  const std::size_t step = std::size_t{blocks()} * threads();
  for (std::size_t base = std::size_t{block()} * threads() + thread() - lane(); base < n; base += at_once * step) {
    number x[at_once];
    std::size_t group[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const std::size_t i = base + k * step + lane();
      group[k] = i < n ? sums.group(i) : sums.plan.size;
      x[k] = i < n ? sums.element(i) : 0;
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const float_parts p(x[k]);
      const bool mine = group[k] < sums.plan.size;
      if (mine && p.special) add_special(sums.plan, group[k], p);
      if (mine && !p.special && p.significand != 0) {
        const placed_integer integer(p, range.lowest());
        detail::int128 v = static_cast<detail::int128>(integer.significand) << integer.shift % 32;
        if (p.negative) v = -v;
        std::uint32_t part[parts];
#pragma unroll
        for (unsigned w = 0; w < parts; ++w) part[w] = static_cast<std::uint32_t>(v >> 32 * w);
        copies.add(group[k], integer.shift / 32, part);
      }
      sync_warp();  // lanes that took different ways would go on apart
    }
  }
  sync_block();
  const word_format f = range.format();
  for (std::size_t k = thread(); k < copies.size; k += threads()) {
    for (unsigned w = 0; w < copies.count; w += 2) {
      detail::int128 v = 0;
      for (unsigned half = 0; half < 2 && w + half < copies.count; ++half) {
        const std::uint32_t word = copies.at(k, w + half);
        const bool top = w + half + 1 == copies.count;
        const std::int64_t added = top ? static_cast<std::int32_t>(word) : static_cast<std::int64_t>(word) - shared_numbers::start;
        v += static_cast<detail::int128>(added) << 32 * half;
      }
      if (v != 0) add_to_words(sums.plan.words + k * f.count, f.count, w / 2, v);
    }
  }
}

/// Limbs become the integer that they are, in as many words of two's complement.
template <unsigned limbs>
ACCRUE_DEVICE void join_limbs(std::uint64_t* number, const limb_format& f) {
  std::int64_t limb[limbs];
#pragma unroll
  for (unsigned c = 0; c < limbs; ++c) {
    limb[c] = static_cast<std::int64_t>(number[c]);
    number[c] = 0;
  }
#pragma unroll
  for (unsigned c = 0; c < limbs; ++c) {
    const unsigned shift = c * static_cast<unsigned>(f.bits);
    const detail::int128 v = static_cast<detail::int128>(limb[c]) << shift % 64;
    detail::uint128 sum = 0;
    for (unsigned w = shift / 64; w < limbs; ++w) {
      const unsigned up = w - shift / 64;
      sum = (sum >> 64) + number[w] + static_cast<std::uint64_t>(v >> (up < 2 ? 64 * up : 127));
      number[w] = static_cast<std::uint64_t>(sum);
    }
  }
}

/// The sums, each rounded once.
template <class Source, class Key>
ACCRUE_KERNEL(accumulate_threads, 2)
finish_key_sums_kernel(key_sums<Source, Key> sums, bool in_limbs) {
  if (sums.idle()) return;
  using number = typename Source::element;
  const limb_format limbs(*sums.plan.range);
  const word_format f = sums.plan.range->format();
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < sums.plan.size; k += std::size_t{blocks()} * threads()) {
    number& result = sums.plan.number(k);
    if (const unsigned special = sums.plan.specials[k]; special != 0) {
      result = canonical_nan(special_sum<number>(special));
    } else if (in_limbs && limbs.count != 0) {
      std::uint64_t* const words = sums.plan.words + k * limbs.count;
      limbs.count == 2 ? join_limbs<2>(words, limbs) : join_limbs<4>(words, limbs);
      result = round_words<number>(words, {limbs.lowest - 1074, limbs.count});
    } else {
      std::uint64_t* const words = sums.plan.words + k * f.count;
      (void)settle_words(words, f);
      result = round_words<number>(words, f);
    }
  }
}

}  // namespace accrue::simt
