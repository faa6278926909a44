// SPDX-License-Identifier: BSD-3-Clause
// Exact sums and means of segments of a contiguous array, however long each is. Warps share the elements evenly, and walk along them in
// chunks. Where the exponents of a chunk are close enough every partial sum is exact, so that a segment is the difference of two sums
// from the chunk's beginning, rounded once: an element costs the same wherever segments begin and end. Other chunks are added up
// segment by segment in three doubles that notice what they lose. A segment that ends in a later chunk is carried on in three doubles,
// one that ends in another warp's part is joined by a second kernel; a sum that they do not hold is marked, and left to blocks.
#pragma once

#include "accrue/backends/simt/kernel/lane_kernels.cuh"
#include "accrue/backends/simt/kernel/segment_chunks.cuh"
#include "accrue/backends/simt/kernel/segment_ends.cuh"

namespace accrue::simt {

inline constexpr unsigned segment_threads = 128;  ///< of a block
inline constexpr unsigned segment_blocks = 3;     ///< on a multiprocessor

/// What a warp knows of a segment of which others have more: its last part (`head`), or an earlier one (`tail`).
struct segment_part {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t segment;
  running_sum<3> sum;
};
struct segment_parts {
  segment_part* heads;  ///< one for each warp
  segment_part* tails;
  const unsigned* unless;  ///< not zero there: the kernels do nothing; nullptr: they run

