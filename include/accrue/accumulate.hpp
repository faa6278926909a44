// SPDX-License-Identifier: BSD-3-Clause
// Reductions whose result is an array: contributions (index, value) from many work items, and the object for a caller's own loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "accrue/accumulation_report.hpp"
#include "accrue/detail/contributions.hpp"
#include "accrue/detail/fp_environment.hpp"
#include "accrue/detail/input_errors.hpp"
#include "accrue/exact_total.hpp"
#include "accrue/space.hpp"
#include "accrue/view.hpp"

namespace accrue {

/// How to accumulate. A strategy alone converts to it.
struct accumulate_options {
  accrue::strategy strategy = accrue::strategy::automatic;
  /// The work of each item, if items differ; empty: all alike. As many as there are items.
  std::span<const double> weights{};
  /// fixed_point: the largest size of one contribution, where the caller knows it, else 0. It rounds then, as it must on devices for one
  /// asynchronous run: see `accumulate`.
  double largest = 0;

  accumulate_options() = default;
  accumulate_options(accrue::strategy s) : strategy(s) {}  // NOLINT: a strategy is a way to accumulate
};

namespace detail {

template <bool checked, class T, std::size_t D>
auto contributions_to(const array_target<T, D>& target) {
  return std::make_unique<contributions<T, D, checked>>(target);
}
template <bool checked, class X>
auto make_contributions(X& x) {
  if constexpr (std::is_same_v<X, exact_total>) {
    return std::make_unique<total_contributions<checked>>(x);
  } else {
    return contributions_to<checked>(as_target(x));
  }
}

template <class... X>
struct target_pack {
  std::tuple<X&...> targets;
};
template <class X>
inline constexpr bool is_target_pack = false;
template <class... X>
inline constexpr bool is_target_pack<target_pack<X...>> = true;

/// The contributions of a call, one for each of its targets.
template <bool checked, class Target>
auto make_all_contributions(Target& target) {
  if constexpr (is_target_pack<std::remove_const_t<Target>>) {
    return std::apply([](auto&... x) { return std::make_tuple(make_contributions<checked>(x)...); }, target.targets);
  } else {
    return std::make_tuple(make_contributions<checked>(target));
  }
}

/// The rule of `automatic`: one thread needs no protection, and `atomic` is plain additions then. Private copies pay where they fit
/// the second-level cache and there are as many items as targets; larger ones cost fresh memory, which takes 64 items a target to earn.
constexpr strategy choose_strategy(std::size_t items, std::size_t targets, int threads) {
  const std::size_t needed = targets <= (std::size_t{1} << 16) ? targets : 64 * targets;
  return threads > 1 && items >= needed ? strategy::replicated : strategy::atomic;
}

/// Loops' bodies that are cheap to copy: closures that refer to what they use.
template <class Body>
inline constexpr bool copied_for_loops =
    std::is_trivially_copyable_v<Body> && std::is_copy_constructible_v<Body> && sizeof(Body) <= 256;

/// Calls f with a thread's value of each of the contributions (with_local), for its one way the first of them that has several: all ways of
/// several arrays would be many loops to compile.
template <addition, bool, class F>
void with_locals(int, const F& f) {
  f();
}
template <addition way, bool in_one_way = true, class F, class First, class... Others>
void with_locals(int rank, const F& f, First& first, Others&... others) {
  first.template with_local<way, in_one_way>(rank, [&](auto& local) {
    with_locals<way, in_one_way && !First::in_several_ways>(rank, [&](auto&... more) { f(local, more...); }, others...);
  });
}

/// One accumulation by a team over all targets of a call.
template <bool checked, class Body, class... Contributions>
accumulation_report accumulate_on(const host_team& asked, std::size_t n, const Body& body, const accumulate_options& options,
                                  staircase_calibration& calibration, Contributions&... targets) {
  if (!options.weights.empty() && options.weights.size() != n) {
    throw error(errc::size_mismatch,
                "accrue::accumulate: " + std::to_string(options.weights.size()) + " weights for " + std::to_string(n) + " items");
  }
  const host_team team = asked.with(static_cast<int>(std::clamp<std::size_t>(n, 1, static_cast<std::size_t>(asked.threads()))));
  const stopwatch watch;
  std::vector<double> weight_before;
  if (!options.weights.empty()) {
    weight_before.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
      if (!(options.weights[i] >= 0)) throw error(errc::invalid_argument, "accrue::accumulate: a weight below zero");
      weight_before[i + 1] = weight_before[i] + options.weights[i];
    }
  }
  const strategy how =
      options.strategy == strategy::automatic
          ? choose_strategy(n, std::max({std::size_t{0}, targets.groups()...}) * private_copies<double>::group, team.threads())
          : options.strategy;
  // A single thread's atomic additions need not be atomic.
  const strategy adding = how == strategy::atomic && team.threads() == 1 ? strategy::gather : how;
  (targets.start(team.threads(), adding, options.largest), ...);

