// SPDX-License-Identifier: BSD-3-Clause
// On an NVIDIA device: results that stay there, a reducer of one's own, and a graph.
#include <accrue/accrue.hpp>
#include <cstdio>
#include <vector>

//! [own]
/// The range of values: a reducer is a struct with start, fold, merge and finish (accrue/reducer.hpp).
struct range_of {
  struct state {
    double low = 1e300, high = -1e300;
  };
  static constexpr bool order_free = true;
  constexpr state start() const { return {}; }
  constexpr void fold(state& s, double x) const { merge(s, {x, x}); }
  constexpr void merge(state& a, const state& b) const { a = {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high}; }
  constexpr double finish(const state& s) const { return s.high - s.low; }
};
//! [own]

int main() {
  try {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    //! [space]
    const accrue::cuda space{stream};  // or accrue::cuda space; for the current device's default stream
    //! [space]

    std::vector<double> x(1 << 22);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 / (1 + static_cast<double>(i));
    auto* values = static_cast<double*>(space.allocate((x.size() + 1) * sizeof(double)));
    space.copy(values, x.data(), x.size() * sizeof(double));
    const auto input = accrue::view(values, x.size());

    //! [space]
    const double total = accrue::sum(space, input);  // device, managed or pinned memory; waits for the result
    //! [space]
    //! [own]
    const double range = accrue::reduce(space, input, range_of{});
    //! [own]

    // The norm stays on the device; captured once, launched a hundred times.
    double* norm = values + x.size();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t launch = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    //! [asynchronous]
    accrue::reduce_into(space, input, accrue::norm2_of<double>{}, norm);
    //! [asynchronous]
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&launch, graph, 0);
    for (int k = 0; k < 100; ++k) cudaGraphLaunch(launch, stream);
    double got = 0;
    space.copy(&got, norm, sizeof got);
    cudaGraphExecDestroy(launch);
    cudaGraphDestroy(graph);
    space.deallocate(values);
    cudaStreamDestroy(stream);

    const bool same = total == accrue::sum(accrue::serial{}, x) && got == accrue::norm2(accrue::serial{}, x);
    std::printf("sum %.17g, norm %.17g, range %g; on the host %s\n", total, got, range, same ? "the same bits" : "DIFFERENT BITS");
    return same ? 0 : 1;
  } catch (const accrue::error& e) {
    std::puts(e.what());
    return e.code() == accrue::errc::no_device ? 0 : 1;
  }
}
