// SPDX-License-Identifier: BSD-3-Clause
// The launches of an accumulation on a device. `accumulate` and `scatter` of accrue/accumulate.hpp lead here.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "accrue/accumulate.hpp"
#include "accrue/backends/simt/kernel/accumulate_kernel.cuh"
#include "accrue/backends/simt/runtime/launch.cuh"
#include "accrue/detail/to_fixed.hpp"

namespace accrue::simt {

/// What the launches of one accumulation need of their space: memory in the order of its stream, and a way to read it back.
///
///     auto memory = device.memory(bytes);          // owns them: memory.data(), aligned to 256
///     device.zero(p, bytes); device.read(to, p, bytes);   // `read` waits
///     device.request()
template <class Device, class T, std::size_t D>
class planned_target {
 public:
  using plan_type = contribution_plan<T, D>;
  using memory_type = decltype(std::declval<const Device&>().memory(0));

  planned_target(const Device& device, const detail::array_target<T, D>& target, double largest) : device_(&device) {
    for (std::size_t d = 0; d < D; ++d) plan_.component[d] = target.component[d];
    plan_.size = target.size;
    plan_.stride = target.stride;
    plan_.status = device.request().status;
    plan_.largest = largest;
  }

  [[nodiscard]] const plan_type& plan() const { return plan_; }
  [[nodiscard]] std::size_t copy_bytes() const {
    return plan_.numbers() * (native_float<T> && exactly_ ? plan_.format.count * sizeof(std::uint64_t) : sizeof(T));
  }
  [[nodiscard]] bool needs_range() const { return native_float<T> && exactly_ && plan_.largest == 0; }

  /// Integers are exact under every strategy.
  void choose(strategy how) {
    exactly_ = native_float<T> && how == strategy::fixed_point;
    plan_.how = how == strategy::gather ? adding::plainly : adding::atomically;
    if (plan_.largest != 0 && exactly_) plan_.format = {detail::wide_fixed_unit(plan_.largest), 2};
  }
  /// Before the run that finds the range. Its memory is zero.
  void look(contribution_range* range) {
    plan_.how = adding::nothing;
    plan_.range = range;
  }
  template <class Space>
  void look_at_targets() const {
    if constexpr (native_float<T>) {
      if (plan_.numbers() != 0) launch_over_numbers<Space>(target_range_kernel<T, D>, plan_);
    }
  }
  void fit(const contribution_range& found) {
    plan_.format = found.format();
    has_special_ = found.special != 0;
  }
  /// Memory for the words, and their start.
  template <class Space>
  void start() {
    if (!exactly_ || plan_.numbers() == 0) return;
    plan_.how = adding::to_words;
    const std::size_t words = plan_.numbers() * plan_.format.count * sizeof(std::uint64_t);
    const std::size_t flags = has_special_ ? plan_.numbers() * sizeof(unsigned) : 0;
    if (memory_ == nullptr) memory_.reset(new memory_type(device_->memory(words + flags)));
    plan_.words = reinterpret_cast<std::uint64_t*>(memory_->data());
    if (has_special_) {
      plan_.specials = reinterpret_cast<unsigned*>(memory_->data() + words);
      device_->zero(plan_.specials, flags);
    }
    launch_over_numbers<Space>(start_words_kernel<T, D>, plan_);
  }
  /// Copies for each block in its shared memory, from `offset` on.
  void copy_to_blocks(std::size_t offset) {
    if (plan_.how == adding::plainly) return;
    plan_.how = exactly_ ? adding::to_copied_words : adding::to_copies;
    plan_.shared_offset = static_cast<unsigned>(offset);
    plan_.shared_bytes = copy_bytes();
  }
  template <class Space>
  void finish() {
    if constexpr (native_float<T>) {
      if (exactly_ && plan_.numbers() != 0) launch_over_numbers<Space>(finish_words_kernel<T, D>, plan_);
    }
  }
  [[nodiscard]] const Device& device() const { return *device_; }
  [[nodiscard]] std::size_t workspace_bytes() const { return exactly_ ? plan_.numbers() * plan_.format.count * sizeof(std::uint64_t) : 0; }

 private:
  [[nodiscard]] unsigned blocks(std::size_t work) const {
    return static_cast<unsigned>(std::clamp<std::size_t>((work + accumulate_threads - 1) / accumulate_threads, 1,
                                                         std::size_t{8} * device_->request().device->multiprocessors));
  }
  template <class Space>
  void launch_over_numbers(void (*kernel)(plan_type), const plan_type& plan) const {
    launch_kernel<Space>(kernel, blocks(plan.numbers()), accumulate_threads, 0, device_->request().stream, plan);
  }

