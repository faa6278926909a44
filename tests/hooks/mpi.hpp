// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite over ranks: every rank runs all of it, and has a random part of each input.
#pragma once

#include <accrue/mpi.hpp>

#include "golden/random.hpp"
#include "uploaded_array.hpp"

namespace hook {

/// Splits what it is given among the ranks, in their order: rank 0 of some calls has all, others nothing.
struct space : accrue::detail::host_memory {
  static constexpr const char* name = "mpi";
  accrue::mpi<accrue::openmp> ranks{MPI_COMM_WORLD, accrue::openmp(2)};
  std::uint64_t seed = 1;
};

/// The calling rank's part of n elements.
inline accrue::detail::share part_of(const space& s, std::size_t n) {
  const auto& c = accrue::ranks::communicator_of(s.ranks.comm);
  const auto size = static_cast<std::size_t>(c.size);
  const auto cut = [&](std::size_t rank) -> std::size_t {  // integers alone: the suite looks at what happens to the floating environment
    if (rank == 0) return 0;
    if (rank == size) return n;
    if (s.seed % 5 == 0) return rank < size / 2 ? 0 : n;  // one has all
    const std::size_t even = n / size * rank;
    return s.seed % 3 == 0 ? even : even + test::random_bits(s.seed + n, rank) % (n / size + 1);
  };
  const auto rank = static_cast<std::size_t>(c.rank);
  return {cut(rank), cut(rank + 1)};
}
template <class View>
auto mine_of(const space& s, const View& v) {
  const auto part = part_of(s, v.size());
  return accrue::detail::slice(v, part.begin, part.end - part.begin);
}

/// The parts of a grouping's groups.
template <class Groups>
struct parts_of_groups {
  using element = typename Groups::element;
  static constexpr bool is_grouping = true;
  const space& s;
  const Groups& whole;
  std::size_t count() const { return whole.count(); }
  std::size_t size() const {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < count(); ++k) sum += group(k).size();
    return sum;
  }
  auto group(std::size_t k) const { return mine_of(s, whole.group(k)); }
};

template <class R, class View>
typename R::state reduce_state(const space& s, const R& reducer, const View& view) {
  return accrue::reduce_state(s.ranks, reducer, mine_of(s, view));
}
template <class R, class View>
accrue::detail::result_of<R> reduce_range(const space& s, const R& reducer, const View& view) {
  return accrue::reduce_range(s.ranks, reducer, mine_of(s, view));
}
template <class R, class Groups, class Result>
void reduce_groups_into(const space& s, const R& reducer, const Groups& groups, Result* out) {
  if constexpr (requires { groups.keys; }) {
    const auto part = part_of(s, groups.size());
    auto mine = groups;
    mine.view = accrue::detail::slice(groups.view, part.begin, part.end - part.begin);
    mine.keys += part.begin;
    accrue::reduce_groups_into(s.ranks, reducer, mine, out);
  } else {
    accrue::reduce_groups_into(s.ranks, reducer, parts_of_groups<Groups>{s, groups}, out);
  }
}
inline space make() { return {}; }
inline std::vector<space> variants() {
  std::vector<space> all(3);
  all[1].seed = 3;
  all[2].seed = 5;
  return all;
}

}  // namespace hook
