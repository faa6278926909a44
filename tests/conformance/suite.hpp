// SPDX-License-Identifier: BSD-3-Clause
// What every file of the conformance suite needs. ACCRUE_TEST_HOOK names the backend's hook file.
#pragma once

#include ACCRUE_TEST_HOOK

#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <span>
#include <string>
#include <vector>

#include "golden/bits.hpp"
#include "support/oracle.hpp"
#include "golden/random.hpp"

namespace test {

/// The code of the accrue::error that `run` throws; success if it throws nothing.
template <class Run>
accrue::errc code_of(Run run) {
  try {
    run();
  } catch (const accrue::error& e) {
    return e.code();
  }
  return accrue::errc::success;
}

/// The message of it; nothing if it throws nothing.
template <class Run>
std::string message_of(Run run) {
  try {
    run();
  } catch (const accrue::error& e) {
    return e.what();
  }
  return {};
}

/// A fresh seed for each use; the run's own is printed by Catch2 and set with --rng-seed.
inline std::uint64_t next_seed() {
  static std::uint64_t count = 0;
  return Catch::getSeed() * 1000003ull + ++count;
}

inline constexpr bool on_host = accrue::host_space<hook::space>;
/// Kernels that the host plays take a millisecond a group; or ranks, where an ordered group takes messages.
inline constexpr bool played = !on_host && !accrue::asynchronous_space<hook::space>;

/// Sizes around every vector, step, tile and chunk, and some between.
inline const std::vector<std::size_t> sizes{0,    1,    2,    3,    7,    8,    9,    15,   16,   17,   23,    24,    25,   31,
                                            32,   33,   63,   64,   65,   127,  128,  129,  255,  256,  257,   511,   512,  513,
                                            1000, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 12288, 20000, 40961};

/// Uploads and calls `run(space, device_range)`.
template <class T, class Run>
auto on(const hook::space& space, const std::vector<T>& host, Run run, std::size_t shift = 0) {
  const hook::array<T> device(space, host, shift);
  return run(space, device.get());
}

template <class T, class Run>
auto on(const std::vector<T>& host, Run run) {
  return on(hook::make(), host, run);
}

/// The usual shape of a launch and another, of a single warp on devices, which has many tiles where the usual one has one.
inline std::vector<hook::space> two_variants() {
  auto all = hook::variants();
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.size(), 2)), all.end());
  return all;
}

/// Ends a state in the space's memory, as finish_into does.
template <class R>
auto ended(const hook::space& space, const accrue::partial_result<R>& p) {
  using state = typename R::state;
  using result = decltype(p.finish());
  if constexpr (requires { finish_on_device(space, p.reducer(), p.state()); }) {
    return finish_on_device(space, accrue::detail::tiled_t<R>{p.reducer()}, p.state());
  } else {
    const state s = p.state();
    auto* memory = static_cast<unsigned char*>(space.allocate(sizeof(state) + 256 + sizeof(result)));
    auto* there = reinterpret_cast<result*>(memory + (sizeof(state) + 255) / 256 * 256);
    space.copy(memory, &s, sizeof(state));
    accrue::finish_into(space, p.reducer(), reinterpret_cast<const state*>(memory), there);
    result r{};
    space.copy(&r, there, sizeof(result));
    space.synchronize();
    space.deallocate(memory);
    return r;
  }
}

}  // namespace test
