// SPDX-License-Identifier: BSD-3-Clause
// Sums of columns side by side, whose rows one thread adds or a whole team.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_team.hpp"
#include "accrue/detail/kernels.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/groupings.hpp"

namespace accrue::detail {

/// Calls `one(i)` for each bit that is set.
template <class One>
void take_left(std::uint64_t left, const One& one) {
  for (; left != 0; left &= left - 1) one(static_cast<std::size_t>(std::countr_zero(left)));
}

/// Whether a reducer adds columns and finishes them later.
template <class R, class T>
concept adds_columns = requires(const R& r, const kernels::few_columns<T>& c, kernels::column_sums& sums) { r.add_columns(c, sums); };

/// out[i] = the result of column i, or what `one(i)` writes there.
template <class R, class Output, class One>
void finish_columns_of(const R& r, const kernels::column_sums& sums, std::size_t count, std::size_t length, Output out, const One& one) {
  const kernels::left_columns left = r.finish_columns(sums, count, length, out);
  for (const std::uint64_t& bits : left.bits) {
    take_left(bits, [&](std::size_t i) { one(static_cast<std::size_t>(&bits - left.bits) * 64 + i); });
  }
}

/// Columns whose rows a whole team adds, each thread some of them. False, and nothing is done, where that does not pay: where there are so
/// many columns that threads rather share these, or where rows are few.
template <class R, class T, class Output, class One>
bool reduce_columns_by_team(const host_team& team, const R& r, const neighbouring_groups<T>& columns, Output out, const One& one) {
  constexpr std::size_t most = kernels::column_sums::most;
  constexpr std::size_t most_columns = 16 * most;
  constexpr std::size_t least_each = 32768;  // elements that pay for a thread and its sums
  const std::size_t elements = columns.count * columns.length;
  const std::size_t threads = std::min({static_cast<std::size_t>(team.threads()), elements / least_each, columns.length / 64});
  const std::size_t blocks = (columns.count + most - 1) / most;
  if (columns.group_stride != 1 || columns.count > most_columns || threads == 0 || (threads == 1 && blocks == 1)) return false;
  const auto in_block = [&](std::size_t b) { return std::min(most, columns.count - b * most); };
  const std::unique_ptr<kernels::column_sums[]> sums(new kernels::column_sums[threads * blocks]);
  std::atomic<bool> added{true};
  auto member = [&](int rank, int size) {
    const fp_environment environment;
    const share rows = staircase_share(columns.length, rank, size, 0);
    kernels::column_sums* const mine = sums.get() + static_cast<std::size_t>(rank) * blocks;
    const std::size_t together = blocks == 1 ? columns.length : 256;  // rows, of which all columns are added before the next
    for (std::size_t row = rows.begin; row < rows.end; row += together) {
      const std::size_t n = std::min(together, rows.end - row);
      for (std::size_t b = 0; b < blocks; ++b) {
        const T* const x = columns.data + static_cast<std::ptrdiff_t>(row) * columns.stride + b * most;
        if (!r.add_columns({x, in_block(b), n, columns.stride}, mine[b])) added.store(false, std::memory_order_relaxed);
      }
    }
  };
  const host_team some = team.with(static_cast<int>(threads));
  for (std::size_t t = 0; t < threads * blocks; ++t) kernels::clear(sums[t]);
  some.run(member);
  if (!added.load()) return false;
  const fp_environment environment;
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t t = 1; t < threads; ++t) r.merge_columns(sums[b], sums[t * blocks + b]);
    finish_columns_of(r, sums[b], in_block(b), columns.length, out + b * most, [&](std::size_t i) { one(b * most + i); });
  }
  return true;
}

}  // namespace accrue::detail
