// SPDX-License-Identifier: BSD-3-Clause
// Sums of segments, rows and ascending keys by the running sums of warps, which only large groupings take otherwise: lengths and elements
// of every kind, against each segment's sum alone.
#include "device/sums_of_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "accrue/backends/simt/runtime/segment_launch.cuh"
#include "accrue/backends/simt/runtime/short_rows_launch.cuh"

using namespace test;

namespace {

/// Small groupings, and short rows, take the way of large ones while this lives.
class small_ones_too {
 public:
  small_ones_too() {
    accrue::simt::least_bytes_of_segments = accrue::simt::least_bytes_of_rows = 0;
    accrue::simt::most_elements_of_short_rows = 0;
  }
  small_ones_too(const small_ones_too&) = delete;
  small_ones_too& operator=(const small_ones_too&) = delete;
  ~small_ones_too() {
    accrue::simt::least_bytes_of_segments = segments_;
    accrue::simt::least_bytes_of_rows = rows_;
    accrue::simt::most_elements_of_short_rows = short_rows_;
  }

 private:
  std::size_t segments_ = accrue::simt::least_bytes_of_segments;
  std::size_t rows_ = accrue::simt::least_bytes_of_rows;
  std::size_t short_rows_ = accrue::simt::most_elements_of_short_rows;
};

enum class lengths { two, eight, hundreds, thousands, power_law, one_giant, empty_mostly, one_each, none_but_one };

std::vector<std::size_t> cut(lengths kind, std::size_t n) {
  std::vector<std::size_t> ends{0};
  const auto seed = next_seed();
  for (std::size_t k = 0; ends.back() < n; ++k) {
    const auto random = static_cast<std::size_t>(random_bits(seed, k) >> 20);
    std::size_t length = 0;
    switch (kind) {
      case lengths::two: length = random % 5; break;
      case lengths::eight: length = random % 17; break;
      case lengths::hundreds: length = random % 400; break;
      case lengths::thousands: length = random % 9000; break;
      case lengths::power_law: length = 8 * ((std::size_t{1} << 20) / (random % (1 << 20) + 1)); break;
      case lengths::one_giant: length = k == 40 ? n / 2 : random % 17; break;
      case lengths::empty_mostly: length = random % 10 == 0 ? random / 16 % 200 : 0; break;
      case lengths::one_each: length = 1; break;
      case lengths::none_but_one: length = k == 300 ? n : 0; break;
    }
    ends.push_back(std::min(n, ends.back() + length));
  }
  ends.push_back(n);
  return ends;
}

/// The sums of segments of the elements behind the first `skip`, which may be no whole vectors.
template <class Offset, class T>
std::vector<std::string> by_device(const std::vector<T>& x, const std::vector<std::size_t>& ends, std::size_t skip, sums what) {
  const hook::space space = hook::make();
  std::vector<T> moved(skip, std::numeric_limits<T>::quiet_NaN());
  moved.insert(moved.end(), x.begin(), x.end());
  const hook::array<T> there(space, moved);
  const hook::array<Offset> offsets(space, std::vector<Offset>(ends.begin(), ends.end()));
  const hook::array<T> out(space, std::vector<T>(ends.size() - 1, T(7)));
  const auto groups = accrue::segments(accrue::view(there.get().data() + skip, x.size()), offsets.get());
  const std::span<T> results(const_cast<T*>(out.get().data()), ends.size() - 1);
  sum_of(what, space, groups, results);
  space.synchronize();
  std::vector<std::string> text;
  for (const T v : out.host()) text.push_back(bits(v));
  return text;
}

/// The first difference, if there is one.
std::string first_difference(const std::vector<std::string>& a, const std::vector<std::string>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (a[k] != expected[k]) return "segment " + std::to_string(k) + ": " + a[k] + ", not " + expected[k];
  }
  return "";
}

/// How numbers stand on both sides of what chunks hold exactly: anyhow; most as large as they can be and of one sign, so that sums grow as
/// far as can be, and whole segments between them as small as they can be; or in pairs that cancel, with small ones left.
enum class arrangement { any, heavy, cancelling };

