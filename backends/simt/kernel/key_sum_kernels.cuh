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

/// No group.
inline constexpr std::uint32_t without_group = ~std::uint32_t{0};
/// Elements that a lane reads before it adds any of them.
inline constexpr unsigned elements_at_once = 4;

/// Calls add(x, group) for all elements, `elements_at_once` of each lane, where groups are fewer than 2^31: all lanes of a warp together.
/// Of elements behind the end it makes zeros of group 0; where a key is no group's, the group is `without_group`.
template <class Source, class Key, class Add>
ACCRUE_DEVICE void for_warps_of_elements(const key_sums<Source, Key>& sums, const Add& add) {
  using unsigned_key = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;
  const auto groups = static_cast<std::uint32_t>(sums.plan.size);
  const std::size_t n = size_of(sums.source);
  const std::size_t step = std::size_t{blocks()} * threads();
  for (std::size_t base = std::size_t{block()} * threads() + thread() - lane(); base < n; base += elements_at_once * step) {
    typename Source::element x[elements_at_once];
    unsigned_key key[elements_at_once];
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) {
      const std::size_t i = base + k * step + lane();
      key[k] = i < n ? static_cast<unsigned_key>(sums.keys[i]) : 0;
      x[k] = i < n ? sums.element(i) : 0;
    }
    std::uint32_t group[elements_at_once];
    bool outside = false;
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) {
      group[k] = key[k] < groups ? static_cast<std::uint32_t>(key[k]) : without_group;
      outside = outside || group[k] == without_group;
    }
    if (outside && !sums.skips_others) *sums.plan.status = static_cast<int>(errc::out_of_range);
    add(x, group);
  }
}

/// A lane's element on its way to the lanes that add it.
struct travelling_element {
  static constexpr unsigned digits = std::numeric_limits<double>::digits;
  std::uint32_t group = without_group;
  std::uint64_t packed = 0;  ///< significand, bits that it is above the lowest, sign

  travelling_element() = default;
  ACCRUE_DEVICE travelling_element(std::uint32_t to, const float_parts& x, int lowest) : group(to) {
    const int above = static_cast<int>(x.place) - lowest;  // below zero: by bits that are zero
    const std::uint64_t significand = above < 0 ? x.significand >> -above : x.significand;
    packed = significand | static_cast<std::uint64_t>(above < 0 ? 0 : above) << digits | std::uint64_t{x.negative} << 63;
  }
  [[nodiscard]] ACCRUE_DEVICE travelling_element of_lane(unsigned from) const {
    travelling_element that;
    that.group = shuffle(group, from);
    that.packed = shuffle(packed, from);
    return that;
  }

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
  using number = typename Source::element;
  for_warps_of_elements(sums, [&](const number (&x)[elements_at_once], const std::uint32_t (&group)[elements_at_once]) {
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) {
      const float_parts parts(x[k]);
      travelling_element mine;
      if (group[k] != without_group && parts.special) add_special(sums.plan, group[k], parts);
      if (group[k] != without_group && !parts.special && parts.significand != 0) mine = travelling_element(group[k], parts, f.lowest);
#pragma unroll
      for (unsigned r = 0; r < limbs; ++r) {
        const travelling_element that = mine.of_lane(lane() / limbs * limbs + r);
        if (that.group == without_group) continue;
        const std::int64_t part = that.part_in(lane() % limbs, f.bits);
        if (part != 0) add_atomically(sums.plan.words + std::size_t{that.group} * limbs + lane() % limbs, static_cast<std::uint64_t>(part));
      }
    }
  });
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

/// Numbers in a block's memory, as words of 32 bits, in which shared memory adds: word after word, those of all numbers side by side, and
/// behind them one for each lane of a warp, which takes what belongs to none. Every word but a number's last starts at 2^31, as in
/// word_format.
struct shared_numbers {
  static constexpr std::uint32_t start = std::uint32_t{1} << 31;
  shared_words words;
  std::uint32_t size;   ///< numbers
  std::uint32_t count;  ///< words of each

  [[nodiscard]] ACCRUE_DEVICE std::uint32_t all_words() const { return size * count + warp_width; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t initial(std::uint32_t word) const { return word + 1 != count ? start : 0; }
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t place(std::uint32_t k, std::uint32_t word) const { return word * size + k; }
  /// Adds to a word of number k; what was there, or anything where it has no such word. Without a branch.
  [[nodiscard]] ACCRUE_DEVICE std::uint32_t add(std::uint32_t k, std::uint32_t word, std::uint32_t more) const {
    return words.fetch_add(word < count ? place(k, word) : place(lane(), count), more);
  }
  /// Adds 1 or -1 to a word and those above, as far as it carries.
  ACCRUE_DEVICE void carry_on(std::uint32_t k, std::uint32_t word, int carry) const {
    for (; carry != 0 && word < count; ++word) {
      const std::uint32_t before = add(k, word, static_cast<std::uint32_t>(carry));
      if (before != (carry > 0 ? ~std::uint32_t{0} : 0u)) carry = 0;
    }
  }
};

/// A finite element as a signed number of 96 bits, or of 64 that a float needs, at a word of those in which the lowest place is bit 0.
/// Where its lowest bits are zeros below that place, it begins below them.
template <class T>
struct words_of_element {
  static constexpr unsigned count = sizeof(T) == 8 ? 3 : 2;  ///< of a significand that is shifted up by less than a word
  std::uint32_t first;        ///< modulo 2^32: -1 or -2 where it begins below the number; what is added there is 0, or carries as a whole
  std::uint32_t word[count];  ///< below zero with all bits turned,
  std::uint32_t one;          ///< and 1 to be added to the lowest, as in two's complement

