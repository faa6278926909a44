// SPDX-License-Identifier: BSD-3-Clause
// The kernels of groupings whose groups take no block. Lanes side by side reduce a group that lies in one piece, or threads one behind the
// other a column. What they leave, long groups and uncertain sums, goes to blocks, and the longest to the whole grid.
#pragma once

#include "accrue/backends/simt/kernel/group_kernel.cuh"
#include "accrue/backends/simt/operations/lane_programs.cuh"

namespace accrue::simt {

/// Groups that lanes leave: of more than `longest` elements, and those that are marked. In the memory of the call.
struct left_groups {
  static constexpr std::size_t longest_of_blocks = std::size_t{1} << 18;  ///< elements; longer groups are the grid's, so many at most:
  static constexpr unsigned most_giants = 8;
  static constexpr std::size_t zeros_of_giants = 64;  ///< bytes before the first one's

  std::size_t longest;
  unsigned* counters;   ///< zero between calls: whether there are some; how many are the grid's
  std::size_t* giants;  ///< which; nullptr where there are none
  [[nodiscard]] ACCRUE_DEVICE unsigned* some() const { return counters; }
  [[nodiscard]] ACCRUE_DEVICE unsigned* giant_count() const { return counters + 1; }
};

inline constexpr unsigned lane_threads = 256;  ///< of a block
template <class Groups>
inline constexpr unsigned lane_blocks = 4;  ///< that a multiprocessor must have room for: the registers they leave a thread do
template <class X, class Y>
inline constexpr unsigned lane_blocks<group_source_pair<X, Y>> = 3;

/// A lane's elements, from `first` on at distances of `step`, of contiguous arrays.
template <class Source>
struct lane_elements {
  using element = typename Source::element;
  const Source& source;
  std::size_t at;
  unsigned step;
  ACCRUE_DEVICE element next() {
    const element e = reader<Source>::near(source, at);
    at += step;
    return e;
  }
};
/// The same of a column, an array of one row.
template <class Source>
struct column_elements;
template <class T>
struct column_elements<array<T>> {
  using element = T;
  const T* data;
  std::ptrdiff_t distance;
  ACCRUE_DEVICE column_elements(const array<T>& s, std::size_t first, unsigned step)
      : data(s.data + static_cast<std::ptrdiff_t>(first) * s.column_stride),
        distance(s.column_stride * static_cast<std::ptrdiff_t>(step)) {}
  ACCRUE_DEVICE T next() {
    const T e = *data;
    data += distance;
    return e;
  }
};
template <class T>
struct column_elements<array_pair<T>> {
  using element = pair_of<T>;
  column_elements<array<T>> x;
  column_elements<array<T>> y;
  ACCRUE_DEVICE column_elements(const array_pair<T>& s, std::size_t first, unsigned step) : x(s.x, first, step), y(s.y, first, step) {}
  ACCRUE_DEVICE pair_of<T> next() { return {x.next(), y.next()}; }
};

/// Elements that a lane has in flight while all lanes have as many. More take registers, which short segments would rather have as warps.
template <class Groups>
inline constexpr unsigned lane_at_once = 8;
template <class Source, class Offset>
inline constexpr unsigned lane_at_once<segment_source<Source, Offset>> = 4;
template <class X, class Y>
inline constexpr unsigned lane_at_once<group_source_pair<X, Y>> = lane_at_once<X>;

/// Folds so many elements, `at_once` and then what is left, the first of which has the index `first`; all lanes of a warp together.
template <unsigned at_once, class Accumulator, class Op, class Elements>
ACCRUE_DEVICE Accumulator fold_by_lane(const Op& op, Elements elements, unsigned count, std::size_t first, unsigned step) {
  using element = typename Elements::element;
  constexpr unsigned of_the_rest = 4;
  Accumulator a;
  lane_program<Op>::start(op, a);
  const auto fold = [&]<unsigned n>(const element(&x)[n], unsigned taken) {
    lane_program<Op>::fold(op, a, x, taken, [&](unsigned k) { return first + std::size_t{k} * step; });
    first += n * step;
    count -= taken;
  };
#pragma unroll 1
  while (!any(count < at_once)) {
    element x[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) x[k] = elements.next();
    fold(x, at_once);
  }
#pragma unroll 1
  while (any(count != 0)) {
    element x[of_the_rest];
#pragma unroll
    for (unsigned k = 0; k < of_the_rest; ++k) {
      x[k] = element{};
      if (k < count) x[k] = elements.next();
    }
    fold(x, count < of_the_rest ? count : of_the_rest);
  }
  return a;
}

/// Writes a group's result, or notes that groups are left.
template <class Op, class Partial>
ACCRUE_DEVICE void store_group(const Op& op, const Partial& p, std::size_t n, std::size_t k, const left_groups& left,
                               const group_ending& end) {
  const bool stored = n <= left.longest && lane_program<Op>::store(op, p, n, end.result(k), end.status);
  if (!stored) *left.some() = 1;
}

/// The partial result of a group of contiguous elements from its lanes, in the first of them.
template <unsigned at_once, class Accumulator, class Op, class Source>
ACCRUE_DEVICE auto reduce_by_lanes(const Op& op, const Source& source, unsigned count, unsigned member, unsigned width) {
  Accumulator a = fold_by_lane<at_once, Accumulator>(op, lane_elements<Source>{source, member, width}, count, member, width);
  auto p = lane_program<Op>::partial_of(op, a);
#pragma unroll 1
  for (unsigned distance = width / 2; distance != 0; distance /= 2) lane_program<Op>::merge(op, p, shuffle_down(p, distance));
  return p;
}

/// 2^log2_width lanes a group of contiguous elements.
template <class Op, class Groups>
ACCRUE_KERNEL(lane_threads, lane_blocks<Groups>)
lane_kernel(Op op, Groups groups, std::size_t count, unsigned log2_width, left_groups left, group_ending end) {
  using program = lane_program<Op>;
  const unsigned width = 1u << log2_width;
  const unsigned member = lane() & (width - 1);
  const std::size_t k = (std::size_t{block()} * threads() + thread()) >> log2_width;
  const bool valid = k < count && groups.valid(k);
  if (k < count && !valid && member == 0) *end.status = static_cast<int>(errc::out_of_range);
  using source_type = group_source<Groups>;
  const source_type source = groups.group(valid ? k : 0);
  const std::size_t n = size_of(source);
  if constexpr (requires { program::adds_two(op); }) {
    if (left.longest <= 2 && program::adds_two(op)) {
      if (!valid) return;
      typename source_type::element x{};
      typename source_type::element y{};
      if (n != 0) x = reader<source_type>::near(source, 0);
      if (n == 2) y = reader<source_type>::near(source, 1);
      return program::store_two(op, x, y, end.result(k));
    }
  }
  const bool reads = valid && n <= left.longest && n > member;
  const unsigned mine = reads ? static_cast<unsigned>((n - member + width - 1) >> log2_width) : 0;
  const auto p = reduce_by_lanes<lane_at_once<Groups>, typename program::accumulator>(op, source, mine, member, width);
  if constexpr (requires { typename program::wider; }) {
    if (any(p.lost != 0)) [[unlikely]] {
      const auto wide = reduce_by_lanes<lane_at_once<Groups>, typename program::wider>(op, source, mine, member, width);
      if (valid && member == 0) store_group(op, wide, n, k, left, end);
      return;
    }
  }
  if (valid && member == 0) store_group(op, p, n, k, left, end);
}

/// How blocks see columns: `members` rows side by side are one, `wide` places of which belong to a block and one to a thread, which goes
/// down from there through a part of all rows. A block that has places of all columns joins those of each.
struct column_tile {
  std::size_t columns;
  unsigned members;
  unsigned wide;
  unsigned tiles;  ///< side by side; a grid has so many for each part of the rows
  std::size_t rows_each;