  const Device* device_;
  plan_type plan_{};
  bool exactly_ = false;
  bool has_special_ = false;
  std::unique_ptr<memory_type> memory_;
};

/// An exact total, which the host gets; of one number, or of several that are added up, so that those who add seldom meet.
template <class Device>
class planned_total : public planned_target<Device, double, 1> {
 public:
  using base = planned_target<Device, double, 1>;
  using plan_type = total_plan;

  planned_total(const Device& device, exact_total& total, std::size_t numbers = 1)
      : base(device, {{nullptr}, numbers, 1}, 0), total_(&total) {}

  [[nodiscard]] total_plan plan() const {
    total_plan p;
    static_cast<contribution_plan<double, 1>&>(p) = base::plan();
    return p;
  }
  [[nodiscard]] std::size_t copy_bytes() const { return 0; }
  void choose(strategy) { base::choose(strategy::fixed_point); }
  template <class Space>
  void look_at_targets() const {}
  void copy_to_blocks(std::size_t) {}
  template <class Space>
  void finish() {
    const contribution_plan<double, 1>& from = base::plan();
    const word_format f = from.format;
    std::vector<std::uint64_t> words(from.numbers() * f.count);
    std::vector<unsigned> specials(from.numbers());
    if (from.specials != nullptr) base::device().read(specials.data(), from.specials, specials.size() * sizeof(unsigned));
    base::device().read(words.data(), from.words, words.size() * sizeof(std::uint64_t));
    superaccumulator<double> sum;
    unsigned special = 0;
    for (std::size_t k = 0; k < from.numbers(); ++k) {
      std::uint64_t* const number = words.data() + k * f.count;
      special |= specials[k];
      if (settle_words(number, f)) continue;
      const bool negative = take_magnitude(number, f.count);
      for (unsigned w = 0; w < f.count; ++w) sum.sink().deposit(number[w], negative, f.unit + 64 * static_cast<int>(w));
      sum.normalize();
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const auto& [bit, value] : {std::pair{1u, infinity}, {2u, -infinity}, {4u, std::numeric_limits<double>::quiet_NaN()}}) {
      if ((special & bit) != 0) sum.add(value);
    }
    total_->merge({{}, sum});
  }

