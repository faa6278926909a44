// SPDX-License-Identifier: BSD-3-Clause
// The general calls of accrue.h: arrays of any rank and strides, masks, lines, segments, guarantees and wide results, each against the C++
// call on a copy of the elements.
#include <accrue/accrue.h>
#include <accrue/accrue.hpp>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstring>
#include <memory>
#include <vector>

#include "golden/bits.hpp"
#include "golden/random.hpp"

using namespace test;

namespace {

std::uint64_t next_seed() {
  static std::uint64_t count = 0;
  return Catch::getSeed() * 1000003ull + ++count;
}

struct destroy {
  void operator()(accrue_space* s) const { accrue_space_destroy(s); }
};
using space_handle = std::unique_ptr<accrue_space, destroy>;
std::vector<space_handle> spaces() {
  std::vector<space_handle> all;
  for (const int threads : {0, 1, 3}) {
    accrue_space* s = nullptr;
    REQUIRE(accrue_space_create_threads(threads == 1 ? "serial" : nullptr, threads, &s) == ACCRUE_OK);
    all.emplace_back(s);
  }
  return all;
}

template <class T>
struct kind;
template <>
struct kind<double> {
  static constexpr accrue_type type = ACCRUE_F64;
};
template <>
struct kind<float> {
  static constexpr accrue_type type = ACCRUE_F32;
};
template <>
struct kind<accrue::half> {
  static constexpr accrue_type type = ACCRUE_F16;
};
template <>
struct kind<accrue::bfloat16> {
  static constexpr accrue_type type = ACCRUE_BF16;
};
template <>
struct kind<std::int16_t> {
  static constexpr accrue_type type = ACCRUE_I16;
};
template <>
struct kind<std::int32_t> {
  static constexpr accrue_type type = ACCRUE_I32;
};
template <>
struct kind<std::uint8_t> {
  static constexpr accrue_type type = ACCRUE_U8;
};

template <class T>
T element_of(std::uint64_t seed, std::size_t i) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random_bits(seed, i));
  } else {
    return element<T>(distribution::wide, seed, i, 1000);
  }
}

/// An array of random rank, extents, order in memory and directions, and copies of its elements.
template <class T>
struct example {
  accrue_array array{};
  std::vector<T> memory;
  std::vector<T> elements;            ///< in order
  std::vector<std::vector<T>> lines;  ///< along `dimension`
  int dimension = 0;
  std::vector<std::size_t> line_of;

  explicit example(std::uint64_t seed, const example<double>* shape_of = nullptr) {
    std::uint64_t draw = 0;
    const auto below = [&](std::uint64_t n) { return random_bits(seed, 1000000 + draw++) % n; };
    array.type = kind<T>::type;
    array.rank = shape_of != nullptr ? shape_of->array.rank : 1 + static_cast<int>(below(5));
    for (int d = 0; d < array.rank; ++d) {
      array.extents[d] = shape_of != nullptr ? shape_of->array.extents[d]
                                             : static_cast<std::int64_t>(1 + below(array.rank == 1 ? 20000 : 11));
    }
    std::vector<int> order;
    for (int d = 0; d < array.rank; ++d)
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(below(static_cast<std::uint64_t>(d) + 1)), d);
    std::int64_t stride = 1 + static_cast<std::int64_t>(below(2));
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (const int d : order) {
      array.strides[d] = below(4) == 0 ? -stride : stride;
      (array.strides[d] < 0 ? lowest : highest) += array.strides[d] * (array.extents[d] - 1);
      stride *= array.extents[d] + static_cast<std::int64_t>(below(2));
    }
    for (std::int64_t i = 0; i <= highest - lowest; ++i) memory.push_back(element_of<T>(seed, static_cast<std::size_t>(i)));
    array.data = memory.data() - lowest;
    dimension = static_cast<int>(below(static_cast<std::uint64_t>(array.rank)));
    std::int64_t size = 1;
    for (int d = 0; d < array.rank; ++d) size *= array.extents[d];
    lines.resize(static_cast<std::size_t>(size / array.extents[dimension]));
    for (std::int64_t i = 0; i < size; ++i) {
      std::int64_t rest = i;
      std::int64_t at = 0;
      std::int64_t line = 0;
      std::int64_t lines_each = 1;
      for (int d = array.rank - 1; d >= 0; --d) {
        const std::int64_t index = rest % array.extents[d];
        rest /= array.extents[d];
        at += index * array.strides[d];
        if (d == dimension) continue;
        line += index * lines_each;
        lines_each *= array.extents[d];
      }
      const T v = static_cast<const T*>(array.data)[at];
      elements.push_back(v);
      line_of.push_back(static_cast<std::size_t>(line));
      lines[static_cast<std::size_t>(line)].push_back(v);
    }
  }
  example(const example&) = delete;
};

