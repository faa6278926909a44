// SPDX-License-Identifier: BSD-3-Clause
// The launches that turn groups by keys into segments: elements brought together by their keys, in memory of the call.
#pragma once

#include <algorithm>
#include <bit>

#include "accrue/backends/simt/kernel/key_kernels.cuh"
#include "accrue/backends/simt/operations/group_sources.hpp"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

/// A source whose elements were put in another order: contiguous arrays, at memory that `take(count, type)` hands out.
template <class Source>
struct arranged_source {
  using type = array<typename Source::element>;
  template <class Take>
  static type at(const Source&, std::size_t n, const Take& take) {
    return {take(n, typename Source::element{}), n, n, 0, 1};
  }
};
template <class T>
struct arranged_source<array_pair<T>> {
  using type = array_pair<T>;
  template <class Take>
  static type at(const array_pair<T>& s, std::size_t n, const Take& take) {
    return {arranged_source<array<T>>::at(s.x, n, take), arranged_source<array<T>>::at(s.y, n, take)};
  }
};
template <class Source, class Mask>
struct arranged_source<masked<Source, Mask>> {
  using type = masked<typename arranged_source<Source>::type, typename arranged_source<Mask>::type>;
  template <class Take>
  static type at(const masked<Source, Mask>& s, std::size_t n, const Take& take) {
    return {arranged_source<Source>::at(s.x, n, take), arranged_source<Mask>::at(s.mask, n, take)};
  }
};

/// Sorts the elements of a grouping by keys.
template <class Space, class Source, class Key, class Index>
class key_sort {
 public:
  using segments = segment_source<typename arranged_source<Source>::type, std::size_t>;

  key_sort(const device_facts& device, const Source& source, const Key* keys, std::size_t n, std::size_t groups, bool skips_others)
      : device_(device), source_(source), keys_{keys, static_cast<std::uint32_t>(groups)}, n_(n), skips_others_(skips_others) {
    constexpr std::size_t least_each = 512;
    const std::size_t most = std::size_t{blocks_each} * warps_each() * device.multiprocessors;
    const std::size_t wanted = std::clamp<std::size_t>(n / least_each, 1, most);
    each_ = (n / wanted / device.warp_width + 1) * device.warp_width;
    const std::size_t warps = (n + each_ - 1) / each_;
    blocks_ = static_cast<unsigned>(std::max<std::size_t>((warps + warps_each() - 1) / warps_each(), 1));
    passes_ = std::max<unsigned>((static_cast<unsigned>(std::bit_width(groups)) + key_digit_bits - 1) / key_digit_bits, 1);
    (void)lay_out(nullptr);
  }
  /// Of memory that it takes.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Where the elements stood before the sort, which `run` has enqueued.
  [[nodiscard]] const Index* order() const { return order_[1 - passes_ % 2]; }

  /// Enqueues the sort in memory of so many bytes, aligned to 256.
  segments run(const launch_request& request, unsigned char* memory) {
    const segments all = lay_out(memory);
    const unsigned warps = blocks_ * warps_each();
    for (unsigned p = 0; p < passes_; ++p) {
      const key_pass pass{n_, each_, p * key_digit_bits, warps};
      if (p == 0) {
        launch_pass(request, keys_, pass, static_cast<const Index*>(nullptr), skips_others_ ? nullptr : request.status, 0);
      } else {
        const unsigned from = 1 - p % 2;
        launch_pass(request, key_source<std::uint32_t>{sorted_keys_[from], keys_.groups}, pass, order_[from], nullptr, p % 2);
      }
    }
    const unsigned last = 1 - passes_ % 2;
    const std::size_t offsets = std::size_t{keys_.groups} + 1;
    const auto offset_blocks = static_cast<unsigned>((offsets + key_threads - 1) / key_threads);
    launch_kernel<Space>(find_offsets_kernel<std::size_t>, offset_blocks, key_threads, 0, request.stream, sorted_keys_[last], n_,
                         keys_.groups, const_cast<std::size_t*>(all.offsets));
    arrange(request, source_, all.whole, order_[last]);
    return all;
  }

