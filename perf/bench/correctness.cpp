// SPDX-License-Identifier: BSD-3-Clause
#include "correctness.hpp"

#include <accrue/superaccumulator.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "inputs.hpp"
#include "oracle.hpp"

namespace perf {

namespace {

template <class T>
T minimum(const std::vector<T>& x) {
  T least = std::numeric_limits<T>::infinity();
  for (const T v : x) {
    if (std::isnan(v)) return std::numeric_limits<T>::quiet_NaN();
    if (v < least || (v == least && std::signbit(v))) least = v;
  }
  return least;
}

template <class T>
correctness_case<T> make(std::string name, std::vector<T> x, std::vector<T> y = {}) {
  if (y.empty()) y.assign(x.size(), T(1));
  test::oracle sum;
  test::oracle dot;
  test::oracle sum_abs;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.add(static_cast<double>(x[i]));
    dot.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
    sum_abs.add(std::fabs(static_cast<double>(x[i])));
  }
  const T least = minimum(x);
  return {std::move(name), std::move(x), std::move(y), sum.round<T>(), dot.round<T>(), sum_abs.round<T>(), least};
}

/// Sums and dot products of which all but the last part cancels: the condition number is above 10^10 for floats, 10^25 for doubles.
template <class T>
correctness_case<T> ill_conditioned(std::size_t n) {
  const int bits = sizeof(T) == 8 ? 40 : 17;
  std::vector<T> x(n);
  std::vector<T> y(n);
  const std::size_t half = n / 2 - 64;
  for (std::size_t i = 0; i < n; ++i) {
    const T small = input_at<T>(i, input::normal);
    if (i < 2 * half) {
      const std::size_t k = i % half;
      const T large =
          std::ldexp(input_at<T>(k, input::normal), static_cast<int>(mix(k) % static_cast<unsigned>(2 * bits)) - bits / 2);
      x[i] = i < half ? large : -large;
      y[i] = input_at<T>(k, input::uniform);
    } else {
      x[i] = std::ldexp(small, -bits);
      y[i] = T(1);
    }
  }
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) { return mix(a + 77) < mix(b + 77); });
  std::vector<T> mixed_x(n);
  std::vector<T> mixed_y(n);
  for (std::size_t i = 0; i < n; ++i) {
    mixed_x[i] = x[order[i]];
    mixed_y[i] = y[order[i]];
  }
  return make<T>("ill-conditioned", std::move(mixed_x), std::move(mixed_y));
}

template <class T>
std::vector<T> drawn(std::size_t n, input kind, std::uint64_t from = 0) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = input_at<T>(from + i, kind);
  return x;
}

template <class T>
std::vector<correctness_case<T>> make_all() {
  constexpr std::size_t n = std::size_t{1} << 18;
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T large = sizeof(T) == 8 ? T(1e300) : T(1e37);
  const T largest = std::numeric_limits<T>::max() / 2 * T(1.5);
  std::vector<T> ones(4096, T(1));
  const auto with = [&](std::initializer_list<T> special) {
    std::vector<T> x = ones;
    std::size_t at = 1000;
    for (const T v : special) x[at++] = v;
    return x;
  };
  std::vector<T> subnormal(4096);
  for (std::size_t i = 0; i < subnormal.size(); ++i) {
    subnormal[i] = std::numeric_limits<T>::denorm_min() * static_cast<T>(static_cast<int>(mix(i) % 2001) - 900);
  }
  std::vector<T> cancelled(4096, T(1e-3));
  cancelled[0] = T(1e10);
  cancelled[1] = T(-1e10);
  std::vector<T> signed_zeros(4096, T(0));
  signed_zeros[17] = -T(0);
  std::vector<correctness_case<T>> all;
  all.push_back(make<T>("uniform", drawn<T>(n, input::uniform), drawn<T>(n, input::uniform, n)));
  all.push_back(make<T>("normal", drawn<T>(n, input::normal), drawn<T>(n, input::normal, n)));
  all.push_back(make<T>("exponents +-30", drawn<T>(n, input::within_30)));
  all.push_back(ill_conditioned<T>(n));
  all.push_back(make<T>("1e10, -1e10, many 1e-3", cancelled));
  all.push_back(make<T>("a million zeros", std::vector<T>(1000000, T(0))));
  all.push_back(make<T>("+0 and -0", signed_zeros));
  all.push_back(make<T>("subnormal", subnormal));
  all.push_back(make<T>("four large", std::vector<T>(4, large)));
  all.push_back(make<T>("overflow on the way", {largest, largest, -largest}));
  all.push_back(make<T>("ones and Inf", with({inf})));
  all.push_back(make<T>("Inf and -Inf", with({inf, -inf})));
  all.push_back(make<T>("ones and NaN", with({nan})));
  return all;
}

/// Shares of a range for the threads, each with an accumulator of its own.
template <class T, class Take>
accrue::superaccumulator<T> accumulated(std::size_t n, const Take& take) {
  accrue::superaccumulator<T> total;
#pragma omp parallel
  {
    accrue::superaccumulator<T> mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; ++i) take(mine, i);
#pragma omp critical
    total += mine;
  }
  return total;
}

}  // namespace

template <class T>
T correctness_case<T>::result_of(operation what) const {
  return what == operation::sum ? sum : what == operation::dot ? dot : what == operation::sum_abs ? sum_abs : min;
}

template <class T>
const std::vector<correctness_case<T>>& correctness_cases() {
  static const auto all = make_all<T>();
  return all;
}

template <class T>
T exact_result(operation what, const T* x, const T* y, std::size_t n) {
  using sum = accrue::superaccumulator<T>;
  switch (what) {
    case operation::dot:
      return accumulated<T>(n, [&](sum& s, std::size_t i) { s.add_product(x[i], y[i]); }).template round<T>();
    case operation::sum_abs:
      return accumulated<T>(n, [&](sum& s, std::size_t i) { s.add(std::fabs(x[i])); }).template round<T>();
    case operation::min:
      return *std::min_element(x, x + n);
    default:
      return accumulated<T>(n, [&](sum& s, std::size_t i) { s.add(x[i]); }).template round<T>();
  }
}

template <class T>
double likely_error(operation what, const T* x, const T* y, std::size_t n) {
  double magnitude = 0;
#pragma omp parallel for reduction(+ : magnitude)
  for (std::size_t i = 0; i < n; ++i) {
    magnitude += std::fabs(static_cast<double>(x[i]) * (what == operation::dot ? static_cast<double>(y[i]) : 1.0));
  }
  return 2 * std::sqrt(static_cast<double>(n)) * static_cast<double>(std::numeric_limits<T>::epsilon()) * magnitude;
}

template <class T>
double error_ulp(T got, T expected) {
  if (std::isnan(got) && std::isnan(expected)) return 0;
  if (got == expected && std::signbit(got) == std::signbit(expected)) return 0;
  if (!std::isfinite(got) || !std::isfinite(expected) || expected == 0) return -1;
  const T magnitude = std::fabs(expected);
  const T ulp = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return static_cast<double>(std::fabs((static_cast<long double>(got) - expected) / ulp));
}

template struct correctness_case<float>;
template struct correctness_case<double>;
template const std::vector<correctness_case<float>>& correctness_cases();
template const std::vector<correctness_case<double>>& correctness_cases();
template float exact_result(operation, const float*, const float*, std::size_t);
template double exact_result(operation, const double*, const double*, std::size_t);
template double likely_error(operation, const float*, const float*, std::size_t);
template double likely_error(operation, const double*, const double*, std::size_t);
template double error_ulp(float, float);
template double error_ulp(double, double);

}  // namespace perf
