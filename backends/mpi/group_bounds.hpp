// SPDX-License-Identifier: BSD-3-Clause
// Groups of a rank's space as the host goes through them: with bounds that it reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "accrue/backends/mpi/shared_chunk.hpp"
#include "accrue/backends/mpi/space_memory.hpp"
#include "accrue/detail/input_errors.hpp"
#include "accrue/groupings.hpp"

namespace accrue::ranks {

/// What groups lie in during a call, where the host cannot read the caller's own.
template <class Space>
struct group_memory {
  std::deque<std::vector<std::byte>> here;
  std::vector<decltype(memory_of(std::declval<const Space&>(), 0))> there;
};

/// The same groups, whose bounds the host reads: copies of offsets that lie on a device.
template <class Space, class Groups>
const Groups& with_bounds_here(const Space&, const Groups& groups, group_memory<Space>&) {
  return groups;
}
template <class Space, class View, class Offset>
auto with_bounds_here(const Space& space, detail::segment_groups<View, Offset> groups, group_memory<Space>& memory) {
  if constexpr (!host_space<Space>) {
    auto& copy = memory.here.emplace_back((groups.groups + 1) * sizeof(Offset));
    space.copy(static_cast<void*>(copy.data()), static_cast<const void*>(groups.offsets), copy.size());
    space.synchronize();
    groups.offsets = reinterpret_cast<const Offset*>(copy.data());
  }
  return groups;
}
template <class Space, class X, class Y>
auto with_bounds_here(const Space& space, const detail::zipped_groups<X, Y>& groups, group_memory<Space>& memory) {
  const auto x = with_bounds_here(space, groups.x, memory);
  const auto y = with_bounds_here(space, groups.y, memory);
  return detail::zipped_groups<std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>>{x, y};
}

/// Where the elements of groups by keys stand once these have brought them together, in the order that they had; beyond the last one's
/// those whose key is no group's. From keys that the host reads. Throws `out_of_range` for other keys, unless they are skipped.
template <class Key>
std::vector<std::uint32_t> places_by_keys(const Key* keys, std::size_t n, bool skips_others, std::vector<std::size_t>& offsets) {
  const std::size_t groups = offsets.size() - 1;
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = static_cast<std::uint64_t>(keys[i]);
    if (key < groups) {
      ++offsets[key + 1];
    } else if (!skips_others) {
      detail::throw_bad_key(i, static_cast<long long>(keys[i]), groups);
    }
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::size_t> next(offsets);
  std::vector<std::uint32_t> places(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = static_cast<std::uint64_t>(keys[i]);
    places[i] = static_cast<std::uint32_t>(key < groups ? next[key]++ : n);
  }
  return places;
}
/// Groups by keys on a device as segments: their elements brought together there, each as a group of one. Memory there: the elements once
/// more, and what a sort of 32-bit keys takes meanwhile.
template <class Space, class View, class Key>
  requires(!host_space<Space>)
auto with_bounds_here(const Space& space, const detail::key_groups<View, Key>& groups, group_memory<Space>& memory) {
  const std::size_t n = groups.size();
  if (n > 0xfffffffe) {
    throw error(errc::invalid_argument, "accrue::mpi: ordered reductions by keys take at most 2^32 - 2 elements on a rank's device");
  }
  const std::unique_ptr<Key[]> keys(new Key[n]);
  if (n != 0) space.copy(static_cast<void*>(keys.get()), static_cast<const void*>(groups.keys), n * sizeof(Key));
  space.synchronize();
  std::vector<std::size_t> offsets(groups.count() + 1);
  const std::vector<std::uint32_t> places = places_by_keys(keys.get(), n, groups.skips_others, offsets);
  const std::size_t taken = offsets.back();
  const auto memory_there = [&]<class T>(T*, std::size_t count) {
    return reinterpret_cast<T*>(memory.there.emplace_back(memory_of(space, std::max<std::size_t>(count * sizeof(T), 1))).get());
  };
  auto* const places_there = memory_there(static_cast<std::uint32_t*>(nullptr), n);
  if (n != 0) space.copy(static_cast<void*>(places_there), static_cast<const void*>(places.data()), n * sizeof(std::uint32_t));
  const auto view = with_arrays(groups.view, [&]<class Array>(const Array& array) {
    using element = typename Array::element;
    auto* const elements = memory_there(static_cast<element*>(nullptr), taken);
    const detail::key_groups<Array, std::uint32_t> one_each{array, places_there, taken, true};
    if (taken != 0) reduce_groups_into(space, detail::tiled<the_element<element>>{}, one_each, elements);
    return detail::contiguous_view<element>{elements, taken};
  });
  space.synchronize();
  auto& offsets_here = memory.here.emplace_back(offsets.size() * sizeof(std::size_t));
  std::memcpy(offsets_here.data(), offsets.data(), offsets_here.size());
  return detail::segment_groups<std::remove_const_t<decltype(view)>, std::size_t>{
      view, reinterpret_cast<const std::size_t*>(offsets_here.data()), groups.count()};
}

}  // namespace accrue::ranks
