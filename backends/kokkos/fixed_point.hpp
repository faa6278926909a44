// SPDX-License-Identifier: BSD-3-Clause
// Contributions to a View from a Kokkos kernel as integers, which add up to the same bits in any order: fixed_point, used as a
// ScatterView is.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "accrue/detail/array_like.hpp"
#include "accrue/detail/contributions.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/to_fixed.hpp"
#include "accrue/error.hpp"

namespace accrue {

namespace on_kokkos {

/// What went wrong in a kernel, told when it is over.
enum fault : int { value_out_of_range = 1, total_out_of_range = 2, index_out_of_range = 4, value_too_small = 8, value_vanished = 16 };

/// Element (j, d) of a View of rank 1 or 2.
template <class View>
KOKKOS_FUNCTION auto& element_of(const View& v, std::size_t j, [[maybe_unused]] std::size_t d) {
  if constexpr (detail::rank_of<View>() == 1) {
    return v(j);
  } else {
    return v(j, d);
  }
}

/// The kernel of contribute_into. Not a member: device compilers want kernels' names to be public.
template <class Fixed, class View>
struct add_totals {
  Fixed sum;
  View target;
  KOKKOS_FUNCTION void operator()(std::size_t k) const { sum.add_total(k, target); }
};

}  // namespace on_kokkos

/// Collects contributions to a View of float or double of rank 1 or 2, on the host or on a device.
///
///     accrue::kokkos_fixed_point<View> sum(f);            // or (f, largest): see accumulate_options
///     auto out = sum.access();                            // captured by the kernel
///     ... out(j, 0) += fx; out(i, 0) -= fx; ...           // from any thread
///     sum.contribute_into(f);                             // f += what was added
///
/// Guarantee: the same bits for any order, number of threads and device. With a bound, contributions are rounded to multiples of a unit of
/// at most 2^-50 of `largest`, so each is off by at most 2^-51 of it; a word for each number. Without one the unit is 2^-64, in three words
/// each: exact for doubles from 2^-12 up to 2^60; smaller ones are off by at most 2^-65, and refused where that is more than 2^-24 of them.
/// Errors, thrown by `contribute_into`: `out_of_range` for NaN and what does not fit.
template <class View>
class kokkos_fixed_point {
 public:
  using value_type = typename View::non_const_value_type;
  using execution_space = typename View::execution_space;
  using memory_space = typename View::memory_space;
  static_assert(std::is_same_v<value_type, float> || std::is_same_v<value_type, double>, "accrue accumulates float and double");
  static constexpr std::size_t rank = detail::rank_of<View>();
  static_assert(rank == 1 || rank == 2, "accrue accumulates into Views of rank 1 and 2");

  /// Of no targets.
  kokkos_fixed_point() = default;
  explicit kokkos_fixed_point(const View& target, double largest = 0)
      : rows_(target.extent(0)),
        columns_(rank == 2 ? target.extent(1) : 1),
        unit_(detail::fixed_unit(largest)),
        words_each_(largest > 0 ? 1 : 3),
        words_("accrue::fixed_point", rows_ * columns_ * words_each_),
        faults_("accrue::fixed_point faults") {
    detail::int128 units = 0;
    if (largest > 0) (void)detail::to_fixed(largest, unit_, units);
    largest_ = static_cast<std::int64_t>(units);
  }