 private:
  exact_total* total_;
};

/// Copies of all targets in the shared memory of a block, of no more bytes than these, leave a multiprocessor several blocks.
inline constexpr std::size_t most_copied_bytes = 49152;

/// One accumulation over all targets of a call.
template <class Space, class Device, class Body, class... Targets>
accumulation_report launch_accumulation(const Device& device, std::size_t n, const Body& body, const accumulate_options& options,
                                        Targets... targets) {
  if (options.strategy == strategy::critical || options.strategy == strategy::triangle) {
    throw error(errc::invalid_argument, "accrue::accumulate: critical and triangle are strategies of host threads");
  }
  if (!options.weights.empty()) throw error(errc::invalid_argument, "accrue::accumulate: weights are for host threads");
  const launch_request request = device.request();
  const auto blocks_of = [&](std::size_t most) {
    return static_cast<unsigned>(std::clamp<std::size_t>((n + accumulate_threads - 1) / accumulate_threads, 1, most));
  };
  const auto run = [&](unsigned blocks, std::size_t shared) {
    constexpr auto kernel = accumulate_kernel<Body, typename Targets::plan_type...>;
    if (n != 0) launch_kernel<Space>(kernel, blocks, accumulate_threads, shared, request.stream, n, body, targets.plan()...);
  };
  const std::size_t most_blocks = std::size_t{8} * request.device->multiprocessors;

  (targets.choose(options.strategy), ...);
  if ((targets.needs_range() || ...)) {
    device.refuse_capture();
    constexpr std::size_t count = sizeof...(Targets);
    contribution_range found[count];
    auto memory = device.memory(sizeof(found));
    auto* const ranges = reinterpret_cast<contribution_range*>(memory.data());
    device.zero(ranges, sizeof(found));
    std::size_t k = 0;
    (targets.look(ranges + k++), ...);
    run(blocks_of(most_blocks), 0);
    (targets.template look_at_targets<Space>(), ...);
    device.read(found, ranges, sizeof(found));
    k = 0;
    (targets.choose(options.strategy), ...);
    const auto fit = [&](auto& target) {
      if (target.needs_range()) target.fit(found[k]);
      ++k;
    };
    (fit(targets), ...);
  }
  (targets.template start<Space>(), ...);

  std::size_t shared = 0;
  const auto aligned = [](std::size_t bytes) { return (bytes + 15) / 16 * 16; };
  const std::size_t copied = (aligned(targets.copy_bytes()) + ...);
  accumulation_report report;
  report.used = options.strategy;
  unsigned blocks = blocks_of(most_blocks);
  if (options.strategy == strategy::replicated && copied > most_copied_bytes) {
    throw error(errc::size_overflow, "accrue::accumulate: replicated on a device keeps copies in shared memory, of at most " +
                                         std::to_string(most_copied_bytes) + " bytes; the targets have " + std::to_string(copied));
  }
  const bool pays = copied <= most_copied_bytes && n / 4 > copied / 8;
  if (options.strategy == strategy::replicated || (pays && options.strategy != strategy::atomic && options.strategy != strategy::gather)) {
    const auto copy = [&](auto& target) {
      target.copy_to_blocks(shared);
      shared += aligned(target.copy_bytes());
    };
    (copy(targets), ...);
    blocks = blocks_of(std::clamp<std::size_t>(n / 4 / (copied / 8 + 1), 1, std::size_t{4} * request.device->multiprocessors));
    if (options.strategy == strategy::automatic) report.used = strategy::replicated;
  } else if (options.strategy == strategy::automatic) {
    report.used = strategy::atomic;
  }
  run(blocks, shared);
  (targets.template finish<Space>(), ...);
  report.workspace_bytes = (targets.workspace_bytes() + ...);
  return report;
}

/// The plan of one target of a call. Arrays are in memory that the device can write: `check_reachable` throws otherwise.
template <class Device, class X>
auto plan_target(const Device& device, X& x, double largest, std::size_t numbers_of_total = 1) {
  if constexpr (std::is_same_v<X, exact_total>) {
    return planned_total<Device>(device, x, numbers_of_total);
  } else {
    const auto array = detail::as_target(x);
    using element = typename std::remove_const_t<decltype(array)>::value_type;
    for (auto* p : array.component) {
      if (array.size != 0) device.check_reachable(p);
    }
    return planned_target<Device, element, std::remove_const_t<decltype(array)>::width>(device, array, largest);
  }
}
/// Calls `use` with the arrays and totals of a call: one, or those of accrue::targets.
template <class Target, class Use>
decltype(auto) with_targets(Target& target, const Use& use) {
  if constexpr (detail::is_target_pack<std::remove_const_t<Target>>) {
    return std::apply(use, target.targets);
  } else {
    return use(target);
  }
}

/// A space's memory and stream, for the launches of an accumulation.
template <class Space>
class accumulating_device {
 public:
  using call = asynchronous_call<Space>;
  explicit accumulating_device(const Space& space) : space_(space), request_(call(space).request(nullptr)) {}
  [[nodiscard]] const launch_request& request() const { return request_; }
  [[nodiscard]] stream_memory<Space> memory(std::size_t bytes) const { return {call(space_), bytes}; }
  void zero(void* p, std::size_t bytes) const { space_.fill(p, 0, bytes); }
  void read(void* to, const void* from, std::size_t bytes) const {
    space_.copy(to, from, bytes);
    space_.synchronize();
  }
  void write(void* to, const void* from, std::size_t bytes) const {
    space_.copy(to, from, bytes);
    space_.synchronize();
  }
  void refuse_capture(const char* what = "accumulate: an exact total, or fixed_point without `largest`, reads back what it found") const {
    call(space_).refuse_capture(what);
  }
  void check_reachable(const void* p) const { call(space_).check_reachable(p); }
  /// The space's device is the current one while the result lives.
  [[nodiscard]] call make_current() const { return call(space_); }

 private:
  Space space_;
  launch_request request_;
};
template <class Space, class Stream, class Target, class Body>
accumulation_report accumulate_on_device(const device_space<Space, Stream>& space, Target& target, std::size_t n, const Body& body,
                                         const accumulate_options& options) {
  const asynchronous_call<Space> call(static_cast<const Space&>(space));  // its device is current meanwhile
  const accumulating_device<Space> device(static_cast<const Space&>(space));
  return with_targets(target, [&](auto&... x) {
    return launch_accumulation<Space>(device, n, body, options, plan_target(device, x, options.largest)...);
  });
}

/// What a kernel of the caller's adds to: copied into it, used by any thread.
template <class T, std::size_t D>
class device_adder {
 public:
  explicit device_adder(const contribution_plan<T, D>& plan) : plan_(plan) {}
  /// target[j] += v: one number, three, or a std::array.
  template <class... V>
  ACCRUE_DEVICE void add(std::size_t j, V... v) const {
    device_contributor<T, D>(plan_).add(j, v...);
  }

 private:
  contribution_plan<T, D> plan_;
};

/// The same for an exact total. Warps add to numbers of their own, as far as there are such.
class device_total_adder {
 public:
  explicit device_total_adder(const total_plan& plan) : plan_(plan) {}
  /// total += v
  ACCRUE_DEVICE void add(double v) const {
    device_contributor<double, 1>(plan_).add((std::size_t{block()} * threads() + thread()) / warp_width % plan_.size, v);
  }