template <class R>
std::string text_of(const R& r) {
  if constexpr (requires { r.standard_deviation; }) {
    return std::to_string(r.count) + bits(r.mean) + bits(r.variance) + bits(r.population_variance) + bits(r.standard_deviation);
  } else if constexpr (requires { r.min.index; }) {
    return text_of(r.min) + text_of(r.max);
  } else if constexpr (requires { r.index; }) {
    return bits(r.value) + "@" + std::to_string(r.index);
  } else if constexpr (requires { r.exponent; }) {
    return bits(r.significand) + "e" + std::to_string(r.exponent);
  } else {
    return bits(r);
  }
}

/// What a C call gives for the place of its result, as text or as its status; and what the C++ call gives.
template <class R, class Call>
std::string c_result(const Call& call) {
  R r{};
  const accrue_status status = call(&r);
  return status == ACCRUE_OK ? text_of(r) : "status " + std::to_string(status);
}
template <class Call>
std::string cpp_result(const Call& call) {
  try {
    return text_of(call());
  } catch (const accrue::error& e) {
    return "status " + std::to_string(static_cast<int>(e.code()));
  }
}

/// One operation, in every form, of x, under its mask, and of its lines and segments. `call(range)` is the C++ call.
template <class T, class Call>
void check(accrue_operation operation, const example<T>& x, const example<std::uint8_t>* mask, const accrue_options& asked,
           const Call& call) {
  using R = decltype(call(x.elements));
  accrue_options options = asked;
  std::size_t bytes = 0;
  REQUIRE(accrue_result_size(operation, x.array.type, &options, &bytes) == ACCRUE_OK);
  REQUIRE(bytes == sizeof(R));
  if (mask != nullptr) options.mask = &mask->array;
  std::vector<std::uint8_t> flags(x.elements.size(), 1);
  if (mask != nullptr) flags = mask->elements;
  for (const auto& space : spaces()) {
    const std::string expected =
        mask == nullptr ? cpp_result([&] { return call(x.elements); }) : cpp_result([&] { return call(accrue::where(x.elements, flags)); });
    CHECK(c_result<R>([&](R* r) { return accrue_reduce(space.get(), operation, &x.array, nullptr, &options, r); }) == expected);

    std::vector<R> results(x.lines.size());
    const accrue_status status = accrue_reduce_along(space.get(), operation, &x.array, nullptr, x.dimension, &options, results.data());
    bool some_fail = false;
    for (std::size_t k = 0; k < results.size(); ++k) {
      std::vector<std::uint8_t> line_flags;
      for (std::size_t i = 0; i < flags.size(); ++i) {
        if (x.line_of[i] == k) line_flags.push_back(flags[i]);
      }
      const std::string line = mask == nullptr ? cpp_result([&] { return call(x.lines[k]); })
                                               : cpp_result([&] { return call(accrue::where(x.lines[k], line_flags)); });
      some_fail = some_fail || line.starts_with("status");
      if (status == ACCRUE_OK && text_of(results[k]) != line) FAIL("line " << k << ": " << text_of(results[k]) << " is not " << line);
    }
    CHECK((status != ACCRUE_OK) == some_fail);
  }
}

/// A C++ call that takes no masks, which `check` does not ask of it then.
template <class Call>
struct unmasked {
  Call call;
  explicit unmasked(const Call& c) : call(c) {}
  template <class X>
  auto operator()(const X& x) const {
    if constexpr (requires { x.data(); }) {
      return call(x);
    } else {
      return decltype(call(std::vector<typename X::element>{})){};
    }
  }
};

/// Without a mask and with one.
template <class T, class Call>
void check_masks(accrue_operation operation, const example<T>& x, const example<std::uint8_t>& mask, const Call& call) {
  check(operation, x, nullptr, {}, call);
  check(operation, x, &mask, {}, call);
}

}  // namespace