/// Exponents so far apart.
template <class T>
std::vector<T> apart(std::size_t n, int exponents, arrangement kind) {
  std::vector<T> x(n);
  const auto seed = next_seed();
  const T last_bit = std::numeric_limits<T>::epsilon();
  // Floats are summed in doubles; of doubles, as much as can be is below the unit of a chunk's first double.
  const T large = std::is_same_v<T, float> ? T(2) - last_bit : T(1) + std::ldexp(T(1), accrue::simt::chunk<T>::log2_size - 51) - last_bit;
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = random_bits(seed, i);
    x[i] = std::ldexp(T(1) + static_cast<T>(r % 0x7fffff) / T(0x800000), static_cast<int>(r >> 40) % (exponents + 1));
    if (kind == arrangement::any && (r >> 32 & 1) != 0) x[i] = -x[i];
    const T small = T(1) + last_bit * static_cast<T>(1 + r % 2 * 2);
    if (kind == arrangement::heavy) {
      x[i] = i / 16 % 4 == 0 ? (i % 2 != 0 ? -small : small) : std::ldexp(large, exponents);  // so that last bits decide
    } else if (kind == arrangement::cancelling) {
      if (i % 2 != 0) x[i] = -x[i - 1];
      if (i % 8 == 6) x[i] = small;
      if (i % 8 == 7) x[i] = T(-1);
    }
  }
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("running sums of segments", "[segments]", double, float) {
  const small_ones_too small;
  const std::size_t sizes[] = {played ? std::size_t{1500} : std::size_t{70000}, played ? std::size_t{7003} : std::size_t{3000011}};
  for (const std::size_t n : sizes) {
    for (const auto of : {lengths::two, lengths::eight, lengths::hundreds, lengths::thousands, lengths::power_law, lengths::one_giant,
                          lengths::empty_mostly, lengths::one_each, lengths::none_but_one}) {
      const auto ends = cut(of, n);
      for (const auto kind : all_distributions) {
        const bool rare = kind != distribution::normal && of != lengths::eight && of != lengths::power_law && of != lengths::hundreds;
        if (rare || (played && n > 2000 && kind != distribution::normal && kind != distribution::wide)) continue;
        const auto x = sequence<TestType>(kind, next_seed(), n);
        INFO("lengths " << static_cast<int>(of) << ", elements of kind " << static_cast<int>(kind) << ", " << n << " of them");
        const sums what = of == lengths::eight ? sums::magnitudes : sums::values;
        const std::size_t skip = static_cast<std::size_t>(of) % 4;
        CHECK(first_difference(by_device<std::int64_t>(x, ends, skip, what), each_alone(x, ends, what)) == "");
      }
    }
  }
}

TEMPLATE_TEST_CASE("running sums on both sides of what they hold", "[segments]", double, float) {
  const small_ones_too small;
  const std::size_t n = played ? 30000 : 1000003;  // so that warps have whole chunks
  for (const int exponents : {17, 18, 19, 20, 31, 32, 33, 34, 35, 50, 57, 58, 59, 60, 61, 62, 71, 72, 73, 74, 75, 76, 77, 90, 130, 250}) {
    for (const arrangement kind : {arrangement::any, arrangement::heavy, arrangement::cancelling}) {
      const auto x = apart<TestType>(n, std::is_same_v<TestType, float> && exponents > 120 ? 120 : exponents, kind);
      for (const auto of : {lengths::eight, lengths::thousands}) {
        if (played && of == lengths::thousands && exponents % 2 == 0) continue;
        const auto ends = cut(of, n);
        INFO("exponents " << exponents << ", arrangement " << static_cast<int>(kind) << ", lengths " << static_cast<int>(of));
        CHECK(first_difference(by_device<std::int32_t>(x, ends, 1, sums::values), each_alone(x, ends, sums::values)) == "");
      }
    }
  }
}

