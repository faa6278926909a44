// SPDX-License-Identifier: BSD-3-Clause
// accrue's own contenders, on any of its spaces.
#pragma once

#include <accrue/accrue.hpp>

#include "contender.hpp"

namespace perf {

template <class Space>
Space space_at(const place& at) {
  Space space;
  if constexpr (accrue::asynchronous_space<Space>) {
    space.stream = static_cast<decltype(space.stream)>(at.stream);
  } else if constexpr (requires { space.threads; }) {
    space.threads = at.threads;
  }
  return space;
}

/// *result = the dot product, in the space's memory.
template <class Space, class T, class Reducer, class Result>
void dot_into(const Space& space, const T* x, const T* y, std::size_t n, const Reducer& reducer, Result* result) {
  using accrue::detail::carried;
  const auto pairs = accrue::detail::zip(carried(accrue::view(x, n)), carried(accrue::view(y, n)), "dot");
  if constexpr (accrue::asynchronous_space<Space>) {
    reduce_range_into(space, reducer, pairs, result);
  } else {
    *result = accrue::detail::run(space, reducer, pairs);
  }
}

template <class Space, class T>
void add_accrue(std::vector<contender<T>>& all) {
  const auto put = [&](const char* name, operation what, auto reducer) {
    all.push_back({.name = name, .what = what, .run = [reducer](const place& at, const T* x, const T*, std::size_t n, T* result) {
                     accrue::reduce_into(space_at<Space>(at), accrue::view(x, n), reducer, result);
                   }});
  };
  const auto put_dot = [&](const char* name, auto reducer) {
    all.push_back(
        {.name = name, .what = operation::dot, .run = [reducer](const place& at, const T* x, const T* y, std::size_t n, T* result) {
           dot_into(space_at<Space>(at), x, y, n, reducer, result);
         }});
  };
  put("accrue exact", operation::sum, accrue::sum_of<T>{});
  put("accrue ordered", operation::sum, accrue::sum_of<T, T, accrue::ordered_t>{});
  put("accrue fast", operation::sum, accrue::sum_of<T, T, accrue::fast_t>{});
  put_dot("accrue exact", accrue::dot_of<T>{});
  put_dot("accrue fast", accrue::dot_of<T, T, accrue::fast_t>{});
  put("accrue exact", operation::sum_abs, accrue::sum_abs_of<T>{});
  put("accrue fast", operation::sum_abs, accrue::sum_abs_of<T, T, accrue::fast_t>{});
  put("accrue", operation::min, accrue::min_of<T>{});
}

}  // namespace perf
