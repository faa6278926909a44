// SPDX-License-Identifier: BSD-3-Clause
// accrue::kokkos beside Kokkos's own reductions and ScatterView: the same Views, one run, on Kokkos's default execution space.
#include <Kokkos_ScatterView.hpp>
#include <accrue/kokkos.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "kokkos_runtime.hpp"
#include "suites.hpp"

namespace perf::kokkos_suite {  // device compilers want the names of kernels to be public

using exec = Kokkos::DefaultExecutionSpace;
using memory = exec::memory_space;
template <class T>
using vector = Kokkos::View<T*, memory>;
template <class T>
using scalar = Kokkos::View<T, memory>;
using policy = Kokkos::RangePolicy<exec, Kokkos::IndexType<std::size_t>>;

// Bodies, as a user of Kokkos writes them.

KOKKOS_FUNCTION std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
template <class T>
struct fill {
  vector<T> x;
  bool normal;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    const double u = static_cast<double>(mix(2 * i + 1) >> 11) * 0x1p-53;
    const double v = static_cast<double>(mix(2 * i + 2) >> 11) * 0x1p-53;
    x(i) = static_cast<T>(normal ? std::sqrt(-2 * std::log(u + 1e-300)) * std::cos(6.283185307179586 * v) : u);
  }
};
template <class T>
struct add {
  vector<T> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& sum) const { sum += x(i); }
};
template <class T>
struct add_exactly {
  vector<T> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, accrue::kokkos_total<T>& sum) const { sum += x(i); }
};
template <class T>
struct add_products {
  vector<T> x;
  vector<T> y;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& sum) const { sum += x(i) * y(i); }
};
template <class T>
struct lower {
  vector<T> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& least) const { least = x(i) < least ? x(i) : least; }
};
template <class T>
struct lower_at {
  vector<T> x;
  using value = typename Kokkos::MinLoc<T, std::size_t>::value_type;
  KOKKOS_FUNCTION void operator()(std::size_t i, value& least) const {
    if (x(i) < least.val) {
      least.val = x(i);
      least.loc = i;
    }
  }
};
template <class T>
struct three {
  vector<T> x;
  KOKKOS_FUNCTION void operator()(std::size_t i, T& sum, T& least, T& most) const {
    sum += x(i);
    least = x(i) < least ? x(i) : least;
    most = x(i) > most ? x(i) : most;
  }
};
/// Every item adds to eight targets near its own.
struct near_targets {
  std::size_t targets;
  template <class Add>
  KOKKOS_FUNCTION void each(std::size_t i, const Add& add) const {
    for (std::size_t k = 0; k < 8; ++k) add((i + mix(8 * i + k) % 1024) % targets, 1e-3 * static_cast<double>(k + 1));
  }
};
template <class Scatter>
struct scatter_own {
  near_targets near;
  Scatter scatter;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto access = scatter.access();
    near.each(i, [&](std::size_t j, double v) { access(j) += v; });
  }
};
struct scatter_accrue {
  near_targets near;
  template <class Out>
  KOKKOS_FUNCTION void operator()(std::size_t i, Out& out) const {
    near.each(i, [&](std::size_t j, double v) { out.add(j, v); });
  }
};

/// Seconds a call, of some calls and a fence.
sample fenced(std::function<void()> call) {
  return [call = std::move(call)](std::size_t calls) {
    Kokkos::fence();
    const Kokkos::Timer timer;
    for (std::size_t k = 0; k < calls; ++k) call();
    Kokkos::fence();
    return timer.seconds() / static_cast<double>(calls);
  };
}

class comparisons {
 public:
  explicit comparisons(runner& r) : runner_(r) {}

  /// Two ways of one thing. `right()` looks at what accrue's last call left.
  template <class Accrue, class Kokkos_>
  void compare(const std::string& what, const std::string& type, std::size_t n, std::size_t bytes, const Accrue& ours,
               const Kokkos_& theirs, const std::string& rival, std::size_t targets = 0) {
    json labels{{"suite", "kokkos"}, {"where", std::string("Kokkos::") + exec::name()}, {"what", what}, {"by", "accrue"}, {"type", type},
                {"n", n}};
    if (targets != 0) labels["targets"] = targets;
    json their_labels = labels;
    their_labels["by"] = rival.starts_with("ScatterView") ? rival : "Kokkos " + rival;
    labels["against"] = rival;
    const auto check = [right = right_] { return json{{"verified", right}}; };
    std::vector<row> rows;
    rows.push_back({.labels = their_labels, .bytes = bytes, .time = fenced(theirs), .is_reference = true});
    rows.push_back({.labels = labels, .bytes = bytes, .time = fenced(ours), .check = check});
    runner_.measure(std::move(rows), [] {});
  }