  accumulation_report report;
  report.timelines.resize(static_cast<std::size_t>(team.threads()));
  const bool in_section = how == strategy::critical || how == strategy::triangle;
  const double step = how == strategy::triangle ? calibration.step() : 0;
  std::mutex section;
  double section_s = 0;
  double work_s = 0;
  int team_size = 1;
  std::atomic<std::size_t> merged{0};

  auto member = [&](int rank, int size, team_barrier& barrier) {
    thread_timeline& timeline = report.timelines[static_cast<std::size_t>(rank)];
    timeline.begin(watch.now_s());
    if (rank == 0) team_size = size;
    const share mine =
        weight_before.empty() ? staircase_share(n, rank, size, step) : staircase_share(weight_before, rank, size, step);
    const double begun = watch.now_s();
    const auto add_all = [&](auto&... handle) {
      // A copy whose address nobody knows: what it refers to need not be looked up for each item.
      const std::conditional_t<copied_for_loops<Body>, Body, const Body&> own = body;
      const std::size_t end = mine.end;
      const bool by_item = how == strategy::gather;
      for (std::size_t i = mine.begin; i < end; ++i) {
        if (by_item) (handle.start_item(i), ...);
        own(i, handle...);
      }
    };
    if (adding == strategy::atomic || adding == strategy::gather) {
      with_locals<addition::direct>(rank, add_all, targets...);
    } else if (adding != strategy::fixed_point) {
      with_locals<addition::copied>(rank, add_all, targets...);
    } else if (options.largest == 0) {
      with_locals<addition::exact>(rank, add_all, targets...);
    } else {
      with_locals<addition::bounded>(rank, add_all, targets...);
    }
    const double computed = watch.now_s();
    timeline.end(phase::computing, computed);
    const fp_environment environment;
    (targets.of(rank).flush(), ...);
    std::size_t bytes = 0;
    if (in_section) {
      const std::lock_guard lock(section);
      const double entered = watch.now_s();
      timeline.end(phase::waiting, entered);
      bytes = (targets.merge_copy(rank) + ...);
      const double now = watch.now_s();
      timeline.end(phase::merging, now);
      section_s += now - entered;
      const double work =
          weight_before.empty() ? static_cast<double>(mine.end - mine.begin) : weight_before[mine.end] - weight_before[mine.begin];
      if (work > 0) work_s += (computed - begun) / work;
    } else if (how != strategy::atomic && how != strategy::gather) {
      barrier.wait(size);
      timeline.end(phase::waiting, watch.now_s());
      bytes = (targets.merge_groups(staircase_share(targets.groups(), rank, size, 0)) + ...);
      timeline.end(phase::merging, watch.now_s());
    }
    merged.fetch_add(bytes, std::memory_order_relaxed);
  };
  team.run(member);
  (targets.check("accumulate"), ...);
  if (how == strategy::triangle) calibration.learn(section_s / team_size, work_s / team_size);

  report.timelines.resize(static_cast<std::size_t>(team_size));
  report.used = how;
  report.threads = team_size;
  report.merged_bytes = merged.load();
  report.workspace_bytes = (targets.bytes() + ...);
  report.merge_s = section_s / team_size;
  report.elapsed_s = watch.now_s();
  return report;
}

/// What triangle calls with this body have measured so far.
template <class Body>
staircase_calibration& shared_calibration() {
  thread_local staircase_calibration calibration;
  return calibration;
}

}  // namespace detail

