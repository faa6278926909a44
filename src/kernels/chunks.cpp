// SPDX-License-Identifier: BSD-3-Clause
// Ordered chunks and fast tiles of floating sums and products, and the widening of 16-bit floats.
#include "accrue/detail/kernels.hpp"

#include <cmath>

#include "accrue/ordered_tree.hpp"

#if defined(__FAST_MATH__)
#error "accrue's arithmetic sources must not be compiled with -ffast-math"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chunks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "has_kernel.hpp"
#include "prefetch.hpp"
#include "target-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace accrue::kernels::HWY_NAMESPACE {

template <chunk_term what, class R, class T>
HWY_INLINE R element(const operands<T>& tile, std::size_t i) {
  const auto x = static_cast<R>(tile.x[i]);
  if constexpr (what == chunk_term::value || what == chunk_term::factor) return x;
  if constexpr (what == chunk_term::magnitude) return std::fabs(x);
  if constexpr (what == chunk_term::square) return x * x;
  if constexpr (what == chunk_term::product) return x * static_cast<R>(tile.y[i]);
}

template <chunk_term what, class R>
HWY_INLINE R join(R a, R b) {
  if constexpr (what == chunk_term::factor) return a * b;
  return a + b;
}

template <chunk_term what, class R, class T>
HWY_INLINE R chunk(const operands<T>& tile) {
  constexpr std::size_t lanes = ordered_tree::lanes;
  R lane[lanes];
  for (R& l : lane) l = what == chunk_term::factor ? R(1) : R(0);
  std::size_t i = 0;
  for (; i + lanes <= tile.size; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) lane[l] = join<what>(lane[l], element<what, R>(tile, i + l));
  }
  for (std::size_t l = 0; i < tile.size; ++i, ++l) lane[l] = join<what>(lane[l], element<what, R>(tile, i));
  const std::size_t present = tile.size < lanes ? tile.size : lanes;
  for (std::size_t half = lanes / 2; half != 0; half /= 2) {
    if (present >= 2 * half) {
      for (std::size_t l = 0; l < half; ++l) lane[l] = join<what>(lane[l], lane[l + half]);
    } else {
      for (std::size_t l = 0; l + half < present && l < half; ++l) lane[l] = join<what>(lane[l], lane[l + half]);
    }
  }
  return lane[0];
}

template <class R, class T>
HWY_INLINE R chunk_any(chunk_term what, const operands<T>& tile) {
  switch (what) {
    case chunk_term::value: return chunk<chunk_term::value, R>(tile);
    case chunk_term::magnitude: return chunk<chunk_term::magnitude, R>(tile);
    case chunk_term::square: return chunk<chunk_term::square, R>(tile);
    case chunk_term::product: return chunk<chunk_term::product, R>(tile);
    case chunk_term::factor: return chunk<chunk_term::factor, R>(tile);
  }
  return R(0);
}

template <class R>
HWY_INLINE hn::Vec<hn::ScalableTag<R>> load(const R* p) {
  return hn::LoadU(hn::ScalableTag<R>(), p);
}
template <class R>
HWY_INLINE hn::Vec<hn::ScalableTag<double>> load(const float* p)
  requires(sizeof(R) == 8)
{
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half_width;
  return hn::PromoteTo(d, hn::LoadU(half_width, p));
}

template <class R, small_float T>
HWY_INLINE hn::Vec<hn::ScalableTag<float>> load(const T* p)
  requires(sizeof(R) == 4)
{
  return load_narrow(p);
}

template <term what, class R, class T>
HWY_INLINE R fast(const operands<T>& tile) {
  const hn::ScalableTag<R> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t unroll = 8;
  hn::Vec<decltype(d)> sum[unroll];
  for (std::size_t u = 0; u < unroll; ++u) sum[u] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + unroll * lanes <= tile.size; i += unroll * lanes) {
    if constexpr (sizeof(T) == 2) prefetch_ahead(tile.x + i, unroll * lanes * sizeof(T));
    if constexpr (sizeof(T) == 2 && what == term::product) prefetch_ahead(tile.y + i, unroll * lanes * sizeof(T));
    for (std::size_t u = 0; u < unroll; ++u) {
      const auto x = load<R>(tile.x + i + u * lanes);
      if constexpr (what == term::value) sum[u] = sum[u] + x;
      if constexpr (what == term::magnitude) sum[u] = sum[u] + hn::Abs(x);
      if constexpr (what == term::square) sum[u] = hn::MulAdd(x, x, sum[u]);
      if constexpr (what == term::product) sum[u] = hn::MulAdd(x, load<R>(tile.y + i + u * lanes), sum[u]);
    }
  }
  for (std::size_t half = unroll / 2; half != 0; half /= 2) {
    for (std::size_t u = 0; u < half; ++u) sum[u] = sum[u] + sum[u + half];
  }
  R total = hn::GetLane(hn::SumOfLanes(d, sum[0]));
  for (; i < tile.size; ++i) total += element<to_chunk_term(what), R>(tile, i);
  return total;
}

template <class R, class T>
HWY_INLINE R fast_any(term what, const operands<T>& tile) {
  switch (what) {
    case term::value: return fast<term::value, R>(tile);
    case term::magnitude: return fast<term::magnitude, R>(tile);
    case term::square: return fast<term::square, R>(tile);
    case term::product: return fast<term::product, R>(tile);
  }
  return R(0);
}

