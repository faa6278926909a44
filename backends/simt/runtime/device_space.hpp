// SPDX-License-Identifier: BSD-3-Clause
// A space whose work runs on a device, for any runtime: what users see of it, and one reduction's way to the device behind
// functions that need no runtime's header. device_runtime.hpp defines them; a backend instantiates them for its space.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "accrue/backends/simt/operations/group_sources.hpp"
#include "accrue/backends/simt/operations/kernel_table.hpp"
#include "accrue/backends/simt/runtime/launch_request.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/memory_order.hpp"
#include "accrue/detail/tensor_matrices.hpp"
#include "accrue/space.hpp"

namespace accrue::simt {

/// Device memory for the partial results of asynchronous reductions, for callers who want to own it: one reduction at a time may
/// use it. Errors: `no_device`, `out_of_memory`.
template <class Space>
class device_workspace {
 public:
  /// On the current device. `bytes` beyond the default allow larger ordered reductions.
  explicit device_workspace(std::size_t bytes = least_workspace_bytes);
  ~device_workspace();
  device_workspace(const device_workspace&) = delete;
  device_workspace& operator=(const device_workspace&) = delete;

  [[nodiscard]] unsigned char* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  unsigned char* data_ = nullptr;
  std::size_t size_;
};

/// Runs on a device, on a stream; data in memory that the device can read: its own, managed, or pinned host memory. `Space` derives
/// from it.
///
/// Blocking calls return when the result is there and leave the rest of the device alone. `reduce_into` enqueues one kernel on the
/// stream and returns: no allocation, no synchronisation, and it may be captured into a graph; the result is written to memory that
/// the device can write. An integer total that does not fit is reported by `synchronize()` or by the next call, and its result is
/// undefined. Any number of reductions may be in flight, from any threads and streams. Instances of one captured graph must not run
/// at the same time.
template <class Space, class Stream>
struct device_space {
  static constexpr bool asynchronous = true;
  using stream_type = Stream;

  int device = -1;  ///< -1: the current one
  Stream stream = nullptr;
  const device_workspace<Space>* workspace = nullptr;  ///< nullptr: from a pool
  unsigned blocks = 0;                                 ///< launch shape; 0: as tuned
  unsigned threads = 0;                                ///< of a block: a multiple of 32 up to 512, rounded up to whole warps; 0: as tuned

  device_space() = default;
  explicit device_space(int device_index) : device(device_index) {}
  /// On the current device. The stream must be the device's.
  explicit device_space(Stream on_stream) : stream(on_stream) {}
  device_space(int device_index, Stream on_stream) : device(device_index), stream(on_stream) {}

  /// Device memory aligned to 256 bytes. Throws `errc::out_of_memory`.
  [[nodiscard]] void* allocate(std::size_t size_bytes) const;
  void deallocate(void* p) const;
  /// On the stream; from or to pageable memory it returns when that memory may be used again.
  void copy(void* to, const void* from, std::size_t size_bytes) const;
  void fill(void* to, int byte, std::size_t size_bytes) const;
  /// Waits for the stream, and throws what asynchronous reductions left to report.
  void synchronize() const;
};

template <class Space>
struct workspace_slot;

/// Results and states that a blocking call has room for.
inline constexpr std::size_t result_bytes = 16384;

/// Makes the space's device current while it lives. Throws `no_device`, and what earlier work left to report.
template <class Space>
class device_call {
 public:
  explicit device_call(const Space& space);
  device_call(const device_call&) = delete;
  device_call& operator=(const device_call&) = delete;
  ~device_call();

  /// Throws `wrong_space` unless the device can read, or write, memory at p.
  void check_reachable(const void* p) const;
  [[nodiscard]] launch_request request(void* result) const;
  [[nodiscard]] typename Space::stream_type stream() const { return space_.stream; }
  [[nodiscard]] int device() const { return device_->device; }

 private:
  detail::fp_environment environment_;  // the driver computes too

 protected:
  const Space& space_;
  const device_facts* device_ = nullptr;
  int previous_device_;
  workspace_slot<Space>* slot_ = nullptr;
  int* status_ = nullptr;
};

/// A call with memory of its own that waits for its result.
template <class Space>
class blocking_call : public device_call<Space> {
 public:
  explicit blocking_call(const Space& space);
  ~blocking_call();
  /// Pinned host memory that the device writes.
  [[nodiscard]] void* result() const;
  /// Waits for the stream. Throws `overflow_error` and `kernel_failure`.
  void wait() const;
};

/// A call with the memory of its stream, or of the graph that is being captured.
template <class Space>
class asynchronous_call : public device_call<Space> {
 public:
  explicit asynchronous_call(const Space& space);
  /// Throws where the stream is being captured, which `what` says cannot be.
  void refuse_capture(const char* what) const;
};

/// Device memory for work on a call's stream, taken and given back in the stream's order: no synchronisation, and in a graph a part of it.
template <class Space>
class stream_memory {
 public:
  stream_memory(const device_call<Space>& call, std::size_t bytes);
  ~stream_memory();
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;
  /// Aligned to 256 bytes.
  [[nodiscard]] unsigned char* data() const { return static_cast<unsigned char*>(data_); }

