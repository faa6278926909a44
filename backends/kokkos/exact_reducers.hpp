// SPDX-License-Identifier: BSD-3-Clause
// Exact reducers for a caller's own parallel_reduce, nested ones included, alone or beside Kokkos's reducers.
//
//     double total;
//     Kokkos::parallel_reduce("total", n, KOKKOS_LAMBDA(int i, accrue::kokkos_total<double>& t) { t += x(i); },
//                             accrue::kokkos_exact_sum<double>(total));
//
// Results: a variable of type T, written when the reducer goes, which for a temporary is at the end of the statement; a total, from
// which more can be had; or a View of rank 0 of totals, and then the call does not wait. In kernels (nested reductions): a total.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>

#include "accrue/backends/kokkos/kokkos_total.hpp"
#include "accrue/backends/kokkos/reducer_base.hpp"

namespace accrue {

namespace on_kokkos {

/// A reducer whose values are exact totals.
template <class Derived, class Total, class Space>
class total_reducer : public reducer_base<Derived, Total, Space> {
  using base = reducer_base<Derived, Total, Space>;

 public:
  using value_type = Total;
  using base::base;

  KOKKOS_FUNCTION void init(Total& v) const { v = Total(); }
  KOKKOS_FUNCTION void join_values(Total& a, const Total& b) const { a += b; }
  /// Equal sums have equal words.
  KOKKOS_FUNCTION void final(Total& v) const { v.normalize(); }
};

/// The same with one result, which may be a plain number on the host. Copies, which Kokkos makes, refer to the first one's total.
template <class Derived, class Total, class T, class Space>
class number_reducer : public total_reducer<Derived, Total, Space> {
  using base = total_reducer<Derived, Total, Space>;

 public:
  using base::base;
  explicit number_reducer(T& result) : base(*new Total), result_(&result) {}
  KOKKOS_FUNCTION number_reducer(const number_reducer& other) : base(other) {}
  number_reducer& operator=(const number_reducer&) = delete;
  KOKKOS_FUNCTION ~number_reducer() {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
    if (result_ == nullptr) return;
    const std::unique_ptr<const Total> owned(&this->reference());
    *result_ = owned->value();
#endif
  }

 private:
  T* result_ = nullptr;
};

}  // namespace on_kokkos

/// sum of what the body adds with `t += x`.
template <class T, class Space = Kokkos::HostSpace>
class kokkos_exact_sum : public on_kokkos::number_reducer<kokkos_exact_sum<T, Space>, kokkos_total<T>, T, Space> {
  using base = on_kokkos::number_reducer<kokkos_exact_sum, kokkos_total<T>, T, Space>;

 public:
  using base::base;
};

/// sum of x * y of what the body adds with `t.add(x, y)`.
template <class T, class Space = Kokkos::HostSpace>
class kokkos_exact_dot : public on_kokkos::number_reducer<kokkos_exact_dot<T, Space>, kokkos_product_total<T>, T, Space> {
  using base = on_kokkos::number_reducer<kokkos_exact_dot, kokkos_product_total<T>, T, Space>;

 public:
  using base::base;
};

/// N sums, of what the body adds with `t[k] += x`. On Cuda, where Kokkos keeps the values of 32 threads in 48 KiB, N is at most 2
/// for double and 10 for float.
template <class T, std::size_t N, class Space = Kokkos::HostSpace>
class kokkos_exact_sums : public on_kokkos::total_reducer<kokkos_exact_sums<T, N, Space>, kokkos_totals<T, N>, Space> {
  using base = on_kokkos::total_reducer<kokkos_exact_sums, kokkos_totals<T, N>, Space>;

 public:
  using base::base;
};

}  // namespace accrue
