// SPDX-License-Identifier: BSD-3-Clause
// The kernels of exact sums by keys in no order. The first looks at some elements, all of a small array. The next hold each sum as an
// integer with room for those and for what lies near them: in shared memory where groups are few, else in limbs that carry nothing. What
// lies elsewhere is added to words that hold every bit of any sum, by kernels that do nothing where there is none.
#pragma once

#include "accrue/backends/simt/kernel/held_sums.cuh"

namespace accrue::simt {

inline constexpr unsigned key_sum_threads = 512;

/// Looks at a warp's width of elements at each multiple of `apart`.
template <class Source, class Key>
ACCRUE_KERNEL(accumulate_threads, 2)
look_at_exponents_kernel(key_sums<Source, Key> sums, std::size_t apart) {
  if (sums.idle()) return;
  constexpr unsigned special = sizeof(typename Source::element) == 8 ? 2047 : 255;
  const std::size_t n = size_of(sums.source);
  unsigned below_end = 0;
  unsigned highest = 0;
#pragma unroll 4
  for (std::size_t i = (std::size_t{block()} * warps() + warp()) * apart + lane(); i < n; i += std::size_t{blocks()} * warps() * apart) {
    const auto x = sums.element(i);
    const unsigned field = exponent_field(x);
    if (field == special || x == 0) continue;
    below_end = exponents_seen::end - field > below_end ? exponents_seen::end - field : below_end;
    highest = field > highest ? field : highest;
  }
  below_end = largest_in_warp(below_end);
  highest = largest_in_warp(highest);
  if (lane() != 0) return;
  raise_atomically(&sums.seen->below_end, below_end);
  raise_atomically(&sums.seen->highest, highest);
}

/// Before anything was added.
template <class Source, class Key>
ACCRUE_KERNEL(accumulate_threads, 2)
start_key_sums_kernel(key_sums<Source, Key> sums) {
  if (sums.idle()) return;
  const held_bits held = sums.held();
  if (held.count == 0) {
    if (block() == 0 && thread() == 0) *sums.others = 1;
    return;
  }
  const word_format f = sums.format_of(held);
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < sums.plan.size * f.count; k += std::size_t{blocks()} * threads()) {
    sums.plan.words[k] = sums.where == held_in::limbs ? 0 : f.initial(static_cast<unsigned>(k % f.count));
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
  ACCRUE_DEVICE travelling_element(std::uint32_t to, const float_parts& x, int lowest)
      : group(to),
        packed(x.significand | std::uint64_t{x.place - static_cast<unsigned>(lowest)} << digits | std::uint64_t{x.negative} << 63) {}
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

/// What becomes of an element with a group that is not held.
template <class Source, class Key>
ACCRUE_DEVICE void leave_out(const key_sums<Source, Key>& sums, std::uint32_t group, const float_parts& x) {
  if (x.special) {
    add_special(sums.plan, group, x);
  } else if (x.significand != 0) {
    *sums.others = 1;
  }
}

/// Adds all elements that are held to limbs, of which as many lanes have one each.
template <unsigned limbs, class Source, class Key>
ACCRUE_DEVICE void add_to_limbs(const key_sums<Source, Key>& sums, const held_bits& held) {
  using number = typename Source::element;
  const int bits = sums.bits_of_limb();
  for_warps_of_elements(sums, [&](const number (&x)[elements_at_once], const std::uint32_t (&group)[elements_at_once]) {
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) {
      const float_parts parts(x[k]);
      travelling_element mine;
      if (group[k] != without_group && held.hold(parts)) {
        mine = travelling_element(group[k], parts, held.lowest);
      } else if (group[k] != without_group) {
        leave_out(sums, group[k], parts);
      }
#pragma unroll
      for (unsigned r = 0; r < limbs; ++r) {
        const travelling_element that = mine.of_lane(lane() / limbs * limbs + r);
        if (that.group == without_group) continue;
        const std::int64_t part = that.part_in(lane() % limbs, bits);
        if (part != 0) add_atomically(sums.plan.words + std::size_t{that.group} * limbs + lane() % limbs, static_cast<std::uint64_t>(part));
      }
    }
  });
}

/// Adds to limbs in device memory.
template <class Source, class Key>
ACCRUE_KERNEL(key_sum_threads, 2)
add_to_limbs_kernel(key_sums<Source, Key> sums) {
  if (sums.idle()) return;
  const held_bits held = sums.held();
  if (held.count == 2) return add_to_limbs<2>(sums, held);
  if (held.count == 4) add_to_limbs<4>(sums, held);
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

/// An element that is held, as a signed number of 96 bits, or of 64 that a float needs, from a word on where the lowest place is bit 0.
template <class T>
struct words_of_element {
  static constexpr unsigned count = sizeof(T) == 8 ? 3 : 2;  ///< of a significand that is shifted up by less than a word
  std::uint32_t first;
  std::uint32_t word[count];  ///< below zero with all bits turned,
  std::uint32_t one;          ///< and 1 to be added to the lowest, as in two's complement

  ACCRUE_DEVICE words_of_element(const float_parts& x, int lowest) {
    const unsigned above = x.place - static_cast<unsigned>(lowest);
    const unsigned shift = above % 32;
    const std::uint32_t sign = x.negative ? ~std::uint32_t{0} : 0;
    first = above / 32;
    one = x.negative ? 1 : 0;
    word[0] = (static_cast<std::uint32_t>(x.significand) << shift) ^ sign;
#pragma unroll
    for (unsigned w = 1; w < count; ++w) word[w] = static_cast<std::uint32_t>(x.significand >> 32 * (w - 1) >> (32 - shift)) ^ sign;
  }
};

/// Adds some elements of a lane, each to the number of its group: word by word, so that what is there of several is waited for at once.
/// Whether some are left.
template <class T>
ACCRUE_DEVICE bool add_to_shared(const shared_numbers& numbers, const held_bits& held, const T (&x)[elements_at_once],
                                 const std::uint32_t (&number)[elements_at_once]) {
  using words = words_of_element<T>;
  std::uint32_t first[elements_at_once];
  std::uint32_t word[elements_at_once][words::count];
  std::uint32_t carry[elements_at_once];
  bool others = false;
#pragma unroll
  for (unsigned k = 0; k < elements_at_once; ++k) {
    const float_parts parts(x[k]);
    const words w(parts, held.lowest);
    const bool is_held = held.hold(parts);
    others = others || held.leave(parts);
    first[k] = number[k] != without_group && is_held ? w.first : numbers.count;
    carry[k] = w.one;
#pragma unroll
    for (unsigned i = 0; i < words::count; ++i) word[k][i] = w.word[i];
  }
#pragma unroll
  for (unsigned i = 0; i + 1 < words::count; ++i) {
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) {
      const std::uint32_t more = word[k][i] + carry[k];
      const bool over = more < carry[k];  // it is 0 then
      const std::uint32_t before = numbers.add(number[k], first[k] + i, more);
      carry[k] = over || before + more < more ? 1 : 0;
    }
  }
  int on[elements_at_once];
  bool any = false;
#pragma unroll
  for (unsigned k = 0; k < elements_at_once; ++k) {
    const std::uint32_t top = word[k][words::count - 1] + carry[k];
    const std::uint32_t before = numbers.add(number[k], first[k] + words::count - 1, top);
    on[k] = static_cast<std::int32_t>(top) < 0 ? (before < 0u - top ? -1 : 0) : (before + top < before ? 1 : 0);
    any = any || on[k] != 0;
  }
  if (any) {
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) numbers.carry_on(number[k], first[k] + words::count, on[k]);
  }
  return others;
}

