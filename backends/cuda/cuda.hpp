// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend: native kernels on NVIDIA devices. Plain C++ sources call the kernels of the compiled library; .cu files may
// also use reducers and functions of their own.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

#include "accrue/backends/cuda/call.hpp"
#include "accrue/backends/simt/forms.hpp"
#include "accrue/space.hpp"

struct CUstream_st;
struct __half;
struct __nv_bfloat16;

namespace accrue {

/// Device memory for the partial results of asynchronous reductions, for callers who want to own it: one reduction at a time may use
/// it. Errors: `no_device`, `out_of_memory`.
class cuda_workspace {
 public:
  /// On the current device. `bytes` beyond the default allow ordered reductions of more than 2^34 elements.
  explicit cuda_workspace(std::size_t bytes = simt::least_workspace_bytes);
  ~cuda_workspace();
  cuda_workspace(const cuda_workspace&) = delete;
  cuda_workspace& operator=(const cuda_workspace&) = delete;

  [[nodiscard]] unsigned char* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  unsigned char* data_ = nullptr;
  std::size_t size_;
};

/// Runs on a CUDA device, on a stream; data in memory that the device can read: its own, managed, or pinned host memory.
///
/// Blocking calls return when the result is there and leave the rest of the device alone. `reduce_into` enqueues one kernel on the
/// stream and returns: no allocation, no synchronisation, and it may be captured into a graph; the result is written to memory that
/// the device can write. An integer total that does not fit is reported by `synchronize()` or by the next call,
/// and its result is undefined. Any number of reductions may be in flight, from any threads and streams. Instances of one captured graph must not
/// run at the same time.
struct cuda {
  static constexpr const char* name = "cuda";
  static constexpr bool asynchronous = true;

  int device = -1;  ///< -1: the current one
  CUstream_st* stream = nullptr;
  const cuda_workspace* workspace = nullptr;  ///< nullptr: from a pool
  unsigned blocks = 0;                        ///< launch shape; 0: as tuned
  unsigned threads = 0;                       ///< of a block: a multiple of 32 up to 512; 0: as tuned

  cuda() = default;
  explicit cuda(int device_index) : device(device_index) {}
  /// On the current device. The stream must be the device's.
  explicit cuda(CUstream_st* on_stream) : stream(on_stream) {}
  cuda(int device_index, CUstream_st* on_stream) : device(device_index), stream(on_stream) {}

  /// Device memory aligned to 256 bytes. Throws `errc::out_of_memory`.
  [[nodiscard]] void* allocate(std::size_t size_bytes) const;
  void deallocate(void* p) const;
  /// On the stream; from or to pageable memory it returns when that memory may be used again.
  void copy(void* to, const void* from, std::size_t size_bytes) const;
  void fill(void* to, int byte, std::size_t size_bytes) const;
  /// Waits for the stream, and throws what asynchronous reductions left to report.
  void synchronize() const;
};

namespace detail {

template <>
struct element_alias<__half> {
  using type = half;
};
template <>
struct element_alias<__nv_bfloat16> {
  using type = bfloat16;
};

}  // namespace detail

namespace cuda_backend {

/// Enqueues by the library's kernels; defined for the named reductions of arrays.
template <class Form, class Source>
void launch_compiled(const simt::launch_request& request, const Form& form, const Source& source);
/// Enqueues by a kernel compiled here; defined in .cu files.
template <class Form, class Source>
void launch_here(const simt::launch_request& request, const Form& form, const Source& source);

template <class Form, class Source>
void launch(const simt::launch_request& request, const Form& form, const Source& source) {
  if constexpr (simt::is_compiled<Form, Source>) {
    launch_compiled(request, form, source);
  } else {
#if defined(__CUDACC__)
    launch_here(request, form, source);
#else
    static_assert(!std::is_same_v<Form, Form>,
                  "accrue: on cuda, reducers and functions of your own, and fuse, need a .cu file compiled by nvcc");
#endif
  }
}

template <class R>
using result_of = decltype(std::declval<const R&>().finish(std::declval<const typename R::state&>()));

/// Enqueues within a call.
template <class R, class View>
void enqueue(const call& c, const R& reducer, const View& view, void* result) {
  if (view.size() == 0) (void)reducer.finish(reducer.empty());  // throws where an operation needs elements
  simt::with_form(reducer, view, [&](const auto& form, const auto& source) {
    simt::for_each_pointer(source, [&](const void* p) { c.check_readable(p); });
    launch(c.request(result), form, source);
  });
}

}  // namespace cuda_backend

template <class R, class View>
auto reduce_range(const cuda& space, const R& reducer, const View& view) {
  using result_type = cuda_backend::result_of<R>;
  static_assert(sizeof(result_type) <= cuda_backend::result_bytes, "accrue: results of more than 1024 bytes go through reduce_into");
  const cuda_backend::blocking_call call(space);
  cuda_backend::enqueue(call, reducer, view, call.result());
  call.wait();
  return *static_cast<const result_type*>(call.result());
}

template <class R, class View, class Result>
void reduce_range_into(const cuda& space, const R& reducer, const View& view, Result* result) {
  static_assert(std::is_same_v<Result, cuda_backend::result_of<R>>, "accrue::reduce_into: the reducer's result has another type");
  const cuda_backend::asynchronous_call call(space);
  call.check_writable(result);
  cuda_backend::enqueue(call, reducer, view, result);
}

}  // namespace accrue

#if defined(__CUDACC__)
#include "accrue/backends/cuda/launch.cuh"
#endif
