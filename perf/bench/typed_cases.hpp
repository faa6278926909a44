// SPDX-License-Identifier: BSD-3-Clause
// The reductions that the suite `types` runs, for any of accrue's spaces. Device compilers see this too, since fuse is no part of
// the compiled library.
#pragma once

#include <accrue/accrue.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "accrue_contenders.hpp"
#include "typed_case.hpp"

namespace perf {

template <class Space>
class typed_case_list {
 public:
  std::vector<typed_case> all;

  template <class T>
  void add_floats(const char* type) {
    using R = accrue::total_t<T>;
    type_ = type;
    kind_ = input::uniform;
    add_fast<T>("fast sum", accrue::sum_of<T, R, accrue::fast_t>{});
    add<T>("ordered sum", accrue::sum_of<T, R, accrue::ordered_t>{});
    add<T>("min", accrue::min_of<T>{});
    add<T>("max", accrue::max_of<T>{});
    add<T>("argmin", accrue::argmin_of<T>{});
    add<T>("argmax", accrue::argmax_of<T>{});
    add<T>("fuse(sum, min, max)", accrue::fuse(accrue::sum_of<T>{}, accrue::min_of<T>{}, accrue::max_of<T>{}));
    add<T>("exact sum", accrue::sum_of<T>{});
    add<T>("exact sum of squares", accrue::sum_squares_of<T>{});
    add<T>("exact moments", accrue::moments_of<T>{});
    add_dot<T>("exact dot", accrue::dot_of<T>{});
    add_dot<T>("exact weighted mean", accrue::weighted_mean_of<T>{});
    kind_ = input::normal;
    add<T>("exact sum", accrue::sum_of<T>{});
    if constexpr (accrue::native_float<T>) {
      add<T>("exact sum of squares", accrue::sum_squares_of<T>{});
      add<T>("exact moments", accrue::moments_of<T>{});
      for (const input kind : {input::within_30, input::within_40, input::whole_range}) {
        kind_ = kind;
        add<T>("exact sum", accrue::sum_of<T>{});
      }
    }
  }
  template <class T>
  void add_integers(const char* type) {
    type_ = type;
    kind_ = input::uniform;
    add<T>("sum", accrue::sum_of<T>{});
    add<T>("min", accrue::min_of<T>{});
    add<T>("max", accrue::max_of<T>{});
    add<T>("argmin", accrue::argmin_of<T>{});
  }

 private:
  template <class T, class Run, class Agree, class R>
  void put(const char* what, R, Run run, Agree agree) {
    const input kind = kind_;
    all.push_back({.what = what,
                   .type = type_,
                   .kind = kind,
                   .element_bytes = sizeof(T),
                   .result_bytes = sizeof(R),
                   .fill = [kind](void* x, std::size_t n) { perf::fill(static_cast<T*>(x), n, kind); },
                   .run = run,
                   .agree = [agree](const void* a, const void* b,
                                    std::size_t n) { return agree(*static_cast<const R*>(a), *static_cast<const R*>(b), n); }});
  }
  template <class T, class Reducer>
  using result_of = decltype(accrue::reduce(accrue::default_host_space{}, std::span<const T>{}, Reducer{}));

  template <class T, class Reducer, class Agree>
  void put_reduction(const char* what, Reducer reducer, Agree agree) {
    using R = result_of<T, Reducer>;
    put<T>(
        what, R{},
        [reducer](const place& at, const void* x, std::size_t n, void* result) {
          accrue::reduce_into(space_at<Space>(at), accrue::view(static_cast<const T*>(x), n), reducer, static_cast<R*>(result));
        },
        agree);
  }
  template <class T, class Reducer>
  void add(const char* what, Reducer reducer) {
    put_reduction<T>(what, reducer, [](const auto& a, const auto& b, std::size_t) { return a == b; });
  }
  /// Fast sums of values of [0, 1): within twice sqrt(n) roundings of the sum of magnitudes, the sum itself.
  template <class T, class Reducer>
  void add_fast(const char* what, Reducer reducer) {
    put_reduction<T>(what, reducer, [](const auto& a, const auto& b, std::size_t n) {
      using R = std::decay_t<decltype(a)>;
      return std::fabs(static_cast<double>(a) - static_cast<double>(b)) <=
             2 * std::sqrt(static_cast<double>(n)) * static_cast<double>(std::numeric_limits<R>::epsilon()) *
                 static_cast<double>(b);
    });
  }
  /// The dot product of the two halves.
  template <class T, class Reducer>
  void add_dot(const char* what, Reducer reducer) {
    using R = accrue::total_t<T>;
    put<T>(
        what, R{},
        [reducer](const place& at, const void* x, std::size_t n, void* result) {
          const T* p = static_cast<const T*>(x);
          dot_into(space_at<Space>(at), p, p + n / 2, n / 2, reducer, static_cast<R*>(result));
        },
        [](const R& a, const R& b, std::size_t) { return a == b; });
  }

  const char* type_ = "";
  input kind_ = input::uniform;
};

template <class Space>
std::vector<typed_case> make_typed_cases() {
  typed_case_list<Space> list;
  list.template add_floats<double>("f64");
  list.template add_floats<float>("f32");
  list.template add_floats<accrue::half>("f16");
  list.template add_floats<accrue::bfloat16>("bf16");
  list.template add_integers<std::int64_t>("i64");
  list.template add_integers<std::int32_t>("i32");
  list.template add_integers<std::int16_t>("i16");
  list.template add_integers<std::int8_t>("i8");
  return std::move(list.all);
}

}  // namespace perf
