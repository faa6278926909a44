// SPDX-License-Identifier: BSD-3-Clause
// accrue::kokkos beside Kokkos's own reductions and ScatterView: the same Views, one run, on Kokkos's default execution space. A
// row's times are medians of rounds in which accrue and Kokkos take turns; results are checked against each other first.
#include <CLI/CLI.hpp>
#include <Kokkos_ScatterView.hpp>
#include <accrue/kokkos.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine.hpp"

namespace perf {

using json = nlohmann::ordered_json;
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

// Timing.

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}
/// Seconds a call, of groups of `calls` that end with a fence.
template <class Run>
double seconds(int calls, const Run& run) {
  Kokkos::fence();
  const Kokkos::Timer timer;
  for (int k = 0; k < calls; ++k) run();
  Kokkos::fence();
  return timer.seconds() / calls;
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("accrue_kokkos_perf: " + what + " is wrong");
}

class bench {
 public:
  bench(double limit_s, std::string filter) : limit_s_(limit_s), filter_(std::move(filter)) {}
  json rows = json::array();

  /// Times two ways of one thing in turns.
  template <class Accrue, class Kokkos_>
  void compare(const std::string& what, const std::string& type, std::size_t n, std::size_t bytes, const Accrue& ours,
               const Kokkos_& theirs, const std::string& rival) {
    if (!filter_.empty() && (what + " " + type).find(filter_) == std::string::npos) return;
    ours();
    theirs();
    const double once = std::max(seconds(1, ours) + seconds(1, theirs), 1e-7);
    const int calls = static_cast<int>(std::clamp(2e-3 / once, 1.0, 1000.0));
    const int rounds = static_cast<int>(std::clamp(limit_s_ / (once * calls), 9.0, 51.0)) | 1;
    std::vector<double> a;
    std::vector<double> b;
    for (int r = 0; r < rounds; ++r) {
      a.push_back(seconds(calls, ours));
      b.push_back(seconds(calls, theirs));
    }
    const double accrue_s = median(a);
    const double kokkos_s = median(b);
    rows.push_back(json{{"what", what},
                        {"type", type},
                        {"n", n},
                        {"bytes", bytes},
                        {"rival", rival},
                        {"accrue_s", accrue_s},
                        {"kokkos_s", kokkos_s},
                        {"speed", kokkos_s / accrue_s}});
    std::printf("%-34s%-4s n %10zu  %10.2f us  %-22s%10.2f us  speed %.2f\n", what.c_str(), type.c_str(), n, 1e6 * accrue_s,
                rival.c_str(), 1e6 * kokkos_s, kokkos_s / accrue_s);
    std::fflush(stdout);
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
    check(x, type);
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
    compare("scatter, atomic", "f64", items, bytes, ours(strategy::atomic, 0), atomic, "ScatterView, atomic");
    compare("scatter, fixed_point", "f64", items, bytes, ours(strategy::fixed_point, 1), atomic, "ScatterView, atomic");
    compare("scatter, fixed_point, no bound", "f64", items, bytes, ours(strategy::fixed_point, 0), atomic, "ScatterView, atomic");
    if constexpr (accrue::on_kokkos::host_space<exec>) {
      const auto copies = own(experimental::ScatterDuplicated{}, experimental::ScatterNonAtomic{});
      compare("scatter, replicated", "f64", items, bytes, ours(strategy::replicated, 0), copies, "ScatterView, duplicated");
      compare("scatter, fixed_point", "f64", items, bytes, ours(strategy::fixed_point, 1), copies, "ScatterView, duplicated");
    }
  }

 private:
  template <class T>
  static void check(const vector<T>& x, const std::string& type) {
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
    require(accrue::sum(space, some) == expected, "exact sum " + type);
    require(std::fabs(accrue::sum(space, some, accrue::fast) - expected) <= 1e-5 * magnitude, "fast sum " + type);
    require(std::fabs(sum - expected) <= 1e-3 * magnitude, "Kokkos sum " + type);
  }

  double limit_s_;
  std::string filter_;
};

json kokkos_machine() {
  json j = machine();
  j["space"] = exec::name();
  j["concurrency"] = exec().concurrency();
  j["kokkos"] = KOKKOS_VERSION;
#if defined(KOKKOS_ENABLE_CUDA)
  j["device"] = exec().cuda_device_prop().name;
  int driver = 0;
  cudaDriverGetVersion(&driver);
  j["driver"] = driver;
#endif
  return j;
}

}  // namespace perf

int main(int argc, char** argv) {
  CLI::App app{"accrue::kokkos beside Kokkos's own reductions"};
  std::string filter;
  std::string out;
  double gib = 2;
  double limit_s = 1;
  app.add_option("--filter", filter, "Only rows that contain this text");
  app.add_option("--gib", gib, "Size of the large inputs");
  app.add_option("--seconds", limit_s, "About how long a row may take");
  app.add_option("--json", out, "Write the results to this file");
  CLI11_PARSE(app, argc, argv);
  const Kokkos::ScopeGuard running;
  try {
    perf::json j = perf::kokkos_machine();
    std::puts(j.dump().c_str());
    perf::bench bench(limit_s, filter);
    const double bytes = gib * 1073741824.0;
    bench.reductions<double>("f64", static_cast<std::size_t>(bytes / 8), true);
    bench.reductions<float>("f32", static_cast<std::size_t>(bytes / 4), true);
    for (int lg = 4; lg <= 24; lg += 2) {
      bench.reductions<double>("f64", std::size_t{1} << lg, false);
      bench.reductions<float>("f32", std::size_t{1} << lg, false);
    }
    bench.scatter(1 << 20, 1 << 15);
    bench.scatter(1 << 20, 1 << 20);
    j["rows"] = bench.rows;
    if (!out.empty()) std::ofstream(out) << j.dump(1) << '\n';
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