TEMPLATE_TEST_CASE("means by running sums", "[segments]", double, float) {
  const small_ones_too small;
  const std::size_t n = played ? 9000 : 1000003;
  for (const auto kind : {distribution::normal, distribution::wide, distribution::log_uniform}) {
    const auto x = sequence<TestType>(kind, next_seed(), n);
    std::vector<std::size_t> ends{0};
    const auto seed = next_seed();
    while (ends.back() < n) ends.push_back(std::min(n, ends.back() + 1 + random_bits(seed, ends.back()) % 3000 / (ends.size() % 40 + 1)));
    INFO("elements of kind " << static_cast<int>(kind));
    CHECK(first_difference(by_device<std::int32_t>(x, ends, 3, sums::means), each_alone(x, ends, sums::means)) == "");
  }
}

TEST_CASE("running sums of rows", "[segments]") {
  const small_ones_too small;
  for (const std::size_t length : {3u, 7u, 32u, 100u, 199u, 20000u}) {
    if (played && length > 1000) continue;
    const std::size_t rows = (played ? 3000 : 1000003) / length + 1;
    const auto check = [&]<class T>(const std::vector<T>& x) {
      std::vector<std::size_t> ends;
      for (std::size_t k = 0; k <= rows; ++k) ends.push_back(k * length);
      const hook::space space = hook::make();
      const hook::array<T> there(space, x);
      const hook::array<T> out(space, std::vector<T>(rows));
      accrue::sum(space, accrue::rows(accrue::view(there.get().data(), rows, length, length)),
                  std::span(const_cast<T*>(out.get().data()), rows));
      std::vector<std::string> text;
      for (const T v : out.host()) text.push_back(bits(v));
      INFO("rows of " << length);
      CHECK(first_difference(text, each_alone(x, ends, sums::values)) == "");
    };
    check(sequence<double>(distribution::normal, next_seed(), rows * length));
    check(sequence<float>(distribution::wide, next_seed(), rows * length));
  }
}

TEST_CASE("offsets that do not ascend, in running sums", "[segments]") {
  const small_ones_too small;
  const std::size_t n = played ? 2000 : 100000;
  const auto x = sequence<double>(distribution::normal, next_seed(), n);
  for (const int wrong : {0, 1, 2, 3}) {
    std::vector<std::int64_t> offsets;
    for (std::size_t k = 0; k <= n / 10; ++k) offsets.push_back(static_cast<std::int64_t>(10 * k));
    const std::size_t at = n / 20;
    if (wrong == 0) std::swap(offsets[at], offsets[at + 1]);
    if (wrong == 1) offsets[0] = 3;
    if (wrong == 2) offsets.back() = static_cast<std::int64_t>(n + 5);
    if (wrong == 3) offsets[at] = -7;
    const hook::space space = hook::make();
    const hook::array<double> there(space, x), out(space, std::vector<double>(n / 10));
    const hook::array<std::int64_t> bounds(space, offsets);
    INFO("mistake " << wrong);
    CHECK(code_of([&] {
            accrue::sum(space, accrue::segments(there.get(), bounds.get()), std::span(const_cast<double*>(out.get().data()), n / 10));
            space.synchronize();
          }) == accrue::errc::out_of_range);
  }
}

namespace {

enum class order {
  ascends, in_steps, begins_late, ends_early, of_one_key, of_two_far_keys,  // ascending
  at_random, wrong_at_start, wrong_in_the_middle, wrong_at_end, behind_all, below_all, many_below_all
};

template <class Key>
std::vector<Key> keys_of(order kind, std::size_t n, std::size_t groups) {
  std::vector<Key> keys(n);
  const auto seed = next_seed();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t key = random_bits(seed, i) % groups;
    if (kind == order::begins_late) key = groups / 2 + key / 2;
    if (kind == order::ends_early) key /= 3;
    if (kind == order::of_one_key) key = groups / 3;
    if (kind == order::of_two_far_keys) key = key % 2 * (groups - 1);
    if (kind == order::in_steps) key = i / 3 * 13 < groups ? i / 3 * 13 : groups - 1;  // lanes side by side with groups to pass over
    keys[i] = static_cast<Key>(key);
  }
  if (kind == order::at_random) return keys;
  std::sort(keys.begin(), keys.end());
  // One key alone; what comes behind it is as it was.
  if (kind == order::wrong_at_start) keys[0] = static_cast<Key>(groups - 1);
  if (kind == order::wrong_in_the_middle) keys[n / 2] = Key{0};
  if (kind == order::wrong_at_end) keys[n - 1] = Key{1};
  if (kind == order::behind_all) keys[n - 1] = static_cast<Key>(groups);
  if (kind == order::below_all) keys[0] = static_cast<Key>(-1);
  // As many as no warp sees whole, which then ascend.
  const auto below = static_cast<Key>(sizeof(Key) == 1 ? -1 : -1000);
  if (kind == order::many_below_all) std::fill_n(keys.begin(), std::min<std::size_t>(n, 700), below);
  return keys;
}

