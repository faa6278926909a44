// SPDX-License-Identifier: BSD-3-Clause
// Sums of many short groups and of columns: what the kernels call proven is the superaccumulator's answer.
#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <accrue/accrue.hpp>
#include <accrue/instruction_set.hpp>

#include "accrue/detail/kernels.hpp"
#include "accrue/superaccumulator.hpp"
#include "golden/random.hpp"

using namespace test;
using namespace accrue::kernels;

namespace {

constexpr int kinds = 17;

/// An element of a kind: easy ones first, then such as make results hard to prove, or impossible.
template <class T>
T element_of(int kind, std::uint64_t seed, std::uint64_t i) {
  using limits = std::numeric_limits<T>;
  const std::uint64_t r = random_bits(seed, i);
  const auto some = static_cast<int>(r % 1021);
  const double z = normal(seed + 1, i);
  const double sign = (r >> 60 & 1) != 0 ? -1 : 1;
  switch (kind) {
    case 0: return static_cast<T>(z);
    case 1: return static_cast<T>(std::ldexp(z, some % 61 - 30));
    case 2: return static_cast<T>(some % 9 - 4);
    case 3: return static_cast<T>(sign * std::ldexp(1, -(some % 3) * limits::digits));  // halves of a last bit
    case 4: return static_cast<T>(1 + some % 4 * limits::epsilon());
    case 5: return static_cast<T>(std::ldexp(1.0, some % 40 - 20) + std::ldexp(0.5, static_cast<int>(r >> 20) % 40 - 20));
    case 6: return static_cast<T>(sign * std::ldexp(1 + some % 16 / 16.0, -(some % 56)));
    case 7: return static_cast<T>(std::ldexp(z, limits::min_exponent - some % 40));  // about the least normal number
    case 8: return some % 3 == 0 ? static_cast<T>(z) : static_cast<T>(sign) * limits::max();
    case 9: return static_cast<T>(sign * 0);
    case 10: return some % 7 != 0 ? static_cast<T>(z) : some % 2 == 0 ? limits::infinity() : limits::quiet_NaN();
    case 11: return static_cast<T>(std::ldexp(z, some % 1000 * limits::max_exponent / 1024 - limits::max_exponent / 2));
    case 12: return static_cast<T>(std::ldexp(z, limits::min_exponent / 2 + some % 20 - 10));  // whose squares underflow
    case 13: return static_cast<T>(std::ldexp(z, some % 25 == 0 ? static_cast<int>(r >> 20) % 30 : 0));  // outliers
    case 14: return static_cast<T>(std::ldexp(z, some % 8 == 0 ? -(static_cast<int>(r >> 20) % 90) : 0));
    case 15: return static_cast<T>(sign * std::ldexp(1 + static_cast<int>(r >> 40) % 4 * limits::epsilon(), some % 3));  // ties
    default: return i % 2 == 0 ? static_cast<T>(z) : static_cast<T>(-normal(seed + 1, i - 1) * (some % 5 == 0 ? 1 + limits::epsilon() : 1));
  }
}

/// The exact answer.
template <class R, class T>
R answer(term what, ending last, const T* x, std::size_t size, std::ptrdiff_t step, const T* y = nullptr) {
  const auto finish = [&](const auto& s) {
    switch (last) {
      case ending::value: return s.template round<R>();
      case ending::mean: return s.template round_quotient<R>(size);
      default: return s.template round_square_root<R>();
    }
  };
  const auto at = [&](std::size_t i) { return x[static_cast<std::ptrdiff_t>(i) * step]; };
  if (is_product(what)) {
    accrue::product_superaccumulator<T> s;
    for (std::size_t i = 0; i < size; ++i) s.add_product(at(i), what == term::product ? y[i] : at(i));
    return finish(s);
  }
  accrue::superaccumulator<T> s;
  for (std::size_t i = 0; i < size; ++i) s.add(what == term::magnitude ? std::fabs(at(i)) : at(i));
  return finish(s);
}

template <class R>
bool same(R a, R b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

struct counts {
  std::size_t wrong = 0;
  std::size_t proven = 0;
  std::size_t left = 0;
  std::size_t pairs = 0;
  std::size_t no_pairs = 0;
};

constexpr struct {
  term what;
  ending last;
} steps[] = {{term::value, ending::value}, {term::magnitude, ending::value}, {term::square, ending::value}, {term::value, ending::mean},
             {term::square, ending::square_root}, {term::product, ending::value}};

/// Whether a pair is the sum of a group's terms.
template <class T>
bool is_exact(term what, const exact_pair& p, const T* x, std::size_t size, std::ptrdiff_t step, const T* y) {
  accrue::product_superaccumulator<double> sum;
  accrue::product_superaccumulator<double> of_pair;
  for (std::size_t i = 0; i < size; ++i) {
    const double v = static_cast<double>(x[static_cast<std::ptrdiff_t>(i) * step]);
    const double factor = what == term::square ? v : what == term::magnitude ? std::copysign(1.0, v) : 1.0;
    sum.add_product(v, what == term::product ? static_cast<double>(y[i]) : factor);
  }
  of_pair.add_product(p.high, 1.0);
  of_pair.add_product(p.low, 1.0);
  return sum == of_pair;
}

/// Groups of up to `longest` elements, one after another, or columns of a matrix.
template <class T>
struct some_groups {
  short_groups<T> groups;
  std::vector<T> x;
  std::vector<T> y;

  some_groups(int kind, std::size_t longest, std::uint64_t seed) {
    const auto shape = random_bits(seed, 0) % 4;  // any sizes, equal ones end to end, equal ones apart, with steps
    groups.count = 1 + random_bits(seed, 1) % groups.most;
    groups.step = shape == 3 ? 3 : 1;
    const std::size_t size = 1 + random_bits(seed, 2) % longest;
    std::vector<std::size_t> first;
    for (std::size_t k = 0; k < groups.count; ++k) {
      groups.sizes[k] = static_cast<std::uint32_t>(shape == 0 ? random_bits(seed, 3 + k) % (longest + 1) : size);
      first.push_back(x.size());
      const std::size_t elements = groups.sizes[k] * static_cast<std::size_t>(groups.step) + (shape == 2 ? 2 : 0);
      for (std::size_t i = 0; i < elements; ++i) x.push_back(element_of<T>(kind, seed, x.size()));
      if (kind == 1 && k % 3 == 0 && elements > 1) x.back() = -x[x.size() - 2] * static_cast<T>(1 + k * 1e-16);
    }
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(i % 5 == 0 && kind == 0 ? x[i] : element_of<T>(kind, seed + 7, i));
    for (std::size_t k = 0; k < groups.count; ++k) {
      groups.x[k] = x.data() + first[k];
      groups.y[k] = y.data() + first[k];
    }
    groups.end_to_end = shape == 1;
  }
};

template <class T, class R>
counts count_groups(term what, ending last, int kind, std::size_t longest, std::uint64_t seed) {
  counts found;
  some_groups<T> some(kind, longest, seed);
  short_groups<T>& groups = some.groups;
  std::vector<R> out(groups.count);
  const std::uint64_t left = short_sums(what, last, groups, out.data());
  for (std::size_t k = 0; k < groups.count; ++k) {
    if ((left >> k & 1) != 0) {
      ++found.left;
    } else {
      ++found.proven;
      const std::uint32_t n = groups.sizes[k];
      found.wrong += n == 0 && last == ending::mean ? 1 : !same(out[k], answer<R>(what, last, groups.x[k], n, groups.step, groups.y[k]));
    }
  }
  if (last != ending::value) return found;
  exact_pair pairs[short_groups<T>::most];
  const std::uint64_t no_pairs = short_pairs(what, groups, pairs);
  for (std::size_t k = 0; k < groups.count; ++k) {
    ++((no_pairs >> k & 1) != 0 ? found.no_pairs : found.pairs);
    if ((no_pairs >> k & 1) != 0) continue;
    found.wrong += !is_exact(what, pairs[k], groups.x[k], groups.sizes[k], groups.step, groups.y[k]);
  }
  return found;
}

/// `few`: columns, of more rows, and mostly without gaps.
template <class T, class R>
counts count_columns(term what, ending last, int kind, std::size_t longest, std::uint64_t seed, bool few = false) {
  counts found;
  few_columns<T> columns{nullptr, 1 + random_bits(seed, 1) % (few ? 20 : column_sums::most), 1 + random_bits(seed, 2) % longest, 0};
  columns.stride = static_cast<std::ptrdiff_t>(columns.count + (few ? random_bits(seed, 3) % 10 == 0 ? 1 : 0 : random_bits(seed, 3) % 5));
  std::vector<T> x(columns.length * static_cast<std::size_t>(columns.stride));
  x.resize((columns.length - 1) * static_cast<std::size_t>(columns.stride) + columns.count);  // nothing behind the last
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = element_of<T>(kind, seed, i);
  columns.x = x.data();
  std::vector<R> out(columns.count);
  if (what == term::product) return {};  // which columns of one matrix do not have
  // By two threads' sums, of the upper rows and of the others.
  column_sums sums[2];
  for (column_sums& s : sums) clear(s);
  auto upper = columns;
  upper.length = columns.length / 3;
  auto others = columns;
  others.x += static_cast<std::ptrdiff_t>(upper.length) * columns.stride;
  others.length -= upper.length;
  constexpr bool to_float = sizeof(R) == sizeof(float);
  if (!add_columns(what, last, to_float, upper, sums[0]) || !add_columns(what, last, to_float, others, sums[1])) {
    return {0, 0, columns.count};
  }
  merge_columns(to_float, sums[0], sums[1]);
  const left_columns left = finish_columns(last, sums[0], columns.count, columns.length, out.data());
  for (std::size_t k = 0; k < columns.count; ++k) {
    if ((left.bits[k / 64] >> k % 64 & 1) != 0) {
      ++found.left;
    } else {
      ++found.proven;
      found.wrong += !same(out[k], answer<R>(what, last, x.data() + k, columns.length, columns.stride));
    }
  }
  return found;
}

/// Whether this processor has what it takes.
bool kernels_take_columns() {
  const double one = 1;
  column_sums sums;
  clear(sums);
  return add_columns(term::value, ending::value, false, few_columns<double>{&one, 1, 1, 1}, sums);
}

}  // namespace

TEMPLATE_TEST_CASE("what is proven of short groups and of columns is right", "[short_groups][long]", double, float) {
  const bool vectors = kernels_take_columns();
  for (int kind = 0; kind < kinds; ++kind) {
    for (const auto& step : steps) {
      counts all;
      const auto add = [&](const counts& c) {
        all.wrong += c.wrong;
        all.proven += c.proven;
        all.left += c.left;
        all.pairs += c.pairs;
        all.no_pairs += c.no_pairs;
      };
      for (std::uint64_t round = 0; round < 20; ++round) {
        const std::uint64_t seed = 1000 * static_cast<std::uint64_t>(kind) + round;
        const std::size_t longest = round % 3 == 0 ? longest_short_group : 1 + round % 12;
        add(count_groups<TestType, TestType>(step.what, step.last, kind, longest, seed));
        add(count_columns<TestType, TestType>(step.what, step.last, kind, longest, seed));
        if (round % 4 == 0) add(count_groups<TestType, double>(step.what, step.last, kind, longest, seed));
        if (round % 4 == 0) add(count_columns<TestType, double>(step.what, step.last, kind, longest, seed));
        if (round % 3 == 1) add(count_columns<TestType, TestType>(step.what, step.last, kind, 2500, seed, true));
      }
      CAPTURE(kind, static_cast<int>(step.what), static_cast<int>(step.last), all.proven, all.left);
      CHECK(all.wrong == 0);
      if (vectors && kind <= 2) CHECK(all.proven > 9 * all.left);
      if (vectors && kind == 0 && !is_product(step.what) && step.last == ending::value) CHECK(all.pairs > 9 * all.no_pairs);
      if (vectors && kind == 9 && step.last == ending::value) CHECK(all.left == 0);  // zeros
      if (kind == 10) CHECK(all.left > 0);
    }
  }
}

TEMPLATE_TEST_CASE("rows side by side add without rounding, or are seen to round", "[short_groups]", double, float) {
  using T = TestType;
  const bool vectors = kernels_take_columns();
  constexpr std::size_t rows = 11;  // no multiple of a vector's lanes
  for (int kind = 0; kind < kinds; ++kind) {
    for (const std::uint32_t size : {64u, 101u, 129u, 1000u, static_cast<unsigned>(longest_row)}) {
      std::vector<T> x(rows * size);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = element_of<T>(kind, 77, i);
      for (const auto& step : steps) {
        if (is_product(step.what)) continue;
        short_groups<T> groups;
        groups.count = rows;
        groups.end_to_end = true;
        groups.in_lanes = size <= longest_short_group;
        for (std::size_t k = 0; k < rows; ++k) {
          groups.x[k] = &x[k * size];
          groups.sizes[k] = size;
        }
        groups.by_rows.failures = 1;
        T out[rows];
        const std::uint64_t left = short_sums(step.what, step.last, groups, out);
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < rows; ++k) {
          wrong += (left >> k & 1) == 0 && !same(out[k], answer<T>(step.what, step.last, groups.x[k], size, 1));
        }
        CAPTURE(kind, size, static_cast<int>(step.what), static_cast<int>(step.last), left);
        CHECK(wrong == 0);
        if (!vectors) continue;
        if ((kind == 0 && size <= 1000) || kind == 2) CHECK((groups.by_rows.failures == 0 && (left == 0 || step.last == ending::mean)));
        if (kind == 1) CHECK((groups.by_rows.failures == 2 && !groups.by_rows.pay()));
        if (size > longest_short_group && kind == 1) CHECK(left == (std::uint64_t{1} << rows) - 1);
      }
    }
  }
}

