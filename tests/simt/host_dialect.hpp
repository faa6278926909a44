// SPDX-License-Identifier: BSD-3-Clause
// The kernels' dialect on the host, for tests: one block at a time, its threads as fibers that are scheduled at random between
// barriers. Warps are ACCRUE_TEST_WARP_WIDTH lanes wide. A barrier, vote or shuffle that some thread of its group never reaches is
// an error.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "accrue/detail/rounding.hpp"
#include "accrue/detail/ways.hpp"
#include "accrue/element.hpp"
#include "simt/fiber_switch.hpp"

#define ACCRUE_DEVICE inline
#define ACCRUE_HOST_DEVICE inline
#define ACCRUE_DEVICE_RARE inline
#define ACCRUE_KERNEL(threads, blocks) inline void
#define ACCRUE_SHARED static thread_local

namespace accrue::simt {

inline constexpr unsigned warp_width = ACCRUE_TEST_WARP_WIDTH;
inline constexpr bool folds_by_sizes = true;

inline void thread_took(detail::way w) { detail::took(w); }

namespace host {

/// One block's run.
class block_run {
 public:
  unsigned block = 0;
  unsigned blocks = 1;
  unsigned threads = 0;
  unsigned current = 0;  ///< the running thread
  std::vector<unsigned char> shared;

  static block_run*& active();

  /// Runs `body` as every thread of the block.
  void run(const std::function<void()>& body, std::uint64_t seed);

  void sync_block();
  void sync_warp();
  /// Every lane's word, after all lanes of the warp have given theirs.
  const std::uint64_t* exchange(std::uint64_t mine);
  const std::vector<std::uint64_t>& exchange_in_block(std::uint64_t mine);

 private:
  enum class state { ready, waiting, done };
  struct group {
    unsigned arrived = 0;
    unsigned generation = 0;
  };
  struct fiber {
    standing place;
    state now = state::ready;
    group* at = nullptr;
  };

  static void start();
  void wait(group& g, unsigned size);
  void schedule();
  std::uint64_t next_random();

