// SPDX-License-Identifier: BSD-3-Clause
// The kernels that the compiled library has: those of the closed set's entries.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "accrue/closed_set_types.hpp"
#include "accrue/backends/simt/operations/operation_of.hpp"

namespace accrue::simt {

/// A kernel by the types that pick it.
template <class Op, class Source>
struct kernel_of {
  using operation = Op;
  using source = Source;
};
struct to_kernel {
  template <class Op, class Source>
  kernel_of<Op, Source> operator()(const Op&, const Source&) const;
};
/// The kernel of an entry of the closed set. Entries share kernels.
template <std::size_t entry>
using entry_kernel = decltype(with_operation(std::declval<const typename detail::closed_set_types<entry>::reducer&>(),
                                             std::declval<const typename detail::closed_set_types<entry>::view&>(), to_kernel{}));

/// One address for each type.
template <class T>
inline constexpr char type_address = 0;

template <std::size_t... entry>
constexpr std::array<const char*, sizeof...(entry)> entry_kernel_addresses(std::index_sequence<entry...>) {
  return {&type_address<entry_kernel<entry>>...};
}
using all_entries = std::make_index_sequence<closed_set.size()>;
inline constexpr auto entry_kernels = entry_kernel_addresses(all_entries{});

/// The first entry with a kernel, or the number of entries if none has it.
template <class Kernel>
constexpr std::size_t first_entry_of() {
  std::size_t k = 0;
  while (k < entry_kernels.size() && entry_kernels[k] != &type_address<Kernel>) ++k;
  return k;
}
template <class Op, class Source>
inline constexpr bool is_compiled = first_entry_of<kernel_of<Op, Source>>() < entry_kernels.size();

}  // namespace accrue::simt
