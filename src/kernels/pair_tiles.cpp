// SPDX-License-Identifier: BSD-3-Clause
// Pair forces by tiles: find the pairs within the cut-off, evaluate the potential, apply the forces. Products and sums are rounded
// one by one, without fused operations, so that every instruction set computes the same bits for a pair.
#include "accrue/detail/pair_kernels.hpp"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pair_tiles.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "quads-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// Distances to the nearest images, for rows of which some pair crosses a boundary.
struct nearest_image {
  V length[3];
  V inverse[3];

  HWY_INLINE explicit nearest_image(const pair_search& s) {
    for (int k = 0; k < 3; ++k) {
      length[k] = hn::Set(d64(), s.length[k]);
      inverse[k] = hn::Set(d64(), s.inverse_length[k]);
    }
  }
  HWY_INLINE V operator()(V d, int k) const { return d - length[k] * hn::Round(d * inverse[k]); }
};

/// The distances of a row's particle to those of `index[0 .. width)`. Holds what it needs by value: a pointer read again after each store
/// would have to wait until the address of that store is known.
struct row_distances {
  const double* positions;
  V x;
  V y;
  V z;

  HWY_INLINE row_distances(const pair_search& s, std::size_t row)
      : positions(s.positions), x(hn::Set(d64(), s.positions[quad * row])), y(hn::Set(d64(), s.positions[quad * row + 1])), z(hn::Set(d64(), s.positions[quad * row + 2])) {}

  template <bool image>
  HWY_INLINE quad_lanes to(const nearest_image& nearest, const std::uint32_t* index) const {
    const quad_lanes q = load_quads(positions, index);
    quad_lanes d{x - q.x, y - q.y, z - q.z, q.w};
    if constexpr (image) {
      d.x = nearest(d.x, 0);
      d.y = nearest(d.y, 1);
      d.z = nearest(d.z, 2);
    }
    d.w = d.x * d.x + d.y * d.y + d.z * d.z;
    return d;
  }
};

/// Lists those of candidates [begin, end) that are inside, and returns how many the list has then.
template <bool image>
HWY_INLINE std::size_t list_inside(const row_distances& from, const nearest_image& nearest, V limit, const std::uint32_t* candidates,
                                   std::size_t begin, std::size_t end, std::uint32_t* list, std::size_t size) {
  for (std::size_t k = begin; k < end; k += width) {
    const to_front inside(from.to<image>(nearest, candidates + k).w < limit);
    inside.copy(candidates + k, list + size);
    size += inside.count();
  }
  return size;
}

/// Distances of the listed pairs [begin, end) of the tile.
template <bool image>
HWY_INLINE void take_distances(const row_distances& from, const nearest_image& nearest, V limit, std::size_t begin, std::size_t end,
                               pair_tile& tile) {
  const d64 d;
  for (std::size_t k = begin; k < end; k += width) {
    const quad_lanes q = from.to<image>(nearest, tile.other + k);
    const auto inside = q.w < limit;  // all but what fills the last vector, which gets no extent, so no force
    hn::Store(hn::IfThenElseZero(inside, q.x), d, tile.dx + k);
    hn::Store(hn::IfThenElseZero(inside, q.y), d, tile.dy + k);
    hn::Store(hn::IfThenElseZero(inside, q.z), d, tile.dz + k);
    hn::Store(hn::IfThenElse(inside, q.w, limit), d, tile.r2 + k);
  }
}

// Adds the pairs among candidates [0, count) of a row to the tile, in two passes. The first only lists who is inside: what it moves to
// the front are 16 or 32 bytes of numbers, where moving the distances along would cost four shuffles and four unaligned stores of
// whole vectors. The second takes the distances of those alone. `inner`: where candidates begin that may cross a boundary.
HWY_INLINE void search_row(const pair_search& s, const nearest_image& nearest, std::size_t row, const std::uint32_t* candidates,
                           std::size_t inner, std::size_t count, pair_tile& tile) {
  const V limit = hn::Set(d64(), s.cutoff_squared);
  const row_distances from(s, row);
  const std::size_t begin = tile.size;
  const std::size_t middle = list_inside<false>(from, nearest, limit, candidates, 0, inner, tile.other, begin);
  const std::size_t size = list_inside<true>(from, nearest, limit, candidates, inner, count, tile.other, middle);
  if (size == begin) return;
  const std::size_t end = (size + width - 1) / width * width;
  tile.size = end;
  tile.rows[tile.row_count++] = {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size),
                                 static_cast<std::uint32_t>(end)};
  for (std::size_t k = size; k < size + width; ++k) tile.other[k] = s.nowhere;
  const std::size_t turn = inner == count ? end : middle / width * width;
  take_distances<false>(from, nearest, limit, begin, turn, tile);
  take_distances<true>(from, nearest, limit, turn, end, tile);
}