/// Several targets of one accumulation: the body gets a handle for each.
template <class... X>
detail::target_pack<X...> targets(X&... x) {
  return {std::tie(x...)};
}

/// target[j] += v for every contribution (j, v) of n work items: `body(i, out)` is called once for each item i, from the threads of
/// the space, and calls `out.add(j, v)` any number of times. It takes handles by reference (`auto& out`). Each thread may call a copy of a
/// body that can be copied byte by byte.
///
///     accrue::accumulate(space, y, n, body)                                  y: one target, n: items
///     accrue::accumulate(space, y, n, body, accrue::strategy::fixed_point)   or any other strategy (strategy.hpp)
///     accrue::accumulate(space, y, n, body, options)                         accumulate_options, with the items' weights
///     accrue::accumulate(space, accrue::targets(y, z, ...), n, body)         body(i, y_out, z_out, ...)
///
/// On devices (.cu and .hip files; docs/cuda.md): asynchronous; `body` is called from a kernel, and under `fixed_point` without
/// `accumulate_options::largest`, and for exact totals, twice: it adds the same both times.
///
/// Targets: contiguous ranges of float, double, an integer type or std::array of one of them, `vectors<T>` (then also
/// `out.add(j, x, y, z)`), arrays of rank 1 and 2, or an `exact_total` (`out.add(x)`). They are added to, not overwritten. Memory of the
/// space; the arrays do not overlap and are not touched by others meanwhile. Integers wrap around.
///
/// Strategies: `gather` means that item i adds to target i alone. `automatic`: one thread adds plainly; several threads take `replicated`
/// for at least as many items as targets (64 times as many for more than 2^16 targets), else `atomic`. `triangle` measures the time of a
/// merge and of an item at its first call with a body, and refines both from call to call.
///
/// Guarantee: `fixed_point` is exact: each target becomes its value before plus all that was added to it, rounded once, with infinities and
/// NaN as in `sum`, and left alone where zero was added in all; the same bits for any order and number of threads. Integers and exact
/// totals are exact under every strategy. `replicated` gives the same bits for a given number of threads, `gather` for any. n = 0 leaves
/// the targets as they are. `add` may raise the inexact flag, and traps where the caller traps on that.
///
/// `fixed_point` with `accumulate_options::largest`: each contribution is rounded to a multiple of at most 2^-61 of that; the sum of
/// these is exact, rounded once and added to the target. n contributions are off by at most n * 2^-62 * largest, and the bits are those
/// of cuda and hip. Larger contributions, those that would vanish, infinities and NaN are `out_of_range`. 2^-900 <= largest <= 2^900.
///
/// Memory of `fixed_point`: for up to 16,384 numbers 16 bytes a number and thread, where nearly all contributions lie within some 17
/// binades; for more 8, and 2 more, where they lie within 9. With many others 18 more where those lie within 45, up to 34 more for 150;
/// numbers that take more than that, or infinities and NaN, some 600 bytes each.
/// With a bound 8, and 8 more, in pages, about targets whose sum on a thread passes four times `largest`. Without a bound, what lies
/// close together is added fastest: see docs/guide.md.
///
/// Errors: what `body` throws; `size_mismatch` for weights of another length; `out_of_range` for a contribution of `gather` to another
/// target, and, where assertions are on (or ACCRUE_CHECK_INDICES is 1), and on devices always, for an index beyond its array, reported when
/// all are done: the targets' values are unspecified then; `out_of_memory`.
template <bool checked = ACCRUE_CHECK_INDICES != 0, class Space, class Target, std::integral N, class Body>
accumulation_report accumulate(const Space& space, Target&& target, N items, const Body& body, const accumulate_options& options = {}) {
  const std::size_t n = detail::count_of(items, "accumulate");
  if constexpr (requires { accumulate_on_device(space, target, n, body, options); }) {
    return accumulate_on_device(space, target, n, body, options);
  } else {
    const auto made = detail::make_all_contributions<checked>(target);
    auto& calibration = detail::shared_calibration<Body>();
    const auto run = [&](auto&... c) {
      constexpr bool callable = std::is_invocable_v<const Body&, std::size_t, typename std::remove_cvref_t<decltype(*c)>::loops_handle&...>;
      static_assert(callable, "accrue::accumulate calls body(i, out), with a handle for each target, taken by reference: auto& out");
      if constexpr (callable) {
        return detail::accumulate_on<checked>(detail::host_team_of(space), n, body, options, calibration, *c...);
      } else {
        return accumulation_report{};
      }
    };
    return std::apply(run, made);
  }
}

