// SPDX-License-Identifier: BSD-3-Clause
// Pair forces by batches: find the pairs within the cut-off, evaluate the potential, apply the forces. Products and sums are rounded
// one by one, without fused operations, so that every instruction set computes the same bits for a pair.
#include "accrue/md/detail/pair_kernels.hpp"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pair_batches.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "choose-inl.hpp"
#include "xyzw-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// Distances to the nearest images, for rows of which some pair crosses a boundary.
struct nearest_image {
  V length[3];
  V inverse[3];

  HWY_INLINE explicit nearest_image(const pair_search& s) {
    for (std::size_t k = 0; k < 3; ++k) {
      length[k] = hn::Set(d64(), s.length[k]);
      inverse[k] = hn::Set(d64(), s.inverse_length[k]);
    }
  }
  HWY_INLINE V operator()(V d, std::size_t k) const { return d - length[k] * hn::Round(d * inverse[k]); }
};

/// The distances of a row's particle to those of `index[0 .. width)`. Holds what it needs by value: a pointer read again after each
/// store would have to wait until the address of that store is known.
struct row_distances {
  const double* positions;
  V x;
  V y;
  V z;

  HWY_INLINE row_distances(const pair_search& s, std::size_t row)
      : positions(s.positions),
        x(hn::Set(d64(), s.positions[xyzw_size * row])),
        y(hn::Set(d64(), s.positions[xyzw_size * row + 1])),
        z(hn::Set(d64(), s.positions[xyzw_size * row + 2])) {}

  template <bool image>
  HWY_INLINE xyzw_lanes to(const nearest_image& nearest, const std::uint32_t* index) const {
    const xyzw_lanes q = load_xyzw(positions, index);
    xyzw_lanes d{x - q.x, y - q.y, z - q.z, q.w};
    if constexpr (image) {
      d.x = nearest(d.x, 0);
      d.y = nearest(d.y, 1);
      d.z = nearest(d.z, 2);
    }
    d.w = d.x * d.x + d.y * d.y + d.z * d.z;
    return d;
  }
};

/// Which of eight candidates at a time are inside, for candidates [begin, end) of a row: a byte for each eight.
template <bool image>
HWY_INLINE void mark_inside(const pair_search& s, const nearest_image& nearest, std::size_t row, const std::uint32_t* candidates,
                            std::size_t begin, std::size_t end, std::uint8_t* marks) {
  const V limit = hn::Set(d64(), s.cutoff_squared);
  const row_distances from(s, row);
  for (std::size_t k = begin; k < end; k += 8) {
    unsigned bits = 0;
    for (std::size_t u = 0; u < 8; u += width) bits |= lane_bits(d64(), from.to<image>(nearest, candidates + k + u).w < limit) << u;
    marks[k / 8] = static_cast<std::uint8_t>(bits);
  }
}

/// The same by single precision; some beyond the cut-off are marked too.
#if HWY_MAX_BYTES >= 16
template <bool image>
HWY_INLINE void mark_roughly_inside(const pair_search& s, const nearest_image&, std::size_t row, const std::uint32_t* candidates,
                                    std::size_t begin, std::size_t end, std::uint8_t* marks) {
  using F = hn::Vec<rough_tag>;
  const rough_tag d;
  const float* positions = s.rough_positions;
  const F limit = hn::Set(d, s.rough_limit);
  F from[3];
  F length[3];
  F inverse[3];
  for (std::size_t k = 0; k < 3; ++k) {
    from[k] = hn::Set(d, positions[xyzw_size * row + k]);
    length[k] = hn::Set(d, static_cast<float>(s.length[k]));
    inverse[k] = hn::Set(d, static_cast<float>(s.inverse_length[k]));
  }
  const auto squared = [&](F to, std::size_t k) HWY_ATTR {
    F r = from[k] - to;
    if constexpr (image) r = r - length[k] * hn::Round(r * inverse[k]);
    return r * r;
  };
  for (std::size_t k = begin; k < end; k += 8) {
    unsigned bits = 0;
    for (std::size_t u = 0; u < 8; u += rough_width) {
      const rough_lanes q = load_rough(positions, candidates + k + u);
      bits |= lane_bits(d, squared(q.x, 0) + squared(q.y, 1) + squared(q.z, 2) < limit) << u;
    }
    marks[k / 8] = static_cast<std::uint8_t>(bits);
  }
}
#else
template <bool image>
HWY_INLINE void mark_roughly_inside(const pair_search& s, const nearest_image& nearest, std::size_t row,
                                    const std::uint32_t* candidates, std::size_t begin, std::size_t end, std::uint8_t* marks) {
  mark_inside<image>(s, nearest, row, candidates, begin, end, marks);
}
#endif

