// SPDX-License-Identifier: BSD-3-Clause
// The C interface for arrays as Fortran has them: with descriptors, in the order of Fortran's elements, positions counted from 1, and
// what the intrinsics give for no elements.
#include <ISO_Fortran_binding.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "accrue/accrue.h"
#include "accrue/closed_set.hpp"

namespace {

/// The array of a descriptor: Fortran's first index runs fastest, the last one here. Over ranks what is refused does not depend on extents,
/// so that all ranks refuse it.
accrue_status array_of(const CFI_cdesc_t& from, accrue_type type, bool over_ranks, accrue_array& to) {
  to.data = from.base_addr;
  to.type = type;
  to.rank = from.rank;
  for (int d = 0; d < to.rank; ++d) {
    const CFI_dim_t& dim = from.dim[from.rank - 1 - d];
    if ((over_ranks || dim.extent > 1) && dim.sm % static_cast<CFI_index_t>(from.elem_len) != 0) {
      return accrue_fail(ACCRUE_INVALID_ARGUMENT, "elements whose distance is no multiple of their size, components of a derived type");
    }
    to.extents[d] = dim.extent;
    to.strides[d] = dim.sm / static_cast<CFI_index_t>(from.elem_len);
  }
  return ACCRUE_OK;
}

/// Made by the first call, and never destroyed.
const accrue_space* best_host_space() {
  static const accrue_space* const made = [] {
    accrue_space* space = nullptr;
    (void)accrue_space_create(nullptr, &space);
    return space;
  }();
  return made;
}

bool has_positions(int operation) { return operation == ACCRUE_ARGMIN || operation == ACCRUE_ARGMAX; }

/// One call, and where its results go.
class call {
 public:
  /// No space: the best host space.
  call(const accrue_space* space, int operation, int type)
      : space_(space != nullptr ? space : best_host_space()), operation_(operation), type_(static_cast<accrue_type>(type)) {}

  accrue_status read(const CFI_cdesc_t& x, const CFI_cdesc_t* y, const CFI_cdesc_t* mask) {
    accrue_status status = array_of(x, type_, over_ranks(), x_);
    if (status == ACCRUE_OK && y != nullptr) status = array_of(*y, type_, over_ranks(), y_);
    has_y_ = y != nullptr;
    if (status != ACCRUE_OK || mask == nullptr) return status;
    const std::size_t width = mask->elem_len;
    const accrue_type flag = width == 1 ? ACCRUE_I8 : width == 2 ? ACCRUE_I16 : width == 4 ? ACCRUE_I32 : ACCRUE_I64;
    status = array_of(*mask, flag, over_ranks(), mask_);
    if (mask->rank == 0) {  // one flag for all elements
      mask_.rank = x_.rank;
      std::memcpy(mask_.extents, x_.extents, sizeof(mask_.extents));
      std::memset(mask_.strides, 0, sizeof(mask_.strides));
    }
    options_.mask = &mask_;
    return status;
  }

  accrue_status add_to(accrue_partial* partial) const { return accrue_partial_add(partial, space_, &x_, second(), &options_); }

  accrue_status whole(const CFI_cdesc_t& result) const {
    alignas(16) unsigned char one[64];
    const accrue_status status = reduce(x_, second(), &options_, one);
    const bool empty = status == ACCRUE_EMPTY_RANGE && has_identity();
    if (status != ACCRUE_OK && !empty) return status;
    if (operation_ == ACCRUE_MOMENTS && type_ == ACCRUE_F32) {
      accrue_moments_result_f32 m;
      std::memcpy(&m, one, sizeof(m));
      const accrue_moments_result_f64 wide{m.count, m.mean, m.variance, m.population_variance, m.standard_deviation};
      std::memcpy(result.base_addr, &wide, sizeof(wide));
      return ACCRUE_OK;
    }
    if (!has_positions(operation_)) {
      std::memcpy(result.base_addr, one, result.elem_len);
      if (empty) put_identity(result.base_addr);
      return ACCRUE_OK;
    }
    auto* const subscripts = static_cast<int*>(result.base_addr);  // one for each dimension
    if (over_ranks()) {  // where extents are those of one rank
      if (x_.rank != 1) return accrue_fail(ACCRUE_INVALID_ARGUMENT, "over ranks, locations in arrays of rank 1 alone");
      return put_index(empty ? -1 : position_of(one), subscripts);
    }
    std::int64_t index = empty ? 0 : position_of(one);
    for (int d = x_.rank - 1; d >= 0; --d) {  // the last dimension here is Fortran's first
      const std::int64_t extent = empty ? 1 : x_.extents[d];
      if (const accrue_status s = put_index(empty ? -1 : index % extent, subscripts + (x_.rank - 1 - d)); s != ACCRUE_OK) return s;
      index /= extent;
    }
    return ACCRUE_OK;
  }

