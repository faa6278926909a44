// SPDX-License-Identifier: BSD-3-Clause
// Sums of elements by keys, on host threads: added to private copies of the groups' sums as they come, exactly (exact_copy.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "accrue/detail/exact_copies.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/host_team.hpp"
#include "accrue/detail/input_errors.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/groupings.hpp"
#include "accrue/reducers/sums.hpp"

namespace accrue::detail {

/// Whether a reducer of a view's elements is such a sum; `magnitudes`: of |x|.
template <class R, class View>
struct sum_by_key {
  static constexpr bool exists = false;
};
template <native_float T, native_float Result, term what, guarantee G, class View>
  requires((what == term::value || what == term::magnitude) && !std::is_same_v<G, ordered_t> &&
           requires(const View& v, typename View::scratch& s) { requires std::is_same_v<decltype(v.read(0, 0, s)), tile<T>>; })
struct sum_by_key<sum_reducer<T, Result, what, G, false>, View> {
  static constexpr bool exists = true;
  static constexpr bool magnitudes = what == term::magnitude;
};

/// Threads that pay: each has a sum for every group. None where elements are few beside groups, or few.
inline int threads_for_sums_by_key(const host_team& team, std::size_t elements, std::size_t groups) {
  if (elements < 4096 || groups / 8 > elements) return 0;
  const std::size_t most = std::min(elements / 16384 + 1, groups != 0 ? 8 * elements / groups + 1 : 1);
  return static_cast<int>(std::min(most, static_cast<std::size_t>(team.threads())));
}

/// One thread's part: adds the elements of some keys; those of keys that no group has are left out, and told to `stranger`.
template <bool magnitudes, class View, class Key, class Stranger>
void add_by_key(exact_copy::adder<1>& sums, const View& view, const Key* keys, std::size_t groups, share part, const Stranger& stranger) {
  constexpr std::size_t block = kernels::count_block;
  typename View::scratch scratch;
  std::int64_t counts[block];
  for (std::size_t first = part.begin; first < part.end; first += kernels::largest_tile) {
    const auto t = view.read(first, std::min(kernels::largest_tile, part.end - first), scratch);
    for (std::size_t i = 0; i < t.size; i += block) {
      const std::size_t size = std::min(block, t.size - i);
      const Key* const at = keys + first + i;
      const kernels::counted_range unit = sums.unit();
      std::uint64_t others = ~std::uint64_t{0} >> (block - size);
      if (unit.range != 0) {
        others = kernels::count_elements(unit, magnitudes, t.data + i, size, counts);
        sums.add_counts(at, counts, size, [&](std::size_t k) { stranger(first + i + k); });
      }
      for (; others != 0; others &= others - 1) {  // now, as they may change the unit
        const auto k = static_cast<std::size_t>(std::countr_zero(others));
        const auto key = static_cast<std::uint64_t>(at[k]);
        const double x = t.data[i + k];
        if (key < groups) {
          sums.add(key, {magnitudes ? std::fabs(x) : x});
        } else {
          stranger(first + i + k);
        }
      }
    }
  }
}

/// out[k] = the sum of the elements whose key is k, by so many of the team's threads.
template <bool magnitudes, class View, class Key, class Result>
void sum_by_keys(const host_team& team, int threads, const View& view, const Key* keys, std::size_t groups, bool skips_others,
                 Result* out) {
  const std::size_t n = view.size();
  exact_copies copies;
  std::vector<exact_copy::adder<1>> adders;
  for (int k = 0; k < threads; ++k) adders.push_back(copies.of<1>(static_cast<std::size_t>(k), groups));
  std::atomic<std::size_t> first_stranger{n};
  auto member = [&](int rank, int size, team_barrier& barrier) {
    const fp_environment environment;
    std::size_t stranger = n;
    auto sums = adders[static_cast<std::size_t>(rank)];
    const auto note = [&](std::size_t i) { stranger = std::min(stranger, i); };
    add_by_key<magnitudes>(sums, view, keys, groups, staircase_share(n, rank, size, 0), note);
    sums.flush();
    std::size_t least = first_stranger.load();
    while (stranger < least && !first_stranger.compare_exchange_weak(least, stranger)) {
    }
    barrier.wait(size);
    constexpr std::size_t each = exact_copy::group;
    const share mine = staircase_share((groups + each - 1) / each, rank, size, 0);
    std::fill(out + std::min(mine.begin * each, groups), out + std::min(mine.end * each, groups), Result{0});
    for (std::size_t g = mine.begin; g < mine.end; ++g) {
      copies.merge_group(g, groups, 1, [&](std::size_t first, std::size_t, const auto& f) { f(out + first); });
    }
  };
  team.with(threads).run(member);
  if (!copies.finish()) throw_no_memory("grouped", n, sizeof(double));
  if (const std::size_t i = first_stranger.load(); i != n && !skips_others) throw_bad_key(i, static_cast<long long>(keys[i]), groups);
}

}  // namespace accrue::detail