bool search_tile(const pair_search& s, row_cursor& at, std::size_t end, pair_tile& tile) {
  const nearest_image nearest(s);
  tile.size = 0;
  tile.row_count = 0;
  bool full = false;
  while (at.row < end && !full) {
    const row_extent extent = s.extents[at.row];
    const std::size_t left = extent.padded - at.offset;
    const std::size_t room = (pair_tile::capacity - tile.size) / row_multiple * row_multiple;
    if (left > room && tile.size != 0) break;
    const std::size_t count = left < room ? left : room;
    const std::size_t inner = extent.inner > at.offset ? extent.inner - at.offset : 0;
    search_row(s, nearest, at.row, s.rows[at.row] + at.offset, inner < count ? inner : count, count, tile);
    full = count != left;  // a row longer than a tile goes on in the next
    at = full ? row_cursor{at.row, at.offset + count} : row_cursor{at.row + 1, 0};
  }
  return tile.size != 0 || full;
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
      : anchor(hn::Set(d64(), std::bit_cast<double>((static_cast<std::uint64_t>(exponent + 52 + 1023) << 52) | (std::uint64_t{1} << 51)))) {}
  HWY_INLINE V operator()(V v) const {
    return hn::BitCast(d64(), hn::BitCast(i64(), v + anchor) - hn::BitCast(i64(), anchor));
  }
  HWY_INLINE V add(V a, V b) const { return hn::BitCast(d64(), hn::BitCast(i64(), a) + hn::BitCast(i64(), b)); }
  HWY_INLINE V negate(V a) const { return hn::BitCast(d64(), hn::Zero(i64()) - hn::BitCast(i64(), a)); }
};

