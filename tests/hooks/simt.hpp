// SPDX-License-Identifier: BSD-3-Clause
// The conformance suite on the kernels of backends/simt, run by the host dialect: a space for tests alone.
#pragma once

#define ACCRUE_SIMT_DIALECT "simt/host_dialect.hpp"

#include <accrue/accrue.hpp>

#include "accrue/backends/simt/runtime/accumulate_launch.cuh"
#include "accrue/backends/simt/runtime/device_space.hpp"
#include "accrue/backends/simt/runtime/group_launch.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"
#include "uploaded_array.hpp"

namespace hook {

struct space : accrue::detail::host_memory {
  static constexpr const char* name = "simt";
  unsigned blocks = 0;
  unsigned threads = 0;
};

}  // namespace hook

namespace accrue::simt {

/// Launches on the host: blocks in a random order, one after the other.
template <>
struct kernel_api<hook::space> {
  template <class Kernel>
  static int occupancy(Kernel, const device_facts&, unsigned, std::size_t) {
    return 2;
  }
  template <class Kernel>
  static std::size_t shared_bytes(Kernel) {
    return 0;
  }
  template <class... Parameters>
  static void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared_bytes, void*,
                     void** arguments) {
    run(kernel, host::any_of(blocks), blocks, threads, shared_bytes, arguments);
  }
  template <class... Parameters>
  static void launch_in_order(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared_bytes, void*,
                              void** arguments) {
    run(kernel, 0, blocks, threads, shared_bytes, arguments);
  }

 private:
  template <class... Parameters>
  static void run(void (*kernel)(Parameters...), unsigned first, unsigned blocks, unsigned threads, std::size_t shared_bytes,
                  void** arguments) {
    const auto call = [&]<std::size_t... i>(std::index_sequence<i...>) { kernel(*static_cast<Parameters*>(arguments[i])...); };
    host::run_blocks([&] { call(std::index_sequence_for<Parameters...>{}); }, first, blocks, threads, shared_bytes);
  }
};

/// Every kernel is compiled here.
template <class Space, class Op, class Source>
void launch_compiled(const launch_request& request, const Op& op, const Source& source) {
  launch_here<Space>(request, op, source);
}

}  // namespace accrue::simt