/// Accumulation inside a caller's own parallel loop. Made once and used for any number of steps: nothing is allocated after the
/// first.
///
///     auto acc = accrue::scatter(space, forces, accrue::strategy::replicated);
///     #pragma omp parallel
///     {
///       auto& mine = acc.local();                       // this thread's handle
///       #pragma omp for
///       for (...) mine.add(j, fx, fy, fz);
///     }
///     acc.finish();                                     // once, when every thread has added
///
///     auto both = accrue::scatter(space, accrue::targets(forces, energy));
///     ... auto mine = both.local(); std::get<0>(mine).add(j, fx, fy, fz); std::get<1>(mine).add(u); ...
///
/// `critical` and `triangle`: each thread calls `acc.merge()` when it is done, and `share(n, rank, size)` hands out the work of the
/// latter; what was not merged by then is merged in `finish`. `gather` means that the caller sees to it that no two threads add to
/// one target. Guarantees and errors: as `accumulate`; errors are thrown by `finish`. Where assertions are on, an accumulator that is
/// destroyed after `local` without `finish` ends the program.
template <bool checked, class... Contributions>
class scatter_accumulator {
  static constexpr bool single = sizeof...(Contributions) == 1;
  using handles = std::tuple<typename Contributions::handle&...>;

 public:
  scatter_accumulator(const detail::host_team& team, std::tuple<std::unique_ptr<Contributions>...> contributions,
                      const accumulate_options& options)
      : team_(team),
        how_(options.strategy == strategy::automatic ? strategy::replicated : options.strategy),
        largest_(options.largest),
        contributions_(std::move(contributions)) {
    for_each([&](auto& c) { c.start(0, how_, largest_); });
  }
  scatter_accumulator(const scatter_accumulator&) = delete;
  scatter_accumulator& operator=(const scatter_accumulator&) = delete;
  ~scatter_accumulator() {
    if (!checked || std::uncaught_exceptions() != 0) return;
    for (const auto& [id, mine] : slots_) {
      if (mine.adding) detail::end_without_finish();
    }
  }

  /// The calling thread's handle, or the tuple of its handles for several targets; valid as long as the object is. Copies of an array's add
  /// as it does; an exact total's has none.
  decltype(auto) local() {
    slot& mine = own();
    mine.adding = true;
    if constexpr (single) {
      return std::get<0>(*mine.adders);
    } else {
      return *mine.adders;
    }
  }

  /// target[j] += v, from any thread; or add(x) to an exact total. A thread's handle saves the search for it.
  template <class... V>
    requires(single)
  void add(V... v) {
    local().add(v...);
  }

  /// The part of n like items for thread `rank` of `size`: equal shares, or the staircase of `triangle`. Starts the thread's clock.
  template <std::integral N>
  detail::share share(N n, int thread, int size) {
    const auto s = detail::staircase_share(detail::count_of(n, "share"), thread, size, how_ == strategy::triangle ? step_ : 0);
    slot& mine = own();
    mine.begun_s = watch_.now_s();
    mine.items = static_cast<double>(s.end - s.begin);
    return s;
  }

