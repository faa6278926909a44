// SPDX-License-Identifier: BSD-3-Clause
// The kernel of rows of a few elements that lie one behind the other: a thread reads several, or one that is long, and adds each up alone.
#pragma once

#include <bit>
#include <limits>

#include "accrue/backends/simt/kernel/lane_kernels.cuh"

namespace accrue::simt {

inline constexpr unsigned short_row_threads = 256;
inline constexpr unsigned longest_short_row = 8;

/// What a thread reads at once: as many rows as 16 bytes hold, or one; and how often before it adds.
template <class T, unsigned length>
struct short_row_shape {
  static constexpr unsigned rows = elements_per_load<T> % length == 0 ? elements_per_load<T> / length : 1;
  static constexpr unsigned elements = rows * length;
  static constexpr unsigned bytes_in_flight = 64;
  static constexpr unsigned times = bytes_in_flight / (elements * sizeof(T));
  static constexpr unsigned rows_of_block = short_row_threads * times * rows;
};

/// Reads n elements, by vectors where they fill some, whose first then lies on a boundary of 16 bytes.
template <unsigned n, class T>
ACCRUE_DEVICE void load_elements(const T* from, T (&x)[n]) {
  constexpr unsigned width = elements_per_load<T>;
  if constexpr (n % width == 0) {
#pragma unroll
    for (unsigned k = 0; k < n; k += width) {
      const vector16 v = load_vector16(from + k);
      memcpy(static_cast<void*>(x + k), &v, sizeof v);
    }
  } else {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) x[k] = from[k];
  }
}

/// Writes n of them at a boundary of as many bytes.
template <unsigned n, class T>
ACCRUE_DEVICE void store_elements(const T (&x)[n], T* to) {
  struct alignas(n * sizeof(T)) packed {
    T x[n];
  };
  packed p;
#pragma unroll
  for (unsigned k = 0; k < n; ++k) p.x[k] = x[k];
  *reinterpret_cast<packed*>(to) = p;
}

