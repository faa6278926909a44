// SPDX-License-Identifier: BSD-3-Clause
// Kokkos execution spaces as accrue sees them: those whose threads run on the host, and devices, which one of accrue's native
// backends drives on the stream of the Kokkos instance.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

#include "accrue/backends.hpp"
#include "accrue/error.hpp"

namespace accrue::on_kokkos {

/// The backend that drives a Kokkos device space. `of` is a template so that a build without that backend fails where it is used.
template <class ExecutionSpace>
struct native {};
#if defined(KOKKOS_ENABLE_CUDA)
template <>
struct native<Kokkos::Cuda> {
  template <class Space = cuda>
  static Space of(const Kokkos::Cuda& instance) {
    return Space(instance.cuda_device(), instance.cuda_stream());
  }
};
#endif
#if defined(KOKKOS_ENABLE_HIP)
#if KOKKOS_VERSION >= 40000
using hip_space = Kokkos::HIP;
#else
using hip_space = Kokkos::Experimental::HIP;
#endif
template <>
struct native<hip_space> {
  template <class Space = hip>
  static Space of(const hip_space& instance) {
    return Space(instance.hip_device(), instance.hip_stream());
  }
};
#endif

template <class E>
concept host_space = std::is_same_v<typename E::memory_space, Kokkos::HostSpace>;
template <class E>
concept device_space = requires(const E& e) {
  native<E>::of(e);
};

/// Throws unless Kokkos is running: it is its owner's to start and to stop.
inline void require_initialized(const char* call) {
  if (!Kokkos::is_initialized()) {
    throw error(
        errc::not_initialized,
        std::string("accrue::") + call + ": Kokkos is not initialized; call Kokkos::initialize first, and accrue before finalize");
  }
}
template <class E>
E default_instance() {
  require_initialized("kokkos");
  return E();
}

/// Kokkos's host spaces take one kernel at a time; calls from several threads wait here for each other.
template <class E>
std::recursive_mutex& dispatch_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Whether the calling thread must do the work alone: it is in a parallel region already, where Kokkos's threads are busy, or, for
/// Threads, is not the one that started Kokkos.
template <class E>
bool inside_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<E, Kokkos::OpenMP>) return omp_in_parallel() != 0;
#endif
#if defined(KOKKOS_ENABLE_THREADS)
#if KOKKOS_VERSION >= 40200
  using threads_runtime = Kokkos::Impl::ThreadsInternal;
#else
  using threads_runtime = Kokkos::Impl::ThreadsExec;
#endif
  if constexpr (std::is_same_v<E, Kokkos::Threads>) return !threads_runtime::is_process();
#endif
  return false;
}

/// "accrue::sum_of<double, ...>": what Kokkos's tools show for a reducer's kernels.
template <class R>
std::string_view name_of() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const auto begin = text.find("R = ") + 4;
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}
template <class R>
const std::string& label_of() {
  static const std::string label = (name_of<R>().starts_with("accrue::") ? "" : "accrue::reduce ") + std::string(name_of<R>());
  return label;
}

/// A kernel that Kokkos does not launch, for Kokkos's tools.
template <class E>
class tool_kernel {
 public:
  tool_kernel(const std::string& label, const E& instance) : shown_(Kokkos::Tools::profileLibraryLoaded()) {
    if (shown_) Kokkos::Tools::beginParallelReduce(label, Kokkos::Tools::Experimental::device_id(instance), &kernel_);
  }
  tool_kernel(const tool_kernel&) = delete;
  tool_kernel& operator=(const tool_kernel&) = delete;
  ~tool_kernel() {
    if (shown_) Kokkos::Tools::endParallelReduce(kernel_);
  }

 private:
  bool shown_;
  std::uint64_t kernel_ = 0;
};

}  // namespace accrue::on_kokkos