TEMPLATE_TEST_CASE("segments of any lengths, taken many at a time", "[short_groups]", double, float) {
  using T = TestType;
  for (const std::size_t mean : {12u, 30u, 90u, 150u, 700u}) {
    for (int kind = 0; kind < kinds; ++kind) {
      const std::uint64_t seed = 3000 * mean + static_cast<std::uint64_t>(kind);
      std::vector<std::int64_t> offsets{0};
      for (std::uint64_t k = 0; offsets.back() < 30000; ++k) {
        const std::uint64_t r = random_bits(seed, k);
        const std::uint64_t length = r % 50 == 0 ? r / 64 % 7000 : r / 64 % (r % 3 == 0 ? 4 * mean : mean);  // some are too long for a row
        offsets.push_back(offsets.back() + static_cast<std::int64_t>(length));
      }
      std::vector<T> x(static_cast<std::size_t>(offsets.back()));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = element_of<T>(i / 10000 == 1 ? 0 : kind, seed + 1, i);  // and easy ones between
      const std::size_t groups = offsets.size() - 1;
      const auto segments = accrue::segments(std::span<const T>(x), std::span<const std::int64_t>(offsets));
      std::vector<T> sums(groups);
      std::vector<T> magnitudes(groups);
      accrue::sum(accrue::serial{}, segments, std::span(sums));
      accrue::sum_abs(accrue::serial{}, segments, std::span(magnitudes));
      std::size_t wrong = 0;
      for (std::size_t k = 0; k < groups; ++k) {
        const T* const first = x.data() + offsets[k];
        const auto size = static_cast<std::size_t>(offsets[k + 1] - offsets[k]);
        wrong += !same(sums[k], answer<T>(term::value, ending::value, first, size, 1));
        wrong += !same(magnitudes[k], answer<T>(term::magnitude, ending::value, first, size, 1));
      }
      CAPTURE(mean, kind);
      CHECK(wrong == 0);
      std::swap(offsets[groups / 2], offsets[groups / 2 + 1]);
      if (offsets[groups / 2] == offsets[groups / 2 + 1]) continue;
      CHECK_THROWS_AS(accrue::sum(accrue::serial{}, segments, std::span(sums)), accrue::error);
    }
  }
}