template <class Key>
bool is_below(Key key, std::size_t k) {
  return static_cast<std::size_t>(key) < k;
}

constexpr auto all_orders = {order::ascends,    order::in_steps,       order::begins_late,         order::ends_early,
                             order::of_one_key, order::of_two_far_keys, order::at_random,          order::wrong_at_start,
                             order::wrong_at_end, order::behind_all,    order::wrong_in_the_middle, order::below_all,
                             order::many_below_all};

}  // namespace

TEST_CASE("offsets of keys that ascend", "[segments]") {
  namespace simt = accrue::simt;
  const hook::space space = hook::make();
  const auto check = [&]<class Key>(order kind, std::size_t n, std::size_t groups, unsigned blocks, bool far_apart, Key) {
    const auto keys = keys_of<Key>(kind, n, groups);
    const std::size_t before = random_bits(next_seed(), 0) % 16;  // which may leave vectors of the keys where they begin
    std::vector<Key> all(before, Key{5});
    all.insert(all.end(), keys.begin(), keys.end());
    INFO("order " << static_cast<int>(kind) << ", " << groups << " groups of " << n << ", keys of " << sizeof(Key)
                  << " bytes behind " << before);
    const hook::array<Key> by(space, all);
    constexpr std::size_t guard = 2000;  // before the offsets, which nothing is to touch
    const hook::array<std::size_t> offsets(space, std::vector<std::size_t>(guard + groups + 1, 12345));
    const hook::array<unsigned> seen(space, std::vector<unsigned>{0});
    simt::launch_kernel<hook::space>(simt::find_disorder_kernel<Key>, 1, simt::key_threads, 0, nullptr, by.get().data() + before, n,
                                     const_cast<unsigned*>(seen.get().data()));
    REQUIRE(seen.host()[0] <= (kind >= order::at_random ? 1u : 0u));
    if (kind == order::at_random && n > 1000) REQUIRE(seen.host()[0] == 1);
    const hook::array<unsigned> disordered(space, std::vector<unsigned>{0});
    simt::launch_kernel<hook::space>(simt::find_ascending_offsets_kernel<Key>, blocks, simt::key_threads, 0, nullptr,
                                     by.get().data() + before, n, groups, const_cast<std::size_t*>(offsets.get().data()) + guard,
                                     const_cast<unsigned*>(disordered.get().data()));
    const bool refused = kind >= order::at_random || far_apart;
    REQUIRE(disordered.host()[0] == (refused ? 1 : 0));
    const auto found = offsets.host();
    REQUIRE(std::all_of(found.begin(), found.begin() + guard, [](std::size_t v) { return v == 12345; }));
    if (refused) return;
    std::vector<std::size_t> expected(guard, 12345);
    for (std::size_t k = 0; k <= groups; ++k) {
      expected.push_back(static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), k, is_below<Key>) - keys.begin()));
    }
    CHECK(found == expected);
  };
  for (const auto kind : all_orders) {
    check(kind, 9001, 1100, 3, false, std::int32_t{});
    check(kind, 4096, 65000, 1, false, std::uint32_t{});  // which may end with a whole tile
    check(kind, 100, 40, 2, false, std::int64_t{});
    check(kind, 5000, 1100, 2, false, std::int16_t{});
    check(kind, 9001, 100, 1, false, std::uint8_t{});
    for (std::size_t n = 1; n < 20; ++n) {  // of which vectors are few, or none
      if (kind != order::wrong_in_the_middle && kind != order::wrong_at_start && kind != order::wrong_at_end) {
        check(kind == order::at_random ? order::ascends : kind, n, 3, 1, false, std::uint16_t{});
      }
    }
  }
  check(order::of_two_far_keys, 1000, (1 << 16) + 1, 2, false, std::int32_t{});
  check(order::of_two_far_keys, 1000, (1 << 16) + 2, 2, true, std::int32_t{});
}