namespace hook {

inline constexpr accrue::simt::device_facts the_device{0, 0, accrue::simt::warp_width, 3, 65536};

/// Has `launch(request)` launch its kernels, which leave the memory of the call as they found it.
inline void run_request(const space& s, void* result, bool keeps_state, const void* earlier,
                        const std::function<void(const accrue::simt::launch_request&)>& launch) {
  const accrue::detail::fp_environment environment;
  static thread_local std::vector<unsigned char> workspace(accrue::simt::least_workspace_bytes);
  int status = 0;
  launch(accrue::simt::launch_request{&the_device, nullptr, s.blocks, s.threads, workspace.data(), workspace.size(), result, &status,
                                      earlier, keeps_state});
  for (std::size_t k = 0; k < accrue::simt::ticket_bytes + accrue::simt::zero_words_bytes; ++k) {
    if (workspace[k] != 0) throw std::logic_error("a kernel left its workspace unclean");
  }
  if (status == static_cast<int>(accrue::errc::integer_overflow))
    throw accrue::overflow_error("accrue: an integer total does not fit its result type");
  if (status != 0) throw accrue::error(static_cast<accrue::errc>(status), "accrue: a kernel's status");
}
/// Runs the kernel that `with(launch)` launches.
template <class Result, class With>
Result run_kernel(const space& s, bool keeps_state, const void* earlier, With with) {
  alignas(64) unsigned char result[sizeof(Result)];
  run_request(s, result, keeps_state, earlier, [&](const accrue::simt::launch_request& request) {
    with([&](const auto& op, const auto& source) { accrue::simt::launch_here<space>(request, op, source); });
  });
  return *reinterpret_cast<const Result*>(result);
}

template <class R, class View>
typename R::state reduce_state(const space& s, const R& reducer, const View& view);
template <class R, class View>
accrue::detail::result_of<R> reduce_range(const space& s, const R& reducer, const View& view) {
  if (view.size() == 0) (void)reducer.finish(reducer.empty());
  if constexpr (accrue::detail::is_order_free<R>() && accrue::detail::reads_tensors<View>) {
    if (!accrue::detail::is_in_matrices(view)) return reducer.finish(reduce_state(s, reducer, view));
  }
  return run_kernel<accrue::detail::result_of<R>>(s, false, nullptr,
                                                  [&](auto launch) { accrue::simt::with_operation(reducer, view, launch); });
}
template <class R, class View>
typename R::state reduce_state(const space& s, const R& reducer, const View& view) {
  if constexpr (accrue::detail::reads_tensors<View>) {
    if (!accrue::detail::is_in_matrices(view)) {
      const auto state_of = [&](const auto& part) { return reduce_state(s, reducer, part); };
      return accrue::detail::state_by_matrices(reducer, accrue::detail::in_matrices_for<R>(view), state_of);
    }
  }
  return run_kernel<typename R::state>(s, true, nullptr, [&](auto launch) { accrue::simt::with_operation(reducer, view, launch); });
}
template <class R, class Groups, class Out>
void launch_groups(const space& s, const R& reducer, const Groups& grouping, Out* out, bool keeps_states) {
  run_request(s, out, keeps_states, nullptr, [&](const accrue::simt::launch_request& request) {
    accrue::simt::launch_grouping<space>(request, reducer, grouping, sizeof(Out),
                                         [](std::size_t bytes) { return std::vector<unsigned char>(bytes + 1, 0xa5); });
  });
}
template <class R, class Groups, class Result>
void reduce_groups_into(const space& s, const R& reducer, const Groups& grouping, Result* out) {
  launch_groups(s, reducer, grouping, out, false);
}
template <class R, class Groups>
void reduce_group_states_into(const space& s, const R& reducer, const Groups& grouping, typename R::state* states) {
  launch_groups(s, reducer, grouping, states, true);
}
/// The memory of an accumulation.
struct accumulating_device {
  accrue::simt::launch_request launch;
  [[nodiscard]] const accrue::simt::launch_request& request() const { return launch; }
  [[nodiscard]] std::vector<unsigned char> memory(std::size_t bytes) const { return std::vector<unsigned char>(bytes + 1, 0xa5); }
  void zero(void* p, std::size_t bytes) const { std::memset(p, 0, bytes); }
  void write(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }
  void read(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }
  void refuse_capture(const char* = "") const {}
  void check_reachable(const void*) const {}
};
template <class Target, class Body>
accrue::accumulation_report accumulate_on_device(const space& s, Target& target, std::size_t n, const Body& body,
                                                 const accrue::accumulate_options& options) {
  accrue::accumulation_report report;
  run_request(s, nullptr, false, nullptr, [&](const accrue::simt::launch_request& request) {
    const accumulating_device device{request};
    report = accrue::simt::with_targets(target, [&](auto&... x) {
      return accrue::simt::launch_accumulation<space>(device, n, body, options, accrue::simt::plan_target(device, x, options.largest)...);
    });
  });
  return report;
}
/// The memory of a scatter, from one launch of the caller's to another.
struct scattering_device : accumulating_device {
  explicit scattering_device(const space& s)
      : accumulating_device{{&the_device, nullptr, s.blocks, s.threads, nullptr, 0, nullptr, &status, nullptr, false}} {}
  scattering_device(const scattering_device&) = delete;
  ~scattering_device() = default;
  scattering_device& operator=(const scattering_device&) = delete;
  [[nodiscard]] int make_current() const { return 0; }
  int status = 0;
};
template <class Target>
auto scatter_on_device(const space& s, Target& target, const accrue::accumulate_options& options) {
  return accrue::simt::make_scatter<scattering_device>(s, target, options);
}
/// As finish_state_into on devices.
template <class R>
accrue::detail::result_of<R> finish_on_device(const space& s, const R& reducer, const typename R::state& state) {
  return run_kernel<accrue::detail::result_of<R>>(s, false, &state, [&](auto launch) { accrue::simt::with_operation(reducer, launch); });
}

/// As finish_states_into on devices.
template <class R, class Result>
void finish_groups_on_device(const space& s, const R& reducer, const typename R::state* states, std::size_t count, Result* results) {
  run_request(s, results, false, states, [&](const accrue::simt::launch_request& request) {
    accrue::simt::launch_finishes<space>(request, reducer, count, sizeof(Result));
  });
}

inline space make() { return {}; }
inline std::vector<space> variants() {
  std::vector<space> all{space{}};
  constexpr unsigned w = ACCRUE_TEST_WARP_WIDTH;
  for (const auto& [blocks, warps] : {std::pair{1u, 1u}, {2u, 3u}, {5u, 2u}}) {
    space s;
    s.blocks = blocks;
    s.threads = warps * w;
    all.push_back(s);
  }
  return all;
}

}  // namespace hook