template <class Number, bool to_both, bool virial, bool energies>
HWY_INLINE void apply(pair_tile& t, const Number& number, typename Number::type* quads) {
  const d64 d;
  const V half = hn::Set(d, 0.5);
  for (std::size_t p = 0; p < t.row_count; ++p) {
    const row_piece piece = t.rows[p];
    quad_lanes sum{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (std::size_t k = piece.begin; k < piece.padded_end; k += width) {
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
      quad_lanes q{number(fx), number(fy), number(fz), hn::Zero(d)};
      sum.x = number.add(sum.x, q.x);
      sum.y = number.add(sum.y, q.y);
      sum.z = number.add(sum.z, q.z);
      if constexpr (energies) {
        const V e = number(half * hn::LoadU(d, t.energy + k));
        sum.w = number.add(sum.w, e);
        q.w = number.negate(e);
      }
      if constexpr (to_both) subtract_quads(quads, t.other + k, q);
    }
    add_quad(quads, piece.row, sum);
  }
}

template <class Number>
HWY_INLINE void apply_any(pair_tile& t, pair_action a, const Number& number, typename Number::type* quads) {
  switch ((a.to_both ? 4 : 0) + (a.virial ? 2 : 0) + (a.energies ? 1 : 0)) {
    case 0: return apply<Number, false, false, false>(t, number, quads);
    case 1: return apply<Number, false, false, true>(t, number, quads);
    case 2: return apply<Number, false, true, false>(t, number, quads);
    case 3: return apply<Number, false, true, true>(t, number, quads);
    case 4: return apply<Number, true, false, false>(t, number, quads);
    case 5: return apply<Number, true, false, true>(t, number, quads);
    case 6: return apply<Number, true, true, false>(t, number, quads);
    default: return apply<Number, true, true, true>(t, number, quads);
  }
}

void apply_double(pair_tile& t, pair_action a, double* quads) { apply_any(t, a, as_they_are(0), quads); }

void apply_fixed(pair_tile& t, pair_action a, int exponent, std::int64_t* quads) { apply_any(t, a, in_units(exponent), quads); }

bool below(const pair_tile& t, double force_over_r_limit, double energy_limit) {
  const d64 d;
  const V force = hn::Set(d, force_over_r_limit);
  const V energy = hn::Set(d, energy_limit);
  auto all = hn::Zero(d) == hn::Zero(d);  // comparisons are false for NaN
  for (std::size_t k = 0; k < t.size; k += width) {
    all = hn::And(all, hn::Abs(hn::LoadU(d, t.force_over_r + k)) < force);
    all = hn::And(all, hn::Abs(hn::LoadU(d, t.energy + k)) < energy);
  }
  return hn::AllTrue(d, all);
}

// Adding x to an anchor 1.5 * 2^k rounds it to units of 2^(k-52), which the anchor counts; what is left goes to a second anchor (see
// extraction.hpp). A lane takes at most 256 / 16 = 16 terms of a tile with AVX2: 2^13 in all, within the first anchor's binade; what
// they leave is below 2^-38 each, within the second's. One lane takes 256 / 4: 2^15 and 2^-32.
bool add_tame_terms(const double* terms, std::size_t size, tame_totals& totals) {
  constexpr std::size_t unroll = 4;
  constexpr double high_anchor = 0x1.8p15;
  constexpr double low_anchor = 0x1.8p-32;
  static_assert(tame_totals::high_unit == 15 - 52 && tame_totals::low_unit == -32 - 52);
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
  for (; k < size; k += width) add(hn::LoadU(d, terms + k), k / width % unroll);
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

unsigned add_tame_tile(const double* const* terms, std::size_t arrays, std::size_t size, tame_totals* totals) {
  unsigned refused = 0;
  for (std::size_t a = 0; a < arrays; ++a) {
    if (!add_tame_terms(terms[a], size, totals[a])) refused |= 1u << a;
  }
  return refused;
}

template <bool sloped>
HWY_INLINE void lennard_jones(const lennard_jones_terms& c, const double* r2, std::size_t size, double* energy, double* force_over_r) {
  const d64 d;
  const V one = hn::Set(d, 1.0);
  const V six = hn::Set(d, 6.0);
  const V sigma_squared = hn::Set(d, c.sigma_squared);
  const V four_epsilon = hn::Set(d, c.four_epsilon);
  const V shift = hn::Set(d, c.shift);
  const V slope = hn::Set(d, c.slope);
  const V cutoff = hn::Set(d, c.cutoff);
  for (std::size_t k = 0; k < size; k += width) {
    const V rr = hn::LoadU(d, r2 + k);
    const V inverse = one / rr;
    const V s2 = sigma_squared * inverse;
    const V s6 = s2 * s2 * s2;
    const V a = four_epsilon * s6;
    const V b = s6 - one;
    V e = a * b - shift;
    V f = six * inverse * a * (s6 + b);
    if constexpr (sloped) {
      const V r = hn::Sqrt(rr);
      e = e - slope * (r - cutoff);
      f = f + slope * (r * inverse);
    }
    hn::StoreU(e, d, energy + k);
    hn::StoreU(f, d, force_over_r + k);
  }
}
void lennard_jones_tile(const lennard_jones_terms& c, const double* r2, std::size_t size, double* energy, double* force_over_r) {
  if (c.slope != 0) {
    lennard_jones<true>(c, r2, size, energy, force_over_r);
  } else {
    lennard_jones<false>(c, r2, size, energy, force_over_r);
  }
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(search_tile);
HWY_EXPORT(apply_double);
HWY_EXPORT(apply_fixed);
HWY_EXPORT(below);
HWY_EXPORT(add_tame_tile);
HWY_EXPORT(lennard_jones_tile);

bool find_pairs(const pair_search& search, row_cursor& at, std::size_t end, pair_tile& tile) {
  return HWY_DYNAMIC_DISPATCH(search_tile)(search, at, end, tile);
}
void apply_pairs(pair_tile& tile, pair_action action, double* quads) { HWY_DYNAMIC_DISPATCH(apply_double)(tile, action, quads); }
void apply_pairs(pair_tile& tile, pair_action action, int exponent, std::int64_t* quads) {
  HWY_DYNAMIC_DISPATCH(apply_fixed)(tile, action, exponent, quads);
}
bool all_below(const pair_tile& tile, double force_over_r_limit, double energy_limit) {
  return HWY_DYNAMIC_DISPATCH(below)(tile, force_over_r_limit, energy_limit);
}
unsigned add_tame(const double* const* terms, std::size_t arrays, std::size_t size, tame_totals* totals) {
  return HWY_DYNAMIC_DISPATCH(add_tame_tile)(terms, arrays, size, totals);
}
void evaluate_lennard_jones(const lennard_jones_terms& terms, const double* r2, std::size_t size, double* energy, double* force_over_r) {
  HWY_DYNAMIC_DISPATCH(lennard_jones_tile)(terms, r2, size, energy, force_over_r);
}

}  // namespace accrue::kernels
#endif
