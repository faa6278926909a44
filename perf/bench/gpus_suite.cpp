// SPDX-License-Identifier: BSD-3-Clause
// Sums over all GPUs of the machine, a thread for each: accrue's exact one beside a local sum and NCCL's all-reduce of a double, captured
// into graphs. Times are those of the first GPU.
#include <accrue/nccl.hpp>
#include <barrier>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "graph_of_calls.hpp"
#include "suites.hpp"

namespace perf::gpus {

enum class what { exact, fast, all_reduce, state, finish };

/// One GPU's part of the data, and its communicator.
struct member {
  int device = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  std::shared_ptr<double> x;
  std::shared_ptr<double> result;
  std::shared_ptr<accrue::sum_of<double>::state> state;
  std::size_t count = 0;

  [[nodiscard]] auto elements() const { return accrue::view(static_cast<const double*>(x.get()), count); }
  void call(what w) const {
    const accrue::cuda space(device, stream);
    const accrue::sum_of<double> exact;
    if (w == what::exact) return accrue::reduce_into(accrue::nccl(comm, space), elements(), exact, result.get());
    if (w == what::state) return accrue::partial_into(space, elements(), exact, state.get());
    if (w == what::finish) return accrue::finish_into(space, exact, state.get(), result.get());
    if (w == what::fast) accrue::reduce_into(space, elements(), accrue::sum_of<double, double, accrue::fast_t>{}, result.get());
    accrue::nccl_ranks::check(ncclAllReduce(result.get(), result.get(), 1, ncclDouble, ncclSum, comm, stream), comm, "ncclAllReduce");
  }
};

/// All GPUs.
class team {
 public:
  team() {
    int n = 0;
    require(cudaGetDeviceCount(&n));
    std::vector<ncclComm_t> comms(static_cast<std::size_t>(n));
    accrue::nccl_ranks::check(ncclCommInitAll(comms.data(), n, nullptr), nullptr, "ncclCommInitAll");
    for (int k = 0; k < n; ++k) members_.push_back({.device = k, .comm = comms[static_cast<std::size_t>(k)]});
    on_all([](member& m) {
      require(cudaStreamCreateWithFlags(&m.stream, cudaStreamNonBlocking));
      require(cudaEventCreate(&m.begin));
      require(cudaEventCreate(&m.end));
    });
  }
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  ~team() {
    for (const member& m : members_) (void)ncclCommDestroy(m.comm);
  }
  [[nodiscard]] std::size_t size() const { return members_.size(); }

  /// Runs f(member) in a thread for each, on its device.
  template <class F>
  void on_all(const F& f) {
    std::vector<std::thread> threads;
    for (member& m : members_) {
      threads.emplace_back([&] {
        require(cudaSetDevice(m.device));
        f(m);
      });
    }
    for (auto& t : threads) t.join();
  }

  /// Gives each an equal part of x.
  void share(const std::vector<double>& x) {
    const std::size_t each = x.size() / size();
    on_all([&](member& m) {
      const auto allocate = [&]<class T>(std::shared_ptr<T>& to, std::size_t count) {
        T* p = nullptr;
        require(cudaMalloc(&p, count * sizeof(T)));
        require(cudaMemset(p, 0, count * sizeof(T)));
        to = {p, [](T* q) { (void)cudaFree(q); }};
      };
      allocate(m.x, each);
      allocate(m.result, 1);
      allocate(m.state, 1);
      m.count = each;
      require(cudaMemcpy(m.x.get(), x.data() + static_cast<std::size_t>(m.device) * each, each * sizeof(double), cudaMemcpyDefault));
    });
  }
  /// What each has now.
  [[nodiscard]] std::vector<double> results() const {
    std::vector<double> all(size());
    for (const member& m : members_) {
      require(cudaMemcpy(&all[static_cast<std::size_t>(m.device)], m.result.get(), sizeof(double), cudaMemcpyDefault));
    }
    return all;
  }

  [[nodiscard]] sample sampled(what w) {
    return [this, w, graphs = std::make_shared<std::vector<graph_of_calls>>(size())](std::size_t calls) {
      float ms = 0;
      std::barrier together(static_cast<std::ptrdiff_t>(size()));
      on_all([&](member& m) {
        graph_of_calls& graph = (*graphs)[static_cast<std::size_t>(m.device)];
        graph.hold(m.stream, calls, [&](std::size_t) { m.call(w); });
        require(cudaStreamSynchronize(m.stream));
        together.arrive_and_wait();
        require(cudaEventRecord(m.begin, m.stream));
        graph.launch(m.stream);
        require(cudaEventRecord(m.end, m.stream));
        require(cudaEventSynchronize(m.end));
        if (m.device == 0) require(cudaEventElapsedTime(&ms, m.begin, m.end));
      });
      return ms * 1e-3 / static_cast<double>(calls);
    };
  }

 private:
  std::vector<member> members_;
};

void run(runner& rows_of, const stage& on, const extent& e) {
  const auto gpus = std::make_shared<team>();
  for (const int log2 : {14, 20, 28}) {
    if (e.most_log2 != 0 && log2 > e.most_log2) continue;
    const std::size_t n = std::size_t{1} << log2;
    auto expected = std::make_shared<double>(0);
    auto magnitude = std::make_shared<double>(0);
    std::vector<row> rows;
    const auto add = [&](const char* by, what w, bool is_reference) {
      row r{.labels = {{"suite", "gpus"}, {"where", on.name()}, {"what", "sum"}, {"by", by}, {"n", n}, {"gpus", gpus->size()}},
            .bytes = w == what::all_reduce || w == what::finish ? 0 : n * sizeof(double) / gpus->size(),
            .time = gpus->sampled(w),
            .is_reference = is_reference};
      if (w == what::exact || w == what::fast) {
        r.check = [=] {
          bool right = true;
          for (const double v : gpus->results()) {
            right = right && (w == what::exact ? v == *expected : std::fabs(v - *expected) <= 1e-10 * *magnitude);
          }
          return json{{"verified", right}};
        };
      }
      rows.push_back(std::move(r));
    };
    add("accrue", what::exact, false);
    add("a local sum and ncclAllReduce", what::fast, true);
    add("ncclAllReduce of a double alone", what::all_reduce, false);
    add("accrue's local state alone", what::state, false);
    add("accrue's last step alone", what::finish, false);
    rows_of.measure(std::move(rows), [=] {
      std::vector<double> x(n);
      std::mt19937_64 bits(42);
      std::normal_distribution<double> normal;
      for (double& v : x) v = normal(bits);
      *expected = accrue::sum(accrue::default_host_space{}, x);
      *magnitude = accrue::sum_abs(accrue::default_host_space{}, x);
      gpus->share(x);
    });
  }
}

const bool added = (device_suites().push_back({"gpus", run}), true);

}  // namespace perf::gpus