  /// Along Fortran's dimension `dim`.
  accrue_status along(int dim, const CFI_cdesc_t& results) const {
    std::size_t count = 1;
    for (int d = 0; d < results.rank; ++d) count *= static_cast<std::size_t>(results.dim[d].extent);
    if (!over_ranks() && (dim < 1 || dim > x_.rank)) {  // over ranks the call tells it to all
      const std::string sentence = "dim=" + std::to_string(dim) + " of an array of rank " + std::to_string(x_.rank);
      return accrue_fail(ACCRUE_INVALID_ARGUMENT, sentence.c_str());
    }
    if (count == 0 && !over_ranks()) return ACCRUE_OK;
    std::size_t bytes = 0;
    if (const accrue_status s = accrue_result_size(op(), type_, nullptr, &bytes); s != ACCRUE_OK) return s;
    const bool in_place = !has_positions(operation_);
    std::vector<unsigned char> positions(in_place ? 0 : count * bytes);
    auto* const to = in_place ? static_cast<unsigned char*>(results.base_addr) : positions.data();
    const int d = x_.rank - dim;
    accrue_status status = accrue_reduce_along(space_, op(), &x_, second(), d, &options_, to);
    const bool empty = status == ACCRUE_EMPTY_RANGE && has_identity();
    if (status != ACCRUE_OK && !empty) return status;
    for (std::size_t k = 0; k < count; ++k) {
      bool none = false;
      if (empty) {
        status = line(k, d, to + k * bytes);
        none = status == ACCRUE_EMPTY_RANGE;
        if (status != ACCRUE_OK && !none) return status;
      }
      if (in_place) {
        if (none) put_identity(to + k * bytes);
      } else if (const accrue_status s = put_index(none ? -1 : position_of(to + k * bytes), static_cast<int*>(results.base_addr) + k);
                 s != ACCRUE_OK) {
        return s;
      }
    }
    return ACCRUE_OK;
  }