  template <class T>
  void reductions(const std::string& type, std::size_t n, bool large) {
    const vector<T> x(Kokkos::view_alloc(Kokkos::WithoutInitializing, "x"), n);
    Kokkos::parallel_for(policy(0, n), fill<T>{x, true});
    const accrue::kokkos<exec> space;
    const scalar<T> ours("ours");
    const scalar<T> theirs("theirs");
    const std::size_t bytes = n * sizeof(T);
    const auto own_sum = [&] { Kokkos::parallel_reduce("sum", policy(0, n), add<T>{x}, Kokkos::Sum<T, memory>(theirs)); };
    const auto into = [&](const auto& reducer) {
      return [&space, &x, &ours, reducer] { accrue::reduce_into(space, x, reducer, ours); };
    };
    right_ = sums_are_right(x);
    compare("fast sum", type, n, bytes, into(accrue::sum_of<T, T, accrue::fast_t>{}), own_sum, "Sum");
    compare("exact sum", type, n, bytes, into(accrue::sum_of<T>{}), own_sum, "Sum");
    T host = 0;
    compare(
        "exact sum, to a host variable", type, n, bytes, [&] { host = accrue::sum(space, x); },
        [&] { Kokkos::parallel_reduce("sum", policy(0, n), add<T>{x}, host); }, "Sum");
    compare(
        "fast sum, to a host variable", type, n, bytes, [&] { host = accrue::sum(space, x, accrue::fast); },
        [&] { Kokkos::parallel_reduce("sum", policy(0, n), add<T>{x}, host); }, "Sum");
    if (!large) return;
    compare("ordered sum", type, n, bytes, into(accrue::sum_of<T, T, accrue::ordered_t>{}), own_sum, "Sum");
    compare(
        "min", type, n, bytes, into(accrue::min_of<T>{}),
        [&] { Kokkos::parallel_reduce("min", policy(0, n), lower<T>{x}, Kokkos::Min<T, memory>(theirs)); }, "Min");
    using located = Kokkos::MinLoc<T, std::size_t, memory>;
    const scalar<typename located::value_type> at("at");
    const scalar<accrue::position<T>> our_at("our at");
    compare(
        "argmin", type, n, bytes, [&] { accrue::reduce_into(space, x, accrue::argmin_of<T>{}, our_at); },
        [&] { Kokkos::parallel_reduce("argmin", policy(0, n), lower_at<T>{x}, located(at)); }, "MinLoc");
    const auto fused = accrue::fuse(accrue::sum_of<T, T, accrue::fast_t>{}, accrue::min_of<T>{}, accrue::max_of<T>{});
    const auto exactly = accrue::fuse(accrue::sum_of<T>{}, accrue::min_of<T>{}, accrue::max_of<T>{});
#if KOKKOS_VERSION >= 30500
    T sum = 0;
    T least = 0;
    T most = 0;
    const auto own_three = [&] {
      Kokkos::parallel_reduce("three", policy(0, n), three<T>{x}, Kokkos::Sum<T>(sum), Kokkos::Min<T>(least), Kokkos::Max<T>(most));
    };
    compare(
        "sum, min, max at once, fast", type, n, bytes, [&] { (void)accrue::reduce(space, x, fused); }, own_three, "three reducers");
    compare(
        "sum, min, max at once, exact", type, n, bytes, [&] { (void)accrue::reduce(space, x, exactly); }, own_three,
        "three reducers");
#endif
    const auto y = Kokkos::subview(x, std::pair<std::size_t, std::size_t>(n / 2, n / 2 * 2));
    const auto z = Kokkos::subview(x, std::pair<std::size_t, std::size_t>(0, n / 2));
    compare(
        "exact dot, to a host variable", type, n / 2, bytes, [&] { host = accrue::dot(space, z, y); },
        [&] {
          Kokkos::parallel_reduce("dot", policy(0, n / 2), add_products<T>{z, y}, host);
        },
        "Sum of products");
    compare(
        "exact sum in one's own loop", type, n, bytes,
        [&] { Kokkos::parallel_reduce("exact", policy(0, n), add_exactly<T>{x}, accrue::kokkos_exact_sum<T>(host)); }, own_sum,
        "Sum");
  }

