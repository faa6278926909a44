// SPDX-License-Identifier: BSD-3-Clause
// What `accrue info` measures and tells of a device.
#pragma once

#include <algorithm>
#include <memory>

#include "accrue/backends/simt/library/library_kernels.hpp"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

/// Reads 16-byte vectors and does as good as nothing else: the limit of every reduction.
static ACCRUE_KERNEL(512, 2) read_kernel(const vector16* p, std::size_t vectors, unsigned* out) {
  unsigned x = 0;
  const std::size_t stride = std::size_t{blocks()} * threads();
  for (std::size_t i = std::size_t{block()} * threads() + thread(); i + 3 * stride < vectors; i += 4 * stride) {
    vector16 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = load_vector16(p + i + u * stride);
#pragma unroll
    for (int u = 0; u < 4; ++u) x ^= v[u].word[0] ^ v[u].word[1] ^ v[u].word[2] ^ v[u].word[3];
  }
  if (x == 0x2545f491) *out = x;
}

/// Bytes a second of `run`, the median of seven.
template <class Space, class Run>
double rate(std::size_t bytes, const Run& run) {
  using api = runtime_api<Space>;
  typename api::event begin = nullptr;
  typename api::event end = nullptr;
  check<Space>(api::create_event(begin), "event");
  check<Space>(api::create_event(end), "event");
  float ms[7];
  run();
  for (float& t : ms) {
    check<Space>(api::record(begin), "event");
    run();
    check<Space>(api::record(end), "event");
    check<Space>(api::elapsed(t, begin, end), "time");
  }
  (void)api::destroy_event(begin);
  (void)api::destroy_event(end);
  std::nth_element(ms, ms + 3, ms + 7);
  return static_cast<double>(bytes) / (ms[3] * 1e-3);
}

template <class Space>
bandwidths measure_bandwidths(int device) {
  using api = runtime_api<Space>;
  const Space space(device);
  constexpr std::size_t bytes = std::size_t{256} << 20;
  device_description d{};
  check<Space>(api::describe(device, d), "device");
  int previous = 0;
  check<Space>(api::current_device(previous), "device");
  check<Space>(api::use_device(device), "device");
  std::size_t free_bytes = 0;
  check<Space>(api::free_memory(free_bytes), "memory");
  const std::size_t read_bytes = std::min<std::size_t>(std::size_t{2} << 30, free_bytes / 2 / 16 * 16);
  const auto release = [&](void* p) { space.deallocate(p); };
  const std::unique_ptr<void, decltype(release)> a(space.allocate(std::max(read_bytes, bytes)), release);
  const std::unique_ptr<void, decltype(release)> b(space.allocate(bytes), release);
  void* p = nullptr;
  check<Space>(api::allocate_pinned(&p, bytes), "pinned memory");
  const auto release_pinned = [](void* q) { (void)api::release_pinned(q); };
  const std::unique_ptr<void, decltype(release_pinned)> pinned(p, release_pinned);
  std::vector<unsigned char> pageable(bytes, 1);
  space.fill(a.get(), 1, std::max(read_bytes, bytes));
  const auto copies = [&](void* to, const void* from) {
    return rate<Space>(bytes, [&] { check<Space>(api::copy(to, from, bytes, nullptr), "copy"); });
  };
  bandwidths r{};
  r.pageable_to_device = copies(a.get(), pageable.data());
  r.device_to_pageable = copies(pageable.data(), a.get());
  r.pinned_to_device = copies(a.get(), pinned.get());
  r.device_to_pinned = copies(pinned.get(), a.get());
  r.device_to_device = 2 * copies(b.get(), a.get());
  r.read = rate<Space>(read_bytes, [&] {
    launch_kernel<Space>(&read_kernel, 8 * d.facts.multiprocessors, 512, 0, nullptr, static_cast<const vector16*>(a.get()),
                         read_bytes / 16, static_cast<unsigned*>(b.get()));
  });
  (void)api::use_device(previous);
  return r;
}

template <class Space>
std::vector<kernel_facts> kernels(int device) {
  using api = runtime_api<Space>;
  device_description d{};
  check<Space>(api::describe(device, d), "device");
  int previous = 0;
  check<Space>(api::current_device(previous), "device");
  check<Space>(api::use_device(device), "device");
  std::vector<kernel_facts> all;
  const auto add = [&](const std::vector<kernel_row>& group) {
    for (const kernel_row& row : group) {
      for (const kernel_facts& k : row.facts(d.facts)) all.push_back(k);
    }
  };
  [&]<int... group>(std::integer_sequence<int, group...>) {
    (add(library_kernels<Space, static_cast<kernel_group>(group)>()), ...);
  }(std::make_integer_sequence<int, kernel_groups>{});
  (void)api::use_device(previous);
  return all;
}

}  // namespace accrue::simt