/// Adds what is held to copies of the sums in each block's memory, then these to words in device memory. Groups have some copies each where
/// there is room: lanes that add to the same word wait for each other.
template <class Source, class Key>
ACCRUE_KERNEL(key_sum_threads, 2)
add_by_key_in_shared_kernel(key_sums<Source, Key> sums) {
  if (sums.idle()) return;
  using number = typename Source::element;
  const held_bits held = sums.held();
  if (held.count == 0) return;
  auto* const words = reinterpret_cast<std::uint32_t*>(dynamic_shared());
  const auto groups = static_cast<std::uint32_t>(sums.plan.size);
  std::uint32_t each = sums.most_copies;
  while (each > 1 && (groups * each * held.count + warp_width) * sizeof(std::uint32_t) > sums.shared_bytes) each /= 2;
  const shared_numbers copies{shared_words(words), groups * each, held.count};
  for (std::uint32_t k = thread(); k < copies.all_words(); k += threads()) words[k] = copies.initial(k / copies.size);
  sync_block();
  const std::uint32_t mine = lane() % each;
  for_warps_of_elements(sums, [&](const number (&x)[elements_at_once], const std::uint32_t (&group)[elements_at_once]) {
    std::uint32_t own[elements_at_once];
#pragma unroll
    for (unsigned k = 0; k < elements_at_once; ++k) own[k] = group[k] != without_group ? group[k] * each + mine : without_group;
    if (add_to_shared(copies, held, x, own)) {
#pragma unroll
      for (unsigned k = 0; k < elements_at_once; ++k) {
        const float_parts parts(x[k]);
        if (group[k] != without_group && !held.hold(parts)) leave_out(sums, group[k], parts);
      }
    }
    sync_warp();  // lanes that took different ways would go on apart
  });
  sync_block();
  const word_format f = sums.format_of(held);
  for (std::uint32_t k = thread(); k < copies.size; k += threads()) {
    for (unsigned w = 0; w < copies.count; w += 2) {
      detail::int128 v = 0;
      for (unsigned half = 0; half < 2 && w + half < copies.count; ++half) {
        const std::uint32_t word = words[copies.place(k, w + half)];
        const bool top = w + half + 1 == copies.count;
        const std::int64_t added = top ? static_cast<std::int32_t>(word) : static_cast<std::int64_t>(word) - shared_numbers::start;
        v += static_cast<detail::int128>(added) << 32 * half;
      }
      if (v != 0) add_to_words(sums.plan.words + std::size_t{k / each} * f.count, f.count, w / 2, v);
    }
  }
}