TEMPLATE_TEST_CASE("sums by keys that ascend, and by keys that nearly do", "[segments]", double, float) {
  const small_ones_too small;
  const std::size_t n = played ? 9001 : 1100003;  // from 2^20 on one block looks at some keys first
  const hook::space space = hook::make();
  const auto check = [&]<class Key>(order kind, std::size_t groups, distribution of, Key) {
    INFO("order " << static_cast<int>(kind) << ", " << groups << " groups, elements of kind " << static_cast<int>(of) << ", keys of "
                  << sizeof(Key) << " bytes");
    const auto x = sequence<TestType>(of, next_seed(), n);
    const auto keys = keys_of<Key>(kind, n, groups);
    std::vector<std::vector<TestType>> members(groups);
    for (std::size_t i = 0; i < n; ++i) {
      if (static_cast<std::size_t>(keys[i]) < groups) members[static_cast<std::size_t>(keys[i])].push_back(x[i]);
    }
    std::vector<std::string> expected;
    for (const auto& m : members) expected.push_back(bits(accrue::sum(accrue::serial{}, m)));
    const hook::array<TestType> there(space, x);
    const hook::array<Key> by(space, keys);
    const hook::array<TestType> out(space, std::vector<TestType>(groups, TestType(7)));
    const std::span<TestType> results(const_cast<TestType*>(out.get().data()), groups);
    if (kind >= order::behind_all) {
      CHECK(code_of([&] {
              accrue::sum(space, accrue::grouped(there.get(), by.get(), groups), results);
              space.synchronize();
            }) == accrue::errc::out_of_range);
      accrue::sum(space, accrue::grouped(there.get(), by.get(), groups, accrue::skip_other_keys), results);
    } else {
      accrue::sum(space, accrue::grouped(there.get(), by.get(), groups), results);
    }
    space.synchronize();
    std::vector<std::string> text;
    for (const TestType v : out.host()) text.push_back(bits(v));
    CHECK(first_difference(text, expected) == "");
  };
  for (const auto kind : all_orders) {
    check(kind, n / 8, distribution::normal, std::int32_t{});
    check(kind, 100, distribution::wide, std::uint8_t{});
  }
  check(order::ascends, 1, distribution::normal, std::int32_t{});
  check(order::ascends, n / 30, distribution::log_uniform, std::int64_t{});
  check(order::wrong_in_the_middle, n / 30, distribution::log_uniform, std::int64_t{});
}

/// A setting of sums by keys, as long as this lives.
class setting {
 public:
  setting(std::size_t& what, std::size_t value) : what_(what), before_(std::exchange(what, value)) {}
  setting(const setting&) = delete;
  setting& operator=(const setting&) = delete;
  ~setting() { what_ = before_; }

 private:
  std::size_t& what_;
  std::size_t before_;
};

constexpr std::size_t few_looked_at = 100;

/// Calls f for sums in shared memory and in device memory alone, as of many groups; with a look at all elements, and at few of them.
template <class F>
void in_each_memory(const F& f) {
  namespace simt = accrue::simt;
  for (const std::size_t most : {simt::shared_bytes_of_key_sums, std::size_t{0}}) {
    const setting shared(simt::shared_bytes_of_key_sums, most);
    for (const std::size_t looked_at : {simt::elements_looked_at, few_looked_at}) {
      const setting looks(simt::elements_looked_at, looked_at);
      INFO(most << " bytes of shared memory, a look at " << looked_at << " elements");
      f();
    }
  }
}