namespace {

/// Whether moments are those of exact sums.
template <class T>
bool are_moments(const short_moments<T>& of, std::size_t k, std::span<const T> x) {
  const auto m = accrue::partial(accrue::serial{}, x, accrue::moments_of<T>{}).finish();
  return same(of.mean[k], m.mean) && same(of.variance[k], m.variance) && same(of.population_variance[k], m.population_variance) &&
         same(of.standard_deviation[k], m.standard_deviation);
}

}  // namespace

TEMPLATE_TEST_CASE("what is proven of one array's moments is right", "[short_groups]", double, float) {
  const bool vectors = kernels_take_columns();
  for (int kind = 0; kind < kinds; ++kind) {
    counts all;
    for (std::uint64_t round = 0; round < 90; ++round) {
      const std::uint64_t seed = 2000 * static_cast<std::uint64_t>(kind) + round;
      const std::uint64_t longest = round % 3 == 0 ? 8200 : round % 3 == 1 ? 300 : 40;
      std::vector<TestType> x(2 + random_bits(seed, 1) % longest);
      const auto far = static_cast<TestType>(round % 4 == 1 ? std::ldexp(1, static_cast<int>(round / 2)) : 0);  // from zero: digits cancel
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = far + element_of<TestType>(kind, seed, round % 9 == 6 ? i / x.size() : i);
      short_moments<TestType> out;
      const bool proven = tile_moments(operands<TestType>{x.data(), nullptr, x.size()}, out);
      ++(proven ? all.proven : all.left);
      if (proven) all.wrong += !are_moments(out, 0, std::span<const TestType>(x));
      if (x.size() > 8000) CHECK_FALSE(proven);
    }
    CAPTURE(kind, all.proven, all.left);
    CHECK(all.wrong == 0);
    if (vectors && kind <= 2) CHECK(all.proven > all.left);
    if (kind == 10) CHECK(all.left > 0);
  }
}