  [[nodiscard]] ACCRUE_DEVICE bool idle() const { return unless != nullptr && *unless != 0; }
};

/// What a warp needs now and then, in shared memory for the sake of registers.
struct segment_share {
  std::int64_t first, behind;  ///< segments that end here
  std::int64_t origin;         ///< the element with which the first chunk begins
  std::int64_t from, to;       ///< elements of the warp
  int chunks;
  int whole_from, whole_to;    ///< chunks all of whose elements are in the array
  running_sum<3> carry;        ///< of the segment that has not ended yet
};
/// Read again every time.
template <class V>
ACCRUE_DEVICE V fresh(const V& v) {
  return *static_cast<const volatile V*>(&v);
}

/// Shared memory of a warp of so many lanes: chunks, sums and the last of them, ends, and the rest.
template <class T, class Bounds>
constexpr std::size_t segment_warp_bytes(unsigned lanes) {
  constexpr std::size_t share = (sizeof(segment_share) + 15) / 16 * 16;
  return (chunk<T>::stages + 1) * std::size_t{128} * lanes + 16 + segment_ends<Bounds>::bytes(lanes) + share;
}

/// Where a warp's part of the work begins: a segment, and an element.
struct segment_cut {
  std::int64_t segment;
  std::int64_t element;
};
/// The cuts of two warps, one for each half of the lanes, behind `work` units: elements, and `cost` more for each segment. Segments of
/// up to 2,048 elements are not cut.
template <class Bounds>
ACCRUE_DEVICE segment_cut find_cut(const Bounds& bounds, std::int64_t size, std::int64_t cost, std::int64_t work) {
  constexpr std::int64_t never_cut = 2048;
  constexpr unsigned half = warp_width / 2;
  const auto count = static_cast<std::int64_t>(bounds.count);
  std::int64_t low = 0;  // bounds.at(low) + cost * low <= work
  std::int64_t high = count + 1;
  while (any(high - low > 1)) {
    const std::int64_t step = (high - low + half) / (half + 1);
    const std::int64_t at = low + step * (lane() % half + 1);
    const bool more = high - low > 1;
    const bool below = more && at < high && bounds.at(static_cast<std::size_t>(at)) + cost * at <= work;
    const unsigned counts = sum_in_warp(below ? lane() < half ? 1u : 1u << 16 : 0u);
    if (more) {
      low += step * (lane() < half ? counts & 0xffff : counts >> 16);
      high = low + step < high ? low + step : high;
    }
  }
  if (low >= count) return {count, size};
  const std::int64_t begin = bounds.at(static_cast<std::size_t>(low));
  const std::int64_t end = bounds.at(static_cast<std::size_t>(low + 1));
  std::int64_t element = begin + (work - cost * low - begin);
  element = element < end ? element : end;
  if (element > begin && end - begin <= never_cut) element = begin;
  return {low, element < 0 ? 0 : element > size ? size : element};  // offsets may be wrong
}

/// The value of a term of an element.
template <term what, class T>
ACCRUE_DEVICE double segment_term(T x) {
  const double v = [&] {
    if constexpr (sizeof(T) == 8) {
      return x;
    } else {
      return widen(x);
    }
  }();
  return what == term::magnitude ? magnitude(v) : v;
}
/// Adds x to `high`, which begins with an anchor and takes the bits above its unit; the others go to `low`. Without an anchor `high` is
/// the sum.
template <bool in_two>
ACCRUE_DEVICE void add_in_parts(double& high, double& low, double x) {
  const double t = add(high, x);
  if constexpr (in_two) low = add(low, subtract(x, subtract(t, high)));
  high = t;
}
/// Ends segment k: its result, or a mark.
template <class T, term what, class Bounds>
ACCRUE_DEVICE void end_segment(const exact_sum<T, what>& op, const running_sum<3>& sum, std::size_t k, const Bounds& bounds,
                               const left_groups& left, const group_ending& end) {
  const std::int64_t n = op.step == last_step::value ? 1 : bounds.at(k + 1) - bounds.at(k);
  if (!lane_program<exact_sum<T, what>>::store(op, sum, static_cast<std::size_t>(n), end.result(k), end.status)) *left.some() = 1;
}

/// A chunk whose exponents lie far apart, segment by segment: of elements [from, limit) in `stage`. Answers how many segments have ended.
/// The carry is the caller's before and after; the first segment goes to `head` where that is given.
template <class Sum, class T, term what, class Ends, class Bounds>
ACCRUE_DEVICE unsigned sum_chunk_by_segment(const exact_sum<T, what>& op, const typename Sum::anchors& anchors, const unsigned char* stage,
                                            unsigned from, unsigned limit, Ends& ends, std::size_t next, segment_share& share,
                                            segment_part* head, const Bounds& bounds,
                                            const left_groups& left, const group_ending& end) {
  constexpr unsigned lanes_join = 8;  // a lane adds so many elements while a warp's lanes join their sums
  const auto element = [&](unsigned i) {
    return segment_term<what>(*reinterpret_cast<const T*>(stage + chunk<T>::place(i * static_cast<unsigned>(sizeof(T)))));
  };
  unsigned ended = 0;
  running_sum<3> carry = share.carry;
  while (true) {
    const unsigned at = ends.at();
    const bool mine = at <= limit;
    const unsigned count = sum_in_warp(mine ? 1 : 0);
    if (count == 0) break;
    unsigned begin = shuffle(at, lane() - 1);
    if (lane() == 0) begin = from;
    const unsigned length = mine && at > begin ? at - begin : 0;
    const unsigned longest = largest_in_warp(length);
    unsigned width = 1;  // lanes that there are for each
    while (2 * width * count <= warp_width) width *= 2;
    const bool in_teams = Sum::joins_teams && width > 1;
    running_sum<3> sum;
    if (longest <= (in_teams ? warp_width / 2 : lanes_join * count + warp_width / 2)) {
      Sum by_this_lane(anchors);
      for (unsigned i = 0; i < length; ++i) by_this_lane.add_term(element(begin + i));
      sum = by_this_lane.sum(anchors);
    } else {  // teams, all at once, or the warp for one after the other, where one is so long that this takes less
      const bool at_once = in_teams && longest <= width * (lanes_join * count + warp_width / 2);
      const unsigned team = at_once ? width : warp_width;
#pragma unroll 1
      for (unsigned first = 0; first < count; first += at_once ? count : 1) {
        const unsigned of = first + lane() / team;
        const unsigned behind = shuffle(at, of);
        unsigned i = shuffle(begin, of) + lane() % team;
        Sum part(anchors);
        for (; of < count && i < behind; i += team) part.add_term(element(i));
        const running_sum<3> whole = shuffle(Sum::join(part.sum(anchors), team), at_once ? lane() * team : 0);
        if (at_once || lane() == first) sum = whole;
      }
    }
    if (ended == 0 && lane() == 0) sum.add_sum(carry);
    if (mine) {
      if (ended == 0 && lane() == 0 && head != nullptr) {
        *head = {next, sum};
      } else {
        end_segment(op, sum, next + ended + lane(), bounds, left, end);
      }
    }
    from = shuffle(at, count - 1);
    ends.drop(count);
    ended += count;
    if (count < warp_width) break;
  }
  Sum rest(anchors);
  for (unsigned i = from + lane(); i < limit; i += warp_width) rest.add_term(element(i));
  running_sum<3> open = Sum::join(rest.sum(anchors), warp_width);
  if (ended == 0) {
    carry.add_sum(open);
    open = carry;
  }
  sync_warp();
  if (lane() == 0) share.carry = open;
  sync_warp();
  return ended;
}

template <class T, term what, class Bounds>
ACCRUE_KERNEL(segment_threads, segment_blocks)
segment_kernel(exact_sum<T, what> op, Bounds bounds, chunked_array<T> in, segment_parts parts, left_groups left, group_ending end) {
  if (parts.idle()) return;
  using tile = chunk<T>;
  constexpr bool in_two = tile::in_two;
  constexpr unsigned stages = tile::stages;
  unsigned char* const ring = dynamic_shared() + warp() * segment_warp_bytes<T, Bounds>(warp_width);
  // Sums from the chunk's beginning to every second element; at other times the lanes' carries.
  unsigned char* const sums = ring + stages * tile::bytes;
  unsigned char* const ends_ring = sums + tile::bytes + 16;
  auto& share = *reinterpret_cast<segment_share*>(ends_ring + segment_ends<Bounds>::bytes(warp_width));
  const unsigned number = block() * warps() + warp();
  bool has_head = false;  // the first segment to end here began in an earlier warp's part
  {
    const std::int64_t cost = Bounds::cost(sizeof(T));
    const std::int64_t work = in.size + cost * static_cast<std::int64_t>(bounds.count);
    const std::int64_t all = std::int64_t{blocks()} * warps();
    const std::int64_t mine = number + (lane() < warp_width / 2 ? 0 : 1);
    const segment_cut cut = find_cut(bounds, in.size, cost, work / all * mine + (mine < work % all ? mine : work % all));
    const segment_cut from = shuffle(cut, 0);
    const segment_cut to = shuffle(cut, warp_width / 2);
    has_head = from.segment < static_cast<std::int64_t>(bounds.count) && bounds.at(static_cast<std::size_t>(from.segment)) < from.element;
    const bool idle = from.segment >= to.segment && from.element >= to.element;
    if (lane() == 0) {
      parts.heads[number].segment = segment_part::none;
      parts.tails[number] = {idle && has_head ? static_cast<std::size_t>(from.segment) : segment_part::none, {}};
      if (number == 0 && bounds.count != 0 && (bounds.at(0) != 0 || bounds.at(bounds.count) != in.size)) {
        *end.status = static_cast<int>(errc::out_of_range);
      }
    }
    if (idle) return;
    const std::int64_t origin = (from.element + in.before) / tile::size * tile::size - in.before;
    const auto chunks = static_cast<int>((to.element - origin + tile::size - 1) / tile::size);
    const std::int64_t full = (in.size - origin) / tile::size;
    if (lane() == 0) {
      share = {from.segment, to.segment, origin, from.element, to.element, chunks > 0 ? chunks : 1, origin < 0 ? 1 : 0,
               static_cast<int>(full < chunks ? full : chunks), {}};
    }
    sync_warp();
  }

  // Chunks are asked for ahead, into a stage each.
  int asked = 0;
  const auto ask = [&](unsigned stage) {
    if (asked < fresh(share.chunks)) {
      unsigned char* const to = ring + stage * tile::bytes;
      const std::int64_t begin = fresh(share.origin) + std::int64_t{asked} * tile::size + lane() * tile::width;  // the lane's first element
      if (asked >= fresh(share.whole_from) && asked < fresh(share.whole_to)) {
        const T* const source = in.base + in.before + begin;
#pragma unroll
        for (unsigned u = 0; u < tile::vectors; ++u) {
          copy_to_shared<16>(to + tile::place((u * warp_width + lane()) * 16), source + std::size_t{u} * warp_width * tile::width);
        }
      } else {  // at the ends of the array
#pragma unroll 1
        for (unsigned u = 0; u < tile::vectors; ++u) {
          const std::int64_t e = begin + std::int64_t{u} * warp_width * tile::width;
          auto* const vector = reinterpret_cast<T*>(to + tile::place((u * warp_width + lane()) * 16));
#pragma unroll
          for (unsigned j = 0; j < tile::width; ++j) vector[j] = e + j >= 0 && e + j < in.size ? in.base[in.before + e + j] : T(0);
        }
      }
      ++asked;
    }
  };
  segment_ends<Bounds> ends(bounds, share.first, share.behind, share.origin, ends_ring);
#pragma unroll
  for (unsigned s = 0; s + 1 < stages; ++s) {
    ask(s);
    end_copies();
  }

  std::size_t next = static_cast<std::size_t>(share.first);  // segment to end
  bool wrong = false;
  // Sums of the lanes over chunks in which no segment ended, kept where the chunk's sums are at other times.
  bool lanes_carry = false;
  auto& lane_carry = *reinterpret_cast<running_sum<3>*>(sums + lane() * 32);
  static_assert(sizeof(running_sum<3>) <= 32);
  const auto join_lanes = [&] {
    if (!lanes_carry) return;
    running_sum<3> carry = share.carry;
    carry.add_sum(sum_of_lanes(lane_carry));
    sync_warp();
    if (lane() == 0) share.carry = carry;
    sync_warp();
    lanes_carry = false;
  };
  unsigned stage_number = 0;
#pragma unroll 1
  for (int c = 0; c < fresh(share.chunks); ++c) {
    ask(stage_number == 0 ? stages - 1 : stage_number - 1);
    ends.start_chunk();
    end_copies();
    wait_for_copies<stages - 1>();
    sync_warp();
    unsigned char* const stage = ring + stage_number * tile::bytes;
    T x[tile::each];
#pragma unroll
    for (unsigned u = 0; u < tile::vectors; ++u) read16(x + u * tile::width, stage + tile::place(lane() * 128 + u * 16));
    unsigned limit = tile::size;
    if (c == 0 || c + 1 == fresh(share.chunks)) {  // what is not this warp's counts as zero
      const std::int64_t begin = share.origin + std::int64_t{c} * tile::size;
      const std::int64_t to = share.to - begin;
      const std::int64_t from = share.from - begin;
      if (to < tile::size) limit = to > 0 ? static_cast<unsigned>(to) : 0;
#pragma unroll
      for (unsigned j = 0; j < tile::each; ++j) {
        const std::int64_t i = lane() * tile::each + j;
        if (i < from || i >= to) x[j] = T(0);
      }
#pragma unroll
      for (unsigned u = 0; u < tile::vectors; ++u) write16(stage + tile::place(lane() * 128 + u * 16), x + u * tile::width);
      sync_warp();
    }
    const exponents apart = exponents_of(x);
    unsigned at = ends.at();
    unsigned count = sum_in_warp(at <= limit ? 1 : 0);
    if (apart.highest > tile::highest_allowed || apart.highest - apart.lowest > tile::most_apart) {
      join_lanes();
      const std::int64_t from = share.from - (share.origin + std::int64_t{c} * tile::size);
      const auto sum_chunk = [&]<class Sum>(const typename Sum::anchors& anchors, std::type_identity<Sum>) {
        return sum_chunk_by_segment<Sum>(op, anchors, stage, from > 0 ? static_cast<unsigned>(from) : 0, limit, ends, next, share,
                                         has_head ? parts.heads + number : nullptr, bounds, left, end);
      };
      const bool in_windows = apart.highest <= tile::highest_allowed && apart.highest - apart.lowest <= tile::most_apart_in_windows;
      const unsigned ended = in_windows ? sum_chunk(typename windowed_sum<T>::anchors(apart.highest), std::type_identity<windowed_sum<T>>{})
                                        : sum_chunk(careful_sum::anchors{}, std::type_identity<careful_sum>{});
      has_head = has_head && ended == 0;
      next += ended;
    } else if (count == 0) {
      const double anchor = in_two ? from_words(anchor_word(static_cast<unsigned>(apart.highest + 2 + tile::log2_size)), 0) : 0;
      double high[2] = {anchor, anchor};
      double low[2] = {0, 0};
#pragma unroll
      for (unsigned j = 0; j < tile::each / 2; ++j) {
        add_in_parts<in_two>(high[0], low[0], segment_term<what>(x[j]));
        add_in_parts<in_two>(high[1], low[1], segment_term<what>(x[tile::each / 2 + j]));
      }
      running_sum<3> carry = lanes_carry ? lane_carry : running_sum<3>{};
      carry.add_term(add(subtract(high[0], anchor), subtract(high[1], anchor)));
      if constexpr (in_two) carry.add_term(add(low[0], low[1]));
      lane_carry = carry;
      lanes_carry = true;
    } else {
      join_lanes();
      const double anchor = in_two ? from_words(anchor_word(static_cast<unsigned>(apart.highest + 2 + tile::log2_size)), 0) : 0;
      // Sums before every second element: within the half lines first.
      constexpr unsigned half = tile::each / 2;
      double before[half];
      double before_low[in_two ? half : 1];
      double first_half = 0;
      double first_half_low = 0;
      double high = anchor;
      double low = 0;
#pragma unroll
      for (unsigned u = 0; u < half; ++u) {
        if (u == half / 2) {
          first_half = subtract(high, anchor);
          first_half_low = low;
          high = anchor;
          low = 0;
        }
        before[u] = high;
        if constexpr (in_two) before_low[u] = low;
        add_in_parts<in_two>(high, low, segment_term<what>(x[2 * u]));
        add_in_parts<in_two>(high, low, segment_term<what>(x[2 * u + 1]));
      }
      const double line = add(first_half, subtract(high, anchor));
      const double line_low = add(first_half_low, low);
      double up_to_line = line;
      double up_to_line_low = line_low;
#pragma unroll
      for (unsigned distance = 1; distance < warp_width; distance *= 2) {
        const double lower = shuffle(up_to_line, lane() - distance);
        if (lane() >= distance) up_to_line = add(up_to_line, lower);
        if constexpr (in_two) {
          const double lower_low = shuffle(up_to_line_low, lane() - distance);
          if (lane() >= distance) up_to_line_low = add(up_to_line_low, lower_low);
        }
      }
      {
        const double base = subtract(subtract(up_to_line, line), anchor);
        const double base_low = subtract(up_to_line_low, line_low);
        const double second = add(base, first_half);
        const double second_low = add(base_low, first_half_low);
#pragma unroll
        for (unsigned u = 0; u < half; ++u) {
          before[u] = add(before[u], u < half / 2 ? base : second);
          if constexpr (in_two) {
            before_low[u] = add(before_low[u], u < half / 2 ? base_low : second_low);
            const double pair[2] = {before[u], before_low[u]};
            write16(sums + tile::place(lane() * 128 + u * 16), pair);
          } else if (u % 2 != 0) {
            write16(sums + tile::place(lane() * 128 + u / 2 * 16), before + u - 1);
          }
        }
        if (lane() == warp_width - 1) {
          const double pair[2] = {up_to_line, up_to_line_low};
          write16(sums + tile::bytes, pair);
        }
      }
      const double total = shuffle(up_to_line, warp_width - 1);
      const double total_low = in_two ? shuffle(up_to_line_low, warp_width - 1) : 0;
      sync_warp();
      const auto sum_before = [&](unsigned i, double& part, double& part_low) {  // of the chunk's first i elements
        const unsigned even = i & ~1u;
        const unsigned place = even < tile::size ? tile::place(even * static_cast<unsigned>(sizeof(T))) : tile::bytes;
        double y = 0;
        if (i % 2 != 0) y = segment_term<what>(*reinterpret_cast<const T*>(stage + place));
        if constexpr (in_two) {
          double pair[2];
          read16(pair, sums + place);
          const double upper = subtract(add(anchor, y), anchor);
          part = add(pair[0], upper);
          part_low = add(pair[1], subtract(y, upper));
        } else {
          part = add(*reinterpret_cast<const double*>(sums + place), y);
          part_low = 0;
        }
      };
      const running_sum<3> carry = share.carry;
      const bool carries = has_head || carry.part[0] != 0 || carry.part[1] != 0 || carry.part[2] != 0 || carry.lost != 0;
      double last = 0;  // the sum before the segment that is next
      double last_low = 0;
      bool is_first = true;
      while (true) {
        const bool mine = at <= limit;
        double part = 0;
        double part_low = 0;
        sum_before(mine ? at : 0, part, part_low);
        wrong |= !ends.ascend();
        double begin = shuffle(part, lane() - 1);
        double begin_low = in_two ? shuffle(part_low, lane() - 1) : 0;
        if (lane() == 0) {
          begin = last;
          begin_low = last_low;
        }
        const double sum = subtract(part, begin);
        const double sum_low = in_two ? subtract(part_low, begin_low) : 0;
        if (is_first && carries && lane() == 0) [[unlikely]] {
          running_sum<3> whole = carry;
          whole.add_term(sum);
          if constexpr (in_two) whole.add_term(sum_low);
          if (has_head) {
            parts.heads[number] = {next, whole};
          } else {
            end_segment(op, whole, next, bounds, left, end);
          }
        } else if (mine && op.step != last_step::value) {
          end_segment(op, {{sum, sum_low, 0}, 0}, next + lane(), bounds, left, end);
        } else if (mine) {
          auto* const result = reinterpret_cast<T*>(end.results) + next + lane();
          if constexpr (in_two) {
            *result = add(add(sum, sum_low), 0.0);
          } else {
            *result = narrow(add(sum, 0.0));
          }
        }
        is_first = false;
        last = shuffle(part, count - 1);
        if constexpr (in_two) last_low = shuffle(part_low, count - 1);
        next += count;
        ends.drop(count);
        if (count < warp_width) break;
        at = ends.at();
        count = sum_in_warp(at <= limit ? 1 : 0);
        if (count == 0) break;
      }
      has_head = false;
      sync_warp();
      if (lane() == 0) share.carry = {{subtract(total, last), in_two ? subtract(total_low, last_low) : 0, 0}, 0};
    }
    stage_number = stage_number + 1 == stages ? 0 : stage_number + 1;
    ends.end_chunk(tile::size);
    sync_warp();
  }
  join_lanes();
  wrong |= next != static_cast<std::size_t>(share.behind);  // an end that was not met
  if (any(wrong) && lane() == 0) *end.status = static_cast<int>(errc::out_of_range);
  const std::int64_t open = share.behind;
  if (lane() == 0 && open < static_cast<std::int64_t>(bounds.count) && bounds.at(static_cast<std::size_t>(open)) < share.to) {
    parts.tails[number] = {static_cast<std::size_t>(open), share.carry};
  }
}

/// Joins the segments whose parts are several warps': a warp for each head, with the tails before it.
template <class T, term what, class Bounds>
ACCRUE_KERNEL(segment_threads, 4)
join_segments_kernel(exact_sum<T, what> op, Bounds bounds, unsigned warps_before, segment_parts parts, left_groups left, group_ending end) {
  const unsigned number = block() * warps() + warp();
  if (number >= warps_before || parts.idle()) return;
  const segment_part head = parts.heads[number];
  if (head.segment == segment_part::none) return;
  running_sum<3> sum;
  if (lane() == 0) sum = head.sum;
  for (unsigned before = number;;) {  // tails stand one behind the other
    const bool mine = before > lane() && parts.tails[before - 1 - lane()].segment == head.segment;
    if (mine) sum.add_sum(parts.tails[before - 1 - lane()].sum);
    if (any(!mine)) break;
    before -= warp_width;
  }
  sum = sum_of_lanes(sum);
  if (lane() == 0) end_segment(op, sum, head.segment, bounds, left, end);
}

}  // namespace accrue::simt
