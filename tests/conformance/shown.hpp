// SPDX-License-Identifier: BSD-3-Clause
// Results as text, bit by bit, to be compared.
#pragma once

#include <accrue/accrue.hpp>
#include <string>
#include <tuple>

#include "golden/bits.hpp"

namespace test {

template <class T>
std::string shown(const T& v) {
  return bits(v);
}
template <class T>
std::string shown(const accrue::position<T>& p) {
  return bits(p.value) + " at " + std::to_string(p.index);
}
template <class T>
std::string shown(const accrue::moments_result<T>& m) {
  return std::to_string(m.count) + " " + bits(m.mean) + " " + bits(m.variance) + " " + bits(m.population_variance) + " " +
         bits(m.standard_deviation);
}
template <class T>
std::string shown(const accrue::minmax_result<T>& m) {
  return bits(m.min) + " " + bits(m.max);
}
template <class T>
std::string shown(const accrue::minmax_positions<T>& m) {
  return shown(m.min) + " " + shown(m.max);
}
template <class... T>
std::string shown(const std::tuple<T...>& t) {
  return std::apply([](const T&... v) { return ((shown(v) + "; ") + ...); }, t);
}

}  // namespace test