 private:
  total_plan plan_;
};
template <class T, std::size_t D>
device_adder<T, D> adder_to(const contribution_plan<T, D>& plan) {
  return device_adder<T, D>(plan);
}
inline device_total_adder adder_to(const total_plan& plan) { return device_total_adder(plan); }

/// An accumulation by kernels of the caller's, on the stream of a space.
///
///     auto acc = accrue::scatter(space, y);                   // strategy::atomic; or fixed_point with a bound (accumulate_options)
///     kernel<<<..., stream>>>(acc.local());                   // in it: out.add(j, v), from any thread
///     acc.finish();                                           // behind them on the stream
///
///     auto both = accrue::scatter(space, accrue::targets(forces, energy));
///     auto [to_forces, to_energy] = both.local();             // arguments of a kernel: to_forces.add(j, fx, fy, fz), to_energy.add(u)
///
/// The object outlives the kernels' launches, and is used again after `finish`; it is not made while the stream is being captured.
/// Guarantees and errors: as `accumulate` on devices. An exact total takes any double, whatever the strategy, at one to three atomic
/// additions each; `finish` then waits for the stream.
template <class Space, class Device, class... Targets>
class device_scatter {
 public:
  template <class... X>
  device_scatter(const Space& space, const accumulate_options& options, X&... x)
      : device_(space), targets_(plan_target(device_, x, options.largest, numbers_of_total)...) {
    [[maybe_unused]] const auto current = device_.make_current();
    const strategy how = options.strategy == strategy::automatic ? strategy::atomic : options.strategy;
    if (how != strategy::atomic && how != strategy::fixed_point) {
      throw error(errc::invalid_argument, "accrue::scatter: on devices atomic and fixed_point");
    }
    if (how == strategy::fixed_point || has_totals) device_.refuse_capture("scatter: its memory outlives the graph");
    for_each([&](auto& target) {
      target.choose(how);
      if constexpr (is_total<decltype(target)>) {
        target.fit(contribution_range::any());
      } else if (target.needs_range()) {
        throw error(errc::invalid_argument, "accrue::scatter: fixed_point on devices needs a bound, accumulate_options::largest");
      }
      target.template start<Space>();
    });
  }
  device_scatter(const device_scatter&) = delete;
  device_scatter& operator=(const device_scatter&) = delete;
  ~device_scatter() = default;
  /// What kernels add to: one object for each target, in a tuple where there are several.
  [[nodiscard]] auto local() const {
    return std::apply(
        [](const auto&... target) {
          if constexpr (sizeof...(target) == 1) {
            return (adder_to(target.plan()), ...);
          } else {
            return std::tuple(adder_to(target.plan())...);
          }
        },
        targets_);
  }
  /// Brings what was added into the targets. Asynchronous, but where there is an exact total.
  void finish() {
    [[maybe_unused]] const auto current = device_.make_current();
    if (has_totals) device_.refuse_capture("scatter: an exact total is read back");
    const auto end = [&](bool totals) {  // first those that wait, and throw what went wrong: all can be finished again then
      for_each([&](auto& target) {
        if (is_total<decltype(target)> != totals) return;
        target.template finish<Space>();
        target.template start<Space>();
      });
    };
    end(true);
    end(false);
  }
  [[nodiscard]] std::size_t workspace_bytes() const {
    return std::apply([](const auto&... target) { return (target.workspace_bytes() + ...); }, targets_);
  }

 private:
  template <class Target>
  static constexpr bool is_total = std::is_same_v<std::remove_cvref_t<Target>, planned_total<Device>>;
  static constexpr bool has_totals = (is_total<Targets> || ...);
  static constexpr std::size_t numbers_of_total = 256;

  template <class F>
  void for_each(const F& f) {
    std::apply([&](auto&... target) { (f(target), ...); }, targets_);
  }

  Device device_;
  std::tuple<Targets...> targets_;
};
/// Device: as accumulating_device.
template <class Device, class Space, class Target>
auto make_scatter(const Space& space, Target& target, const accumulate_options& options) {
  return with_targets(target, [&]<class... X>(X&... x) {
    return device_scatter<Space, Device, decltype(plan_target(std::declval<const Device&>(), x, 0.0))...>(space, options, x...);
  });
}
template <class Space, class Stream, class Target>
auto scatter_on_device(const device_space<Space, Stream>& space, Target& target, const accumulate_options& options) {
  return make_scatter<accumulating_device<Space>>(static_cast<const Space&>(space), target, options);
}

}  // namespace accrue::simt