 private:
  int device_;
  typename Space::stream_type stream_;
  void* data_ = nullptr;
};

/// A device, as `accrue info` shows it.
struct device_description {
  std::string name;
  device_facts facts;
  std::string target;  ///< what kernels are compiled for: compute capability or gfx number
  std::size_t memory_bytes;
  std::size_t l2_bytes;
  int threads_per_multiprocessor;
  int clock_khz;
  int memory_clock_khz;
  int memory_bus_bits;
  int driver;
  int runtime;
};
/// All devices. Empty where there is none; `why` says the reason.
template <class Space>
std::vector<device_description> devices(std::string& why);

/// Bytes a second, the medians of several copies of 256 MiB; `read` is a kernel that only reads 2 GiB or what the device has room
/// for.
struct bandwidths {
  double pageable_to_device, device_to_pageable;
  double pinned_to_device, device_to_pinned;
  double device_to_device;  ///< bytes read and written
  double read;
};
template <class Space>
bandwidths measure_bandwidths(int device);
/// The kernels of the library on a device.
template <class Space>
std::vector<kernel_facts> kernels(int device);

/// Enqueues by the library's kernels; defined for the named reductions of arrays.
template <class Space, class Op, class Source>
void launch_compiled(const launch_request& request, const Op& op, const Source& source);
/// Enqueues by a kernel compiled here; defined where a device compiler is at work.
template <class Space, class Op, class Source>
void launch_here(const launch_request& request, const Op& op, const Source& source);

template <class Space, class Op, class Source>
void launch(const launch_request& request, const Op& op, const Source& source) {
  if constexpr (is_compiled<Op, Source>) {
    launch_compiled<Space>(request, op, source);
  } else {
#if defined(__CUDACC__) || defined(__HIPCC__)
    launch_here<Space>(request, op, source);
#else
    static_assert(!std::is_same_v<Op, Op>,
                  "accrue: on devices, reducers and functions of your own, fuse, and masks but those of bytes over float or double, need a "
                  "source file compiled by nvcc or hipcc");
#endif
  }
}

/// Enqueues a request within a call.
template <class Space, class R, class View>
void enqueue(const device_call<Space>& c, const launch_request& request, const R& reducer, const View& view) {
  with_operation(reducer, view, [&](const auto& op, const auto& source) {
    for_each_pointer(source, [&](const void* p) { c.check_reachable(p); });
    launch<Space>(request, op, source);
  });
}
template <class Space, class R>
launch_request state_request(const device_call<Space>& c, void* state) {
  static_assert(detail::is_order_free<R>(), "accrue: on devices ordered reducers have no state to hand out");
  launch_request r = c.request(state);
  r.keeps_state = true;
  return r;
}
/// Throws where an operation needs elements and there are none.
template <class R, class View>
void require_result(const R& reducer, const View& view) {
  if (view.size() == 0) (void)reducer.finish(reducer.empty());
}

template <class Space, class Stream, class R, class View>
typename R::state reduce_state(const device_space<Space, Stream>& space, const R& reducer, const View& view);
template <class Space, class Stream, class R, class View>
detail::result_of<R> reduce_range(const device_space<Space, Stream>& space, const R& reducer, const View& view) {
  static_assert(sizeof(detail::result_of<R>) <= result_bytes, "accrue: results of more than 16384 bytes go through reduce_into");
  if constexpr (detail::is_order_free<R>() && detail::reads_tensors<View>) {
    if (!detail::is_in_matrices(view)) {
      const auto state = reduce_state(space, reducer, view);
      const detail::fp_environment environment;
      return reducer.finish(state);
    }
  }
  const blocking_call<Space> call(static_cast<const Space&>(space));
  require_result(reducer, view);
  enqueue(call, call.request(call.result()), reducer, view);
  call.wait();
  return *static_cast<const detail::result_of<R>*>(call.result());
}

template <class Space, class Stream, class R, class View, class Result>
void reduce_range_into(const device_space<Space, Stream>& space, const R& reducer, const View& view, Result* result) {
  static_assert(std::is_same_v<Result, detail::result_of<R>>, "accrue::reduce_into: the reducer's result has another type");
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  call.check_reachable(result);
  require_result(reducer, view);
  enqueue(call, call.request(result), reducer, view);
}

template <class Space, class Stream, class R, class View>
typename R::state reduce_state(const device_space<Space, Stream>& space, const R& reducer, const View& view) {
  static_assert(sizeof(typename R::state) <= result_bytes, "accrue: states of more than 16384 bytes go through partial_into");
  if constexpr (detail::reads_tensors<View>) {
    if (!detail::is_in_matrices(view)) {
      const auto state_of = [&](const auto& part) { return reduce_state(space, reducer, part); };
      return detail::state_by_matrices(reducer, detail::in_matrices_for<R>(view), state_of);
    }
  }
  const blocking_call<Space> call(static_cast<const Space&>(space));
  enqueue(call, state_request<Space, R>(call, call.result()), reducer, view);
  call.wait();
  return *static_cast<const typename R::state*>(call.result());
}

template <class Space, class Stream, class R, class View>
void reduce_state_into(const device_space<Space, Stream>& space, const R& reducer, const View& view, typename R::state* state) {
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  call.check_reachable(state);
  enqueue(call, state_request<Space, R>(call, state), reducer, view);
}

/// Enqueues the reductions of a grouping by kernels compiled here; defined where a device compiler is at work. `memory_of(bytes)` owns
/// memory for the groupings that need some.
template <class Space, class R, class Grouping, class MemoryOf>
void launch_grouping(const launch_request& request, const R& reducer, const Grouping& grouping, std::size_t result_bytes,
                     const MemoryOf& memory_of);
/// Calls `visit(pointer)` for each array of a grouping.
template <class Grouping, class Visit>
void for_each_array(const Grouping& grouping, Visit visit) {
  if constexpr (detail::counts_in_whole<Grouping>) {
    for_each_array(grouping.within, visit);
  } else if constexpr (requires { grouping.arrays; }) {
    for (std::size_t k = 0; k < grouping.count(); ++k) {
      if (const auto v = array_of(grouping, k); v.size() != 0) visit(static_cast<const void*>(v.data));
    }
  } else if constexpr (requires { grouping.keys; }) {
    for_each_pointer(source_of(grouping.view), visit);
    if (grouping.size() != 0) visit(static_cast<const void*>(grouping.keys));
  } else {
    for_each_pointer(group_source_of(grouping), visit);
  }
}
template <class Space, class R, class Groups>
void enqueue_groups(const asynchronous_call<Space>& call, const launch_request& request, const R& reducer, const Groups& grouping,
                    std::size_t bytes_each) {
#if defined(__CUDACC__) || defined(__HIPCC__)
  if (grouping.count() != 0) call.check_reachable(request.result);
  for_each_array(grouping, [&](const void* p) { call.check_reachable(p); });
  launch_grouping<Space>(request, reducer, grouping, bytes_each, [&](std::size_t bytes) { return stream_memory<Space>(call, bytes); });
#else
  static_assert(!std::is_same_v<R, R>, "accrue: on devices groupings need a source file compiled by nvcc or hipcc");
#endif
}
template <class Space, class Stream, class R, class Groups, class Result>
void reduce_groups_into(const device_space<Space, Stream>& space, const R& reducer, const Groups& grouping, Result* out) {
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  enqueue_groups(call, call.request(out), reducer, grouping, sizeof(Result));
}
/// The states of all groups.
template <class Space, class Stream, class R, class Groups>
void reduce_group_states_into(const device_space<Space, Stream>& space, const R& reducer, const Groups& grouping,
                              typename R::state* states) {
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  enqueue_groups(call, state_request<Space, R>(call, states), reducer, grouping, sizeof(typename R::state));
}

template <class Space, class Stream, class R, class Result>
void finish_state_into(const device_space<Space, Stream>& space, const R& reducer, const typename R::state* state, Result* result) {
  static_assert(std::is_same_v<Result, detail::result_of<R>>, "accrue::finish_into: the reducer's result has another type");
  static_assert(detail::is_order_free<R>(), "accrue: an ordered reducer has no partial results that merge");
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  call.check_reachable(state);
  call.check_reachable(result);
  launch_request request = call.request(result);
  request.earlier = state;
  with_operation(reducer, [&](const auto& op, const auto& source) { launch<Space>(request, op, source); });
}

/// Enqueues the same for several states by kernels compiled here; defined where a device compiler is at work.
template <class Space, class R>
void launch_finishes(const launch_request& request, const R& reducer, std::size_t count, std::size_t result_bytes);
template <class Space, class Stream, class R, class Result>
void finish_states_into(const device_space<Space, Stream>& space, const R& reducer, const typename R::state* states, std::size_t count,
                        Result* results) {
#if defined(__CUDACC__) || defined(__HIPCC__)
  static_assert(std::is_same_v<Result, detail::result_of<R>>, "accrue::finish_into: the reducer's result has another type");
  if (count == 0) return;
  const asynchronous_call<Space> call(static_cast<const Space&>(space));
  call.check_reachable(states);
  call.check_reachable(results);
  launch_request request = call.request(results);
  request.earlier = states;
  launch_finishes<Space>(request, reducer, count, sizeof(Result));
#else
  static_assert(!std::is_same_v<R, R>, "accrue: on devices the states of groups need a source file compiled by nvcc or hipcc");
#endif
}

}  // namespace accrue::simt