  /// `critical` and `triangle`: adds the calling thread's copy to the target in a critical section. Others: nothing.
  void merge() {
    if (how_ != strategy::critical && how_ != strategy::triangle) return;
    slot& mine = own();
    const double computed = watch_.now_s();
    const std::lock_guard lock(section_);
    const detail::fp_environment environment;
    const double entered = watch_.now_s();
    for_each([&](auto& c) { merged_bytes_ += c.merge_copy(mine.rank); });
    if (mine.items > 0) calibration_.learn(watch_.now_s() - entered, (computed - mine.begun_s) / mine.items);
    mine.items = 0;
  }

  /// Merges what threads have added into the target. Called by one thread when no other adds. Returns the bytes read while merging.
  std::size_t finish() {
    std::size_t bytes = std::exchange(merged_bytes_, 0);
    step_ = calibration_.step();
    for (auto& [id, mine] : slots_) {
      mine.adding = false;
      std::apply([](auto&... handle) { (handle.flush(), ...); }, *mine.adders);
    }
    if (how_ != strategy::atomic && how_ != strategy::gather) {
      std::atomic<std::size_t> more{0};
      auto member = [&](int thread, int size) {
        const detail::fp_environment environment;
        for_each([&](auto& c) {
          more.fetch_add(c.merge_groups(detail::staircase_share(c.groups(), thread, size, 0)), std::memory_order_relaxed);
        });
      };
      team_.run(member);
      bytes += more.load();
    }
    std::exception_ptr failure;  // of the first: the others are ready for the next step all the same
    for_each([&](auto& c) {
      try {
        c.check("scatter");
      } catch (...) {
        if (failure == nullptr) failure = std::current_exception();
      }
    });
    if (failure != nullptr) std::rethrow_exception(failure);
    return bytes;
  }

  [[nodiscard]] std::size_t workspace_bytes() const {
    return std::apply([](const auto&... c) { return (c->bytes() + ...); }, contributions_);
  }

 private:
  /// What belongs to one thread.
  struct alignas(64) slot {
    std::optional<handles> adders;
    int rank = 0;
    bool adding = false;  ///< since the last `finish`
    double begun_s = 0;
    double items = 0;
  };

  /// The calling thread's slot: looked up once a thread, then remembered by the thread.
  slot& own() {
    struct memory {
      std::uint64_t object = 0;
      slot* mine = nullptr;
    };
    thread_local memory last;
    if (last.object == id_) return *last.mine;
    const std::lock_guard lock(section_);
    auto known = slots_.find(std::this_thread::get_id());
    if (known == slots_.end()) {
      const auto rank = static_cast<int>(slots_.size());
      for_each([&](auto& c) { c.start(rank + 1, how_, largest_); });
      known = slots_.try_emplace(std::this_thread::get_id()).first;
      known->second.rank = rank;
      std::apply([&](auto&... c) { known->second.adders.emplace(c->of(rank)...); }, contributions_);
    }
    last = {id_, &known->second};
    return known->second;
  }
  template <class F>
  void for_each(const F& f) {
    std::apply([&](auto&... c) { (f(*c), ...); }, contributions_);
  }
  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  detail::host_team team_;
  strategy how_;
  double largest_;
  std::tuple<std::unique_ptr<Contributions>...> contributions_;
  std::uint64_t id_ = next_id();
  std::mutex section_;
  std::map<std::thread::id, slot> slots_;
  detail::stopwatch watch_;
  detail::staircase_calibration calibration_;
  double step_ = 0;
  std::size_t merged_bytes_ = 0;
};

/// An accumulation into `target`, anything that `accumulate` takes, by threads of the caller's: see scatter_accumulator; or by kernels, see
/// simt::device_scatter.
template <bool checked = ACCRUE_CHECK_INDICES != 0, class Space, class X>
auto scatter(const Space& space, X&& target, const accumulate_options& options = {}) {
  if constexpr (requires { scatter_on_device(space, target, options); }) {
    return scatter_on_device(space, target, options);
  } else {
    const auto make = [&]<class... C>(std::tuple<std::unique_ptr<C>...> made) {
      return scatter_accumulator<checked, C...>(detail::host_team_of(space), std::move(made), options);
    };
    return make(detail::make_all_contributions<checked>(target));
  }
}

}  // namespace accrue
