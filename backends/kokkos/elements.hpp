// SPDX-License-Identifier: BSD-3-Clause
// Kokkos's element types, and whether a host space can read what it is given.
#pragma once

#include <Kokkos_Core.hpp>

#include "accrue/element.hpp"
#include "accrue/error.hpp"
#include "accrue/view.hpp"

namespace accrue {

namespace detail {

// Where Kokkos has no 16-bit type of its own, its names mean float.
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
template <>
struct element_alias<Kokkos::Experimental::half_t> {
  using type = half;
};
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
template <>
struct element_alias<Kokkos::Experimental::bhalf_t> {
  using type = bfloat16;
};
#endif

}  // namespace detail

namespace on_kokkos {

#if defined(KOKKOS_ENABLE_CUDA)
inline void check_host_readable(const void* p) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, p) == cudaSuccess && attributes.type == cudaMemoryTypeDevice) {
    throw error(errc::wrong_space, "accrue: device memory given to a host space");
  }
}
#else
inline void check_host_readable(const void*) {}
#endif

/// Throws `wrong_space` for device memory, where Kokkos has a device.
template <class View>
requires detail::is_view<View>
void check_host_readable(const View& v) {
  if constexpr (requires { v.data; }) {
    if (v.size() != 0) check_host_readable(static_cast<const void*>(v.data));
  } else if constexpr (requires { v.view; }) {
    check_host_readable(v.view);
    if constexpr (requires { v.mask; }) check_host_readable(v.mask);
  } else if constexpr (requires { v.x; }) {
    check_host_readable(v.x);
    check_host_readable(v.y);
  } else {
    static_assert(requires { v.begin; }, "a view of neither memory, views nor iterators");
  }
}

}  // namespace on_kokkos
}  // namespace accrue