/// Copies the marked candidates [begin, end) to the list's place `size`, and returns its new size.
HWY_INLINE std::size_t list_marked(const std::uint32_t* candidates, std::size_t begin, std::size_t end, const std::uint8_t* marks,
                                   std::uint32_t* list, std::size_t size) {
  for (std::size_t k = begin; k < end; k += 8) {
    size += copy_chosen(marks[k / 8], candidates + k, list + size);
  }
  return size;
}

/// Distances of the listed pairs [begin, end) of the batch.
template <bool image>
HWY_INLINE void take_distances(const row_distances& from, const nearest_image& nearest, V limit, std::size_t begin, std::size_t end,
                               pair_batch& batch) {
  const d64 d;
  for (std::size_t k = begin; k < end; k += width) {
    const xyzw_lanes q = from.to<image>(nearest, batch.other + k);
    const auto inside = q.w < limit;  // what is not gets no extent, so no force
    hn::Store(hn::IfThenElseZero(inside, q.x), d, batch.dx + k);
    hn::Store(hn::IfThenElseZero(inside, q.y), d, batch.dy + k);
    hn::Store(hn::IfThenElseZero(inside, q.z), d, batch.dz + k);
    hn::Store(hn::IfThenElse(inside, q.w, limit), d, batch.r2 + k);
  }
}

/// Candidates [0, count) of a row that a batch looks at; those from `inner` on may cross a boundary.
struct row_part {
  std::size_t row;
  const std::uint32_t* candidates;
  std::size_t inner;
  std::size_t count;
};

/// The rows of the next batch: as many as have `capacity` candidates together, or a part of a longer one. Returns how many.
HWY_INLINE std::size_t choose_rows(const pair_search& s, row_cursor& at, std::size_t end, row_part* parts) {
  std::size_t chosen = 0;
  std::size_t room = pair_batch::capacity;
  while (at.row < end && chosen < pair_batch::most_rows) {
    const row_extent extent = s.extents[at.row];
    const std::size_t left = extent.padded - at.offset;
    if (left > room && chosen != 0) break;
    const std::size_t count = left < room ? left : room;
    const std::size_t inner = extent.inner > at.offset ? extent.inner - at.offset : 0;
    parts[chosen++] = {at.row, s.rows[at.row] + at.offset, inner < count ? inner : count, count};
    room -= count;
    if (count != left) {
      at.offset += count;
      break;
    }
    at = {at.row + 1, 0};
  }
  return chosen;
}

// Three passes over the rows of a batch. The first marks who is inside, by single precision and a margin: twice the lanes. The
// second lists them: what moves to the front are numbers of 4 bytes. The third takes the exact distances of those alone. Where a
// row's list ends is known late, and no load gets past a store whose address is not known: so nothing is listed before all is
// marked.
bool search_batch(const pair_search& s, row_cursor& at, std::size_t end, pair_batch& batch) {
  const nearest_image nearest(s);
  row_part parts[pair_batch::most_rows];
  std::uint8_t marks[pair_batch::capacity / 8];
  const std::size_t chosen = choose_rows(s, at, end, parts);
  const auto mark_all = [&](auto mark_plain, auto mark_image) HWY_ATTR {
    std::uint8_t* to = marks;
    for (std::size_t p = 0; p < chosen; ++p) {
      const row_part r = parts[p];
      mark_plain(s, nearest, r.row, r.candidates, std::size_t{0}, r.inner, to);
      mark_image(s, nearest, r.row, r.candidates, r.inner, r.count, to);
      to += r.count / 8;
    }
  };
  if (s.rough_positions != nullptr) {
    mark_all([](const auto&... a) HWY_ATTR { mark_roughly_inside<false>(a...); },
             [](const auto&... a) HWY_ATTR { mark_roughly_inside<true>(a...); });
  } else {
    mark_all([](const auto&... a) HWY_ATTR { mark_inside<false>(a...); },
             [](const auto&... a) HWY_ATTR { mark_inside<true>(a...); });
  }

  std::size_t size = 0;
  std::size_t pieces = 0;
  const std::uint8_t* marked = marks;
  for (std::size_t p = 0; p < chosen; ++p) {
    const row_part r = parts[p];
    const std::size_t begin = size;
    const std::size_t middle = list_marked(r.candidates, 0, r.inner, marked, batch.other, begin);
    const std::size_t last = list_marked(r.candidates, r.inner, r.count, marked, batch.other, middle);
    marked += r.count / 8;
    for (std::size_t k = last; k < last + width; ++k) batch.other[k] = s.nowhere;
    size = (last + width - 1) / width * width;
    const std::size_t turn = r.inner == r.count ? size : middle / width * width;
    batch.rows[pieces] = {static_cast<std::uint32_t>(r.row), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(turn),
                         static_cast<std::uint32_t>(size)};
    pieces += last != begin ? 1 : 0;
  }
  batch.size = size;
  batch.row_count = pieces;

  const V limit = hn::Set(d64(), s.cutoff_squared);
  for (std::size_t p = 0; p < pieces; ++p) {
    const row_piece piece = batch.rows[p];
    const row_distances from(s, piece.row);
    take_distances<false>(from, nearest, limit, piece.begin, piece.turn, batch);
    take_distances<true>(from, nearest, limit, piece.turn, piece.end, batch);
  }
  return chosen != 0;
}

