// SPDX-License-Identifier: BSD-3-Clause
// What the dialects of all devices share, in the words that their compilers have in common. A dialect includes it after its macros
// and warp_width.
#pragma once

#include "accrue/detail/ways.hpp"

namespace accrue::simt {

#if defined(ACCRUE_COUNT_WAYS)  // by each thread that takes it
static __device__ unsigned long long ways_taken[static_cast<unsigned>(detail::way::count)];
ACCRUE_DEVICE void thread_took(detail::way w) { atomicAdd(ways_taken + static_cast<unsigned>(w), 1ull); }
#else
ACCRUE_DEVICE void thread_took(detail::way) {}
#endif

// Where the calling thread stands. Blocks are one-dimensional, of whole warps.
ACCRUE_DEVICE unsigned thread() { return threadIdx.x; }
ACCRUE_DEVICE unsigned threads() { return blockDim.x; }
ACCRUE_DEVICE unsigned block() { return blockIdx.x; }
ACCRUE_DEVICE unsigned blocks() { return gridDim.x; }
ACCRUE_DEVICE unsigned lane() { return threadIdx.x % warp_width; }
ACCRUE_DEVICE unsigned warp() { return threadIdx.x / warp_width; }
ACCRUE_DEVICE unsigned warps() { return blockDim.x / warp_width; }

/// Lanes of a warp with one value: how many, and how many below the caller.
struct lanes_alike {
  unsigned below;
  unsigned all;
};

/// The block's shared memory whose size the launch gave.
ACCRUE_DEVICE unsigned char* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char shared[];
  return shared;
}

ACCRUE_DEVICE void sync_block() { __syncthreads(); }
/// The same; whether the predicate holds in some thread of the block.
ACCRUE_DEVICE bool any_in_block(bool predicate) { return __syncthreads_or(predicate) != 0; }

/// Moves a trivially copyable value between lanes, a 32-bit word at a time.
template <class T, class Move>
ACCRUE_DEVICE T move_words(const T& value, Move move) {
  static_assert(std::is_trivially_copyable_v<T>, "accrue: a state that crosses lanes must be trivially copyable");
  constexpr std::size_t words = (sizeof(T) + 3) / 4;
  unsigned word[words] = {};
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (std::size_t k = 0; k < words; ++k) word[k] = move(word[k]);
  T moved = value;
  memcpy(&moved, word, sizeof(T));
  return moved;
}

/// Adds one, starting again from zero after `last`; returns the count before.
ACCRUE_DEVICE unsigned count_up(unsigned* counter, unsigned last) { return atomicInc(counter, last); }
ACCRUE_DEVICE void add_atomically(std::int64_t* p, std::int64_t v) {
  atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v));
}
ACCRUE_DEVICE void add_atomically(int* p, int v) { atomicAdd(p, v); }
ACCRUE_DEVICE void add_atomically(unsigned* p, unsigned v) { atomicAdd(p, v); }
ACCRUE_DEVICE void add_atomically(std::uint64_t* p, std::uint64_t v) {
  atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v));
}
ACCRUE_DEVICE void add_atomically(float* p, float v) { atomicAdd(p, v); }
ACCRUE_DEVICE void add_atomically(double* p, double v) { atomicAdd(p, v); }
ACCRUE_DEVICE std::uint32_t count_bits(std::uint32_t v) { return static_cast<std::uint32_t>(__popc(static_cast<int>(v))); }
/// The number of the highest bit that is set; one must be.
ACCRUE_DEVICE std::uint32_t highest_bit(std::uint32_t v) { return static_cast<std::uint32_t>(31 - __clz(static_cast<int>(v))); }
/// The value before.
ACCRUE_DEVICE std::uint64_t fetch_add(std::uint64_t* p, std::uint64_t v) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v));
}
ACCRUE_DEVICE std::uint32_t fetch_add(std::uint32_t* p, std::uint32_t v) { return atomicAdd(p, v); }
ACCRUE_DEVICE void raise_atomically(unsigned* p, unsigned v) { atomicMax(p, v); }
ACCRUE_DEVICE void raise_atomically(std::uint64_t* p, std::uint64_t v) {
  atomicMax(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v));
}
ACCRUE_DEVICE void set_bits_atomically(unsigned* p, unsigned bits) { atomicOr(p, bits); }
/// Takes the value and leaves zero.
ACCRUE_DEVICE std::int64_t take(std::int64_t* p) {
  return static_cast<std::int64_t>(atomicExch(reinterpret_cast<unsigned long long*>(p), 0ull));
}

/// A word that another block wrote: past the caches that are not the device's. Each dialect has its own.
template <class Word>
ACCRUE_DEVICE void load_from_device(Word& v, const void* p);
/// What other blocks wrote.
template <class T>
ACCRUE_DEVICE T load_shared_by_device(const T* p) {
  constexpr std::size_t unit = sizeof(T) | alignof(T);
  using word = std::conditional_t<unit % 8 == 0, std::uint64_t, std::conditional_t<unit % 4 == 0, unsigned, unsigned char>>;
  T value;
  word words[sizeof(T) / sizeof(word)];
#pragma unroll
  for (std::size_t k = 0; k < sizeof(words) / sizeof(word); ++k) load_from_device(words[k], reinterpret_cast<const word*>(p) + k);
  memcpy(&value, words, sizeof(T));
  return value;
}

/// 16 bytes of what no thread writes meanwhile.
struct alignas(16) vector16 {
  unsigned word[4];
};

}  // namespace accrue::simt