  ACCRUE_DEVICE words_of_element(const float_parts& x, int lowest) {
    const unsigned above = x.place - static_cast<unsigned>(lowest) + 64;
    const unsigned shift = above % 32;
    const std::uint32_t sign = x.negative ? ~std::uint32_t{0} : 0;
    first = above / 32 - 2;
    one = x.negative ? 1 : 0;
    word[0] = (static_cast<std::uint32_t>(x.significand) << shift) ^ sign;
#pragma unroll
    for (unsigned w = 1; w < count; ++w) word[w] = static_cast<std::uint32_t>(x.significand >> 32 * (w - 1) >> (32 - shift)) ^ sign;
  }
};

/// Adds some elements of a lane, each to the number of its group: word by word, so that what is there of several is waited for at once.
template <class Plan, class T>
ACCRUE_DEVICE void add_to_shared(const shared_numbers& numbers, const Plan& plan, int lowest, const T (&x)[elements_at_once],
                                 const std::uint32_t (&group)[elements_at_once]) {
  using words = words_of_element<T>;
  std::uint32_t first[elements_at_once];
  std::uint32_t word[elements_at_once][words::count];
  std::uint32_t carry[elements_at_once];
  bool any_special = false;
#pragma unroll
  for (unsigned k = 0; k < elements_at_once; ++k) {
    const float_parts parts(x[k]);
    const words w(parts, lowest);
    any_special = any_special || parts.special;
    first[k] = group[k] != without_group && !parts.special ? w.first : numbers.count;
    carry[k] = w.one;
#pragma unroll
    for (unsigned i = 0; i < words::count; ++i) word[k][i] = w.word[i];
  }
  if (any_special) {
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) {
      if (const float_parts parts(x[k]); parts.special && group[k] != without_group) add_special(plan, group[k], parts);
    }
  }
#pragma unroll
  for (unsigned i = 0; i + 1 < words::count; ++i) {
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) {
      const std::uint32_t more = word[k][i] + carry[k];
      const bool over = more < carry[k];  // it is 0 then
      const std::uint32_t before = numbers.add(group[k], first[k] + i, more);
      carry[k] = over || before + more < more ? 1 : 0;
    }
  }
  int on[elements_at_once];
  bool any = false;
#pragma unroll
  for (unsigned k = 0; k < elements_at_once; ++k) {
    const std::uint32_t top = word[k][words::count - 1] + carry[k];
    const std::uint32_t before = numbers.add(group[k], first[k] + words::count - 1, top);
    on[k] = static_cast<std::int32_t>(top) < 0 ? (before < 0u - top ? -1 : 0) : (before + top < before ? 1 : 0);
    any = any || on[k] != 0;
  }
  if (any) {
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) numbers.carry_on(group[k], first[k] + words::count, on[k]);
  }
}

/// Adds to copies of the sums in each block's memory, then these to words in device memory; where the copies do not fit, elements to words.
template <class Source, class Key>
ACCRUE_KERNEL(key_sum_threads, 2)
add_by_key_in_shared_kernel(key_sums<Source, Key> sums) {
  if (sums.idle()) return;
  using number = typename Source::element;
  const contribution_range range = *sums.plan.range;
  auto* const words = reinterpret_cast<std::uint32_t*>(dynamic_shared());
  const auto groups = static_cast<std::uint32_t>(sums.plan.size);
  const shared_numbers copies{shared_words(words), groups, range.words_of(32)};
  if (copies.all_words() * sizeof(std::uint32_t) > sums.shared_bytes) return add_to_memory(sums);
  for (std::uint32_t k = thread(); k < copies.all_words(); k += threads()) words[k] = copies.initial(k / copies.size);
  sync_block();
  for_warps_of_elements(sums, [&](const number (&x)[elements_at_once], const std::uint32_t (&group)[elements_at_once]) {
    add_to_shared(copies, sums.plan, range.lowest(), x, group);
    sync_warp();  // lanes that took different ways would go on apart
  });
  sync_block();
  const word_format f = range.format();
  for (std::uint32_t k = thread(); k < copies.size; k += threads()) {
    for (unsigned w = 0; w < copies.count; w += 2) {
      detail::int128 v = 0;
      for (unsigned half = 0; half < 2 && w + half < copies.count; ++half) {
        const std::uint32_t word = words[copies.place(k, w + half)];
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