float chunk_f32(chunk_term what, operands<float> tile) { return chunk_any<float>(what, tile); }
double chunk_f32_f64(chunk_term what, operands<float> tile) { return chunk_any<double>(what, tile); }
double chunk_f64(chunk_term what, operands<double> tile) { return chunk_any<double>(what, tile); }
float chunk_f64_f32(chunk_term what, operands<double> tile) { return chunk_any<float>(what, tile); }
float fast_f32(term what, operands<float> tile) { return fast_any<float>(what, tile); }
double fast_f32_f64(term what, operands<float> tile) { return fast_any<double>(what, tile); }
double fast_f64(term what, operands<double> tile) { return fast_any<double>(what, tile); }
template <class T>
HWY_INLINE bool fast_narrow(term what, const operands<T>& tile, float& sum) {
  if constexpr (converts_half) sum = fast_any<float>(what, tile);
  return converts_half;
}
bool fast_f16(term what, operands<half> tile, float& sum) { return fast_narrow(what, tile, sum); }
bool fast_bf16(term what, operands<bfloat16> tile, float& sum) { return fast_narrow(what, tile, sum); }

/// Elements between two requests for memory ahead.
constexpr std::size_t widen_block = 64;

void widen_half(const half* from, float* to, std::size_t size) {
  const hn::ScalableTag<float> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto convert = [&](std::size_t j) HWY_ATTR { hn::StoreU(load_narrow(from + j), d, to + j); };
  std::size_t i = 0;
  for (; converts_half && i + widen_block <= size; i += widen_block) {
    prefetch_ahead(from + i, widen_block * sizeof(half));
    for (std::size_t j = i; j < i + widen_block; j += lanes) convert(j);
  }
  for (; converts_half && i + lanes <= size; i += lanes) convert(i);
  for (; i < size; ++i) to[i] = static_cast<float>(from[i]);
}

void widen_bfloat16(const bfloat16* from, float* to, std::size_t size) {
  std::size_t i = 0;
  for (; i + widen_block <= size; i += widen_block) {
    prefetch_ahead(from + i, widen_block * sizeof(bfloat16));
    for (std::size_t j = i; j < i + widen_block; ++j) to[j] = static_cast<float>(from[j]);
  }
  for (; i < size; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace accrue::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace accrue::kernels {

HWY_EXPORT(chunk_f32);
HWY_EXPORT(chunk_f32_f64);
HWY_EXPORT(chunk_f64);
HWY_EXPORT(chunk_f64_f32);
HWY_EXPORT(fast_f32);
HWY_EXPORT(fast_f32_f64);
HWY_EXPORT(fast_f64);
HWY_EXPORT(fast_f16);
HWY_EXPORT(fast_bf16);
HWY_EXPORT(widen_half);
HWY_EXPORT(widen_bfloat16);

#define ACCRUE_CHUNKS(R, T, ordered, fast)                        \
  template <>                                                     \
  R ordered_chunk(chunk_term what, operands<T> chunk) {           \
    return HWY_DYNAMIC_DISPATCH(ordered)(what, chunk);            \
  }                                                               \
  template <>                                                     \
  R fast_tile(term what, operands<T> tile) {                      \
    return static_cast<R>(HWY_DYNAMIC_DISPATCH(fast)(what, tile));\
  }                                                               \
  template <>                                                     \
  inline constexpr bool has_kernel<&ordered_chunk<R, T>> = true;  \
  template <>                                                     \
  inline constexpr bool has_kernel<&fast_tile<R, T>> = true;
ACCRUE_CHUNKS(float, float, chunk_f32, fast_f32)
ACCRUE_CHUNKS(double, float, chunk_f32_f64, fast_f32_f64)
ACCRUE_CHUNKS(double, double, chunk_f64, fast_f64)
ACCRUE_CHUNKS(float, double, chunk_f64_f32, fast_f64)
#undef ACCRUE_CHUNKS

static_assert(for_every_element([]<class T>(std::type_identity<T>) {
                if constexpr (native_float<T>) {
                  return has_kernel<&ordered_chunk<float, T>> && has_kernel<&ordered_chunk<double, T>> &&
                         has_kernel<&fast_tile<float, T>> && has_kernel<&fast_tile<double, T>>;
                }
                return true;
              }),
              "a floating-point element of the closed set has no kernel that sums it in order or fast");

template <>
bool fast_narrow_tile(term what, operands<half> tile, float& sum) {
  return HWY_DYNAMIC_DISPATCH(fast_f16)(what, tile, sum);
}
template <>
bool fast_narrow_tile(term what, operands<bfloat16> tile, float& sum) {
  return HWY_DYNAMIC_DISPATCH(fast_bf16)(what, tile, sum);
}
void widen(const half* from, float* to, std::size_t size) { HWY_DYNAMIC_DISPATCH(widen_half)(from, to, size); }
void widen(const bfloat16* from, float* to, std::size_t size) { HWY_DYNAMIC_DISPATCH(widen_bfloat16)(from, to, size); }

}  // namespace accrue::kernels
#endif