  /// Target (j, d) += v.
  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t j, std::size_t d, value_type v) const {
    if (j >= rows_) return mark(on_kokkos::index_out_of_range);
    std::int64_t* const word = words_of(j, d);
    if (words_each_ == 1) {
      std::int64_t units = 0;
      if (!detail::to_short_fixed(static_cast<double>(v), unit_, units) || units > largest_ || units < -largest_) {
        return mark(on_kokkos::value_out_of_range);
      }
      if (units != 0) return add_word(word, units, std::int64_t{1} << 62);
      if (v != 0) mark(on_kokkos::value_vanished);
      return;
    }
    detail::int128 units = 0;
    if (!detail::to_fixed(static_cast<double>(v), unit_, units)) return mark(on_kokkos::value_out_of_range);
    constexpr std::int64_t few = std::int64_t{1} << 23;
    if (units < few && units > -few && static_cast<double>(static_cast<std::int64_t>(units)) * 0x1p-64 != static_cast<double>(v)) {
      return mark(on_kokkos::value_too_small);
    }
    const auto bits = static_cast<detail::uint128>(units);
    const auto low = static_cast<std::int64_t>(static_cast<std::uint32_t>(bits));
    const auto middle = static_cast<std::int64_t>(static_cast<std::uint32_t>(bits >> 32));
    const auto high = static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 64));
    if (low != 0) Kokkos::atomic_add(word, low);
    if (middle != 0) Kokkos::atomic_add(word + 1, middle);
    if (high != 0) add_word(word + 2, high, std::int64_t{1} << 61);
  }

  /// Many contributions of one thread to one target: with a bound they stay with the thread until `close`.
  ///
  ///     auto own = out.target(i);
  ///     for (...) own(0) += fx;
  ///     own.close();
  class one_target {
   public:
    KOKKOS_FUNCTION one_target(const kokkos_fixed_point& sum, std::size_t j) : sum_(sum), j_(j) {}
    KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t d, value_type v) {
      if (sum_.words_each_ != 1) return sum_.add(j_, d, v);
      std::int64_t units = 0;
      if (!detail::to_short_fixed(static_cast<double>(v), sum_.unit_, units) || units > sum_.largest_ || units < -sum_.largest_) {
        return sum_.mark(on_kokkos::value_out_of_range);
      }
      if (units == 0 && v != 0) sum_.mark(on_kokkos::value_vanished);
      own_[d] += units;
      if (own_[d] > std::int64_t{1} << 60 || own_[d] < -(std::int64_t{1} << 60)) hand_over(d);
    }
    KOKKOS_FUNCTION void close() {
      for (std::size_t d = 0; d < width; ++d) hand_over(d);
    }
    class component {
     public:
      KOKKOS_FUNCTION component(one_target& target, std::size_t d) : target_(target), d_(d) {}
      KOKKOS_FORCEINLINE_FUNCTION void operator+=(value_type v) const { target_.add(d_, v); }
      KOKKOS_FORCEINLINE_FUNCTION void operator-=(value_type v) const { target_.add(d_, -v); }

     private:
      one_target& target_;
      std::size_t d_;
    };
    KOKKOS_FORCEINLINE_FUNCTION component operator()(std::size_t d = 0) { return {*this, d}; }

   private:
    static constexpr std::size_t width = rank == 2 ? detail::columns_of<View>() : 1;
    KOKKOS_FUNCTION void hand_over(std::size_t d) {
      if (own_[d] == 0) return;
      if (j_ >= sum_.rows_) return sum_.mark(on_kokkos::index_out_of_range);
      sum_.add_word(sum_.words_of(j_, d), own_[d], std::int64_t{1} << 62);
      own_[d] = 0;
    }

    const kokkos_fixed_point& sum_;
    std::size_t j_;
    std::int64_t own_[width] = {};
  };
  KOKKOS_FUNCTION one_target target(std::size_t j) const { return {*this, j}; }

  /// `out(j) += v` or `out(j, d) -= v`.
  class component {
   public:
    KOKKOS_FUNCTION component(const kokkos_fixed_point& sum, std::size_t j, std::size_t d) : sum_(sum), j_(j), d_(d) {}
    KOKKOS_FORCEINLINE_FUNCTION void operator+=(value_type v) const { sum_.add(j_, d_, v); }
    KOKKOS_FORCEINLINE_FUNCTION void operator-=(value_type v) const { sum_.add(j_, d_, -v); }

   private:
    const kokkos_fixed_point& sum_;
    std::size_t j_;
    std::size_t d_;
  };
  KOKKOS_FORCEINLINE_FUNCTION component operator()(std::size_t j, std::size_t d = 0) const { return {*this, j, d}; }
  KOKKOS_FUNCTION const kokkos_fixed_point& access() const { return *this; }

  /// Adds what was collected to `target`, which is shaped as the constructor's, and starts anew. Waits for `instance`. Whether every
  /// contribution but zeros left something: with a bound, those below half a unit do not.
  template <class E = execution_space>
  [[nodiscard]] bool contribute_into(const View& target, const E& instance = E()) {
    if (target.extent(0) != rows_ || (rank == 2 && target.extent(rank - 1) != columns_)) {
      throw error(errc::size_mismatch, "accrue::kokkos_fixed_point: the View has another shape");
    }
    Kokkos::parallel_for("accrue::fixed_point contribute", Kokkos::RangePolicy<E>(instance, 0, rows_ * columns_),
                         on_kokkos::add_totals<kokkos_fixed_point, View>{*this, target});
    int faults = 0;
    Kokkos::deep_copy(instance, faults, faults_);
    instance.fence();
    Kokkos::deep_copy(instance, faults_, 0);
    const auto fail = [](const char* what) { throw error(errc::out_of_range, std::string("accrue::kokkos_fixed_point: ") + what); };
    if ((faults & on_kokkos::index_out_of_range) != 0) fail("a contribution to a target beyond the View");
    if ((faults & on_kokkos::value_out_of_range) != 0) fail("a contribution beyond the bound, or not a number");
    if ((faults & on_kokkos::value_too_small) != 0) fail("a contribution below 2^-41 loses digits: give the constructor a bound");
    if ((faults & on_kokkos::total_out_of_range) != 0) fail("a total does not fit");
    return (faults & on_kokkos::value_vanished) == 0;
  }

  /// Targets.
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t bytes() const { return words_.extent(0) * sizeof(std::int64_t); }
  [[nodiscard]] int unit_exponent() const { return unit_; }

 private:
  template <class Fixed, class Target>
  friend struct on_kokkos::add_totals;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t* words_of(std::size_t j, std::size_t d) const {
    return words_.data() + (j * columns_ + d) * words_each_;
  }
  KOKKOS_FUNCTION void mark(int what) const {
    if ((*faults_.data() & what) == 0) Kokkos::atomic_fetch_or(faults_.data(), what);
  }
  KOKKOS_FUNCTION void add_word(std::int64_t* word, std::int64_t v, std::int64_t limit) const {
    const std::int64_t before = Kokkos::atomic_fetch_add(word, v);
    const std::int64_t after = static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(v));
    if (after >= limit || after <= -limit) mark(on_kokkos::total_out_of_range);
  }
  KOKKOS_FUNCTION void add_total(std::size_t k, const View& target) const {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
    const detail::fp_environment environment;
#endif
    std::int64_t* const word = words_.data() + k * words_each_;
    detail::int128 units = word[0];
    if (words_each_ == 3) {
      units += static_cast<detail::int128>(word[1]) * (std::int64_t{1} << 32);
      units += static_cast<detail::int128>(word[2]) * (std::int64_t{1} << 62) * 4;
    }
    for (unsigned w = 0; w < words_each_; ++w) word[w] = 0;
    if (units == 0) return;
    const bool negative = units < 0;
    const detail::uint128 magnitude =
        negative ? detail::uint128{0} - static_cast<detail::uint128>(units) : static_cast<detail::uint128>(units);
    auto& t = on_kokkos::element_of(target, k / columns_, k % columns_);
    t = static_cast<value_type>(static_cast<double>(t) + detail::round_to<double>({magnitude, unit_, false}, negative));
  }

  std::size_t rows_ = 0;
  std::size_t columns_ = 1;
  int unit_ = 0;
  unsigned words_each_ = 1;
  std::int64_t largest_ = 0;
  Kokkos::View<std::int64_t*, memory_space> words_;
  Kokkos::View<int, memory_space> faults_;
};

}  // namespace accrue
