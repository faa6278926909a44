// SPDX-License-Identifier: BSD-3-Clause
// What Kokkos wants of a reducer, in every version from 3.4 on.
#pragma once

#include <Kokkos_Core.hpp>

namespace accrue::on_kokkos {

/// `Derived` has `init(value)` and `join_values(value, other)`. The result goes to a host variable, or to a View of rank 0.
template <class Derived, class Value, class Space = Kokkos::HostSpace>
class reducer_base {
 public:
  using reducer = Derived;
  using value_type = Value;
  using result_view_type = Kokkos::View<value_type, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_FUNCTION explicit reducer_base(value_type& result) : view_(&result), is_scalar_(true) {}
  KOKKOS_FUNCTION explicit reducer_base(const result_view_type& result) : view_(result), is_scalar_(false) {}

  KOKKOS_FUNCTION void join(value_type& a, const value_type& b) const { static_cast<const Derived*>(this)->join_values(a, b); }
#if KOKKOS_VERSION < 30700
  KOKKOS_FUNCTION void join(volatile value_type& a, const volatile value_type& b) const {
    join(const_cast<value_type&>(a), const_cast<const value_type&>(b));
  }
#endif
  KOKKOS_FUNCTION value_type& reference() const { return *view_.data(); }
  KOKKOS_FUNCTION result_view_type view() const { return view_; }
  KOKKOS_FUNCTION bool references_scalar() const { return is_scalar_; }

 protected:
  result_view_type view_;
  bool is_scalar_;
};

}  // namespace accrue::on_kokkos
