// SPDX-License-Identifier: BSD-3-Clause
// Doubles as integer words: what accumulation in fixed point adds up.
#include "accrue/detail/kernels.hpp"

#include <bit>

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "integer_words.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "target-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

struct split_constants {
  double largest;       ///< that the words hold
  double last_bits[4];  ///< 1.5 * 2^52 units of each word: x + c has the multiple of the unit nearest to x in its last bits
};

template <class D, class V>
HWY_INLINE void store_words(D d, const V (&v)[2], std::int64_t* to) {
  hn::StoreInterleaved2(v[0], v[1], d, to);
}
template <class D, class V>
HWY_INLINE void store_words(D d, const V (&v)[3], std::int64_t* to) {
  hn::StoreInterleaved3(v[0], v[1], v[2], d, to);
}
template <class D, class V>
HWY_INLINE void store_words(D d, const V (&v)[4], std::int64_t* to) {
  hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, to);
}

/// Splits a vector, from the last word to the first. Zeros where the words hold the values.
template <std::size_t count, class D>
HWY_INLINE auto split(D d, const split_constants& constants, const double* x, std::int64_t* words) {
  const hn::RebindToSigned<D> di;
  auto left = hn::LoadU(d, x);
  const auto fits = hn::Abs(left) <= hn::Set(d, constants.largest);
  hn::Vec<decltype(di)> word[count];
  for (std::size_t k = count; k-- != 0;) {
    const auto c = hn::Set(d, constants.last_bits[k]);
    const auto shifted = left + c;
    word[k] = hn::BitCast(di, shifted) - hn::BitCast(di, c);
    left = left - (shifted - c);
  }
  store_words(di, word, words);
  return hn::IfThenElse(fits, hn::Abs(left), hn::Set(d, 1.0));
}

/// words[numbers[i]] += word[i] for numbers of so many words. Whether all words stay in range.
template <std::size_t count>
HWY_INLINE bool add_words(const std::int64_t* HWY_RESTRICT word, const std::size_t* HWY_RESTRICT numbers, std::size_t size,
                          std::int64_t* HWY_RESTRICT words) {
  const hn::CappedTag<std::int64_t, count % 2 == 0 ? 2 : 1> d;
  const auto half = hn::Set(d, word_units::nearly_full);
  auto seen = hn::Zero(d);
  for (std::size_t i = 0; i < size; ++i) {
    std::int64_t* const w = words + numbers[i] * count;
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
      const auto sum = hn::LoadU(d, w + k) + hn::LoadU(d, word + i * count + k);
      hn::StoreU(sum, d, w + k);
      seen = hn::Or(seen, sum + half);
    }
  }
  constexpr std::int64_t above = ~(2 * word_units::nearly_full - 1);
  return hn::AllTrue(d, hn::And(seen, hn::Set(d, above)) == hn::Zero(d));
}

template <std::size_t count>
HWY_INLINE words_after add(const split_constants& constants, const double* x, const std::size_t* numbers, std::size_t size,
                           std::int64_t* words) {
  const d64 d;
  const hn::CappedTag<double, 1> one;
  alignas(64) std::int64_t word[count * word_units::most_values];
  auto left = hn::Zero(d);
  double rest = 0;
  std::size_t i = 0;
  for (; i + width <= size; i += width) left = hn::Or(left, split<count>(d, constants, x + i, word + i * count));
  for (; i < size; ++i) rest += hn::GetLane(split<count>(one, constants, x + i, word + i * count));
  if (!hn::AllTrue(d, left == hn::Zero(d)) || rest != 0) return words_after::unchanged;
  return add_words<count>(word, numbers, size, words) ? words_after::in_range : words_after::nearly_full;
}

words_after add_all(const word_units& units, const double* x, const std::size_t* numbers, std::size_t size, std::int64_t* words) {
  const auto power = [](int place) { return std::bit_cast<double>(static_cast<std::uint64_t>(place - 1074 + 1023) << 52); };
  const auto first_of = [&](std::size_t k) { return units.first + word_units::bits * static_cast<int>(k); };
  split_constants constants{power(first_of(units.count) - 1), {}};
  for (std::size_t k = 0; k < units.count; ++k) constants.last_bits[k] = power(first_of(k) + 52) * 1.5;
  switch (units.count) {
    case 2:
      return add<2>(constants, x, numbers, size, words);
    case 3:
      return add<3>(constants, x, numbers, size, words);
    default:
      return add<4>(constants, x, numbers, size, words);
  }
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(add_all);
words_after add_to_words(const word_units& units, const double* x, const std::size_t* numbers, std::size_t size, std::int64_t* words) {
  return HWY_DYNAMIC_DISPATCH(add_all)(units, x, numbers, size, words);
}

}  // namespace accrue::kernels
#endif