/// Turns doubles into what is added: themselves, or integers counting units, in the same lanes.
struct as_they_are {
  using type = double;
  HWY_INLINE explicit as_they_are(int) {}
  HWY_INLINE V operator()(V v) const { return v; }
  HWY_INLINE V add(V a, V b) const { return a + b; }
  HWY_INLINE V negate(V a) const { return hn::Neg(a); }
};
struct in_units {
  using type = std::int64_t;
  V anchor;  // 1.5 * 2^52 units: adding it rounds to whole units, which then are the difference of the bits
  HWY_INLINE explicit in_units(int exponent)
      : anchor(hn::Set(
            d64(), std::bit_cast<double>((static_cast<std::uint64_t>(exponent + 52 + 1023) << 52) | (std::uint64_t{1} << 51)))) {}
  HWY_INLINE V operator()(V v) const { return hn::BitCast(d64(), hn::BitCast(i64(), v + anchor) - hn::BitCast(i64(), anchor)); }
  HWY_INLINE V add(V a, V b) const { return hn::BitCast(d64(), hn::BitCast(i64(), a) + hn::BitCast(i64(), b)); }
  HWY_INLINE V negate(V a) const { return hn::BitCast(d64(), hn::Zero(i64()) - hn::BitCast(i64(), a)); }
};

