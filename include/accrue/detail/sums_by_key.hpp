// SPDX-License-Identifier: BSD-3-Clause
// Sums of elements by keys, on host threads: added to private copies of the groups' sums as they come, exactly.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

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

/// The threads' copies of the groups' sums (exact_copy.hpp), all in the default environment.
class keyed_sums {
 public:
  static constexpr std::uint32_t no_group = 0xffffffff;  ///< as any that is not below the groups' number

  keyed_sums(int threads, std::size_t groups, bool magnitudes);
  ~keyed_sums();
  keyed_sums(const keyed_sums&) = delete;
  keyed_sums& operator=(const keyed_sums&) = delete;

  /// One thread's elements; those whose key is no group's are left out. Whether there are none.
  bool add(int thread, const double* x, const std::uint32_t* keys, std::size_t size);
  bool add(int thread, const float* x, const std::uint32_t* keys, std::size_t size);
  /// When the thread has added all, and when all threads have: out[k] = the sum of group k, for this thread's part of the groups.
  void flush(int thread);
  void write(int thread, int threads, double* out);
  void write(int thread, int threads, float* out);
  /// At last: whether there was memory for everything.
  [[nodiscard]] bool finish();

 private:
  struct copies;
  std::unique_ptr<copies> copies_;
};

/// out[k] = the sum of the elements whose key is k, by so many of the team's threads.
template <bool magnitudes, class View, class Key, class Result>
void sum_by_keys(const host_team& team, int threads, const View& view, const Key* keys, std::size_t groups, bool skips_others,
                 Result* out) {
  const std::size_t n = view.size();
  keyed_sums sums(threads, groups, magnitudes);
  // Keys of 32 bits, of which negative ones are no group's.
  const bool as_they_are = (std::is_same_v<Key, std::int32_t> && groups <= 0x80000000) || std::is_same_v<Key, std::uint32_t>;
  std::atomic<std::size_t> first_stranger{n};
  auto member = [&](int rank, int size, team_barrier& barrier) {
    const fp_environment environment;
    const share mine = staircase_share(n, rank, size, 0);
    typename View::scratch scratch;
    std::size_t stranger = n;
    // Elements of a piece of a tile, whose groups are known: 512 keys stay in the first-level cache beside the sums.
    constexpr std::size_t piece = 512;
    std::uint32_t group_of[piece];
    for (std::size_t first = mine.begin; first < mine.end; first += kernels::largest_tile) {
      const auto t = view.read(first, std::min(kernels::largest_tile, mine.end - first), scratch);
      for (std::size_t begin = 0; begin < t.size; begin += piece) {
        const std::size_t some = std::min(piece, t.size - begin);
        const Key* const given = keys + first + begin;
        const std::uint32_t* of = group_of;
        if (as_they_are) {
          of = reinterpret_cast<const std::uint32_t*>(given);
        } else {
          for (std::size_t i = 0; i < some; ++i) {
            const auto key = static_cast<std::uint64_t>(given[i]);
            group_of[i] = key < groups ? static_cast<std::uint32_t>(key) : keyed_sums::no_group;
          }
        }
        if (!sums.add(rank, t.data + begin, of, some) && stranger == n) {
          const auto strange = [&](std::uint32_t group) { return group >= groups; };
          stranger = first + begin + static_cast<std::size_t>(std::find_if(of, of + some, strange) - of);
        }
      }
    }
    sums.flush(rank);
    std::size_t least = first_stranger.load();
    while (stranger < least && !first_stranger.compare_exchange_weak(least, stranger)) {
    }
    barrier.wait(size);
    sums.write(rank, size, out);
  };
  team.with(threads).run(member);
  if (!sums.finish()) throw_no_memory("grouped", n, sizeof(double));
  if (const std::size_t i = first_stranger.load(); i != n && !skips_others) throw_bad_key(i, static_cast<long long>(keys[i]), groups);
}

}  // namespace accrue::detail