 private:
  [[nodiscard]] bool over_ranks() const { return accrue_space_ranks(space_) > 1; }
  [[nodiscard]] accrue_operation op() const { return static_cast<accrue_operation>(operation_); }
  [[nodiscard]] const accrue_array* second() const { return has_y_ ? &y_ : nullptr; }
  accrue_status reduce(const accrue_array& x, const accrue_array* y, const accrue_options* options, void* result) const {
    return accrue_reduce(space_, op(), &x, y, options, result);
  }
  /// Line k along dimension d, alone.
  accrue_status line(std::size_t k, int d, void* result) const {
    const auto cut = [&](const accrue_array& a, std::size_t element_bytes) {
      std::int64_t offset = 0;
      std::size_t rest = k;
      for (int e = a.rank - 1; e >= 0; --e) {
        if (e == d) continue;
        offset += static_cast<std::int64_t>(rest % static_cast<std::size_t>(a.extents[e])) * a.strides[e];
        rest /= static_cast<std::size_t>(a.extents[e]);
      }
      const auto* data = static_cast<const unsigned char*>(a.data) + offset * static_cast<std::int64_t>(element_bytes);
      return accrue_strided_vector(a.type, data, a.extents[d], a.strides[d]);
    };
    const accrue_array x = cut(x_, bytes_of(type_));
    accrue_options options = options_;
    accrue_array mask{};
    if (options.mask != nullptr) {
      mask = cut(mask_, bytes_of(mask_.type));
      options.mask = &mask;
    }
    return reduce(x, nullptr, &options, result);
  }
  static std::size_t bytes_of(accrue_type type) {
    constexpr std::size_t bytes[] = {8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
    return bytes[type];
  }

  /// Whether the intrinsic has a value for no elements.
  [[nodiscard]] bool has_identity() const {
    return operation_ == ACCRUE_MIN || operation_ == ACCRUE_MAX || has_positions(operation_);
  }
  template <class T>
  void put(void* to) const {
    using limits = std::numeric_limits<T>;
    const T value = operation_ == ACCRUE_MIN ? limits::max() : limits::lowest();
    std::memcpy(to, &value, sizeof(T));
  }
  /// The greatest number of the type, or the one furthest below zero, as the intrinsics give.
  void put_identity(void* to) const {
    switch (type_) {
      case ACCRUE_F32:
        return put<float>(to);
      case ACCRUE_I8:
        return put<std::int8_t>(to);
      case ACCRUE_I16:
        return put<std::int16_t>(to);
      case ACCRUE_I32:
        return put<std::int32_t>(to);
      case ACCRUE_I64:
        return put<std::int64_t>(to);
      default:
        return put<double>(to);
    }
  }
  /// The index within a position, which is its last member.
  [[nodiscard]] std::int64_t position_of(const unsigned char* position) const {
    std::size_t index = 0;
    std::memcpy(&index, position + (bytes_of(type_) < 8 ? 8 : bytes_of(type_)), sizeof(index));
    return static_cast<std::int64_t>(index);
  }
  static accrue_status put_index(std::int64_t index, int* to) {
    if (index >= std::numeric_limits<int>::max()) {
      return accrue_fail(ACCRUE_INTEGER_OVERFLOW, "a position beyond default integers");
    }
    *to = static_cast<int>(index) + 1;
    return ACCRUE_OK;
  }

  const accrue_space* space_;
  int operation_;
  accrue_type type_;
  accrue_array x_{};
  accrue_array y_{};
  accrue_array mask_{};
  bool has_y_ = false;
  accrue_options options_{};
};

}  // namespace

extern "C" {

/// dim `whole`: one result of all elements. Called by the module alone, which sees to it that types and ranks of the results are right.
int accrue_fortran_reduce(const accrue_space* space, int operation, int type, int dim, const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                          const CFI_cdesc_t* mask, const CFI_cdesc_t* result) {
  try {
    call c(space, operation, type);
    if (const accrue_status status = c.read(*x, y, mask); status != ACCRUE_OK) return status;
    return dim == -std::numeric_limits<int>::max() ? c.whole(*result) : c.along(dim, *result);
  } catch (const std::bad_alloc&) {
    return accrue_fail(ACCRUE_OUT_OF_MEMORY, "the system has no memory left");
  }
}

int accrue_fortran_partial_add(accrue_partial* partial, const accrue_space* space, int type, const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                               const CFI_cdesc_t* mask) {
  call c(space, ACCRUE_SUM, type);
  const accrue_status status = c.read(*x, y, mask);
  return status == ACCRUE_OK ? c.add_to(partial) : status;
}

/// Finishes into a number of type `of_type`, which must be the result's.
int accrue_fortran_partial_finish(const accrue_partial* partial, int operation, int type, int of_type, void* result) {
  const auto wanted = accrue::default_result(static_cast<accrue::named_operation>(operation), static_cast<accrue::element_type>(type));
  if (static_cast<int>(wanted) != of_type) {
    return accrue_fail(ACCRUE_INVALID_ARGUMENT, "the variable is not of the result's type and kind: a sum has its elements', or int64");
  }
  return accrue_partial_finish(partial, result);
}

}  // extern "C"
