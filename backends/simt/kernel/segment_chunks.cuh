// SPDX-License-Identifier: BSD-3-Clause
// A warp's chunks of a contiguous array, with a line of 128 bytes for each lane; and how far their exponents lie apart.
#pragma once

#include "accrue/backends/simt/operations/double_pairs.cuh"

namespace accrue::simt {

/// Elements that are aligned as their type wants, as vectors of 16 bytes from `base` on.
template <class T>
struct chunked_array {
  const T* base;        ///< aligned to 16 bytes, at or before the first element
  std::int64_t before;  ///< elements between
  std::int64_t size;
};

/// 16 bytes of shared memory, aligned so, to and from registers.
template <class V>
ACCRUE_DEVICE void read16(V* to, const unsigned char* from) {
  const vector16 v = *reinterpret_cast<const vector16*>(from);
  memcpy(static_cast<void*>(to), v.word, sizeof(v));
}
template <class V>
ACCRUE_DEVICE void write16(unsigned char* to, const V* from) {
  vector16 v;
  memcpy(v.word, from, sizeof(v));
  *reinterpret_cast<vector16*>(to) = v;
}

template <class T>
struct chunk {
  static constexpr unsigned vectors = 8;  ///< of a lane
  static constexpr unsigned width = 16 / sizeof(T);
  static constexpr unsigned each = vectors * width;  ///< elements of a lane
  static constexpr unsigned size = warp_width * each;
  static constexpr unsigned bytes = size * sizeof(T);
  static constexpr int log2_size = log2_up(size);
  static constexpr unsigned stages = copies_arrive_later ? 3 : 2;
  static constexpr bool in_two = sizeof(T) == 8;  ///< whether sums within a chunk take two doubles

  /// Where a byte stands, so that lanes reading vectors of their lines side by side meet other banks.
  static ACCRUE_DEVICE unsigned place(unsigned byte) { return byte ^ (byte >> 7 & 7) << 4; }

  /// How far exponents may lie apart where partial sums of a chunk are exact: in one double; in two, of which the first has the bits from
  /// 2^(highest + log2_size - 50) on; in three.
  static constexpr int significand = sizeof(T) == 8 ? 52 : 23;
  static constexpr int most_apart = (in_two ? 103 - 2 * log2_size : 52 - log2_size) - significand;
  /// The same with one double more.
  static constexpr int most_apart_in_windows = (in_two ? 154 - 3 * log2_size : 103 - 2 * log2_size) - significand;
  static constexpr int highest_allowed = sizeof(T) == 8 ? 2030 : 254;
};

/// A sum of elements of a chunk whose exponents are at most `most_apart_in_windows` apart, exactly: windows that begin with an anchor each,
/// and what they leave.
template <class T>
class windowed_sum {
 public:
  struct anchors {
    double upper;
    double lower;  ///< of doubles

    ACCRUE_DEVICE explicit anchors(int highest) {
      const int field = highest + (sizeof(T) == 8 ? 0 : 1023 - 127) + 2 + chunk<T>::log2_size;
      const int below = field - 52 + chunk<T>::log2_size;
      upper = from_words(anchor_word(static_cast<unsigned>(field)), 0);
      lower = sizeof(T) == 8 ? from_words(anchor_word(static_cast<unsigned>(below > 1 ? below : 1)), 0) : 0;
    }
  };
  ACCRUE_DEVICE explicit windowed_sum(const anchors& a) : upper_(a.upper), lower_(a.lower) {}
  ACCRUE_DEVICE void add_term(double x) {
    double t = add(upper_, x);
    const double left = subtract(x, subtract(t, upper_));
    upper_ = t;
    t = add(lower_, left);
    if constexpr (sizeof(T) == 8) rest_ = add(rest_, subtract(left, subtract(t, lower_)));
    lower_ = t;
  }
  [[nodiscard]] ACCRUE_DEVICE running_sum<3> sum(const anchors& a) const {
    return {{subtract(upper_, a.upper), subtract(lower_, a.lower), rest_}, 0};
  }
  /// The sums of `width` lanes side by side, of one chunk, in all of them: each window has room for all of the chunk.
  static ACCRUE_DEVICE running_sum<3> join(running_sum<3> s, unsigned width) {
#pragma unroll 1
    for (unsigned mask = 1; mask < width; mask *= 2) {
      for (unsigned j = 0; j < (sizeof(T) == 8 ? 3 : 2); ++j) s.part[j] = add(s.part[j], shuffle_xor(s.part[j], mask));
    }
    return s;
  }
  static constexpr bool joins_teams = true;  ///< cheaply, some lanes at a time