template <class Number, bool to_both, bool virial, bool energies>
HWY_INLINE void apply(pair_batch& t, double energy_share, const Number& number, typename Number::type* xyzw) {
  const d64 d;
  const V share = hn::Set(d, energy_share);
  for (std::size_t p = 0; p < t.row_count; ++p) {
    const row_piece piece = t.rows[p];
    xyzw_lanes sum{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (std::size_t k = piece.begin; k < piece.end; k += width) {
      const V f = hn::LoadU(d, t.force_over_r + k);
      const V dx = hn::LoadU(d, t.dx + k);
      const V dy = hn::LoadU(d, t.dy + k);
      const V dz = hn::LoadU(d, t.dz + k);
      const V fx = f * dx;
      const V fy = f * dy;
      const V fz = f * dz;
      if constexpr (virial) {
        hn::StoreU(fx * dx, d, t.dx + k);
        hn::StoreU(fy * dy, d, t.dy + k);
        hn::StoreU(fz * dz, d, t.dz + k);
        hn::StoreU(fx * dy, d, t.r2 + k);
        hn::StoreU(fx * dz, d, t.force_over_r + k);
        hn::StoreU(fy * dz, d, t.spare + k);
      }
      xyzw_lanes q{number(fx), number(fy), number(fz), hn::Zero(d)};
      sum.x = number.add(sum.x, q.x);
      sum.y = number.add(sum.y, q.y);
      sum.z = number.add(sum.z, q.z);
      if constexpr (energies) {
        const V e = number(share * hn::LoadU(d, t.energy + k));
        sum.w = number.add(sum.w, e);
        q.w = number.negate(e);
      }
      if constexpr (to_both) subtract_xyzw(xyzw, t.other + k, q);
    }
    add_xyzw(xyzw, piece.row, sum);
  }
}

template <class Number>
HWY_INLINE void apply_any(pair_batch& t, pair_action a, const Number& number, typename Number::type* xyzw) {
  switch ((a.to_both ? 4 : 0) + (a.virial ? 2 : 0) + (a.energies ? 1 : 0)) {
    case 0:
      return apply<Number, false, false, false>(t, a.energy_share, number, xyzw);
    case 1:
      return apply<Number, false, false, true>(t, a.energy_share, number, xyzw);
    case 2:
      return apply<Number, false, true, false>(t, a.energy_share, number, xyzw);
    case 3:
      return apply<Number, false, true, true>(t, a.energy_share, number, xyzw);
    case 4:
      return apply<Number, true, false, false>(t, a.energy_share, number, xyzw);
    case 5:
      return apply<Number, true, false, true>(t, a.energy_share, number, xyzw);
    case 6:
      return apply<Number, true, true, false>(t, a.energy_share, number, xyzw);
    default:
      return apply<Number, true, true, true>(t, a.energy_share, number, xyzw);
  }
}

void apply_double(pair_batch& t, pair_action a, double* xyzw) { apply_any(t, a, as_they_are(0), xyzw); }

void apply_fixed(pair_batch& t, pair_action a, int exponent, std::int64_t* xyzw) { apply_any(t, a, in_units(exponent), xyzw); }

void clear(pair_batch& t, double cutoff_squared) {
  const d64 d;
  const V limit = hn::Set(d, cutoff_squared);
  for (std::size_t k = 0; k < t.size; k += width) {
    const auto inside = hn::Load(d, t.r2 + k) < limit;
    hn::Store(hn::IfThenElseZero(inside, hn::Load(d, t.energy + k)), d, t.energy + k);
    hn::Store(hn::IfThenElseZero(inside, hn::Load(d, t.force_over_r + k)), d, t.force_over_r + k);
  }
}

bool below(const pair_batch& t, const pair_limits& limits) {
  const d64 d;
  const V force_squared = hn::Set(d, limits.force * limits.force);
  const V energy = hn::Set(d, limits.energy);
  const V nearer = hn::Set(d, limits.nearer_squared);
  auto all = hn::Zero(d) == hn::Zero(d);  // comparisons are false for NaN
  for (std::size_t k = 0; k < t.size; k += width) {
    const V f = hn::Abs(hn::Load(d, t.force_over_r + k));
    const V r2 = hn::Load(d, t.r2 + k);
    const auto here = hn::And(f * (f * r2) < force_squared, hn::Abs(hn::Load(d, t.energy + k)) < energy);
    all = hn::And(all, hn::Or(here, r2 >= nearer));
  }
  return hn::AllTrue(d, all);
}

bool tame(const pair_batch& t) {
  const d64 d;
  const V limit = hn::Set(d, std::bit_cast<double>(std::uint64_t{1023 + tame_totals::tame_exponent} << 52) * (1 - 0x1p-40));
  auto all = hn::Zero(d) == hn::Zero(d);
  for (std::size_t k = 0; k < t.size; k += width) {
    const V virial = hn::Abs(hn::Load(d, t.force_over_r + k) * hn::Load(d, t.r2 + k));  // terms are at most that, and its rounding
    all = hn::And(all, hn::And(virial < limit, hn::Abs(hn::Load(d, t.energy + k)) < limit));
  }
  return hn::AllTrue(d, all);
}

// Adding x to an anchor 1.5 * 2^k rounds it to units of 2^(k-52), which the anchor counts as long as it stays in its binade, less
// than 2^(k-1) away; what is left of x goes to a second anchor (see extraction.hpp). At one lane, an anchor takes a quarter of a
// batch: at most 2^7 terms below 2^9, then 2^7 remainders of at most 2^-36.
static_assert(pair_batch::places / 4 + 3 <= 1 << 7);
bool add_tame_terms(const double* terms, std::size_t size, tame_totals& totals) {
  constexpr std::size_t unroll = 4;
  constexpr double high_anchor = 0x1.8p17;
  constexpr double low_anchor = 0x1.8p-28;
  static_assert(tame_totals::high_unit == 17 - 52 && tame_totals::low_unit == -28 - 52);
  const d64 d;
  const i64 di;
  const V one = hn::Set(d, 1.0);
  V high[unroll];
  V low[unroll];
  V left = hn::Zero(d);
  for (std::size_t u = 0; u < unroll; ++u) {
    high[u] = hn::Set(d, high_anchor);
    low[u] = hn::Set(d, low_anchor);
  }
  // Two of the six additions go to the multipliers, which have nothing else to do.
  const auto add = [&](V x, std::size_t u) HWY_ATTR {
    const V h = high[u] + x;
    const V rest = hn::MulAdd(hn::MulSub(high[u], one, h), one, x);
    high[u] = h;
    const V l = low[u] + rest;
    left = hn::Or(left, (l - low[u]) - rest);
    low[u] = l;
  };
  std::size_t k = 0;
  for (; k + unroll * width <= size; k += unroll * width) {
    for (std::size_t u = 0; u < unroll; ++u) add(hn::LoadU(d, terms + k + u * width), u);
  }
  for (; k < size; k += width) add(hn::LoadU(d, terms + k), 0);
  if (!hn::AllTrue(d, left == hn::Zero(d))) return false;
  auto high_units = hn::Load(di, totals.high);
  auto low_units = hn::Load(di, totals.low);
  const auto high_start = hn::BitCast(di, hn::Set(d, high_anchor));
  const auto low_start = hn::BitCast(di, hn::Set(d, low_anchor));
  for (std::size_t u = 0; u < unroll; ++u) {
    high_units = high_units + (hn::BitCast(di, high[u]) - high_start);
    low_units = low_units + (hn::BitCast(di, low[u]) - low_start);
  }
  hn::Store(high_units, di, totals.high);
  hn::Store(low_units, di, totals.low);
  return true;
}

unsigned add_tame_batch(const double* const* terms, std::size_t arrays, std::size_t size, tame_totals* totals) {
  unsigned refused = 0;
  for (std::size_t a = 0; a < arrays; ++a) {
    if (!add_tame_terms(terms[a], size, totals[a])) refused |= 1u << a;
  }
  return refused;
}

/// A vector of pairs' terms.
struct lennard_jones_lanes {
  V sigma_squared;
  V four_epsilon;
  V shift;
  V slope;
  V cutoff;
};
template <bool sloped>
HWY_INLINE void lennard_jones(const lennard_jones_lanes& c, V rr, V& e, V& f) {
  const V one = hn::Set(d64(), 1.0);
  const V inverse = one / rr;
  const V s2 = c.sigma_squared * inverse;
  const V s6 = s2 * s2 * s2;
  const V a = c.four_epsilon * s6;
  const V b = s6 - one;
  e = a * b - c.shift;
  f = hn::Set(d64(), 6.0) * inverse * a * (s6 + b);
  if constexpr (sloped) {
    const V r = hn::Sqrt(rr);
    e = e - c.slope * (r - c.cutoff);
    f = f + c.slope * (r * inverse);
  }
}
template <bool sloped>
HWY_INLINE void lennard_jones(const lennard_jones_terms& c, const double* r2, std::size_t size, double* energy, double* force_over_r) {
  const d64 d;
  const lennard_jones_lanes lanes{hn::Set(d, c.sigma_squared), hn::Set(d, c.four_epsilon), hn::Set(d, c.shift), hn::Set(d, c.slope),
                                  hn::Set(d, c.cutoff)};
  for (std::size_t k = 0; k < size; k += width) {
    V e;
    V f;
    lennard_jones<sloped>(lanes, hn::LoadU(d, r2 + k), e, f);
    hn::StoreU(e, d, energy + k);
    hn::StoreU(f, d, force_over_r + k);
  }
}
void lennard_jones_batch(const lennard_jones_terms& c, const double* r2, std::size_t size, double* energy, double* force_over_r) {
  if (c.slope != 0) {
    lennard_jones<true>(c, r2, size, energy, force_over_r);
  } else {
    lennard_jones<false>(c, r2, size, energy, force_over_r);
  }
}

/// Terms of some pairs side by side, so that no vector is loaded of what was just stored one by one.
struct lennard_jones_chunk {
  static constexpr std::size_t pairs = 64;
  alignas(64) double of[5][pairs];

  HWY_INLINE void take(const lennard_jones_table& table, const type_pair* types, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) put(k, table.terms[types[k].first * table.types + types[k].second]);
    for (std::size_t k = size; k % width != 0; ++k) put(k, table.terms[0]);
  }
  HWY_INLINE void put(std::size_t k, const lennard_jones_terms& c) {
    of[0][k] = c.sigma_squared;
    of[1][k] = c.four_epsilon;
    of[2][k] = c.shift;
    of[3][k] = c.slope;
    of[4][k] = c.cutoff;
  }
  [[nodiscard]] HWY_INLINE lennard_jones_lanes lanes(std::size_t k) const {
    const d64 d;
    return {hn::Load(d, of[0] + k), hn::Load(d, of[1] + k), hn::Load(d, of[2] + k), hn::Load(d, of[3] + k), hn::Load(d, of[4] + k)};
  }
};
template <bool sloped>
HWY_INLINE void typed_lennard_jones(const lennard_jones_table& table, const double* r2, const type_pair* types, std::size_t size,
                                    double* energy, double* force_over_r) {
  const d64 d;
  lennard_jones_chunk chunk;
  for (std::size_t first = 0; first < size; first += lennard_jones_chunk::pairs) {
    const std::size_t pairs = std::min(size - first, lennard_jones_chunk::pairs);
    chunk.take(table, types + first, pairs);
    for (std::size_t k = 0; k < pairs; k += width) {
      const lennard_jones_lanes lanes = chunk.lanes(k);
      const V rr = hn::LoadU(d, r2 + first + k);
      V e;
      V f;
      lennard_jones<sloped>(lanes, rr, e, f);
      const auto inside = rr < lanes.cutoff * lanes.cutoff;
      hn::StoreU(hn::IfThenElseZero(inside, e), d, energy + first + k);
      hn::StoreU(hn::IfThenElseZero(inside, f), d, force_over_r + first + k);
    }
  }
}
void typed_lennard_jones_batch(const lennard_jones_table& table, const double* r2, const type_pair* types, std::size_t size,
                               double* energy, double* force_over_r) {
  if (table.sloped) {
    typed_lennard_jones<true>(table, r2, types, size, energy, force_over_r);
  } else {
    typed_lennard_jones<false>(table, r2, types, size, energy, force_over_r);
  }
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(search_batch);
HWY_EXPORT(apply_double);
HWY_EXPORT(apply_fixed);
HWY_EXPORT(below);
HWY_EXPORT(tame);
HWY_EXPORT(clear);
HWY_EXPORT(add_tame_batch);
HWY_EXPORT(lennard_jones_batch);
HWY_EXPORT(typed_lennard_jones_batch);

bool find_pairs(const pair_search& search, row_cursor& at, std::size_t end, pair_batch& batch) {
  return HWY_DYNAMIC_DISPATCH(search_batch)(search, at, end, batch);
}
void apply_pairs(pair_batch& batch, pair_action action, double* xyzw) { HWY_DYNAMIC_DISPATCH(apply_double)(batch, action, xyzw); }
void apply_pairs(pair_batch& batch, pair_action action, int exponent, std::int64_t* xyzw) {
  HWY_DYNAMIC_DISPATCH(apply_fixed)(batch, action, exponent, xyzw);
}
void clear_fillers(pair_batch& batch, double cutoff_squared) { HWY_DYNAMIC_DISPATCH(clear)(batch, cutoff_squared); }
bool all_below(const pair_batch& batch, const pair_limits& limits) { return HWY_DYNAMIC_DISPATCH(below)(batch, limits); }
bool all_tame(const pair_batch& batch) { return HWY_DYNAMIC_DISPATCH(tame)(batch); }
unsigned add_tame(const double* const* terms, std::size_t arrays, std::size_t size, tame_totals* totals) {
  return HWY_DYNAMIC_DISPATCH(add_tame_batch)(terms, arrays, size, totals);
}
void evaluate_lennard_jones(const lennard_jones_terms& terms, const double* r2, std::size_t size, double* energy,
                            double* force_over_r) {
  HWY_DYNAMIC_DISPATCH(lennard_jones_batch)(terms, r2, size, energy, force_over_r);
}
void evaluate_lennard_jones(const lennard_jones_table& table, const double* r2, const type_pair* types, std::size_t size,
                            double* energy, double* force_over_r) {
  HWY_DYNAMIC_DISPATCH(typed_lennard_jones_batch)(table, r2, types, size, energy, force_over_r);
}

}  // namespace accrue::kernels
#endif
