// SPDX-License-Identifier: BSD-3-Clause
// Reductions over all GPUs: the bits of one process that has all elements, on every rank.
#include "nccl/ranks.hpp"

using namespace test;

namespace {

/// What a call gives, or the code of its error.
template <class Call>
std::string outcome(const Call& call) {
  std::string text;
  const accrue::errc code = code_of([&] { text = shown(call()); });
  return code == accrue::errc::success ? text : "error " + std::to_string(static_cast<int>(code));
}
/// The results of every kind of reduction, as text.
template <class S, class X, class Y>
std::vector<std::string> results(const S& space, const X& x, const Y& y) {
  return {outcome([&] { return accrue::sum(space, x); }),         outcome([&] { return accrue::sum_abs(space, x); }),
          outcome([&] { return accrue::sum_squares(space, x); }), outcome([&] { return accrue::norm2(space, x); }),
          outcome([&] { return accrue::dot(space, x, y); }),      outcome([&] { return accrue::mean(space, x); }),
          outcome([&] { return accrue::moments(space, x); }),     outcome([&] { return accrue::min(space, x); }),
          outcome([&] { return accrue::max(space, x); }),         outcome([&] { return accrue::argmin(space, x); }),
          outcome([&] { return accrue::argmax(space, x); }),      outcome([&] {
            const auto m = accrue::minmax(space, x);
            return std::tuple(m.min, m.max);
          })};
}
std::string difference(const std::vector<std::string>& a, const std::vector<std::string>& expected) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != expected[k]) return "result " + std::to_string(k) + " is " + a[k] + " and not " + expected[k];
  }
  return "";
}

template <class T>
T* writable(const hook::array<T>& a) {
  return const_cast<T*>(a.get().data());
}

}  // namespace

TEMPLATE_TEST_CASE("reductions over GPUs", "[nccl]", double, float, std::int32_t) {
  const all_ranks ranks;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{777}, std::size_t{100003}}) {
    for (const auto kind : all_distributions) {
      const auto x = sequence<TestType>(kind, next_seed(), n);
      const auto y = sequence<TestType>(distribution::normal, next_seed(), n);
      const auto expected = results(accrue::serial{}, x, y);
      CHECK(ranks.run([&](const gpu_rank& r) {
        const hook::array<TestType> mine(r.gpus.space, r.part(x)), second(r.gpus.space, r.part(y));
        return difference(results(r.gpus, mine.get(), second.get()), expected);
      }) == "");
    }
  }
}

TEST_CASE("fusions, users' functions and partial results over GPUs", "[nccl]") {
  const all_ranks ranks;
  const auto x = sequence<double>(distribution::wide, next_seed(), 54321);
  const auto several = accrue::fuse(accrue::sum_of<double>{}, accrue::max_of<double>{}, accrue::argmin_of<double>{});
  const auto expected = shown(accrue::reduce(accrue::serial{}, x, several));
  const auto tripled = [] __host__ __device__(double v) { return 3 * v; };
  const auto expected_tripled = shown(accrue::transform_reduce(accrue::serial{}, x, accrue::plus{}, tripled));
  const auto bytes = accrue::partial(accrue::serial{}, x, accrue::sum_of<double>{}).to_bytes();
  CHECK(ranks.run([&](const gpu_rank& r) -> std::string {
    const hook::array<double> mine(r.gpus.space, r.part(x));
    if (shown(accrue::reduce(r.gpus, mine.get(), several)) != expected) return "fusion";
    if (shown(accrue::transform_reduce(r.gpus, mine.get(), accrue::plus{}, tripled)) != expected_tripled) return "transformed";
    if (accrue::partial(r.gpus, mine.get(), accrue::sum_of<double>{}).to_bytes() != bytes) return "partial result";
    return "";
  }) == "");
}