  [[nodiscard]] ACCRUE_DEVICE std::size_t place() const { return std::size_t{block() % tiles} * wide + thread(); }
  [[nodiscard]] ACCRUE_DEVICE unsigned part() const { return block() / tiles; }
  [[nodiscard]] constexpr bool joins() const { return columns <= wide; }
  [[nodiscard]] constexpr unsigned left_of_a_part() const { return joins() ? tiles : members; }  ///< partial results of a column
};

/// What a thread leaves of a column: the wider of two, since the lanes of a warp belong to many.
template <class Op>
struct partial_of_column {
  using type = typename lane_program<Op>::partial;
};
template <class Op>
  requires requires { typename lane_program<Op>::wider; }
struct partial_of_column<Op> {
  using type = typename lane_program<Op>::wider;
};
template <class Op>
using column_partial = typename partial_of_column<Op>::type;

template <class Op, class Elements>
ACCRUE_DEVICE column_partial<Op> reduce_column(const Op& op, const Elements& elements, unsigned count, std::size_t first, unsigned step) {
  using program = lane_program<Op>;
  auto a = fold_by_lane<lane_at_once<Elements>, typename program::accumulator>(op, elements, count, first, step);
  if constexpr (requires { typename program::wider; }) {
    if (any(a.lost != 0)) [[unlikely]] {
      return fold_by_lane<lane_at_once<Elements>, typename program::wider>(op, elements, count, first, step);
    }
    typename program::wider w;
    program::start(op, w);
    w.add_sum(a);
    return w;
  } else {
    return program::partial_of(op, a);
  }
}

/// Columns, or several parts of them, whose partial results go to `parts`.
template <class Op, class Groups>
ACCRUE_KERNEL(lane_threads, lane_blocks<Groups>)
column_kernel(Op op, Groups groups, column_tile tile, column_partial<Op>* parts, left_groups left, group_ending end) {
  using partial = column_partial<Op>;
  const std::size_t place = tile.place();
  const auto member = static_cast<unsigned>(place / tile.columns);
  const std::size_t k = place - member * tile.columns;
  const bool valid = thread() < tile.wide && place < tile.members * tile.columns;
  using source_type = group_source<Groups>;
  const source_type source = groups.group(valid ? k : 0);
  const std::size_t n = size_of(source);
  const std::size_t first = tile.part() * tile.rows_each;
  const std::size_t behind = first + tile.rows_each < n ? first + tile.rows_each : n;
  const std::size_t mine = first + member;
  const unsigned rows = valid && mine < behind ? static_cast<unsigned>((behind - mine + tile.members - 1) / tile.members) : 0;
  partial p = reduce_column<Op>(op, column_elements<source_type>(source, mine, tile.members), rows, mine, tile.members);
  if (tile.joins()) {  // by halves, so that the number of steps is small where columns are few
    const auto columns = static_cast<unsigned>(tile.columns);
    auto* const shared = reinterpret_cast<partial*>(dynamic_shared());
    unsigned half = 1;
    while (half * columns < tile.wide) half *= 2;
    for (half /= 2; half != 0; half /= 2) {
      shared[thread()] = p;
      sync_block();
      if (thread() < half * columns && thread() + half * columns < tile.wide) {
        lane_program<Op>::merge(op, p, shared[thread() + half * columns]);
      }
      sync_block();
    }
    if (thread() >= columns) return;
  } else if (!valid) {
    return;
  }
  if (parts != nullptr) {
    const unsigned left_here = tile.joins() ? block() % tile.tiles : member;
    parts[(std::size_t{tile.part()} * tile.left_of_a_part() + left_here) * tile.columns + k] = p;
  } else {
    store_group(op, p, n, k, left, end);
  }
}
/// Columns from the partial results of their parts: a block each.
template <class Op>
ACCRUE_KERNEL(lane_threads, 4)
join_columns_kernel(Op op, std::size_t columns, std::size_t rows, unsigned count, const column_partial<Op>* parts, left_groups left,
                    group_ending end) {
  using partial = column_partial<Op>;
  auto* const of_warp = reinterpret_cast<partial*>(dynamic_shared());  // a place for each warp
  const auto merge = [&](partial& a, const partial& b) { lane_program<Op>::merge(op, a, b); };
  const std::size_t k = block();
  const partial nothing = lane_program<Op>::empty(op);
  partial p = nothing;
#pragma unroll 1
  for (unsigned j = thread(); j < count; j += threads()) merge(p, parts[j * columns + k]);
  p = join_block(p, nothing, [&](const partial& v) { return merge_warp(v, merge); }, of_warp);
  if (thread() == 0) store_group(op, p, rows, k, left, end);
}

/// Reduces a group by a team of blocks, as often as one likes in a kernel: elements one by one, none copied.
template <class Op, class Source>
ACCRUE_DEVICE_RARE void reduce_left(Op op, Source source, block_team team, unsigned* ticket, ending end) {
  const std::size_t n = size_of(source);
  sync_block();
  reduce_by_team(op, source, cut{n, 0, 0, n, 0, is_contiguous(source), true}, team, ticket, end);
  sync_block();
}

/// The groups that lanes left: a block each. It lists those that are for the grid.
template <class Op, class Groups>
ACCRUE_DEVICE void reduce_by_blocks(const Op& op, const Groups& groups, std::size_t count, const left_groups& left,
                                    const group_ending& end) {
  ACCRUE_SHARED unsigned found[most_threads];
  ACCRUE_SHARED unsigned found_count;
  ACCRUE_SHARED bool for_grid;
  for (std::size_t base = std::size_t{block()} * threads(); base < count; base += std::size_t{blocks()} * threads()) {
    const std::size_t mine = base + thread();
    if (thread() == 0) found_count = 0;
    sync_block();
    if (mine < count && groups.valid(mine)) {
      const bool is_left = size_of(groups.group(mine)) > left.longest || lane_program<Op>::marked(op, end.result(mine));
      if (is_left) found[count_up(&found_count, ~0u)] = thread();
    }
    sync_block();
    const unsigned all = found_count;
    for (unsigned j = 0; j < all; ++j) {
      const std::size_t k = base + found[j];
      const auto source = groups.group(k);
      if (thread() == 0) {
        for_grid = false;
        if (left.giants != nullptr && size_of(source) > left.longest_of_blocks) {
          const unsigned place = count_up(left.giant_count(), ~0u);
          for_grid = place < left.most_giants;
          if (for_grid) left.giants[place] = k;
        }
      }
      sync_block();
      if (!for_grid) reduce_left(op, source, {0, 1, nullptr, nullptr}, nullptr, end.of_group(k));
      sync_block();
    }
  }
}
/// The listed groups, each by the whole grid. `partials` has room for each.
template <class Op, class Groups>
ACCRUE_DEVICE void reduce_by_grid(const Op& op, const Groups& groups, const left_groups& left, unsigned* tickets, unsigned char* partials,
                                  const group_ending& end) {
  using program = kernel_program<Op>;
  const unsigned listed = load_shared_by_device(left.giant_count());
  auto* const zeros = reinterpret_cast<unsigned char*>(left.counters) + left.zeros_of_giants;
  for (unsigned j = 0; j < listed && j < left.most_giants; ++j) {
    const std::size_t k = left.giants[j];
    const block_team team{block(), blocks(), zeros + j * program::zero_bytes,
                          partials + std::size_t{j} * blocks() * program::partial_bytes};
    reduce_left(op, groups.group(k), team, tickets + j, end.of_group(k));
  }
}

template <class Op>
inline constexpr unsigned left_threads = threads_at_most<Op> < lane_threads ? threads_at_most<Op> : lane_threads;  ///< of a block

/// What lanes left: first with the blocks for groups, then, where groups may be long, with the grid.
template <class Op, class Groups>
ACCRUE_KERNEL(left_threads<Op>, 1)
left_kernel(Op op, Groups groups, std::size_t count, left_groups left, bool by_grid, unsigned* tickets, unsigned char* partials,
            group_ending end) {
  unsigned* const there_are = by_grid ? left.giant_count() : left.some();
  if (load_shared_by_device(there_are) == 0) return;
  if (by_grid) {
    reduce_by_grid(op, groups, left, tickets + 1, partials, end);
  } else {
    reduce_by_blocks(op, groups, count, left, end);
  }
  if (is_last_block(tickets, blocks()) && thread() == 0) *there_are = 0;
}

}  // namespace accrue::simt