TEMPLATE_TEST_CASE("sums by keys in no order, in each kind of memory", "[segments]", double, float) {
  using limits = std::numeric_limits<TestType>;
  const hook::space space = hook::make();
  const std::size_t n = played ? 5003 : 300007;
  const auto check = [&](const std::vector<TestType>& x, std::size_t groups) {
    INFO(groups << " groups");
    const auto keys = keys_of<std::uint32_t>(order::at_random, n, groups);
    std::vector<TestType> expected(groups);
    accrue::sum(accrue::serial{}, accrue::grouped(x, keys, groups), std::span(expected));
    const hook::array<TestType> there(space, x);
    const hook::array<std::uint32_t> by(space, keys);
    const hook::array<TestType> out(space, std::vector<TestType>(groups, TestType(7)));
    const std::span<TestType> into(const_cast<TestType*>(out.get().data()), groups);
    accrue::sum(space, accrue::grouped(there.get(), by.get(), groups), into);
    space.synchronize();
    const auto results = out.host();
    for (std::size_t k = 0; k < groups; ++k) {
      INFO("group " << k);
      REQUIRE(bits(results[k]) == bits(expected[k]));
    }
  };
  std::vector<TestType> whole(n);  // small integers of either sign, of which the lowest bits lie below that of 1, and zeros of either sign
  const auto seed = next_seed();
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = random_bits(seed, i);
    const auto size = static_cast<TestType>(r % 3 == 0 ? 0 : r % 3 == 1 ? r / 4 % 1001 : std::uint64_t{1} << r / 4 % 40);
    whole[i] = r >> 63 != 0 ? -size : size;
  }
  const auto alike = sequence<TestType>(distribution::normal, next_seed(), n);
  auto tiny = alike;
  for (TestType& x : tiny) x *= 16 * limits::denorm_min();
  const TestType others[] = {limits::max(),      -limits::max() / 2, limits::min(),     limits::denorm_min(), -3 * limits::denorm_min(),
                             limits::infinity(), limits::quiet_NaN(), TestType(1e-30), TestType(-1e30),      TestType(0)};
  std::vector<TestType> all_sizes = alike;  // of each binade some, at places that a look at few elements passes over
  for (std::size_t i = 0, k = 0; i < n; ++i) {
    const std::size_t looks = n / few_looked_at;
    if (i % (32 * looks + 1) < 32 || i % (64 * looks + 1) < 64) continue;
    const int exponent = limits::min_exponent + static_cast<int>(k++ / 2 % (limits::max_exponent - limits::min_exponent));
    if (k < n / 2) all_sizes[i] = std::ldexp(k % 2 == 0 ? 1 - limits::epsilon() / 2 : TestType(0.5), exponent);
  }
  in_each_memory([&] {
    check(all_sizes, 200);
    for (const std::size_t groups : {1, 3, 200}) {
      for (const auto of : all_distributions) {
        INFO("elements of kind " << static_cast<int>(of));
        check(sequence<TestType>(of, next_seed(), n), groups);
      }
      check(whole, groups);
    }
    for (const TestType other : others) {  // one, or a hundred, among many that are alike, or subnormal
      for (const auto& most : {alike, tiny}) {
        INFO(other << " beside " << most.front());
        for (const std::size_t each : {n, n / 100}) {
          auto x = most;
          for (std::size_t i = each / 2; i < n; i += each) x[i] = other;
          check(x, 200);
        }
      }
    }
  });
}