TEMPLATE_TEST_CASE("what is proven of short groups' moments is right", "[short_groups]", double, float) {
  const bool vectors = kernels_take_columns();
  for (int kind = 0; kind < kinds; ++kind) {
    counts all;
    for (std::uint64_t round = 0; round < 60; ++round) {
      const std::uint64_t seed = 1000 * static_cast<std::uint64_t>(kind) + round;
      const std::size_t size = 1 + random_bits(seed, 1) % (round % 3 == 0 ? 130 : 9);
      short_groups<TestType> groups;
      groups.count = 1 + random_bits(seed, 2) % groups.most;
      groups.end_to_end = round % 2 == 0;
      std::vector<TestType> x(size * groups.count);
      const auto far = static_cast<TestType>(round % 4 == 1 ? std::ldexp(1, static_cast<int>(round)) : 0);  // from zero: digits cancel
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = far + element_of<TestType>(kind, seed, round % 7 == 6 ? i / size : i);
      for (std::size_t k = 0; k < groups.count; ++k) {
        groups.x[k] = x.data() + k * size;
        groups.sizes[k] = static_cast<std::uint32_t>(size);
      }
      short_moments<TestType> out;
      const std::uint64_t left = short_group_moments(groups, out);
      for (std::size_t k = 0; k < groups.count; ++k) {
        if ((left >> k & 1) != 0) {
          ++all.left;
          continue;
        }
        ++all.proven;
        all.wrong += !are_moments(out, k, std::span(groups.x[k], size));
      }
    }
    CAPTURE(kind, all.proven, all.left);
    CHECK(all.wrong == 0);
    if (vectors && kind <= 2) CHECK(all.proven > 3 * all.left);  // all but equal elements and those far from zero
    if (kind == 10) CHECK(all.left > 0);
  }
}