/// The sum or mean of a row, rounded once: what one addition rounds, and floats whose sum is surely exact in double. Else false.
template <class T, unsigned length>
ACCRUE_DEVICE bool sum_short_row(const T (&x)[length], last_step step, T& result) {
  const bool mean = step == last_step::mean;
  if constexpr (length <= 2) {
    T total = add(length == 1 ? T(0) : x[length - 1], x[0]);
    total = add(total, T(0));  // never -0
    if (length == 2 && mean) {
      // Where halves are subnormal the sum is exact; where the sum overflows they are not.
      const bool finite = magnitude(total) <= std::numeric_limits<T>::max();
      total = finite ? multiply(total, T(0.5)) : add(multiply(x[0], T(0.5)), multiply(x[length - 1], T(0.5)));
    }
    result = canonical_nan(total);
    return true;
  } else if constexpr (sizeof(T) == 4) {
    constexpr bool exact_shares = std::has_single_bit(length);
    const float_sum<length> s(x);
    const double total = add(s.sum, 0.0);
    result = canonical_nan(narrow(exact_shares && mean ? multiply(total, 1.0 / length) : total));
    return !s.inexact && (exact_shares || !mean);
  } else {
    result = 0;
    return false;
  }
}
/// The sum of a row's squares, or its root, rounded once: from the nearest doubles of partial sums, and the sum of what these and products
/// lose, if its bound says how it rounds. Else false.
template <class T, unsigned length>
ACCRUE_DEVICE bool sum_short_squares(const T (&x)[length], last_step step, T& result) {
  double high = 0;
  double more = 0;
  double size = 0;  // of these terms' magnitudes
  unsigned smallest = ~0u;
  const auto add_lost = [&](double lost) {
    more = add(more, lost);
    size = add(size, magnitude(lost));
  };
#pragma unroll
  for (unsigned k = 0; k < length; ++k) {
    const auto t = term_of<T, term::square>::of(x[k]);
    if constexpr (t.two) {
      add_lost(t.error);
      smallest = t.smallest_factor < smallest ? t.smallest_factor : smallest;
    }
    if (k == 0) {
      high = t.value;
    } else {
      add_lost(two_sum(high, t.value));
    }
  }
  if (smallest < smallest_safe_factor || !(add(high, size) <= std::numeric_limits<double>::max())) return false;
  double rest = two_sum(high, more);
  double bound = multiply(size, 0x1p-48);  // 15 terms at most, each addition off by 2^-53 of a partial sum
  if (step == last_step::square_root && high != 0) {
    const double root = square_root(high);
    rest = divide(add(fused_multiply_add(-root, root, high), rest), multiply(2, root));
    // Both steps round, and the square of `rest` is left out.
    bound = add(divide(bound, root), add(multiply(magnitude(rest), 0x1p-50), multiply(root, 0x1p-100)));
    high = root;
  }
  return round_bounded(high, rest, bound, result);
}
/// The result of a row from running sums, or the mark of those that blocks reduce: then false.
template <unsigned parts, class T, term what, unsigned length>
ACCRUE_DEVICE bool reduce_short_row(const exact_sum<T, what>& op, const T (&x)[length], T& result, int* status) {
  using program = lane_program<exact_sum<T, what>>;
  constexpr last_step other = what == term::square ? last_step::square_root : last_step::mean;
  // The same operation, of which the compiler knows more.
  const exact_sum<T, what> known{op.step == other ? other : last_step::value, scalar_type::of<T>()};
  running_sum<parts> sum;
  if constexpr (what == term::square) {
    program::fold(known, sum, x, length, nullptr);
  } else {
#pragma unroll
    for (unsigned k = 0; k < length; ++k) sum.add_term(to_double(x[k]));
  }
  return program::store(known, sum, length, &result, status);
}
template <class T, unsigned length>
struct short_row {
  T x[length];
};
template <class T, term what, unsigned length>
ACCRUE_DEVICE_RARE T reduce_wide_short_row(exact_sum<T, what> op, short_row<T, length> row, left_groups left, int* status) {
  T result;
  if (!reduce_short_row<3>(op, row.x, result, status)) *left.some() = 1;
  return result;
}
template <class T, term what, unsigned length>
ACCRUE_DEVICE T result_of_short_row(const exact_sum<T, what>& op, const T* elements, const left_groups& left, int* status) {
  short_row<T, length> row;
#pragma unroll
  for (unsigned k = 0; k < length; ++k) row.x[k] = what == term::magnitude ? magnitude(elements[k]) : elements[k];
  T result;
  if constexpr (what == term::square) {
    if (sum_short_squares(row.x, op.step, result)) [[likely]] return result;
  } else {
    if (sum_short_row(row.x, op.step, result)) [[likely]] return result;
    if (reduce_short_row<2>(op, row.x, result, status)) return result;
  }
  return reduce_wide_short_row(op, row, left, status);
}

/// Rows of contiguous elements without gaps, from a boundary of 16 bytes on, as the results.
template <native_float T, term what, unsigned length>
ACCRUE_KERNEL(short_row_threads, (what == term::square ? 3 : 4))
short_rows_kernel(exact_sum<T, what> op, const T* data, std::size_t count, left_groups left, group_ending end) {
  using shape = short_row_shape<T, length>;
  T* const results = reinterpret_cast<T*>(end.results);
  const std::size_t first = (std::size_t{block()} * (shape::times * short_row_threads) + thread()) * shape::rows;
  T x[shape::times][shape::elements];
#pragma unroll
  for (unsigned j = 0; j < shape::times; ++j) {
    const std::size_t k = first + j * (short_row_threads * shape::rows);
    if (k + shape::rows <= count) load_elements(data + k * length, x[j]);
  }
#pragma unroll
  for (unsigned j = 0; j < shape::times; ++j) {
    const std::size_t k = first + j * (short_row_threads * shape::rows);
    if (k + shape::rows > count) break;
    T r[shape::rows];
#pragma unroll
    for (unsigned i = 0; i < shape::rows; ++i) r[i] = result_of_short_row<T, what, length>(op, x[j] + i * length, left, end.status);
    store_elements(r, results + k);
  }
  const std::size_t rest = count % shape::rows;
  if (block() == 0 && thread() < rest) {
    const std::size_t k = count - 1 - thread();
    results[k] = result_of_short_row<T, what, length>(op, data + k * length, left, end.status);
  }
}

}  // namespace accrue::simt
