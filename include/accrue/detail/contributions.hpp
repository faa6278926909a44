// SPDX-License-Identifier: BSD-3-Clause
// Contributions to one array of targets from the threads of a host team: what each thread adds to, and how it all comes together.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include "accrue/detail/bounded_copies.hpp"
#include "accrue/detail/exact_adder.hpp"
#include "accrue/detail/exact_copies.hpp"
#include "accrue/detail/private_copies.hpp"
#include "accrue/detail/shares.hpp"
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

  /// All numbers, where they lie one after another, target by target; else null.
  [[nodiscard]] T* in_order() const {
    bool all = stride == D;
    for (std::size_t d = 0; d < D; ++d) all = all && component[d] == component[0] + d;
    return all ? component[0] : nullptr;
  }
};

/// What contributions are: numbers that add up. Integers wrap around, as atomic ones do.
template <class T>
concept accumulable = native_float<T> || (integer<T> && !std::is_same_v<T, bool>);
template <accumulable T>
constexpr T sum_of_two(T a, T b) {
  if constexpr (integer<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    return a + b;
  }
}

/// What a loop of contributions is compiled for: `fixed_point` without a bound and with one, to copies of the targets, and to themselves.
enum class addition : std::uint8_t { exact, bounded, copied, direct };

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
    static_assert(accumulable<T>, "accrue accumulates float, double and integers");
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
    static_assert(std::ranges::contiguous_range<X>,
                  "accrue accumulates into contiguous ranges, arrays of rank 1 and 2, vectors<T>, and one number: accrue::exact_total");
    auto* data = std::ranges::data(x);
    const std::size_t size = std::ranges::size(x);
    using element = std::remove_pointer_t<decltype(data)>;
    static_assert(!std::is_const_v<element>, "accrue accumulates into arrays that are not const");
    if (data == nullptr && size != 0) throw error(errc::null_data, "accrue::accumulate: null data");
    if constexpr (is_fixed_array<element>) {
      using T = typename element::value_type;
      static_assert(accumulable<T>, "accrue accumulates float, double and integers");
      array_target<T, std::tuple_size_v<element>> t{{}, size, std::tuple_size_v<element>};
      for (std::size_t d = 0; d < t.width && size != 0; ++d) t.component[d] = data->data() + d;
      return t;
    } else {
      static_assert(accumulable<element>,
                    "accrue accumulates float, double and integers; structs of them as std::array<T, 3>, or by array_of_structures");
      return array_target<element, 1>{{data}, size, 1};
    }
  }
}

/// What went wrong while adding, which is told at the end: adding must not throw out of a caller's parallel region.
struct contribution_faults {
  bool bad_index = false;
  std::size_t index = 0;
  bool bad_value = false;  ///< not one that the caller's bound allows

  void refuse(std::size_t j) {
    if (!bad_index) index = j;
    bad_index = true;
  }
  void join(const contribution_faults& more) {
    if (more.bad_index) refuse(more.index);
    bad_value = bad_value || more.bad_value;
  }
};

/// One thread's way of adding to the targets under `fixed_point` without a bound. A value, which a compiler keeps in registers; of a loop,
/// one that cannot be copied (exact_adder).
template <accumulable T, std::size_t D, bool checked, exact_copy::added_to what = exact_copy::added_to::any>
class exact_contributor {
 public:
  using value = std::array<T, D>;

  exact_contributor() = default;
  exact_contributor(exact_copy& copy, std::size_t targets, contribution_faults& faults)
      : copy_(copy), size_(targets), faults_(&faults) {}

  /// target[j] += v
  [[gnu::always_inline]] void add(std::size_t j, const value& v) {
    if constexpr (checked) {
      if (j >= size_) return faults_->refuse(j);
    }
    std::array<double, D> x;
    for (std::size_t d = 0; d < D; ++d) x[d] = widened(v[d]);
    copy_.add(j, x);
  }
  [[gnu::always_inline]] void add(std::size_t j, T x) requires(D == 1) { add(j, value{x}); }
  [[gnu::always_inline]] void add(std::size_t j, T x, T y, T z) requires(D == 3) { add(j, value{x, y, z}); }

  // For those who run the loop.
  void start_item(std::size_t) {}
  void flush() { copy_.flush(); }
  template <class F>
  void with_loops_own(const F& f) const {
    using to = exact_copy::added_to;
    const auto with = [&](auto only) {
      exact_contributor<T, D, checked, only.value> local(copy_.copy(), size_, *faults_);
      f(local);
    };
    switch (copy_.copy().what()) {
      case to::halves: return with(std::integral_constant<to, to::halves>());
      case to::counts: return with(std::integral_constant<to, to::counts>());
      default: return with(std::integral_constant<to, to::delayed_counts>());
    }
  }