TEMPLATE_TEST_CASE("extrema of short groups and their places", "[short_groups]", double, float) {
  using accrue::detail::nan_rank;
  using key = accrue::detail::ordered_key<TestType>;
  const bool vectors = accrue::current_instruction_set() != accrue::instruction_set::baseline;
  std::size_t wrong = 0;
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 60 * kinds; ++seed) {
    some_groups<TestType> some(static_cast<int>(seed % kinds), seed % 5 == 0 ? 150 : 1 + seed % 12, seed);
    short_groups<TestType>& groups = some.groups;
    if (seed % 7 == 0) {  // NaN of both signs, some of them alone
      const TestType nan = std::numeric_limits<TestType>::quiet_NaN();
      for (std::size_t i = 0; i < some.x.size(); i += 1 + seed % 3) some.x[i] = i % 2 == 0 ? nan : -nan;
    }
    for (const bool largest : {false, true}) {
      for (const nan_rank rank : {nan_rank::lowest, nan_rank::highest}) {
        const bool nan_wins = largest == (rank == nan_rank::highest);
        TestType out[short_groups<TestType>::most];
        TestType values[short_groups<TestType>::most];
        std::size_t places[short_groups<TestType>::most];
        const std::uint64_t left = short_extrema(largest, rank, groups, out);
        const std::uint64_t no_places = nan_wins ? short_extrema_places(largest, groups, values, places) : 0;
        for (std::size_t k = 0; k < groups.count; ++k) {
          const bool is_left = (left >> k & 1) != 0;
          if (vectors) wrong += is_left != (groups.sizes[k] == 0);
          if (is_left) continue;
          ++found;
          std::size_t place = 0;
          const auto key_of = [&](std::size_t i) {
            const auto code = key::encode(groups.x[k][static_cast<std::ptrdiff_t>(i) * groups.step], rank);
            return key::is_nan(code, rank) ? key::encode(std::numeric_limits<TestType>::quiet_NaN(), rank) : code;
          };
          for (std::size_t i = 1; i < groups.sizes[k]; ++i) {
            if (largest ? key_of(i) > key_of(place) : key_of(i) < key_of(place)) place = i;
          }
          const TestType wanted = key::decode(key_of(place), rank);
          wrong += std::memcmp(&out[k], &wanted, sizeof wanted) != 0;
          if (nan_wins) wrong += (no_places >> k & 1) != 0 || places[k] != place || std::memcmp(&values[k], &wanted, sizeof wanted) != 0;
        }
      }
    }
  }
  CHECK(wrong == 0);
  if (vectors) CHECK(found > 50000);
}

