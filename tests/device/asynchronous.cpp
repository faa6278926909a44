// SPDX-License-Identifier: BSD-3-Clause
// reduce_into: many streams and threads at once, inside graphs, with pooled and with own workspaces.
#include <thread>

#include "conformance/suite.hpp"
#include ACCRUE_TEST_GPU

using namespace test;

namespace {

struct stream {
  gpu::stream handle = nullptr;
  stream() { REQUIRE(gpu::create(handle)); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() { gpu::destroy(handle); }
};

double* writable(const hook::array<double>& a) { return const_cast<double*>(a.get().data()); }

/// A user's own fused and transformed reductions too.
struct tripled {
  __host__ __device__ double operator()(double v) const { return 3 * v; }
};

}  // namespace

TEST_CASE("reductions in flight on many streams from many threads", "[asynchronous]") {
  constexpr int threads = 6;
  constexpr int calls = 40;
  std::vector<std::vector<double>> inputs;
  std::vector<double> expected;
  for (int k = 0; k < threads; ++k) {
    inputs.push_back(
        sequence<double>(k % 2 != 0 ? distribution::log_uniform : distribution::normal, next_seed(), 1000 + 70001u * k));
    expected.push_back(accrue::sum(accrue::serial{}, inputs.back()));
  }
  std::vector<std::string> wrong(threads);
  std::vector<std::thread> team;
  for (int k = 0; k < threads; ++k) {
    team.emplace_back([&, k] {
      gpu::stream handle = nullptr;
      if (!gpu::create(handle)) throw std::runtime_error("no stream");
      const hook::space space(handle);
      {
        const hook::array<double> x(space, inputs[k]);
        const hook::array<double> results(space, std::vector<double>(calls));
        for (int c = 0; c < calls; ++c) accrue::reduce_into(space, x.get(), accrue::sum_of<double>{}, writable(results) + c);
        if (accrue::sum(space, x.get()) != expected[k]) wrong[k] = "the blocking sum differs";
        for (const double r : results.host()) {
          if (bits(r) != bits(expected[k])) wrong[k] = bits(r) + " is not " + bits(expected[k]);
        }
      }
      gpu::destroy(handle);
    });
  }
  for (auto& t : team) t.join();
  for (const auto& w : wrong) CHECK(w == "");
}

TEST_CASE("one stream used by several threads, blocking and not", "[asynchronous]") {
  const stream s;
  const hook::space space(s.handle);
  const auto x = sequence<float>(distribution::wide, next_seed(), 300000);
  const float expected = accrue::sum(accrue::serial{}, x);
  const hook::array<float> device(space, x);
  std::vector<int> wrong(4);
  std::vector<std::thread> team;
  for (int k = 0; k < 4; ++k) {
    team.emplace_back([&, k] {
      const hook::array<float> result(space, std::vector<float>(1));
      for (int c = 0; c < 20; ++c) {
        wrong[k] += accrue::sum(space, device.get()) != expected;
        accrue::reduce_into(space, device.get(), accrue::sum_of<float>{}, const_cast<float*>(result.get().data()));
        wrong[k] += result.host()[0] != expected;
      }
    });
  }
  for (auto& t : team) t.join();
  CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("a graph replayed with changing data", "[asynchronous]") {
  const stream s;
  const stream other;
  for (const bool own : {false, true}) {
    hook::space space(s.handle);
    const accrue::simt::device_workspace<hook::space> workspace;
    if (own) space.workspace = &workspace;
    constexpr std::size_t n = 200003;
    const hook::array<double> x(space, std::vector<double>(n));
    const hook::array<double> results(space, std::vector<double>(4));
    const hook::array<accrue::moments_result<double>> moments(space, std::vector<accrue::moments_result<double>>(1));
    const std::vector<int> ends{0, 3, 3, 50, 100003, static_cast<int>(n)};
    const hook::array<int> offsets(space, ends);
    const hook::array<double> sums(space, std::vector<double>(ends.size() - 1));
    const hook::array<double> means(space, std::vector<double>(3));
    space.synchronize();
    const auto view = x.get();
    gpu::graph graph = nullptr;
    REQUIRE(gpu::begin_capture(s.handle));
    accrue::reduce_into(space, view, accrue::sum_of<double>{}, writable(results));
    accrue::reduce_into(space, view, accrue::sum_of<double, double, accrue::ordered_t>{}, writable(results) + 1);
    accrue::reduce_into(space, view, accrue::max_of<double>{}, writable(results) + 2);
    accrue::reduce_into(space, view.first(5), accrue::sum_squares_of<double>{}, writable(results) + 3);
    accrue::reduce_into(space, view, accrue::moments_of<double>{},
                        const_cast<accrue::moments_result<double>*>(moments.get().data()));
    accrue::sum(space, accrue::segments(view, offsets.get()), std::span(writable(sums), ends.size() - 1));
    accrue::mean(space, accrue::columns(accrue::view(view.data(), n / 3, 3, 3)), std::span(writable(means), 3));
    CHECK(code_of([&] { accrue::sum(space, view); }) == accrue::errc::invalid_argument);
    REQUIRE(gpu::end_capture(s.handle, graph));
    gpu::graph_instance instance = nullptr;
    REQUIRE(gpu::instantiate(instance, graph));
    gpu::destroy(graph);
    int wrong = 0;
    std::vector<double> host(n);
    for (int replay = 0; replay < 1000; ++replay) {
      if (replay % 100 == 0) host = sequence<double>(all_distributions[replay / 100], next_seed(), n);
      host[replay] = 1.5 * replay;
      space.copy(writable(x), host.data(), n * sizeof(double));
      REQUIRE(gpu::launch(instance, s.handle));
      if (replay % 100 > 2) continue;  // the others run back to back
      const accrue::serial serial;
      const auto got = results.host();
      wrong += bits(got[0]) != bits(accrue::sum(serial, host));
      const double tree = accrue::sum(serial, host, accrue::ordered);
      wrong += !(bits(got[1]) == bits(tree) || (std::isnan(got[1]) && std::isnan(tree)));
      wrong += !(got[2] == accrue::max(serial, host) || std::isnan(got[2]));
      wrong += bits(got[3]) != bits(accrue::sum_squares(serial, std::span(host).first(5)));
      wrong += bits(moments.host()[0].variance) != bits(accrue::moments(serial, host).variance);
      const auto got_sums = sums.host();
      for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        const auto segment = accrue::slice(host, static_cast<std::size_t>(ends[k]), static_cast<std::size_t>(ends[k + 1] - ends[k]));
        wrong += bits(got_sums[k]) != bits(accrue::sum(serial, segment));
      }
      for (std::size_t k = 0; k < 3; ++k) {
        wrong += bits(means.host()[k]) != bits(accrue::mean(serial, accrue::view(host.data() + k, n / 3, 3)));
      }
      // Pooled workspaces of the stream and of the graph are apart.
      wrong += bits(accrue::sum(hook::space(other.handle), view)) != bits(accrue::sum(serial, host));
    }
    CHECK(wrong == 0);
    gpu::destroy(instance);
    space.synchronize();
  }
}

TEST_CASE("a graph leaves partial results in device memory and ends them there", "[asynchronous]") {
  using reducer = accrue::moments_of<double>;
  using state = reducer::state;
  const stream s;
  const hook::space space(s.handle);
  auto data = sequence<double>(distribution::wide, next_seed(), 40001);
  const hook::array<double> x(space, data);
  auto* memory = static_cast<state*>(space.allocate(sizeof(state)));
  const hook::array<double> result(space, std::vector<double>(5));
  auto* moments = reinterpret_cast<accrue::moments_result<double>*>(writable(result));
  static_assert(sizeof(*moments) == 5 * sizeof(double));
  REQUIRE(gpu::begin_capture(s.handle));
  accrue::partial_into(space, x.get(), reducer{}, memory);
  accrue::finish_into(space, reducer{}, memory, moments);
  gpu::graph graph = nullptr;
  gpu::graph_instance instance = nullptr;
  REQUIRE(gpu::end_capture(s.handle, graph));
  REQUIRE(gpu::instantiate(instance, graph));
  for (int round = 0; round < 3; ++round) {
    for (double& v : data) v *= 3;
    space.copy(writable(x), data.data(), data.size() * sizeof(double));
    REQUIRE(gpu::launch(instance, s.handle));
    accrue::moments_result<double> left{};
    state there{};
    space.copy(&left, moments, sizeof(left));
    space.copy(&there, memory, sizeof(there));
    space.synchronize();
    CHECK(left == accrue::moments(accrue::serial{}, data));
    auto p = accrue::partial_result(reducer{}, there);
    p += accrue::partial(accrue::serial{}, data, reducer{});
    CHECK(p.finish().count == 2 * data.size());
  }
  gpu::destroy(instance);
  gpu::destroy(graph);

  // No elements have no minimum: it is told later.
  auto* minimum = static_cast<accrue::min_of<double>::state*>(space.allocate(64));
  accrue::partial_into(space, accrue::view(x.get().data(), 0), accrue::min_of<double>{}, minimum);
  accrue::finish_into(space, accrue::min_of<double>{}, minimum, writable(result));
  CHECK(code_of([&] { space.synchronize(); }) == accrue::errc::empty_range);
  space.deallocate(minimum);
  space.deallocate(memory);
}

TEST_CASE("asynchronous results of every kind", "[asynchronous]") {
  const hook::space space;
  const auto x = sequence<float>(distribution::normal, next_seed(), 50001);
  const hook::array<float> device(space, x);
  using both = decltype(accrue::fuse(accrue::sum_of<float>{}, accrue::min_of<float>{}, accrue::argmax_of<float>{}));
  using result = std::tuple<float, float, accrue::position<float>>;
  auto* out = static_cast<result*>(space.allocate(sizeof(result)));
  accrue::reduce_into(space, device.get(), both{}, out);
  result got;
  space.copy(&got, out, sizeof got);
  space.synchronize();
  space.deallocate(out);
  CHECK(std::get<0>(got) == accrue::sum(accrue::serial{}, x));
  CHECK(std::get<1>(got) == accrue::min(accrue::serial{}, x));
  CHECK(std::get<2>(got).index == accrue::argmax(accrue::serial{}, x).index);
  const auto y = sequence<double>(distribution::wide, next_seed(), 50001);
  const hook::array<double> more(space, y);
  oracle t;
  for (const double v : y) t.add(3 * v);
  CHECK(bits(accrue::transform_reduce(space, more.get(), accrue::plus{}, tripled{})) == bits(t.round<double>()));
}

TEST_CASE("an asynchronous total that does not fit is reported", "[asynchronous]") {
  const hook::space space;
  const std::vector<std::int64_t> x(3, std::int64_t{1} << 62);
  const hook::array<std::int64_t> device(space, x);
  auto* out = static_cast<std::int64_t*>(space.allocate(sizeof(std::int64_t)));
  accrue::reduce_into(space, device.get(), accrue::sum_of<std::int64_t>{}, out);
  CHECK(code_of([&] { space.synchronize(); }) == accrue::errc::integer_overflow);
  space.synchronize();
  CHECK(accrue::sum(space, device.get().first(1)) == x[0]);
  space.deallocate(out);
}