/// Before others are added.
template <class Source, class Key>
ACCRUE_KERNEL(accumulate_threads, 2)
start_others_kernel(key_sums<Source, Key> sums) {
  if (sums.idle() || *sums.others == 0) return;
  using number = typename Source::element;
  constexpr word_format f{lowest_place<number> - 1074, most_words<number>};
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < sums.plan.size * f.count; k += std::size_t{blocks()} * threads()) {
    sums.all_words[k] = f.initial(static_cast<unsigned>(k % f.count));
  }
}

/// Adds elements that are not held to words in device memory.
template <class Source, class Key>
ACCRUE_KERNEL(accumulate_threads, 2)
add_others_kernel(key_sums<Source, Key> sums) {
  if (sums.idle() || *sums.others == 0) return;
  using number = typename Source::element;
  constexpr unsigned at_once = 8;
  const held_bits held = sums.held();
  const std::size_t n = size_of(sums.source);
  const std::size_t step = std::size_t{blocks()} * threads();
  for (std::size_t base = std::size_t{block()} * threads() + thread(); base < n; base += at_once * step) {
    number x[at_once];
    bool others = false;
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      x[k] = base + k * step < n ? sums.element(base + k * step) : 0;
      others = others || held.leave(float_parts(x[k]));
    }
    for (unsigned k = 0; others && k < at_once && base + k * step < n; ++k) {
      const float_parts parts(x[k]);
      if (!held.leave(parts)) continue;
      const std::size_t group = sums.group(base + k * step);
      if (group == sums.plan.size) continue;
      if (parts.special) {
        add_special(sums.plan, group, parts);
      } else if (parts.significand != 0) {
        const unsigned shift = parts.place - static_cast<unsigned>(lowest_place<number>);
        const detail::int128 integer = static_cast<detail::int128>(parts.significand) << shift % 64;
        add_to_words(sums.all_words + group * most_words<number>, most_words<number>, shift / 64, parts.negative ? -integer : integer);
      }
    }
  }
}

/// Adds an integer of two's complement, shifted up by so many bits, to one of more words.
ACCRUE_DEVICE void add_shifted(std::uint64_t* to, unsigned to_count, const std::uint64_t* number, unsigned count, unsigned shift) {
  const std::uint64_t sign = number[count - 1] >> 63 != 0 ? ~std::uint64_t{0} : 0;
  std::uint64_t below = 0;
  std::uint64_t carry = 0;
  for (unsigned w = shift / 64; w < to_count; ++w) {
    const std::uint64_t own = w - shift / 64 < count ? number[w - shift / 64] : sign;
    const std::uint64_t shifted = own << shift % 64 | below >> 1 >> (63 - shift % 64);
    const detail::uint128 sum = detail::uint128{to[w]} + shifted + carry;
    to[w] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
    below = own;
  }
}

/// The integer that limbs are, in as many words of two's complement.
template <unsigned limbs>
ACCRUE_DEVICE void join_limbs(const std::uint64_t* limb, int bits, std::uint64_t* number) {
#pragma unroll
  for (unsigned c = 0; c < limbs; ++c) number[c] = 0;
#pragma unroll
  for (unsigned c = 0; c < limbs; ++c) {
    const unsigned shift = c * static_cast<unsigned>(bits);
    const detail::int128 v = static_cast<detail::int128>(static_cast<std::int64_t>(limb[c])) << shift % 64;
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
finish_key_sums_kernel(key_sums<Source, Key> sums) {
  if (sums.idle()) return;
  using number = typename Source::element;
  constexpr word_format all{lowest_place<number> - 1074, most_words<number>};
  ACCRUE_SHARED std::uint64_t joined[accumulate_threads][4];
  const held_bits held = sums.held();
  const word_format f = sums.format_of(held);
  const bool others = *sums.others != 0;
  for (std::size_t k = std::size_t{block()} * threads() + thread(); k < sums.plan.size; k += std::size_t{blocks()} * threads()) {
    number& result = sums.plan.number(k);
    if (const unsigned special = sums.plan.specials[k]; special != 0) {
      result = canonical_nan(special_sum<number>(special));
      continue;
    }
    std::uint64_t* words = sums.plan.words + k * f.count;  // which become one integer of two's complement
    if (sums.where == held_in::limbs) {
      if (held.count == 2) join_limbs<2>(words, sums.bits_of_limb(), joined[thread()]);
      if (held.count == 4) join_limbs<4>(words, sums.bits_of_limb(), joined[thread()]);
      words = joined[thread()];
    } else if (held.count != 0) {
      (void)settle_words(words, f);
    }
    if (!others) {
      result = round_words<number>(words, f);
      continue;
    }
    std::uint64_t* const all_words = sums.all_words + k * all.count;
    (void)settle_words(all_words, all);
    if (held.count != 0) add_shifted(all_words, all.count, words, f.count, static_cast<unsigned>(held.lowest - lowest_place<number>));
    result = round_words<number>(all_words, all);
  }
}

}  // namespace accrue::simt