TEST_CASE("a graph over GPUs replayed with changing data", "[nccl]") {
  const all_ranks ranks;
  constexpr std::size_t n = 30011;
  std::vector<std::vector<double>> inputs;
  std::vector<std::vector<std::string>> expected;
  for (const auto kind : all_distributions) {
    inputs.push_back(sequence<double>(kind, next_seed(), n));
    const auto& x = inputs.back();
    expected.push_back({shown(accrue::sum(accrue::serial{}, x)), shown(accrue::norm2(accrue::serial{}, x)),
                        shown(accrue::moments(accrue::serial{}, x)), shown(accrue::mean(accrue::serial{}, x))});
  }
  CHECK(ranks.run([&](const gpu_rank& r) -> std::string {
    const auto& device = r.gpus.space;
    const std::size_t mine = r.part(inputs[0]).size();
    const hook::array<double> x(device, std::vector<double>(mine)), out(device, std::vector<double>(3));
    const hook::array<accrue::moments_result<double>> moments(device, std::vector<accrue::moments_result<double>>(1));
    accrue::reduce_into(r.gpus, x.get(), accrue::sum_of<double>{}, writable(out));  // NCCL connects at its first call
    device.synchronize();
    gpu::graph graph = nullptr;
    gpu::graph_instance instance = nullptr;
    if (cudaStreamBeginCapture(device.stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) return "no capture";  // other threads work
    accrue::reduce_into(r.gpus, x.get(), accrue::sum_of<double>{}, writable(out));
    accrue::reduce_into(r.gpus, x.get(), accrue::norm2_of<double>{}, writable(out) + 1);
    accrue::reduce_into(r.gpus, x.get(), accrue::moments_of<double>{}, writable(moments));
    accrue::reduce_into(r.gpus, x.get(), accrue::mean_of<double>{}, writable(out) + 2);
    if (!gpu::end_capture(device.stream, graph) || !gpu::instantiate(instance, graph)) return "no graph";
    gpu::destroy(graph);
    std::string wrong;
    for (int replay = 0; replay < 1000; ++replay) {
      const std::size_t k = static_cast<std::size_t>(replay) % inputs.size();
      const auto part = r.part(inputs[k]);
      device.copy(writable(x), part.data(), mine * sizeof(double));
      if (!gpu::launch(instance, device.stream)) return "no launch";
      if (replay % 37 != 0 && replay < 990) continue;
      const auto values = out.host();
      const std::vector<std::string> got{shown(values[0]), shown(values[1]), shown(moments.host()[0]), shown(values[2])};
      if (const auto d = difference(got, expected[k]); wrong.empty() && !d.empty()) wrong = "replay " + std::to_string(replay) + ": " + d;
    }
    device.synchronize();
    gpu::destroy(instance);
    return wrong;
  }) == "");
}

TEST_CASE("groupings over GPUs", "[nccl]") {
  const all_ranks ranks;
  const std::size_t levels = 300, columns = 517;
  const auto x = sequence<double>(distribution::wide, next_seed(), levels * columns);
  std::vector<double> expected_sums(levels), expected_means(levels), expected_by_key(11);
  accrue::sum(accrue::serial{}, accrue::rows(accrue::view(x.data(), levels, columns, columns)), expected_sums);
  accrue::mean(accrue::serial{}, accrue::rows(accrue::view(x.data(), levels, columns, columns)), expected_means);
  std::vector<int> keys(columns);
  for (std::size_t i = 0; i < columns; ++i) keys[i] = static_cast<int>(i * i % 11);
  const std::vector<double> row(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(columns));
  accrue::sum(accrue::serial{}, accrue::grouped(row, keys, 11), expected_by_key);
  CHECK(ranks.run([&](const gpu_rank& r) -> std::string {
    const auto& device = r.gpus.space;
    const auto first = static_cast<std::size_t>(r.first(columns, r.number));
    const std::size_t mine = static_cast<std::size_t>(r.first(columns, r.number + 1)) - first;
    const hook::array<double> there(device, x), row_part(device, r.part(row)), sums(device, std::vector<double>(levels)),
        means(device, std::vector<double>(levels)), by_key(device, std::vector<double>(11));
    const hook::array<int> keys_part(device, r.part(keys));
    const auto part = accrue::view(there.get().data() + first, levels, mine, columns);
    accrue::sum(r.gpus, accrue::rows(part), std::span(writable(sums), levels));
    accrue::mean(r.gpus, accrue::rows(part), std::span(writable(means), levels));
    accrue::sum(r.gpus, accrue::grouped(row_part.get(), keys_part.get(), 11), std::span(writable(by_key), 11));
    if (sums.host() != expected_sums) return "sums of rows";
    if (means.host() != expected_means) return "means of rows";
    if (by_key.host() != expected_by_key) return "sums by keys";
    return "";
  }) == "");
}

TEST_CASE("what one GPU's rank cannot do, all ranks are told", "[nccl]") {
  const all_ranks ranks;
  const std::vector<double> here(100, 1.5);
  const auto told = [&](const auto& call) {
    std::string wrong = ranks.run([&](const gpu_rank& r) -> std::string {
      const hook::array<double> x(r.gpus.space, here);
      const auto code = code_of([&] { call(r, x.get()); });
      const double after = accrue::sum(r.gpus, x.get());  // and the communicator is as usable as before
      if (after != 150.0 * r.of) return "the sum behind it is " + shown(after);
      return std::to_string(static_cast<int>(code));
    });
    return wrong;
  };
  const auto by_all = [&](accrue::errc code) {
    std::string text;
    for (int k = 0; k < ranks.size(); ++k) {
      text.append("rank ").append(std::to_string(k)).append(": ").append(std::to_string(static_cast<int>(code))).append("\n");
    }
    return text;
  };
  const auto is_last = [](const gpu_rank& r) { return r.number == r.of - 1; };
  CHECK(told([&](const gpu_rank& r, const auto& x) {
          (void)accrue::sum(r.gpus, is_last(r) ? nullptr : x.data(), 7);
        }) == by_all(accrue::errc::null_data));
  CHECK(told([&](const gpu_rank& r, const auto& x) {
          if (is_last(r)) return (void)accrue::sum(r.gpus, here);
          (void)accrue::sum(r.gpus, x);
        }) == by_all(accrue::errc::wrong_space));
  CHECK(told([&](const gpu_rank& r, const auto& x) { (void)accrue::min(r.gpus, x.first(0)); }) == by_all(accrue::errc::empty_range));
  if (ranks.size() > 1) {
    CHECK(told([&](const gpu_rank& r, const auto& x) {
            if (is_last(r)) return (void)accrue::norm2(r.gpus, x);
            (void)accrue::sum(r.gpus, x);
          }) == by_all(accrue::errc::size_mismatch));
    CHECK(told([&](const gpu_rank& r, const auto& x) {
            if (is_last(r)) return (void)accrue::max(r.gpus, x);
            (void)accrue::moments(r.gpus, x);
          }) == by_all(accrue::errc::size_mismatch));
  }
  CHECK(ranks.run([&](const gpu_rank& r) -> std::string {
    const hook::array<double> x(r.gpus.space, here), result(r.gpus.space, std::vector<double>(1));
    if (is_last(r)) {
      const auto code = code_of([&] { accrue::reduce_into(r.gpus, here, accrue::sum_of<double>{}, writable(result)); });
      if (code != accrue::errc::wrong_space) return "host memory was taken";
    } else {
      accrue::reduce_into(r.gpus, x.get(), accrue::sum_of<double>{}, writable(result));
      if (const double v = result.host()[0]; v == v) return "the others' result is not NaN";
    }
    return accrue::sum(r.gpus, x.get()) == 150.0 * r.of ? "" : "the sum behind it";
  }) == "");
}

TEST_CASE("one GPU, all of them and the host", "[nccl]") {
  const auto x = sequence<double>(distribution::log_uniform, next_seed(), 3000001);
  const auto expected = shown(accrue::sum(accrue::serial{}, x));
  for (const int most : {1, 1000}) {
    const all_ranks ranks(most);
    CHECK(ranks.run([&](const gpu_rank& r) -> std::string {
      const hook::array<double> mine(r.gpus.space, r.part(x));
      const auto got = shown(accrue::sum(r.gpus, mine.get()));
      return got == expected ? "" : got;
    }) == "");
  }
}
