// SPDX-License-Identifier: BSD-3-Clause
// A contender: one library's way to one result. A rival is one file of this folder that adds its contenders; the build takes the
// files of the rivals it finds.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace perf {

/// `read` reads everything and has no result: the limit.
enum class operation { read, sum, dot, sum_abs, min };

/// Where a contender runs: on so many threads of the host, or on a stream of the device.
struct place {
  int threads = 1;
  void* stream = nullptr;
};

template <class T>
struct contender {
  std::string name;
  operation what;
  /// *result = the reduction of x[0..n) and, for dots, y[0..n): memory of the place. Devices: enqueued on the stream, or done.
  std::function<void(const place&, const T* x, const T* y, std::size_t n, T* result)> run;
  /// Whether calls may be captured into a graph.
  bool capturable = true;
  /// Whether it uses the threads it is given; otherwise one.
  bool parallel = true;
  /// The longest arrays it takes.
  std::size_t most = static_cast<std::size_t>(-1);
};

/// Those of the host and those of the device. Rivals add theirs before main.
template <class T>
std::vector<contender<T>>& host_contenders();
template <class T>
std::vector<contender<T>>& device_contenders();

/// What to call when all is measured: a rival's own end.
std::vector<std::function<void()>>& at_the_end();

}  // namespace perf
