// SPDX-License-Identifier: BSD-3-Clause
// Groups and masks of arrays: what is the same for every element type.
#include "arrays.hpp"

#include <cstring>

namespace accrue::c {

std::ptrdiff_t line_shape::offset(std::size_t k) const {
  return offsets != nullptr ? static_cast<std::ptrdiff_t>(offsets[k]) * each.strides[0] : others.offset(k);
}

detail::tensor_shape line_shape::line(std::size_t k) const {
  if (offsets == nullptr) return each;
  const auto length = static_cast<std::int64_t>(each.extents[0]);
  const std::int64_t first = offsets[k];
  const std::int64_t end = offsets[k + 1];
  const bool gap = (k == 0 && first != 0) || (k + 1 == segments && end != length);
  if (first < 0 || end < first || end > length || gap) detail::throw_bad_offsets(k, first, end, each.extents[0]);
  return detail::tensor_shape::of(static_cast<std::size_t>(end - first), each.strides[0]);
}

tile<std::uint8_t> flag_view::read(std::size_t first, std::size_t count, scratch& buffer) const {
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned char* flag = data + shape.offset(first + i) * static_cast<std::ptrdiff_t>(bytes);
    std::uint64_t value = 0;
    std::memcpy(&value, flag, bytes);
    buffer.data()[i] = value != 0;
  }
  return {buffer.data(), count, first};
}

}  // namespace accrue::c
