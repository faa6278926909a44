// SPDX-License-Identifier: BSD-3-Clause
// One reduction's way to the device: its memory, its checks and its errors, behind functions that need no CUDA header.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "accrue/backends/simt/launch.hpp"
#include "accrue/detail/fp_environment.hpp"

namespace accrue {

struct cuda;

namespace cuda_backend {

struct workspace_slot;

/// Results that a blocking call has room for.
inline constexpr std::size_t result_bytes = 1024;

/// Makes the space's device current while it lives. Throws `no_device`, and what earlier work left to report.
class call {
 public:
  explicit call(const cuda& space);
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  ~call();

  /// Throws `wrong_space` unless the device can read (write) memory at p.
  void check_readable(const void* p) const;
  void check_writable(const void* p) const { check_readable(p); }
  [[nodiscard]] simt::launch_request request(void* result) const;

 private:
  detail::fp_environment environment_;  // the driver computes too

 protected:
  const cuda& space_;
  const simt::device_facts* device_;
  int previous_device_;
  workspace_slot* slot_ = nullptr;
  int* status_ = nullptr;
};

/// A call with memory of its own that waits for its result.
class blocking_call : public call {
 public:
  explicit blocking_call(const cuda& space);
  ~blocking_call();
  /// Pinned host memory that the device writes.
  [[nodiscard]] void* result() const;
  /// Waits for the stream. Throws `overflow_error` and `kernel_failure`.
  void wait() const;
};

/// A call with the memory of its stream, or of the graph that is being captured.
class asynchronous_call : public call {
 public:
  explicit asynchronous_call(const cuda& space);
};

/// Throws accrue::error if the last launch failed.
void check_launch();

/// All devices, as `accrue info` shows them.
struct device_description {
  std::string name;
  simt::device_facts facts;
  std::size_t memory_bytes;
  std::size_t l2_bytes;
  int threads_per_multiprocessor;
  int clock_khz;
  int memory_clock_khz;
  int memory_bus_bits;
  int driver;
  int runtime;
};
/// Empty where there is no device; `why` says the reason.
std::vector<device_description> devices(std::string& why);

/// Bytes a second, the medians of several copies of 256 MiB; `read` is a kernel that only reads 2 GiB or what the device has room for.
struct bandwidths {
  double pageable_to_device, device_to_pageable;
  double pinned_to_device, device_to_pinned;
  double device_to_device;  ///< bytes read and written
  double read;
};
bandwidths measure_bandwidths(int device);
/// The kernels of the library on a device.
std::vector<simt::kernel_facts> kernels(int device);

}  // namespace cuda_backend
}  // namespace accrue
