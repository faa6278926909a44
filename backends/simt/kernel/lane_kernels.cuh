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
  unsigned* counters;  ///< zero between calls: whether there are any; how many are the grid's
  std::size_t* giants;
  [[nodiscard]] ACCRUE_DEVICE unsigned* any() const { return counters; }
  [[nodiscard]] ACCRUE_DEVICE unsigned* giant_count() const { return counters + 1; }
};

inline constexpr unsigned lane_threads = 256;  ///< of a block
template <class Element>
inline constexpr unsigned elements_at_once = sizeof(Element) <= 8 ? 8 : 4;

/// Element i of an array of one row.
template <class T>
ACCRUE_DEVICE T element_of_column(const array<T>& s, std::size_t i) {
  const std::size_t number = s.parts == 1 ? i : i / s.parts;
  return s.data[static_cast<std::ptrdiff_t>(number) * s.column_stride + static_cast<std::ptrdiff_t>(i - number * s.parts)];
}
template <class T>
ACCRUE_DEVICE pair_of<T> element_of_column(const array_pair<T>& s, std::size_t i) {
  return {element_of_column(s.x, i), element_of_column(s.y, i)};
}

/// Folds the elements first, first + step, ... below `end`, which read(i) brings; all lanes of a warp together.
template <class element, class Op, class Read>
ACCRUE_DEVICE void fold_by_lane(const Op& op, typename lane_program<Op>::accumulator& a, std::size_t first, std::size_t step,
                                std::size_t end, const Read& read) {
  constexpr unsigned n = elements_at_once<element>;
#pragma unroll 1
  for (; any(first < end); first += n * step) {
    element x[n];
    unsigned count = 0;
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      const std::size_t at = first + k * step;
      x[k] = element{};
      if (at < end) {
        x[k] = read(at);
        ++count;
      }
    }
    lane_program<Op>::fold(op, a, x, count, [&](unsigned k) { return first + k * step; });
  }
}

/// Writes a group's result, or counts it among those that are left.
template <class Op>
ACCRUE_DEVICE void store_group(const Op& op, const typename lane_program<Op>::partial& p, std::size_t n, std::size_t k,
                               const left_groups& left, const group_ending& end) {
  const bool stored = n <= left.longest && lane_program<Op>::store(op, p, n, end.result(k), end.status);
  if (!stored) count_up(left.any(), ~0u);
}

/// `width` lanes a group of contiguous elements; a power of two.
template <class Op, class Groups>
ACCRUE_KERNEL(lane_threads, 4)
lane_kernel(Op op, Groups groups, std::size_t count, unsigned width, left_groups left, group_ending end) {
  using program = lane_program<Op>;
  const unsigned member = lane() & (width - 1);
  const std::size_t k = (std::size_t{block()} * threads() + thread()) / width;
  const bool valid = k < count && groups.valid(k);
  if (k < count && !valid && member == 0) *end.status = static_cast<int>(errc::out_of_range);
  using source_type = group_source<Groups>;
  const source_type source = groups.group(valid ? k : 0);
  const std::size_t n = size_of(source);
  typename program::accumulator a;
  program::start(op, a);
  fold_by_lane<typename source_type::element>(op, a, member, width, valid && n <= left.longest ? n : 0,
                                              [&](std::size_t i) { return reader<source_type>::near(source, i); });
  typename program::partial p = program::partial_of(op, a);
#pragma unroll 1
  for (unsigned distance = width / 2; distance != 0; distance /= 2) program::merge(op, p, shuffle_down(p, distance));
  if (valid && member == 0) store_group(op, p, n, k, left, end);
}

/// How a block sees columns: `wide` of them side by side, its threads one behind the other in each; part of all rows.
struct column_tile {
  std::size_t columns;
  unsigned wide;
  unsigned tiles;  ///< of columns; a grid has so many for each of its parts of the rows
  std::size_t rows_each;

  [[nodiscard]] ACCRUE_DEVICE unsigned column() const { return thread() % wide; }
  [[nodiscard]] ACCRUE_DEVICE unsigned member() const { return thread() / wide; }
  [[nodiscard]] ACCRUE_DEVICE unsigned members() const { return threads() / wide; }
  [[nodiscard]] ACCRUE_DEVICE std::size_t group() const { return std::size_t{block() % tiles} * wide + column(); }
};

/// Columns, or several parts of them, whose partial results go to `parts`.
template <class Op, class Groups>
ACCRUE_KERNEL(lane_threads, 4)
column_kernel(Op op, Groups groups, column_tile tile, typename lane_program<Op>::partial* parts, left_groups left, group_ending end) {
  using program = lane_program<Op>;
  using partial = typename program::partial;
  const std::size_t k = tile.group();
  const bool valid = k < tile.columns && tile.member() < tile.members();
  using source_type = group_source<Groups>;
  const source_type source = groups.group(valid ? k : 0);
  const std::size_t n = size_of(source);
  const std::size_t first = block() / tile.tiles * tile.rows_each;
  const std::size_t behind = first + tile.rows_each < n ? first + tile.rows_each : n;
  typename program::accumulator a;
  program::start(op, a);
  fold_by_lane<typename source_type::element>(op, a, first + tile.member(), tile.members(), valid ? behind : 0,
                                              [&](std::size_t i) { return element_of_column(source, i); });
  partial p = program::partial_of(op, a);
  // By halves, so that the number of steps is small where columns are few.
  auto* const shared = reinterpret_cast<partial*>(dynamic_shared());
  unsigned half = 1;
  while (half < tile.members()) half *= 2;
  for (half /= 2; half != 0; half /= 2) {
    shared[thread()] = p;
    sync_block();
    if (valid && tile.member() < half && tile.member() + half < tile.members()) program::merge(op, p, shared[thread() + half * tile.wide]);
    sync_block();
  }
  if (!valid || tile.member() != 0) return;
  if (parts != nullptr) {
    parts[block() / tile.tiles * tile.columns + k] = p;
  } else {
    store_group(op, p, n, k, left, end);
  }
}
/// Columns from the partial results of their parts.
template <class Op>
ACCRUE_KERNEL(lane_threads, 4)
join_columns_kernel(Op op, std::size_t columns, std::size_t rows, unsigned count, const typename lane_program<Op>::partial* parts,
                    left_groups left, group_ending end) {
  const std::size_t k = std::size_t{block()} * threads() + thread();
  if (k >= columns) return;
  typename lane_program<Op>::partial p = parts[k];
#pragma unroll 1
  for (unsigned j = 1; j < count; ++j) lane_program<Op>::merge(op, p, parts[j * columns + k]);
  store_group(op, p, rows, k, left, end);
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
    for (unsigned j = 0; j < found_count; ++j) {
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

/// What lanes left: first with the blocks for groups, then, where groups may be long, with the grid.
template <class Op, class Groups>
ACCRUE_KERNEL(threads_at_most<Op>, 1)
left_kernel(Op op, Groups groups, std::size_t count, left_groups left, bool by_grid, unsigned* tickets, unsigned char* partials,
            group_ending end) {
  unsigned* const some = by_grid ? left.giant_count() : left.any();
  if (load_shared_by_device(some) == 0) return;
  if (by_grid) {
    reduce_by_grid(op, groups, left, tickets + 1, partials, end);
  } else {
    reduce_by_blocks(op, groups, count, left, end);
  }
  if (is_last_block(tickets, blocks()) && thread() == 0) *some = 0;
}

}  // namespace accrue::simt