  const std::function<void()>* body_ = nullptr;
  std::uint64_t random_ = 1;
  std::span<fiber> fibers_;
  std::vector<group> groups_;  ///< the warps, then the block
  std::vector<std::uint64_t> votes_;
  standing scheduler_;
  std::exception_ptr failure_;
};

/// Runs `body` as every thread of `blocks` blocks, one block after the other from block `first` on.
void run_blocks(const std::function<void()>& body, unsigned first, unsigned blocks, unsigned threads, std::size_t shared_bytes);
/// One of `count` numbers, at random.
unsigned any_of(unsigned count);

inline block_run& here() { return *block_run::active(); }

}  // namespace host

inline unsigned thread() { return host::here().current; }
inline unsigned threads() { return host::here().threads; }
inline unsigned block() { return host::here().block; }
inline unsigned blocks() { return host::here().blocks; }
inline unsigned lane() { return thread() % warp_width; }
inline unsigned warp() { return thread() / warp_width; }
inline unsigned warps() { return threads() / warp_width; }
inline unsigned char* dynamic_shared() { return host::here().shared.data(); }

inline void sync_block() { host::here().sync_block(); }
inline void sync_warp() { host::here().sync_warp(); }
inline bool any_in_block(bool predicate) {
  bool some = false;
  for (const std::uint64_t vote : host::here().exchange_in_block(predicate ? 1 : 0)) some = some || vote != 0;
  host::here().sync_block();  // before the next votes take their places
  return some;
}
template <class T, class Read>
T exchange_words(const T& value, Read from) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr std::size_t words = (sizeof(T) + 7) / 8;
  std::uint64_t word[words] = {};
  std::memcpy(word, &value, sizeof(T));
  T moved = value;
  std::uint64_t got[words];
  for (std::size_t k = 0; k < words; ++k) {
    const unsigned source = from(lane());
    got[k] = host::here().exchange(word[k])[source < warp_width ? source : lane()];
    sync_warp();  // before the next word takes its place
  }
  std::memcpy(&moved, got, sizeof(T));
  return moved;
}
template <class T>
T shuffle_down(const T& value, unsigned distance) {
  return exchange_words(value, [=](unsigned l) { return l + distance; });
}
template <class T>
T shuffle(const T& value, unsigned from) {
  return exchange_words(value, [=](unsigned) { return from; });
}
template <class T>
T shuffle_xor(const T& value, unsigned mask) {
  return exchange_words(value, [=](unsigned l) { return l ^ mask; });
}
/// f over the values of a warp's lanes.
template <class T, class F>
T joined_in_warp(T v, const F& f) {
  const std::uint64_t* all = host::here().exchange(static_cast<std::uint64_t>(v));
  T joined = static_cast<T>(all[0]);
  for (unsigned l = 1; l < warp_width; ++l) joined = f(joined, static_cast<T>(all[l]));
  sync_warp();  // before the next values take their places
  return joined;
}
inline unsigned sum_in_warp(unsigned v) {
  return joined_in_warp(v, [](unsigned a, unsigned b) { return a + b; });
}
inline unsigned largest_in_warp(unsigned v) {
  return joined_in_warp(v, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
template <class T>
T smallest_in_warp(T v) {
  return joined_in_warp(v, [](T a, T b) { return b < a ? b : a; });
}
struct lanes_alike {
  unsigned below;
  unsigned all;
};
inline lanes_alike lanes_with(unsigned value, unsigned bits) {
  if (value >> bits != 0) throw std::logic_error("a value with more bits than it says");
  const std::uint64_t* all = host::here().exchange(value);
  lanes_alike alike{0, 0};
  for (unsigned l = 0; l < warp_width; ++l) {
    if (all[l] != value) continue;
    ++alike.all;
    if (l < lane()) ++alike.below;
  }
  sync_warp();  // before the next values take their places
  return alike;
}
inline std::uint32_t count_bits(std::uint32_t v) { return static_cast<std::uint32_t>(std::popcount(v)); }
inline std::uint32_t highest_bit(std::uint32_t v) { return static_cast<std::uint32_t>(std::bit_width(v) - 1); }
inline bool any(bool predicate) { return largest_in_warp(predicate ? 1 : 0) != 0; }

inline void fence_device() {}
inline void fence_before_barrier() {}
inline unsigned count_up(unsigned* counter, unsigned last) {
  const unsigned before = *counter;
  *counter = before >= last ? 0 : before + 1;
  return before;
}
inline void add_atomically(std::int64_t* p, std::int64_t v) {
  *p = static_cast<std::int64_t>(static_cast<std::uint64_t>(*p) + static_cast<std::uint64_t>(v));
}
inline void add_atomically(int* p, int v) {
  if (__builtin_add_overflow(*p, v, p)) throw std::logic_error("a digit overflowed");
}
inline void add_atomically(unsigned* p, unsigned v) { *p += v; }
inline void add_atomically(std::uint64_t* p, std::uint64_t v) { *p += v; }
inline void add_atomically(float* p, float v) { *p += v; }
inline void add_atomically(double* p, double v) { *p += v; }
inline std::uint64_t fetch_add(std::uint64_t* p, std::uint64_t v) {
  const std::uint64_t before = *p;
  *p += v;
  return before;
}
inline std::uint32_t fetch_add(std::uint32_t* p, std::uint32_t v) { return std::exchange(*p, *p + v); }
inline void raise_atomically(unsigned* p, unsigned v) { *p = *p < v ? v : *p; }
inline void raise_atomically(std::uint64_t* p, std::uint64_t v) { *p = *p < v ? v : *p; }
inline void set_bits_atomically(unsigned* p, unsigned bits) { *p |= bits; }
inline std::int64_t take(std::int64_t* p) {
  const std::int64_t v = *p;
  *p = 0;
  return v;
}
template <class T>
T load_shared_by_device(const T* p) {
  return *p;
}

inline void store_to_device(std::uint64_t* p, std::uint64_t a, std::uint64_t b) {
  p[0] = a;
  p[1] = b;
}
inline void load_from_device(std::uint64_t& a, std::uint64_t& b, const std::uint64_t* p) {
  a = p[0];
  b = p[1];
}

struct alignas(16) vector16 {
  unsigned word[4];
};
inline vector16 load_vector16(const void* p) {
  if (reinterpret_cast<std::uintptr_t>(p) % 16 != 0) throw std::logic_error("a 16-byte load that is not aligned");
  vector16 q;
  std::memcpy(&q, p, 16);
  return q;
}

inline double add(double a, double b) { return a + b; }
inline double subtract(double a, double b) { return a - b; }
inline double multiply(double a, double b) { return a * b; }
inline double reciprocal(double x) { return 1 / x; }
inline double reciprocal_of_normal(double x) { return reciprocal(x); }
inline double fused_multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double divide(double a, double b) { return a / b; }
inline double square_root(double x) { return __builtin_sqrt(x); }
inline float add(float a, float b) { return a + b; }
inline float subtract(float a, float b) { return a - b; }
inline float multiply(float a, float b) { return a * b; }
inline float divide(float a, float b) { return a / b; }
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double widen(float x) { return x; }
inline float narrow(double x) { return static_cast<float>(x); }
inline float to_float(half h) { return static_cast<float>(h); }
inline float to_float(bfloat16 h) { return static_cast<float>(h); }
inline float to_float(float x) { return x; }
inline unsigned high_word(double x) { return static_cast<unsigned>(std::bit_cast<std::uint64_t>(x) >> 32); }
inline unsigned low_word(double x) { return static_cast<unsigned>(std::bit_cast<std::uint64_t>(x)); }
inline double from_words(unsigned high, unsigned low) { return std::bit_cast<double>(std::uint64_t{high} << 32 | low); }

}  // namespace accrue::simt

#include "accrue/backends/simt/dialect/fallbacks.cuh"
