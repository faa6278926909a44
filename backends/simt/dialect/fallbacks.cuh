// SPDX-License-Identifier: BSD-3-Clause
// In plain C++, what some devices have instructions for. Dialects of other devices include this.
#pragma once

namespace accrue::simt {

/// Copies into shared memory, which are there at once.
inline constexpr bool copies_arrive_later = false;
template <unsigned bytes>
ACCRUE_DEVICE void copy_to_shared(void* to, const void* from) {
  memcpy(to, from, bytes);
}
ACCRUE_DEVICE void end_copies() {}
template <unsigned latest>
ACCRUE_DEVICE void wait_for_copies() {}

/// Kernels of a stream run one after the other.
ACCRUE_DEVICE void wait_for_kernel_before() {}
ACCRUE_DEVICE void let_next_kernel_start() {}

/// Words in shared memory, to be added to.
class shared_words {
 public:
  explicit ACCRUE_DEVICE shared_words(std::uint32_t* first) : first_(first) {}
  /// Adds to word k; what was there.
  ACCRUE_DEVICE std::uint32_t fetch_add(std::uint32_t k, std::uint32_t v) const { return simt::fetch_add(first_ + k, v); }

 private:
  std::uint32_t* first_;
};

/// The larger or smaller of two floats, -0 below +0. A NaN wins, or loses to any number.
template <bool maximum, bool nan_wins>
ACCRUE_DEVICE float extreme(float a, float b) {
  const auto bits = [](float x) { return std::bit_cast<unsigned>(x); };
  const bool nan_a = bits(a) << 1 > 0xff000000u;
  const bool nan_b = bits(b) << 1 > 0xff000000u;
  if (nan_a || nan_b) return nan_a == nan_wins ? a : b;
  const auto place = [&](float x) {
    return static_cast<int>(bits(x) ^ (static_cast<unsigned>(static_cast<int>(bits(x)) >> 31) >> 1));
  };
  return (place(b) < place(a)) == maximum ? a : b;
}

/// a + b rounded up, and down; finite.
ACCRUE_DEVICE double add_directed(double a, double b, bool up) {
  const double s = add(a, b);
  const double z = subtract(s, a);
  const double error = add(subtract(a, subtract(s, z)), subtract(b, z));
  if (error == 0 || (error > 0) != up) return s;
  const auto bits = std::bit_cast<std::uint64_t>(s);
  if (s == 0) return std::bit_cast<double>(std::uint64_t{up ? 0u : 1u} << 63 | 1u);
  return std::bit_cast<double>((s > 0) == up ? bits + 1 : bits - 1);
}
ACCRUE_DEVICE double add_up(double a, double b) { return add_directed(a, b, true); }
ACCRUE_DEVICE double add_down(double a, double b) { return add_directed(a, b, false); }

/// f(a, b) of each 16-bit half, as integers of `Half`.
template <class Half, class F>
ACCRUE_DEVICE unsigned of_halves(unsigned a, unsigned b, const F& f) {
  const auto low = static_cast<std::uint16_t>(f(static_cast<Half>(a), static_cast<Half>(b)));
  const auto high = static_cast<std::uint16_t>(f(static_cast<Half>(a >> 16), static_cast<Half>(b >> 16)));
  return low | static_cast<unsigned>(high) << 16;
}
/// For each 16-bit half of a word, the smallest of three, as integers with or without sign.
template <class Half>
ACCRUE_DEVICE unsigned smallest_halves(Half, unsigned a, unsigned b, unsigned c) {
  const auto smaller = [](Half x, Half y) { return y < x ? y : x; };
  return of_halves<Half>(a, of_halves<Half>(b, c, smaller), smaller);
}
ACCRUE_DEVICE unsigned largest_halves(unsigned a, unsigned b, unsigned c) { return ~smallest_halves(std::uint16_t{}, ~a, ~b, ~c); }
/// For each 16-bit half, the smaller of a + b, modulo 2^16, and c, as integers without sign.
ACCRUE_DEVICE unsigned smallest_halves_after_add(unsigned a, unsigned b, unsigned c) {
  const unsigned sums = of_halves<std::uint16_t>(a, b, [](unsigned x, unsigned y) { return x + y; });
  return smallest_halves(std::uint16_t{}, sums, c, c);
}

/// sum + the products of the words' bytes.
ACCRUE_DEVICE int add_byte_products(int sum, int a, int b) {
#pragma unroll
  for (int k = 0; k < 32; k += 8) sum += static_cast<std::int8_t>(a >> k) * static_cast<std::int8_t>(b >> k);
  return sum;
}
ACCRUE_DEVICE unsigned add_byte_products(unsigned sum, unsigned a, unsigned b) {
#pragma unroll
  for (int k = 0; k < 32; k += 8)
    sum += static_cast<std::uint8_t>(a >> k) * static_cast<unsigned>(static_cast<std::uint8_t>(b >> k));
  return sum;
}

}  // namespace accrue::simt