TEST_CASE("short groups at the edge of a proof", "[short_groups]") {
  const auto result = []<class T>(term what, ending last, const std::vector<T>& x) {
    short_groups<T> groups;
    groups.count = 1;
    groups.x[0] = x.data();
    groups.sizes[0] = static_cast<std::uint32_t>(x.size());
    T out = 0;
    const bool left = short_sums(what, last, groups, &out) != 0;
    return left || same(out, answer<T>(what, last, x.data(), x.size(), 1));
  };
  // A sum that leaves its binade and comes back to where it began: every second element, as there are two of them.
  CHECK(result(term::value, ending::value, std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 0x1p70, 0, -0x1p70, 0, 0x1.8p12}));
  // A little below the middle of two doubles but for what is lost of many small elements; and of floats in doubles.
  std::vector<double> below(100, 0x0.fp-79);
  below[0] = 1;
  below[1] = 0x1p-53;
  below[2] = -0x1p-76;
  CHECK(result(term::value, ending::value, below));
  std::vector<float> floats_below(126);
  for (std::size_t i = 0; i < floats_below.size(); i += 2) {
    floats_below[i] = i == 0 ? 1.0F : i == 2 ? 0x1p-24F : i == 4 ? -0x1p-50F : 0x1p-54F;
  }
  CHECK(result(term::value, ending::value, floats_below));
  // A mean half an ulp from a double but for an element that is too small for its quotient.
  CHECK(result(term::value, ending::mean, std::vector<double>{0x1p-898, 0x1p-951, 0x1p-1074, 0}));
  // Norms a hair below the middle of two doubles: the square root's third term decides.
  std::size_t wrong = 0;
  for (int k = 0; k < 2000; ++k) {
    std::vector<double> x{6370570371334145.0 + 2 * k};
    x.insert(x.end(), 122, 67108856);
    accrue::detail::uint128 wanted = 0;  // k^2 + k - 3 for the root k + 1/2, as the sum of a few squares
    accrue::detail::uint128 sum = 0;
    for (const double v : x) sum += static_cast<accrue::detail::uint128>(v) * static_cast<accrue::detail::uint128>(v);
    auto root = static_cast<accrue::detail::uint128>(std::sqrt(static_cast<double>(sum)));
    while (root * root + root < sum + 3) ++root;
    wanted = root * root + root - 3 - sum;
    for (int part = 0; part < 5 && wanted != 0; ++part) {
      auto v = static_cast<accrue::detail::uint128>(std::sqrt(static_cast<double>(wanted)));
      while (v * v > wanted) --v;
      x.push_back(static_cast<double>(v));
      wanted -= v * v;
    }
    wrong += !result(term::square, ending::square_root, x);
  }
  CHECK(wrong == 0);
  // Products whose sum is zero, or too small for a float: the sign of the zero.
  for (const float last : {0x1p-102F, 0.0F}) {
    const std::vector<float> x{0x1p-75F, 0x1p-102F, -0x1p-75F, -last};
    const std::vector<float> y{0x1p-75F, 0x1p-102F, 0x1p-75F, last};
    short_groups<float> groups;
    groups.count = 1;
    groups.x[0] = x.data();
    groups.y[0] = y.data();
    groups.sizes[0] = 4;
    float out = 0;
    const bool left = short_sums(term::product, ending::value, groups, &out) != 0;
    CHECK((left || same(out, answer<float>(term::product, ending::value, x.data(), 4, 1, y.data()))));
  }
  // A long column, in which what is lost is too small beside what was lost before.
  std::vector<double> x{0x1p160, 0x1p106, 0x1p53, -0x1p106, -0x1p160, 0x1p108, 0x1p55 - 0x1p53 - 0x1p24};
  x.resize(x.size() + (std::size_t{1} << 25), 1.0);
  column_sums sums;
  clear(sums);
  double out = 0;
  const bool done = add_columns(term::value, ending::value, false, few_columns<double>{x.data(), 1, x.size(), 1}, sums);