TEMPLATE_TEST_CASE("arrays of any strides, masks and lines give what C++ gives", "[c]", double, float, accrue::half, std::int32_t) {
  using T = TestType;
  const accrue::serial s;
  for (int turn = 0; turn < 6; ++turn) {
    const example<double> shape(next_seed());
    const example<T> x(next_seed(), &shape);
    example<std::uint8_t> mask(next_seed(), &shape);
    for (std::size_t i = 0; i < mask.memory.size(); ++i) mask.memory[i] = mask.memory[i] % 3;
    for (std::size_t i = 0; i < mask.elements.size(); ++i) mask.elements[i] = mask.elements[i] % 3;
    INFO("rank " << x.array.rank << ", " << x.elements.size() << " elements, along " << x.dimension);
    check_masks(ACCRUE_SUM, x, mask, [&](const auto& v) { return accrue::sum(s, v); });
    check_masks(ACCRUE_NORM2, x, mask, [&](const auto& v) { return accrue::norm2(s, v); });
    check_masks(ACCRUE_MOMENTS, x, mask, [&](const auto& v) { return accrue::moments(s, v); });
    check_masks(ACCRUE_MIN, x, mask, [&](const auto& v) { return accrue::min(s, v); });
    check_masks(ACCRUE_ARGMAX, x, mask, [&](const auto& v) { return accrue::argmax(s, v); });
    check_masks(ACCRUE_ARGMINMAX, x, mask, [&](const auto& v) { return accrue::argminmax(s, v); });
    check(ACCRUE_SCALED_PRODUCT, x, nullptr, {}, unmasked([&](const auto& v) { return accrue::scaled_product(s, v); }));
    if constexpr (!std::is_integral_v<T>) {
      accrue_options ordered{};
      ordered.guarantee = ACCRUE_ORDERED;
      check(ACCRUE_SUM, x, nullptr, ordered, unmasked([&](const auto& v) { return accrue::sum(s, v, accrue::ordered); }));
    }
    if constexpr (!std::is_same_v<T, double>) {
      accrue_options wide{};
      wide.wide_result = 1;
      check(ACCRUE_SUM, x, nullptr, wide, [&](const auto& v) { return accrue::sum<double>(s, v); });
      check(ACCRUE_SUM, x, &mask, wide, [&](const auto& v) { return accrue::sum<double>(s, v); });
    }
  }
}

TEST_CASE("dots and weighted means of two strided arrays", "[c]") {
  const accrue::serial s;
  for (int turn = 0; turn < 20; ++turn) {
    const example<double> x(next_seed());
    const example<double> y(next_seed(), &x);
    for (const auto& space : spaces()) {
      double dot = 0;
      REQUIRE(accrue_reduce(space.get(), ACCRUE_DOT, &x.array, &y.array, nullptr, &dot) == ACCRUE_OK);
      CHECK(bits(dot) == bits(accrue::dot(s, x.elements, y.elements)));
      accrue_scaled p{};
      REQUIRE(accrue_reduce(space.get(), ACCRUE_SCALED_PRODUCT_DIFFERENCE, &x.array, &y.array, nullptr, &p) == ACCRUE_OK);
      const auto expected = accrue::scaled_product_difference(s, x.elements, y.elements);
      CHECK((bits(p.significand) == bits(expected.significand) && p.exponent == expected.exponent));
      std::vector<double> means(x.lines.size());
      REQUIRE(accrue_reduce_along(space.get(), ACCRUE_WEIGHTED_MEAN, &x.array, &y.array, x.dimension, nullptr, means.data()) == ACCRUE_OK);
      for (std::size_t k = 0; k < means.size(); ++k) {
        std::vector<double> weights;
        for (std::size_t i = 0; i < y.elements.size(); ++i) {
          if (x.line_of[i] == k) weights.push_back(y.elements[i]);
        }
        if (bits(means[k]) != bits(accrue::weighted_mean(s, x.lines[k], weights))) FAIL("line " << k);
      }
    }
  }
}