  /// Eight contributions of each item to targets near it.
  void scatter(std::size_t items, std::size_t targets) {
    namespace experimental = Kokkos::Experimental;
    const vector<double> y("y", targets);
    const accrue::kokkos<exec> space;
    const near_targets near{targets};
    const auto own = [&](auto duplication, auto contribution) {
      using view = experimental::ScatterView<double*, vector<double>::array_layout, Kokkos::Device<exec, memory>,
                                             experimental::ScatterSum, decltype(duplication), decltype(contribution)>;
      return [&y, near, items] {
        view scatter(y);
        Kokkos::parallel_for("scatter", policy(0, items), scatter_own<view>{near, scatter});
        scatter.contribute_into(y);
        Kokkos::fence();  // as accumulate does
      };
    };
    const auto ours = [&](accrue::strategy how, double largest) {
      accrue::accumulate_options options = how;
      options.largest = largest;
      return [&y, &space, near, items, options] { accrue::accumulate(space, y, items, scatter_accrue{near}, options); };
    };
    const auto atomic = own(experimental::ScatterNonDuplicated{}, experimental::ScatterAtomic{});
    const std::size_t bytes = targets * sizeof(double);
    using accrue::strategy;
    compare("scatter, atomic", "f64", items, bytes, ours(strategy::atomic, 0), atomic, "ScatterView, atomic", targets);
    compare("scatter, fixed_point", "f64", items, bytes, ours(strategy::fixed_point, 1), atomic, "ScatterView, atomic", targets);
    compare("scatter, fixed_point, no bound", "f64", items, bytes, ours(strategy::fixed_point, 0), atomic, "ScatterView, atomic", targets);
    if constexpr (accrue::on_kokkos::host_space<exec>) {
      const auto copies = own(experimental::ScatterDuplicated{}, experimental::ScatterNonAtomic{});
      compare("scatter, replicated", "f64", items, bytes, ours(strategy::replicated, 0), copies, "ScatterView, duplicated", targets);
      compare("scatter, fixed_point", "f64", items, bytes, ours(strategy::fixed_point, 1), copies, "ScatterView, duplicated", targets);
    }
  }

 private:
  /// Exact sums of some of the elements, and both fast ones.
  template <class T>
  static bool sums_are_right(const vector<T>& x) {
    const accrue::kokkos<exec> space;
    const std::size_t part = std::min<std::size_t>(x.extent(0), 1 << 20);
    const auto some = Kokkos::subview(x, std::pair<std::size_t, std::size_t>(0, part));
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), some);
    accrue::superaccumulator<T> exact;
    double magnitude = 0;
    for (std::size_t i = 0; i < part; ++i) {
      exact.add(host(i));
      magnitude += std::fabs(host(i));
    }
    const T expected = exact.template round<T>();
    T sum = 0;
    Kokkos::parallel_reduce(policy(0, part), add<T>{x}, sum);
    return accrue::sum(space, some) == expected && std::fabs(accrue::sum(space, some, accrue::fast) - expected) <= 1e-5 * magnitude &&
           std::fabs(sum - expected) <= 1e-3 * magnitude;
  }

  runner& runner_;
  bool right_ = true;
};

void run(runner& r, const stage&, const extent& e, json& header) {
  initialize_kokkos();
  header["kokkos"] = KOKKOS_VERSION;
  header["concurrency"] = exec().concurrency();
#if defined(KOKKOS_ENABLE_CUDA)
  header["device"] = exec().cuda_device_prop().name;
#endif
  comparisons c(r);
  c.reductions<double>("f64", e.bytes / 8, true);
  c.reductions<float>("f32", e.bytes / 4, true);
  for (int lg = 4; lg <= std::min(24, e.most_log2); lg += 2) {
    c.reductions<double>("f64", std::size_t{1} << lg, false);
    c.reductions<float>("f32", std::size_t{1} << lg, false);
  }
  const std::size_t items = std::size_t{1} << std::min(20, e.most_log2);
  c.scatter(items, items / 32);
  c.scatter(items, items);
}

const bool added = (optional_suites().push_back({"kokkos", run}), true);

}  // namespace perf::kokkos_suite