#if defined(__x86_64__)
  CHECK(done == (accrue::current_instruction_set() != accrue::instruction_set::baseline));
#elif defined(__aarch64__)
  CHECK(done);
#endif
  const left_columns left = finish_columns(ending::value, sums, 1, x.size(), &out);
  if (done && left.bits[0] == 0) CHECK(same(out, answer<double>(term::value, ending::value, x.data(), x.size(), 1)));
}

TEST_CASE("segments of every length in turn, and wrong offsets among them", "[short_groups]") {
  const accrue::serial space;
  const auto message_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const accrue::error& e) {
      return e.what();
    }
    return "";
  };
  for (std::uint64_t round = 0; round < 40; ++round) {
    std::vector<std::int32_t> offsets{0};
    const std::uint64_t longest = round % 4 == 0 ? 9 : round % 4 == 1 ? 20 : 170;  // elements
    const std::size_t count = 1 + random_bits(round, 0) % 300;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint64_t size = random_bits(round, k + 1) % (k % 50 == 49 && round % 2 == 0 ? 5000 : longest);
      offsets.push_back(offsets.back() + static_cast<std::int32_t>(size));
    }
    std::vector<double> x(static_cast<std::size_t>(offsets.back()));
    const int kind = round % 3 == 0 ? 10 : 0;  // of which some are left
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = element_of<double>(kind, round, i);
    std::vector<double> sums(count);
    std::vector<double> squares(count);
    accrue::sum(space, accrue::segments(x, offsets), sums);
    accrue::sum_squares(space, accrue::segments(x, std::vector<std::uint64_t>(offsets.begin(), offsets.end())), squares);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::span one(x.data() + offsets[k], static_cast<std::size_t>(offsets[k + 1] - offsets[k]));
      wrong += !same(sums[k], accrue::sum(space, one)) || !same(squares[k], accrue::sum_squares(space, one));
    }
    CHECK(wrong == 0);
    // One offset beyond the next, or behind all elements, or before the first: the segment that begins or ends there is named.
    const std::size_t at = random_bits(round, 1000) % (count + 1);
    for (const std::int32_t off : {offsets.back() + 1, -1}) {
      auto bad = offsets;
      bad[at] = off;
      const std::string said = message_of([&] { accrue::sum(space, accrue::segments(x, bad), sums); });
      CAPTURE(round, at, off, said);
      CHECK(said.find("segment " + std::to_string(at == 0 ? 0 : at - 1)) != std::string::npos);
    }
  }
}
