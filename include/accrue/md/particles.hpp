// SPDX-License-Identifier: BSD-3-Clause
// Particles as pair forces are given them: positions alone, or with a type each.
#pragma once

#include "accrue/detail/language.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>
#include <variant>

#include "accrue/error.hpp"
#include "accrue/vectors.hpp"

namespace accrue {

namespace detail {

using position_view = std::variant<vectors<const double>, vectors<const float>>;

/// Numbers of 1, 2 or 4 bytes in a caller's memory.
struct type_view {
  const void* data = nullptr;
  std::size_t size = 0;
  unsigned bytes = 0;
  bool is_signed = false;
};
/// Of a particle. A negative one is larger than all types there are.
constexpr std::uint32_t type_of(const type_view& types, std::size_t particle) {
  if (types.bytes == 1) {
    const std::uint8_t v = static_cast<const std::uint8_t*>(types.data)[particle];
    return types.is_signed && v >= 128 ? ~std::uint32_t{0} : v;
  }
  if (types.bytes == 2) return static_cast<const std::uint16_t*>(types.data)[particle];
  return static_cast<const std::uint32_t*>(types.data)[particle];
}

struct particle_view {
  position_view positions;
  type_view types;  ///< nothing where particles have none
};

}  // namespace detail

/// Positions with types. See `with_types`.
struct typed_particles {
  detail::particle_view view;
};

/// Particles i at positions[i] of type types[i], for potentials that tell types apart:
///
///     forces.compute(space, list, accrue::with_types(x, types), f);
///
/// `positions`: what neighbor_list takes; `types`: a contiguous range of integers of 8, 16 or 32 bits, from 0, in the same memory. The
/// result refers to both, which every sweep reads.
///
/// Errors: `size_mismatch` where there are not as many types as positions; from sweeps `bad_input` for a type that the potential lacks.
template <class Positions, std::ranges::contiguous_range Types>
typed_particles with_types(const Positions& positions, const Types& types) {
  using number = std::ranges::range_value_t<Types>;
  static_assert(std::integral<number> && !std::same_as<number, bool> && sizeof(number) <= 4,
                "accrue: types are integers of 8, 16 or 32 bits");
  const detail::position_view at = detail::as_vectors(positions);
  const std::size_t size = std::visit([](const auto& v) { return v.size; }, at);
  if (size != std::ranges::size(types)) {
    throw error(errc::size_mismatch, "accrue::with_types: " + std::to_string(std::ranges::size(types)) + " types for " +
                                         std::to_string(size) + " positions");
  }
  return {{at, {std::ranges::data(types), size, sizeof(number), std::signed_integral<number>}}};
}

namespace detail {

template <class Particles>
inline constexpr bool has_types = std::same_as<std::remove_cvref_t<Particles>, typed_particles>;

template <class Particles>
particle_view as_particles(const Particles& particles) {
  if constexpr (has_types<Particles>) {
    return particles.view;
  } else {
    return {as_vectors(particles), {}};
  }
}

}  // namespace detail
}  // namespace accrue
