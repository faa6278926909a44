// SPDX-License-Identifier: BSD-3-Clause
// From an element type as a value to the type, for the instruction set being compiled: every type of the closed set that tiles hold as
// it is. Included once for each instruction set.

#if defined(ACCRUE_CARRIERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACCRUE_CARRIERS_INL
#undef ACCRUE_CARRIERS_INL
#else
#define ACCRUE_CARRIERS_INL
#endif

#include <type_traits>
#include <utility>

#include "accrue/element.hpp"
#include "target-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

/// Calls f(std::type_identity<T>{}) for the real number type T that `type` names and that is its own carrier.
template <class F, std::size_t... k>
HWY_INLINE void with_carrier(element_type type, const F& f, std::index_sequence<k...>) {
  const auto call_if_named = [&]<class T>(std::type_identity<T> t, std::size_t place) HWY_ATTR {
    if constexpr (native_float<T> || integer<T>) {
      if (static_cast<std::size_t>(type) == place) f(t);
    }
  };
  (call_if_named(std::type_identity<std::tuple_element_t<k, detail::types_of_elements>>{}, k), ...);
}
template <class F>
HWY_INLINE void with_carrier(element_type type, const F& f) {
  with_carrier(type, f, std::make_index_sequence<detail::element_types>{});
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