 private:
  double upper_;
  double lower_;
  double rest_ = 0;
};
/// The lanes' sums together, in all lanes.
ACCRUE_DEVICE running_sum<3> sum_of_lanes(const running_sum<3>& mine) {
  running_sum<3> all;
  const pair_sum total = sum_terms(mine.part);
  if (total.exact() && !any(mine.lost != 0)) [[likely]] {
    all.part[0] = total.high;
    all.part[1] = total.low;
    return all;
  }
  all = mine;
#pragma unroll 1
  for (unsigned mask = 1; mask < warp_width; mask *= 2) {
    all.add_sum(shuffle_xor(all, mask));
  }
  return shuffle(all, 0);  // lanes have added in other orders
}

/// A sum of any elements, which notices what it loses.
struct careful_sum {
  struct anchors {};
  running_sum<3> all;
  ACCRUE_DEVICE explicit careful_sum(const anchors&) {}
  ACCRUE_DEVICE void add_term(double x) { all.add_term(x); }
  [[nodiscard]] ACCRUE_DEVICE running_sum<3> sum(const anchors&) const { return all; }
  static ACCRUE_DEVICE running_sum<3> join(const running_sum<3>& s, unsigned) { return sum_of_lanes(s); }  ///< of all lanes
  static constexpr bool joins_teams = false;
};

/// The largest and the smallest exponent field, at least 1, of the warp's elements but zeros; both 1 where there are no others.
struct exponents {
  int highest;
  int lowest;
};
template <class T, unsigned n>
ACCRUE_DEVICE exponents exponents_of(const T (&x)[n]) {
  constexpr unsigned shift = sizeof(T) == 8 ? 4 : 7;  // of the field in the upper half of the upper word
  const auto upper_word = [](T v) {
    if constexpr (sizeof(T) == 8) {
      return high_word(v);
    } else {
      return std::bit_cast<unsigned>(v);
    }
  };
  const auto is_zero = [&](T v) {  // by its bits: flags of fast math compare subnormal floats as zeros
    if constexpr (sizeof(T) == 8) {
      return (upper_word(v) << 1 | low_word(v)) == 0;
    } else {
      return upper_word(v) << 1 == 0;
    }
  };
  unsigned most = 0;
  unsigned least = ~0u;
#pragma unroll
  for (unsigned k = 0; k < n; k += 4) {
    const auto halves = [&](unsigned j) { return (upper_word(x[j]) >> 16 | (upper_word(x[j + 1]) & 0xffff0000u)) & 0x7fff7fffu; };
    const unsigned a = halves(k);
    const unsigned b = halves(k + 2);
    most = largest_halves(most, a, b);
    least = smallest_halves(std::uint16_t{}, least, a, b);
  }
  most = (most & 0xffff) > most >> 16 ? most & 0xffff : most >> 16;
  least = (least & 0xffff) < least >> 16 ? least & 0xffff : least >> 16;
  most = largest_in_warp(most) >> shift;
  least = smallest_in_warp(least) >> shift;
  if (most == 0) most = 1;
  if (least == 0) {  // zeros or subnormal numbers, which count as of field 1
    unsigned smallest = most;
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (is_zero(x[k])) continue;
      const unsigned field = (upper_word(x[k]) & 0x7fffffffu) >> (16 + shift);
      smallest = field < smallest ? field : smallest;
    }
    least = smallest_in_warp(smallest);
    if (least == 0) least = 1;
  }
  return {static_cast<int>(most), static_cast<int>(least)};
}

}  // namespace accrue::simt
