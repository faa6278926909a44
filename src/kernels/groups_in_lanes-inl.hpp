// SPDX-License-Identifier: BSD-3-Clause
// Groups of few elements, a group in each lane of vectors. Included once for each instruction set.

#if defined(ACCRUE_GROUPS_IN_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_GROUPS_IN_LANES_INL
#undef ACCRUE_GROUPS_IN_LANES_INL
#else
#define ACCRUE_GROUPS_IN_LANES_INL
#endif

#include <algorithm>

#include "accrue/detail/kernels.hpp"
#include "double_double-inl.hpp"
#include "terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// Vectors of several groups, whose lanes are elements, become vectors whose lanes are groups.
HWY_INLINE void transpose([[maybe_unused]] V (&v)[width]) {
#if HWY_MAX_BYTES > 8
  const d64 d;
  for (std::size_t k = 0; k < width; k += 2) {
    const V a = v[k];
    v[k] = hn::InterleaveLower(d, a, v[k + 1]);
    v[k + 1] = hn::InterleaveUpper(d, a, v[k + 1]);
  }
#endif
#if HWY_MAX_BYTES == 64
  for (const std::size_t k : {0, 1, 4, 5}) {  // pairs of lanes within the halves
    const V a = v[k];
    v[k] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(v[k + 2]), a);
    v[k + 2] = hn::OddEvenBlocks(v[k + 2], hn::SwapAdjacentBlocks(a));
  }
#endif
#if HWY_MAX_BYTES > 16
  for (std::size_t k = 0; k < width / 2; ++k) {
    const V a = v[k];
    v[k] = hn::ConcatLowerLower(d, v[k + width / 2], a);
    v[k + width / 2] = hn::ConcatUpperUpper(d, v[k + width / 2], a);
  }
#endif
}

/// Elements [i, i + width) of as many groups as a vector has lanes, a group in each lane, `absent` where a group has none, which is zero
/// unless it is `filled`; all have `least`.
template <bool filled, class T>
HWY_INLINE void load_block(const T* const* x, const std::uint32_t* sizes, std::ptrdiff_t step, std::size_t ahead, std::size_t i,
                           std::size_t least, V absent, V (&v)[width]) {
  const d64 d;
  if (step != 1) {
    double block[width][width];
    for (std::size_t k = 0; k < width; ++k) hn::StoreU(absent, d, block[k]);
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t j = i; j < sizes[k] && j < i + width; ++j) {
        block[j - i][k] = static_cast<double>(x[k][static_cast<std::ptrdiff_t>(j) * step]);
      }
    }
    for (std::size_t k = 0; k < width; ++k) v[k] = hn::LoadU(d, block[k]);
    return;
  }
  for (std::size_t k = 0; k < width; ++k) prefetch_later(x[k], i * sizeof(T) + ahead);
  if (i + width <= least) {
    for (std::size_t k = 0; k < width; ++k) v[k] = load_wide(x[k] + i);
  } else {
    for (std::size_t k = 0; k < width; ++k) {
      v[k] = i < sizes[k] ? load_first(x[k] + i, sizes[k] - i) : hn::Zero(d);
      if constexpr (filled) v[k] = hn::IfThenElse(hn::FirstN(d, i < sizes[k] ? sizes[k] - i : 0), v[k], absent);
    }
  }
  transpose(v);
}

/// Adds the elements of equal groups of at most 4 that lie end to end, as many as a vector has lanes.
template <class T, class... Sums>
HWY_INLINE void add_few(const T* x, std::size_t size, Sums&... sums) {
  const hn::Rebind<T, d64> narrow;
  hn::Vec<decltype(narrow)> v[4];
  if (size == 1) v[0] = hn::LoadU(narrow, x);
  if (size == 2) hn::LoadInterleaved2(narrow, x, v[0], v[1]);
  if (size == 3) hn::LoadInterleaved3(narrow, x, v[0], v[1], v[2]);
  if (size == 4) hn::LoadInterleaved4(narrow, x, v[0], v[1], v[2], v[3]);
  for (std::size_t i = 0; i < size; ++i) {
    if constexpr (sizeof(T) == 8) (sums.template add<0>(v[i], v[i]), ...);
    else (sums.template add<0>(hn::PromoteTo(d64(), v[i]), hn::PromoteTo(d64(), v[i])), ...);
  }
}

/// Adds elements, or pairs of them, to sums: those behind the first `begin` of at most `size`.
template <class... Sums>
HWY_INLINE void add_block(const V* x, const V* y, std::size_t elements, std::size_t begin, std::size_t size, Sums&... sums) {
  if (begin == 0) (sums.start(x, y, size), ...);
  if (elements == width) {
    ACCRUE_UNROLL
    for (std::size_t j = 0; j < width; j += 2) {
      (sums.template add<0>(x[j], y[j]), ...);
      (sums.template add<1>(x[j + 1], y[j + 1]), ...);
    }
  } else {
    for (std::size_t j = 0; j < elements; ++j) (sums.template add<0>(x[j], y[j]), ...);
  }
}
/// Whether groups from the first on are as `add_few` takes them.
template <class T>
HWY_INLINE bool are_few(const short_groups<T>& groups, std::size_t first) {
  return groups.end_to_end && groups.sizes[0] <= 4 && first + width <= groups.count;
}
/// Adds the elements, or pairs of them, of as many groups as a vector has lanes, and `absent` where a group has none.
template <bool pairs, bool filled, class T, class... Sums>
HWY_INLINE void add_groups_and(V absent, const short_groups<T>& groups, std::size_t first, Sums&... sums) {
  const std::uint32_t* const sizes = groups.sizes + first;
  V x[width];
  // Processors' own prefetching does not follow several groups at a time: the next ones, of those that lie end to end.
  const std::size_t ahead = std::max<std::size_t>(4096, std::max<std::size_t>(width * sizes[0], groups.span) * sizeof(T));
  const auto [least, most] = std::minmax_element(sizes, sizes + width);
  for (std::size_t i = 0; i < *most; i += width) {
    V y[width];
    load_block<filled>(groups.x + first, sizes, groups.step, ahead, i, *least, absent, x);
    if constexpr (pairs) load_block<filled>(groups.y + first, sizes, groups.y_step, ahead, i, *least, absent, y);
    add_block(x, pairs ? y : x, std::min<std::size_t>(width, *most - i), i, *most, sums...);
  }
}

template <bool pairs, class T, class... Sums>
HWY_INLINE void add_groups(const short_groups<T>& groups, std::size_t first, Sums&... sums) {
  add_groups_and<pairs, false>(hn::Zero(d64()), groups, first, sums...);
}

/// The sizes of as many groups as a vector has lanes.
template <class T>
HWY_INLINE V sizes_of(const short_groups<T>& groups, std::size_t first) {
  double n[width];
  for (std::size_t k = 0; k < width; ++k) n[k] = static_cast<double>(groups.sizes[first + k]);
  return hn::LoadU(d64(), n);
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