 private:
  exact_adder<D, what> copy_;
  std::size_t size_ = 0;  // of the array of targets
  contribution_faults* faults_ = nullptr;
};

/// What contributors to one copy have in common where the caller states the largest contribution.
struct bounded_parts {
  bounded_copy* copy = nullptr;
  const bounded_units* units = nullptr;
  std::size_t targets = 0;
  contribution_faults* faults = nullptr;
};
/// The same where the caller states the largest contribution.
template <accumulable T, std::size_t D, bool checked>
class bounded_contributor {
 public:
  using value = std::array<T, D>;

  bounded_contributor() = default;
  explicit bounded_contributor(const bounded_parts& all) : copy_(*all.copy), units_(*all.units), all_(&all) {}

  /// target[j] += v
  [[gnu::always_inline]] void add(std::size_t j, const value& v) {
    if constexpr (checked) {
      if (j >= all_->targets) return all_->faults->refuse(j);
    }
    std::array<double, D> x;
    for (std::size_t d = 0; d < D; ++d) x[d] = widened(v[d]);
    if (!converts_to_nearest() || !units_.allowed().surely_hold(x)) [[unlikely]] return add_by_parts(*all_, j, v);
    std::array<std::int64_t, D> counts;
    if constexpr (D == 3) {  // compilers leave a loop at -O2
      counts = {units_.count_directly(x[0]), units_.count_directly(x[1]), units_.count_directly(x[2])};
    } else {
      for (std::size_t d = 0; d < D; ++d) counts[d] = units_.count_directly(x[d]);
    }
    copy_.add(j, counts);
  }
  [[gnu::always_inline]] void add(std::size_t j, T x) requires(D == 1) { add(j, value{x}); }
  [[gnu::always_inline]] void add(std::size_t j, T x, T y, T z) requires(D == 3) { add(j, value{x, y, z}); }

  // For those who run the loop.
  void start_item(std::size_t) {}
  void flush() { copy_.template flush<D>(); }

 private:
  // Not of what a loop adds with, so that this stays in registers.
  [[gnu::noinline]] static void add_by_parts(const bounded_parts& all, std::size_t j, const value& v) {
    std::array<std::int64_t, D> counts;
    bool good = true;
    for (std::size_t d = 0; d < D; ++d) good = all.units->count(widened(v[d]), counts[d]) && good;
    bounded_copy::adder(*all.copy).add(j, counts);
    if (!good) all.faults->bad_value = true;
  }

  bounded_copy::adder copy_;
  bounded_units units_;
  const bounded_parts* all_ = nullptr;
};

/// The same in a copy of the targets, integers too.
template <accumulable T, std::size_t D, bool checked>
class copied_contributor {
 public:
  using value = std::array<T, D>;

  copied_contributor() = default;
  copied_contributor(std::size_t targets, T* copy, bool* touched, contribution_faults& faults)
      : copy_(copy), touched_(touched), size_(targets), faults_(&faults) {}

  /// target[j] += v
  [[gnu::always_inline]] void add(std::size_t j, const value& v) {
    if constexpr (checked) {
      if (j >= size_) return faults_->refuse(j);
    }
    touched_[j / private_copies<T>::group] = true;
    for (std::size_t d = 0; d < D; ++d) copy_[j * D + d] = sum_of_two(copy_[j * D + d], v[d]);
  }
  [[gnu::always_inline]] void add(std::size_t j, T x) requires(D == 1) { add(j, value{x}); }
  [[gnu::always_inline]] void add(std::size_t j, T x, T y, T z) requires(D == 3) { add(j, value{x, y, z}); }

  // For those who run the loop.
  void start_item(std::size_t) {}

 private:
  T* copy_ = nullptr;
  bool* touched_ = nullptr;
  std::size_t size_ = 0;
  contribution_faults* faults_ = nullptr;
};

/// The same under `atomic` and `gather`, integers too.
template <accumulable T, std::size_t D, bool checked>
class direct_contributor {
 public:
  using value = std::array<T, D>;

  direct_contributor() = default;
  direct_contributor(bool atomic, const array_target<T, D>& target, contribution_faults& faults)
      : atomic_(atomic), target_(&target), faults_(&faults) {}

  /// target[j] += v
  [[gnu::always_inline]] void add(std::size_t j, const value& v) {
    if constexpr (checked) {
      if (j >= target_->size) return faults_->refuse(j);
    }
    if (atomic_) {
      for (std::size_t d = 0; d < D; ++d) {
        std::atomic_ref<T>(target_->component[d][j * target_->stride]).fetch_add(v[d], std::memory_order_relaxed);
      }
    } else {
      if (j != item_ && item_ != any_item) [[unlikely]] return faults_->refuse(j);
      for (std::size_t d = 0; d < D; ++d) {
        T& t = target_->component[d][j * target_->stride];
        t = sum_of_two(t, v[d]);
      }
    }
  }
  [[gnu::always_inline]] void add(std::size_t j, T x) requires(D == 1) { add(j, value{x}); }
  [[gnu::always_inline]] void add(std::size_t j, T x, T y, T z) requires(D == 3) { add(j, value{x, y, z}); }

