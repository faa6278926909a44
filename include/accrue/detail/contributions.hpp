// SPDX-License-Identifier: BSD-3-Clause
// Contributions to one array of targets from the threads of a host team: what each thread adds to, and how it all comes together.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <ranges>
#include <string>
#include <type_traits>

#include "accrue/detail/private_copies.hpp"
#include "accrue/detail/shares.hpp"
#include "accrue/detail/to_fixed.hpp"
#include "accrue/error.hpp"
#include "accrue/strategy.hpp"
#include "accrue/vectors.hpp"

/// Whether indices of contributions are checked: by default where assertions are. A thread of its own kind of handle either way.
#if !defined(ACCRUE_CHECK_INDICES)
#if defined(NDEBUG)
#define ACCRUE_CHECK_INDICES 0
#else
#define ACCRUE_CHECK_INDICES 1
#endif
#endif

namespace accrue::detail {

/// An array of `size` targets of D numbers each; number d of target j lies at component[d][j * stride].
template <class T, std::size_t D>
struct array_target {
  using value_type = T;
  static constexpr std::size_t width = D;

  std::array<T*, D> component;
  std::size_t size;
  std::size_t stride;
};

template <class T>
inline constexpr bool is_fixed_array = false;
template <class T, std::size_t D>
inline constexpr bool is_fixed_array<std::array<T, D>> = true;

/// The targets of anything a caller may pass: vectors<T>, an array of rank 1 or 2, or a contiguous range of T or of std::array<T, D>.
template <class X>
auto as_target(X& x) {
  if constexpr (is_vectors<std::remove_const_t<X>>) {
    using T = std::remove_pointer_t<decltype(x.x)>;
    return array_target<T, 3>{{x.x, x.y, x.z}, x.size, x.stride};
  } else if constexpr (array_like<X>) {
    using T = std::remove_pointer_t<decltype(pointer_of(x))>;
    static_assert(rank_of<X>() == 1 || rank_of<X>() == 2, "accrue accumulates into arrays of rank 1 and 2");
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "accrue accumulates float and double");
    const auto size = static_cast<std::size_t>(x.extent(0));
    if (pointer_of(x) == nullptr && size != 0) throw error(errc::null_data, "accrue::accumulate: null data");
    const auto stride = static_cast<std::size_t>(x.stride(0));
    if constexpr (rank_of<X>() == 1) {
      return array_target<T, 1>{{pointer_of(x)}, size, stride};
    } else {
      array_target<T, columns_of<X>()> t{{}, size, stride};
      if (x.extent(1) != t.width) throw error(errc::size_mismatch, "accrue::accumulate: an array of another width than 3");
      for (std::size_t d = 0; d < t.width; ++d) t.component[d] = column_of(x, d);
      return t;
    }
  } else {
    static_assert(std::ranges::contiguous_range<X>, "accrue accumulates into contiguous ranges, arrays of rank 1 and 2, and vectors<T>");
    auto* data = std::ranges::data(x);
    const std::size_t size = std::ranges::size(x);
    using element = std::remove_pointer_t<decltype(data)>;
    static_assert(!std::is_const_v<element>, "accrue accumulates into arrays that are not const");
    if (data == nullptr && size != 0) throw error(errc::null_data, "accrue::accumulate: null data");
    if constexpr (is_fixed_array<element>) {
      using T = typename element::value_type;
      array_target<T, std::tuple_size_v<element>> t{{}, size, std::tuple_size_v<element>};
      for (std::size_t d = 0; d < t.width && size != 0; ++d) t.component[d] = data->data() + d;
      return t;
    } else {
      static_assert(std::is_same_v<element, float> || std::is_same_v<element, double>, "accrue accumulates float and double");
      return array_target<element, 1>{{data}, size, 1};
    }
  }
}

/// What went wrong while adding, which is told at the end: adding must not throw out of a caller's parallel region.
struct contribution_faults {
  bool out_of_range = false;  ///< a value beyond the fixed-point format, or not a number
  bool overflow = false;      ///< a total beyond it
  bool bad_index = false;
  std::size_t index = 0;
};

/// One thread's way of adding to the targets. Not to be shared between threads.
template <class T, std::size_t D, bool checked>
class contributor {
 public:
  using value = std::array<T, D>;

