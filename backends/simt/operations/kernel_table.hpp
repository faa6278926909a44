// SPDX-License-Identifier: BSD-3-Clause
// The kernels that the compiled library has: those of the closed set's entries.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "accrue/closed_set_types.hpp"
#include "accrue/backends/simt/operations/operation_of.hpp"

namespace accrue::simt {

/// A kernel by the types that pick it.
template <class Op, class Source>
struct kernel_of {};
struct to_kernel {
  template <class Op, class Source>
  kernel_of<Op, Source> operator()(const Op&, const Source&) const;
};
/// The kernel of an entry of the closed set. Entries share kernels.
template <std::size_t entry>
using entry_kernel = decltype(with_operation(std::declval<const typename detail::closed_set_types<entry>::reducer&>(),
                                             std::declval<const typename detail::closed_set_types<entry>::view&>(), to_kernel{}));

/// Indices of entries.
struct entry_list {
  std::array<std::size_t, 1024> entry{};
  std::size_t size = 0;
};
template <class Wanted>
constexpr entry_list entries_where(const Wanted& wanted) {
  entry_list list;
  for (std::size_t k = 0; k < closed_set.size(); ++k) {
    if (wanted(closed_set[k])) list.entry[list.size++] = k;
  }
  return list;
}

/// What arrays of a source hold, as a value.
template <class Source>
struct arrays_of {
  static constexpr bool exist = false;
};
template <class T>
  requires(detail::place_of_element<T> < detail::element_types)
struct arrays_of<array<T>> {
  static constexpr bool exist = true;
  static constexpr bool pairs = false;
  static constexpr element_type element = detail::element_type_of<T>();
};
template <class T>
struct arrays_of<array_pair<T>> : arrays_of<array<T>> {
  static constexpr bool pairs = true;
};

using byte_mask = array<std::uint8_t>;
/// An entry's kernel on the elements that a mask takes.
template <class Kernel>
struct masked_kernel_of;
template <class Op, class Source>
struct masked_kernel_of<kernel_of<Op, Source>> {
  using type = kernel_of<on_taken<Op>, masked<Source, byte_mask>>;
};

/// The entries that may have a kernel: few, since every source that launches makes their types.
template <class Op, class Source, bool has_mask>
inline constexpr entry_list candidates = entries_where([](const named_reduction& r) {
  using arrays = arrays_of<Source>;
  const bool fits = r.element == arrays::element || detail::real_type_of(r.element) == arrays::element;
  return fits && reads_pairs(r.operation) == arrays::pairs && (r.guarantee == guarantee_type::is_ordered) == Op::traits::ordered &&
         (!has_mask || has_masked_kernel(r));
});
template <class Op, class Source, bool has_mask, std::size_t... k>
constexpr bool is_among(std::index_sequence<k...>) {
  return (std::is_same_v<entry_kernel<candidates<Op, Source, has_mask>.entry[k]>, kernel_of<Op, Source>> || ...);
}
template <class Op, class Source, bool has_mask>
constexpr bool is_in_library() {
  if constexpr (!arrays_of<Source>::exist) {
    return false;
  } else {
    return is_among<Op, Source, has_mask>(std::make_index_sequence<candidates<Op, Source, has_mask>.size>{});
  }
}
template <class Op, class Source>
inline constexpr bool is_compiled = is_in_library<Op, Source, false>();
template <class Op, class Source>
inline constexpr bool is_compiled<on_taken<Op>, masked<Source, byte_mask>> = is_in_library<Op, Source, true>();

}  // namespace accrue::simt