  // For those who run the loop: contributions to other targets than i are refused from now on.
  void start_item(std::size_t i) { item_ = i; }

 private:
  static constexpr std::size_t any_item = ~std::size_t{0};  // a loop of the caller's

  bool atomic_ = false;
  const array_target<T, D>* target_ = nullptr;
  std::size_t item_ = any_item;
  contribution_faults* faults_ = nullptr;
};

/// One thread's way of adding to the targets, whatever the strategy. Not to be shared between threads. Its copies add as it does.
template <class T, std::size_t D, bool checked>
class contributor {
 public:
  using value = std::array<T, D>;

  /// target[j] += v
  [[gnu::always_inline]] void add(std::size_t j, const value& v) {
    if constexpr (native_float<T>) {
      if (way_ == addition::exact) return exact_.add(j, v);
      if (way_ == addition::bounded) return to_bounded_.add(j, v);
    }
    if (way_ == addition::copied) return to_copy_.add(j, v);
    direct_.add(j, v);
  }
  [[gnu::always_inline]] void add(std::size_t j, T x) requires(D == 1) { add(j, value{x}); }
  [[gnu::always_inline]] void add(std::size_t j, T x, T y, T z) requires(D == 3) { add(j, value{x, y, z}); }

  // For those who run the loop.
  /// Adds what is still held back. Before copies are merged.
  void flush() {
    if constexpr (native_float<T>) {
      exact_.flush();
      to_bounded_.flush();
    }
  }
  /// What went wrong since this was asked last.
  contribution_faults faults() { return std::exchange(faults_, {}); }

 private:
  template <class, std::size_t, bool>
  friend class contributions;
  struct nothing {};

  contribution_faults faults_;  ///< of it, and of its copies
  bounded_parts bounded_;       ///< the same
  addition way_ = addition::copied;
  copied_contributor<T, D, checked> to_copy_;
  direct_contributor<T, D, checked> direct_;
  std::conditional_t<native_float<T>, exact_contributor<T, D, checked>, nothing> exact_;
  std::conditional_t<native_float<T>, bounded_contributor<T, D, checked>, nothing> to_bounded_;
};

/// The contributions of a team to one array of targets.
template <class T, std::size_t D, bool checked>
class contributions {
 public:
  using handle = contributor<T, D, checked>;
  /// What a loop's body is called with, among others.
  using loops_handle =
      typename std::conditional_t<native_float<T>, std::type_identity<exact_contributor<T, D, checked, exact_copy::added_to::halves>>,
                                  std::type_identity<copied_contributor<T, D, checked>>>::type;

  explicit contributions(const array_target<T, D>& target) : target_(target) {}
  contributions(const contributions&) = delete;
  contributions& operator=(const contributions&) = delete;