  /// target[j] += v
  void add(std::size_t j, const value& v) {
    if constexpr (checked) {
      if (j >= target_->size || (how_ == strategy::gather && item_ != any_item && j != item_)) {
        if (!faults_.bad_index) faults_.index = j;
        faults_.bad_index = true;
        return;
      }
    }
    switch (how_) {
      case strategy::gather:
        for (std::size_t d = 0; d < D; ++d) target_->component[d][j * target_->stride] += v[d];
        return;
      case strategy::atomic:
        for (std::size_t d = 0; d < D; ++d) {
          std::atomic_ref<T>(target_->component[d][j * target_->stride]).fetch_add(v[d], std::memory_order_relaxed);
        }
        return;
      case strategy::fixed_point:
        for (std::size_t d = 0; d < D; ++d) add_fixed(j, d, v[d]);
        return;
      default:
        touched_[j / private_copies<T>::group] = 1;
        for (std::size_t d = 0; d < D; ++d) copy_[j * D + d] += v[d];
    }
  }
  void add(std::size_t j, T x) requires(D == 1) { add(j, value{x}); }
  void add(std::size_t j, T x, T y, T z) requires(D == 3) { add(j, value{x, y, z}); }

  // For those who run the loop.
  void start_item(std::size_t i) {
    if constexpr (checked) item_ = i;
  }
  contribution_faults faults_;

 private:
  template <class, std::size_t, bool>
  friend class contributions;

  void add_fixed(std::size_t j, std::size_t d, T x) {
    int128 units = 0;
    const bool fits = to_fixed(static_cast<double>(x), unit_, units);
    touched_[j / private_copies<T>::group] = 1;
    if (wide_ != nullptr) {
      if (!fits || __builtin_add_overflow(wide_[j * D + d], units, &wide_[j * D + d]))
        (fits ? faults_.overflow : faults_.out_of_range) = true;
      return;
    }
    if (!fits || units > largest_ || units < -largest_) {
      faults_.out_of_range = true;
      return;
    }
    std::int64_t& sum = fixed_[j * D + d];
    if (__builtin_add_overflow(sum, static_cast<std::int64_t>(units), &sum)) faults_.overflow = true;
  }

  strategy how_ = strategy::replicated;
  const array_target<T, D>* target_ = nullptr;
  std::uint8_t* touched_ = nullptr;
  T* copy_ = nullptr;
  std::int64_t* fixed_ = nullptr;
  int128* wide_ = nullptr;
  int unit_ = 0;
  int128 largest_ = 0;
  static constexpr std::size_t any_item = ~std::size_t{0};  // a loop of the caller's
  std::size_t item_ = any_item;
};

/// The contributions of a team to one array of targets.
template <class T, std::size_t D, bool checked>
class contributions {
 public:
  using handle = contributor<T, D, checked>;

  explicit contributions(const array_target<T, D>& target) : target_(target) {}
  contributions(const contributions&) = delete;
  contributions& operator=(const contributions&) = delete;

  /// Makes handles for `threads` threads. `largest` bounds the size of one contribution to fixed_point; 0: integers of 128 bits.
  void start(int threads, strategy how, double largest) {
    if (how != how_ || largest != bound_) set_format(how, largest);
    while (handles_.size() < static_cast<std::size_t>(threads)) add_thread();
  }
  int add_thread() {
    const int rank = static_cast<int>(handles_.size());
    handle& h = handles_.emplace_back();
    try {
      attach(h, rank);
    } catch (...) {
      handles_.pop_back();
      throw;
    }
    return rank;
  }
  handle& of(int rank) { return handles_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] std::size_t groups() const { return (target_.size + private_copies<T>::group - 1) / private_copies<T>::group; }
  [[nodiscard]] std::size_t bytes() const { return floats_.bytes() + fixed_.bytes() + wide_.bytes(); }