 private:
  static constexpr unsigned blocks_each = 1;  ///< on a multiprocessor: so that all places that are written to at a time stay in the cache

  [[nodiscard]] unsigned warps_each() const { return key_threads / device_.warp_width; }

  template <class K>
  void launch_pass(const launch_request& request, const key_source<K>& keys, const key_pass& pass, const Index* order, int* status,
                   unsigned to) {
    launch_kernel<Space>(count_digits_kernel<K>, blocks_, key_threads, 0, request.stream, keys, pass, counts_, status);
    launch_kernel<Space>(scan_digits_kernel<std::size_t>, key_digits, device_.warp_width, 0, request.stream, counts_, pass.warps, totals_);
    launch_kernel<Space>(move_keys_kernel<K, Index>, blocks_, key_threads, 0, request.stream, keys, pass, order, counts_, totals_,
                         sorted_keys_[to], order_[to]);
  }

  template <class From, class To>
  void arrange(const launch_request& request, const From& from, const To& to, const Index* order) {
    if constexpr (requires { from.mask; }) {
      arrange(request, from.x, to.x, order);
      arrange(request, from.mask, to.mask, order);
    } else if constexpr (requires { to.y; }) {
      arrange(request, from.x, to.x, order);
      arrange(request, from.y, to.y, order);
    } else {
      const auto blocks = static_cast<unsigned>(
          std::clamp<std::size_t>((n_ + key_threads - 1) / key_threads, 1, std::size_t{8} * device_.multiprocessors));
      launch_kernel<Space>(arrange_kernel<From, Index>, blocks, key_threads, 0, request.stream, from, is_contiguous(from), order, n_,
                           const_cast<typename From::element*>(to.data));
    }
  }

  segments lay_out(unsigned char* memory) {
    bytes_ = 0;
    const auto take = [&]<class T>(std::size_t count, T) {
      auto* const p = memory != nullptr ? reinterpret_cast<T*>(memory + bytes_) : nullptr;
      bytes_ += (count * sizeof(T) + 255) / 256 * 256;
      return p;
    };
    for (unsigned k = 0; k < 2; ++k) {
      const std::size_t n = k < passes_ ? n_ : 0;
      sorted_keys_[k] = take(n, std::uint32_t{});
      order_[k] = take(n, Index{});
    }
    counts_ = take(std::size_t{key_digits} * blocks_ * warps_each(), std::size_t{});
    totals_ = take(key_digits, std::size_t{});
    const std::size_t* const offsets = take(std::size_t{keys_.groups} + 1, std::size_t{});
    return {arranged_source<Source>::at(source_, n_, take), offsets, nowhere, keys_.groups};
  }

  const device_facts& device_;
  Source source_;
  key_source<Key> keys_;
  std::size_t n_;
  bool skips_others_;
  std::size_t each_ = 0;
  unsigned blocks_ = 0;
  unsigned passes_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t* sorted_keys_[2] = {};
  Index* order_[2] = {};
  std::size_t* counts_ = nullptr;
  std::size_t* totals_ = nullptr;
};

/// Enqueues the sort of a grouping by keys, then `run(segments, order)`, with the places that their elements had. `memory_of(bytes)` owns
/// device memory, which work enqueued by then may use.
template <class Space, class Index, class View, class Key, class MemoryOf, class Run>
void launch_by_keys(const launch_request& request, const detail::key_groups<View, Key>& g, const MemoryOf& memory_of, const Run& run) {
  const auto source = source_of(g.view);
  using sort_type = key_sort<Space, std::remove_const_t<decltype(source)>, Key, Index>;
  sort_type sort(*request.device, source, g.keys, g.size(), g.count(), g.skips_others);
  auto memory = memory_of(sort.bytes());
  const auto segments = sort.run(request, memory.data());
  run(segments, sort.order());
}

}  // namespace accrue::simt