  /// Makes handles for `threads` threads. `largest`: of a contribution of fixed_point, where the caller says it, else 0.
  void start(int threads, strategy how, double largest) {
    if (how != how_) {
      how_ = how;
      bounded_ = exactly() && largest != 0;
      if (bounded_) units_ = bounded_units(largest);
      try {
        for (std::size_t k = 0; k < handles_.size(); ++k) attach(handles_[k], static_cast<int>(k));
      } catch (...) {
        how_ = strategy::automatic;  // so that they are attached when this is tried again
        throw;
      }
    }
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

  static constexpr bool in_several_ways = native_float<T>;  ///< exact ones
  /// Calls f with a value that adds as the handle of a thread does, for a loop of contributions; `in_one_way`: which is compiled for each
  /// of the ways in which exact ones are added.
  template <addition way, bool in_one_way, class F>
  void with_local(int rank, const F& f) {
    const auto with = [&](auto local) { f(local); };
    handle& h = of(rank);
    if constexpr (way == addition::exact && native_float<T> && in_one_way) {
      h.exact_.with_loops_own(f);
    } else if constexpr (way == addition::exact && native_float<T>) {
      with(h.exact_);
    } else if constexpr (way == addition::bounded && native_float<T>) {
      with(h.to_bounded_);
    } else if constexpr (way == addition::direct) {
      with(h.direct_);
    } else {
      with(h.to_copy_);
    }
  }

  [[nodiscard]] std::size_t groups() const { return (target_.size + private_copies<T>::group - 1) / private_copies<T>::group; }
  [[nodiscard]] std::size_t bytes() const { return copies_.bytes() + exact_.bytes() + integers_.bytes(); }

  /// Adds one thread's copy to the targets: in a critical section. Returns the bytes read.
  std::size_t merge_copy(int rank) {
    return copies_.merge_copy(rank, [this](std::size_t first, std::size_t count, const T* v) { add_to_targets(first, count, v); });
  }
  /// Adds the copies of some groups to the targets. Returns the bytes read.
  std::size_t merge_groups(share groups) {
    std::size_t bytes = 0;
    for (std::size_t g = groups.begin; g < groups.end; ++g) {
      if (exactly()) {
        if constexpr (native_float<T>) bytes += bounded_ ? merge_bounded(g) : merge_exact(g);
      } else {
        bytes += copies_.merge_group(g, sum_of_two<T>,
                                     [this](std::size_t first, std::size_t count, const T* v) { add_to_targets(first, count, v); });
      }
    }
    return bytes;
  }

  /// Throws what went wrong, once everything is merged.
  void check(const char* call) {
    contribution_faults all;
    for (handle& h : handles_) all.join(h.faults());
    const bool had_memory = bounded_ ? integers_.finish() : exact_.finish();
    if (all.bad_index) {
      throw error(errc::out_of_range,
                  std::string("accrue::") + call + ": a contribution to target " + std::to_string(static_cast<std::ptrdiff_t>(all.index)) +
                      (how_ == strategy::gather && all.index < target_.size ? " from another work item, which `gather` does not allow"
                                                                            : " of an array of " + std::to_string(target_.size)));
    }
    if (all.bad_value) {
      throw error(errc::out_of_range, std::string("accrue::") + call +
                                          ": a contribution that is no number, larger than `largest`, or too small for 2^-61 of that");
    }
    if (!had_memory) throw error(errc::out_of_memory, std::string("accrue::") + call + ": no memory for the contributions of fixed_point");
  }

 private:
  [[nodiscard]] bool exactly() const { return native_float<T> && how_ == strategy::fixed_point; }
  T& number(std::size_t j, std::size_t d) { return target_.component[d][j * target_.stride]; }

  void attach(handle& h, int rank) {
    h = {};
    if (exactly()) {
      if constexpr (native_float<T>) {
        const auto thread = static_cast<std::size_t>(rank);
        h.way_ = bounded_ ? addition::bounded : addition::exact;
        if (bounded_) {
          h.bounded_ = {&integers_.of(thread, target_.size, D), &units_, target_.size, &h.faults_};
          h.to_bounded_ = bounded_contributor<T, D, checked>(h.bounded_);
        } else {
          h.exact_ = {exact_.of(thread, target_.size, D), target_.size, h.faults_};
        }
      }
    } else if (how_ == strategy::atomic || how_ == strategy::gather) {
      h.way_ = addition::direct;
      h.direct_ = {how_ == strategy::atomic, target_, h.faults_};
    } else {
      copies_.reserve(rank + 1, target_.size, D);
      h.way_ = addition::copied;
      h.to_copy_ = {target_.size, copies_.values(rank), copies_.touched(rank), h.faults_};
    }
  }

  /// Calls f with targets `first` and the next of a group, as one array, of which it keeps what f leaves there. In numbers, not targets.
  template <class F>
  void with_numbers(std::size_t first, std::size_t size, const F& f) {
    if (T* const all = target_.in_order(); all != nullptr) return f(all + first);
    std::array<T, private_copies<T>::group> moved;
    for (std::size_t k = 0; k < size; ++k) moved[k] = number((first + k) / D, (first + k) % D);
    f(moved.data());
    for (std::size_t k = 0; k < size; ++k) number((first + k) / D, (first + k) % D) = moved[k];
  }
  std::size_t merge_exact(std::size_t g) {
    return exact_.merge_group(g, target_.size, D,
                              [this](std::size_t first, std::size_t size, const auto& f) { this->with_numbers(first, size, f); });
  }
  std::size_t merge_bounded(std::size_t g) {
    return integers_.merge_group(g, [this](std::size_t first, const auto* sums, std::size_t size) {
      this->with_numbers(first, size, [&](T* t) { units_.add_to(t, sums, size); });
    });
  }
  void add_to_targets(std::size_t first, std::size_t count, const T* v) {
    if (v == nullptr) return;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t d = 0; d < D; ++d) number(first + k, d) = sum_of_two(number(first + k, d), v[k * D + d]);
    }
  }

  array_target<T, D> target_;
  strategy how_ = strategy::automatic;
  std::deque<handle> handles_;
  private_copies<T> copies_;
  exact_copies exact_;
  bounded_copies integers_;
  bounded_units units_;
  bool bounded_ = false;
};

}  // namespace accrue::detail