TEST_CASE("sums by keys, some of which are no group's", "[segments]") {
  const hook::space space = hook::make();
  const std::size_t n = played ? 3001 : 300007;
  constexpr std::size_t groups = 100;
  const auto check = [&]<class Key>(Key other) {
    INFO("a key of " << sizeof(Key) << " bytes that is " << static_cast<long long>(other));
    const auto keys = keys_of<Key>(order::at_random, n, groups);
    for (const auto of : {distribution::normal, distribution::log_uniform}) {
      auto x = sequence<double>(of, next_seed(), n);
      for (const std::size_t each : {n, n / 50}) {
        auto some = keys;
        for (std::size_t i = each / 2; i < n; i += each) some[i] = other;
        if (each == n) x[n / 2] = 0;  // whose key is looked at too
        std::vector<double> expected(groups);
        accrue::sum(accrue::serial{}, accrue::grouped(x, some, groups, accrue::skip_other_keys), std::span(expected));
        const hook::array<double> there(space, x);
        const hook::array<Key> by(space, some);
        const hook::array<double> out(space, std::vector<double>(groups, 7.0));
        const std::span<double> into(const_cast<double*>(out.get().data()), groups);
        accrue::sum(space, accrue::grouped(there.get(), by.get(), groups, accrue::skip_other_keys), into);
        space.synchronize();
        const auto results = out.host();
        for (std::size_t k = 0; k < groups; ++k) REQUIRE(bits(results[k]) == bits(expected[k]));
        CHECK(code_of([&] {
                accrue::sum(space, accrue::grouped(there.get(), by.get(), groups), into);
                space.synchronize();
              }) == accrue::errc::out_of_range);
      }
    }
  };
  in_each_memory([&] {
    check(std::int8_t{-1});
    check(std::int8_t{-128});
    check(std::uint8_t{100});
    check(std::int16_t{-32768});
    check(std::int32_t{-1});
    check(std::uint32_t{0xffffffff});
    check((std::int64_t{1} << 32) + 1);
    check(-(std::int64_t{1} << 32) + 1);
    check((std::uint64_t{1} << 63) + 1);
  });
}

TEST_CASE("sums by keys of no groups", "[segments]") {
  const hook::space space = hook::make();
  const hook::array<double> x(space, std::vector<double>(100, 1.0));
  const hook::array<std::int32_t> keys(space, std::vector<std::int32_t>(100, 0));
  const hook::array<double> out(space, std::vector<double>(1, 7.0));
  const std::span<double> none(const_cast<double*>(out.get().data()), 0);
  const auto run = [&] {
    accrue::sum(space, accrue::grouped(x.get(), keys.get(), 0), none);
    space.synchronize();
  };
  CHECK_THROWS_AS(run(), accrue::error);
  CHECK(out.host()[0] == 7.0);
}

TEST_CASE("of the two ways of sums by keys the device takes one, and the other does nothing", "[segments]") {
  const auto check = []<class Space>(const Space& space) {
    if constexpr (played) {  // where the memory of a call can be seen
      namespace simt = accrue::simt;
      const small_ones_too small;
      constexpr std::size_t n = 9001;
      constexpr std::size_t groups = 1000;
      const auto x = sequence<double>(distribution::normal, next_seed(), n);
      for (const auto kind : all_orders) {
        if (kind >= order::behind_all) continue;
        INFO("order " << static_cast<int>(kind));
        const auto keys = keys_of<std::int32_t>(kind, n, groups);
        const auto grouping = accrue::grouped(x, keys, groups);
        std::vector<unsigned char> memory;
        const auto memory_of = [&](std::size_t bytes) {
          memory.assign(bytes, 0xa5);
          return std::span(memory);
        };
        std::vector<double> sums(groups);
        const auto op = simt::operation_of<double>(accrue::sum_of<double, double, accrue::exact_t>{});
        run_request(space, sums.data(), false, nullptr, [&](const simt::launch_request& request) {
          REQUIRE(simt::launch_sums_by_keys<Space>(request, op, grouping, memory_of));
        });
        const auto written = [&](std::size_t first, std::size_t end) {
          const std::span<const unsigned char> some(memory.data() + first, end - first);
          return std::any_of(some.begin(), some.end(), [](unsigned char b) { return b != 0xa5; });
        };
        const std::size_t behind_words = (groups + 1) * sizeof(std::size_t) + (groups + 4) * sizeof(unsigned);
        if (kind >= order::at_random) {
          CHECK(written(0, groups * sizeof(std::uint64_t)));
        } else {
          CHECK(!written(0, memory.size() - behind_words));
        }

        std::vector<double> untouched(groups, 7);
        std::vector<std::size_t> offsets(groups + 1);
        unsigned disordered = 1;
        run_request(space, untouched.data(), false, nullptr, [&](const simt::launch_request& request) {
          const auto source = simt::source_of(grouping.view);
          REQUIRE(simt::launch_sums_of_ascending_keys<Space>(request, op, source, keys.data(), groups, offsets.data(), &disordered));
        });
        CHECK(untouched == std::vector<double>(groups, 7));
      }
    }
  };
  check(hook::make());
}