TEST_CASE("segments of a strided vector", "[c]") {
  const auto seed = next_seed();
  std::vector<float> x(30000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = element<float>(distribution::log_uniform, seed, i, x.size());
  const accrue_array every_third = accrue_strided_vector(ACCRUE_F32, x.data() + x.size() - 1, 10000, -3);
  std::vector<std::int64_t> offsets{0, 0};
  while (offsets.back() < 9000) offsets.push_back(offsets.back() + static_cast<std::int64_t>(random_bits(seed + 1, offsets.size()) % 500));
  offsets.push_back(10000);
  const std::size_t count = offsets.size() - 1;
  for (const auto& space : spaces()) {
    std::vector<float> sums(count);
    REQUIRE(accrue_reduce_segments(space.get(), ACCRUE_SUM, &every_third, nullptr, offsets.data(), count, nullptr, sums.data()) ==
            ACCRUE_OK);
    for (std::size_t k = 0; k < count; ++k) {
      const auto n = static_cast<std::size_t>(offsets[k + 1] - offsets[k]);
      const auto part = accrue::view(x.data() + x.size() - 1 - 3 * offsets[k], n, -3);
      if (bits(sums[k]) != bits(accrue::sum(accrue::serial{}, part))) FAIL("segment " << k);
    }
    offsets[1] = 1;
    offsets[0] = 1;
    CHECK(accrue_reduce_segments(space.get(), ACCRUE_SUM, &every_third, nullptr, offsets.data(), count, nullptr, sums.data()) ==
          ACCRUE_OUT_OF_RANGE);
    offsets[0] = offsets[1] = 0;
  }
}

TEMPLATE_TEST_CASE("partial results with wide ends", "[c]", float, accrue::bfloat16, std::int16_t) {
  const accrue::serial s;
  const example<TestType> x(next_seed());
  accrue_options wide{};
  wide.wide_result = 1;
  const auto check = [&](accrue_operation operation, const auto& expected) {
    accrue_partial* p = nullptr;
    accrue_partial* twice = nullptr;
    REQUIRE(accrue_partial_create(operation, x.array.type, &wide, &p) == ACCRUE_OK);
    for (const auto& space : spaces()) REQUIRE(accrue_partial_add(p, space.get(), &x.array, nullptr, nullptr) == ACCRUE_OK);
    REQUIRE(accrue_partial_copy(p, &twice) == ACCRUE_OK);
    REQUIRE(accrue_partial_merge(twice, p) == ACCRUE_OK);
    std::vector<TestType> all;
    for (std::size_t k = 0; k < 2 * spaces().size(); ++k) all.insert(all.end(), x.elements.begin(), x.elements.end());
    CHECK(c_result<double>([&](auto* r) { return accrue_partial_finish(twice, r); }) == cpp_result([&] { return expected(all); }));
    accrue_partial_destroy(p);
    accrue_partial_destroy(twice);
  };
  check(ACCRUE_SUM, [&](const auto& v) { return accrue::sum<double>(s, v); });
  check(ACCRUE_SUM_SQUARES, [&](const auto& v) { return accrue::sum_squares<double>(s, v); });
  if constexpr (!std::is_integral_v<TestType>) {  // for which these are doubles anyway
    check(ACCRUE_MEAN, [&](const auto& v) { return accrue::mean<double>(s, v); });
    check(ACCRUE_NORM2, [&](const auto& v) { return accrue::norm2<double>(s, v); });
  }
}

TEST_CASE("partial results of masked parts of arrays", "[c]") {
  for (int turn = 0; turn < 5; ++turn) {
    const example<double> x(next_seed());
    example<std::uint8_t> mask(next_seed(), &x);
    accrue_options options{};
    options.mask = &mask.array;
    accrue_partial* p = nullptr;
    accrue_partial* twice = nullptr;
    REQUIRE(accrue_partial_create(ACCRUE_MOMENTS, ACCRUE_F64, nullptr, &p) == ACCRUE_OK);
    for (const auto& space : spaces()) REQUIRE(accrue_partial_add(p, space.get(), &x.array, nullptr, &options) == ACCRUE_OK);
    REQUIRE(accrue_partial_copy(p, &twice) == ACCRUE_OK);
    REQUIRE(accrue_partial_merge(twice, p) == ACCRUE_OK);
    std::vector<double> all;
    for (std::size_t i = 0; i < x.elements.size(); ++i) {
      if (mask.elements[i] != 0) all.insert(all.end(), 6, x.elements[i]);
    }
    CHECK(c_result<accrue::moments_result<double>>([&](auto* r) { return accrue_partial_finish(twice, r); }) ==
          cpp_result([&] { return accrue::moments(accrue::serial{}, all); }));
    accrue_partial_destroy(p);
    accrue_partial_destroy(twice);
  }
}