  /// Adds one thread's copy to the targets: in a critical section. Returns the bytes read.
  std::size_t merge_copy(int rank) {
    return floats_.merge_copy(rank,
                              [this](std::size_t first, std::size_t count, const T* v) { add_to_targets(first, count, v, 1.0); });
  }
  /// Adds the copies of some groups to the targets. Returns the bytes read.
  std::size_t merge_groups(share groups) {
    std::size_t bytes = 0;
    for (std::size_t g = groups.begin; g < groups.end; ++g) {
      if (how_ != strategy::fixed_point) {
        bytes += floats_.merge_group(
            g, std::plus<>(), [this](std::size_t first, std::size_t count, const T* v) { add_to_targets(first, count, v, 1.0); });
      } else if (bound_ > 0) {
        bytes += fixed_.merge_group(g, checked_sum<std::int64_t>{&overflow_},
                                    [this](std::size_t first, std::size_t count, const std::int64_t* v) {
                                      add_to_targets(first, count, v, std::ldexp(1.0, unit_));
                                    });
      } else {
        bytes +=
            wide_.merge_group(g, checked_sum<int128>{&overflow_}, [this](std::size_t first, std::size_t count, const int128* v) {
              add_to_targets(first, count, v, std::ldexp(1.0, unit_));
            });
      }
    }
    return bytes;
  }

  /// Throws what went wrong, once everything is merged.
  void check(const char* call) {
    contribution_faults all;
    all.overflow = overflow_.exchange(false);
    for (handle& h : handles_) {
      all.out_of_range = all.out_of_range || h.faults_.out_of_range;
      all.overflow = all.overflow || h.faults_.overflow;
      if (h.faults_.bad_index && !all.bad_index) all.index = h.faults_.index;
      all.bad_index = all.bad_index || h.faults_.bad_index;
      h.faults_ = {};
    }
    const auto fail = [call](const std::string& what) {
      throw error(errc::out_of_range, std::string("accrue::") + call + ": " + what);
    };
    if (all.bad_index) {
      fail("a contribution to target " + std::to_string(all.index) +
           (how_ == strategy::gather && all.index < target_.size ? " from another work item, which `gather` does not allow"
                                                                 : " of an array of " + std::to_string(target_.size)));
    }
    if (all.out_of_range) {
      fail(bound_ > 0 ? "a contribution beyond the bound given to fixed_point, or not a number"
                      : "a contribution of 2^62 or more, or not a number, does not fit fixed_point");
    }
    if (all.overflow) fail("a total does not fit fixed_point");
  }

 private:
  template <class I>
  struct checked_sum {
    std::atomic<bool>* overflow;
    I operator()(I a, I b) const {
      I sum = 0;
      if (__builtin_add_overflow(a, b, &sum)) overflow->store(true, std::memory_order_relaxed);
      return sum;
    }
  };

  void set_format(strategy how, double largest) {
    unit_ = fixed_unit(largest);
    how_ = how;
    bound_ = largest;
    for (std::size_t k = 0; k < handles_.size(); ++k) attach(handles_[k], static_cast<int>(k));
  }

  void attach(handle& h, int rank) {
    h.how_ = how_;
    h.target_ = &target_;
    h.unit_ = unit_;
    const auto use = [&](auto& copies) {
      copies.reserve(rank + 1, target_.size, D);
      h.touched_ = copies.touched(rank);
      return copies.values(rank);
    };
    h.fixed_ = nullptr;
    h.wide_ = nullptr;
    if (how_ == strategy::fixed_point && bound_ > 0) {
      h.fixed_ = use(fixed_);
      (void)to_fixed(bound_, unit_, h.largest_);
    } else if (how_ == strategy::fixed_point) {
      h.wide_ = use(wide_);
    } else if (how_ != strategy::atomic && how_ != strategy::gather) {
      h.copy_ = use(floats_);
    }
  }

  template <class Number>
  void add_to_targets(std::size_t first, std::size_t count, const Number* v, double unit) {
    if (v == nullptr) return;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t d = 0; d < D; ++d) {
        T& t = target_.component[d][(first + k) * target_.stride];
        if constexpr (std::is_same_v<Number, T>) {
          t += v[k * D + d];
        } else {
          t = static_cast<T>(static_cast<double>(t) + static_cast<double>(v[k * D + d]) * unit);
        }
      }
    }
  }

  array_target<T, D> target_;
  strategy how_ = strategy::automatic;
  double bound_ = -1;
  int unit_ = 0;
  std::deque<handle> handles_;
  private_copies<T> floats_;
  private_copies<std::int64_t> fixed_;
  private_copies<int128> wide_;
  std::atomic<bool> overflow_{false};
};

}  // namespace accrue::detail
