// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one process for tests: a thread for each device.
#pragma once

#include <accrue/nccl.hpp>

#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "conformance/shown.hpp"
#include "conformance/suite.hpp"
#include "device/gpu_cuda.hpp"

namespace test {

/// One of the ranks: its communicator, and a stream of its device.
struct gpu_rank {
  int number = 0;
  int of = 1;
  accrue::nccl<accrue::cuda> gpus{nullptr};

  /// Its part of a sequence: ranks have parts of other lengths, and where there are three or more of them the second has none.
  template <class T>
  [[nodiscard]] std::vector<T> part(const std::vector<T>& all) const {
    return {all.begin() + first(all.size(), number), all.begin() + first(all.size(), number + 1)};
  }
  [[nodiscard]] std::ptrdiff_t first(std::size_t n, int rank) const {
    if (rank == of) return static_cast<std::ptrdiff_t>(n);
    return static_cast<std::ptrdiff_t>(n * static_cast<std::size_t>(rank) / static_cast<std::size_t>(of) * 3 / 4);
  }
};

/// A communicator of all devices, or of the first `most`.
class all_ranks {
 public:
  explicit all_ranks(int most = 1000) : comms_(static_cast<std::size_t>(std::min(most, gpu::devices()))) {
    if (ncclCommInitAll(comms_.data(), static_cast<int>(comms_.size()), nullptr) != ncclSuccess) throw std::runtime_error("no NCCL");
  }
  all_ranks(const all_ranks&) = delete;
  all_ranks& operator=(const all_ranks&) = delete;
  ~all_ranks() {
    for (const ncclComm_t c : comms_) (void)ncclCommDestroy(c);
  }
  [[nodiscard]] int size() const { return static_cast<int>(comms_.size()); }

  /// Runs f(rank) on each, which answers what is wrong; "" where nothing is.
  template <class F>
  [[nodiscard]] std::string run(const F& f) const {
    std::vector<std::string> wrong(comms_.size());
    std::vector<std::thread> team;
    for (int k = 0; k < size(); ++k) {
      team.emplace_back([&, k] {
        (void)cudaSetDevice(k);
        gpu::stream stream = nullptr;
        if (!gpu::create(stream)) std::terminate();
        try {
          wrong[static_cast<std::size_t>(k)] = f(gpu_rank{k, size(), accrue::nccl(comms_[static_cast<std::size_t>(k)], stream)});
        } catch (const std::exception& e) {
          wrong[static_cast<std::size_t>(k)] = std::string("thrown: ") + e.what();
        }
        gpu::destroy(stream);
      });
    }
    for (auto& t : team) t.join();
    std::string all;
    for (int k = 0; k < size(); ++k) {
      if (const auto& w = wrong[static_cast<std::size_t>(k)]; !w.empty()) all += "rank " + std::to_string(k) + ": " + w + "\n";
    }
    return all;
  }

 private:
  std::vector<ncclComm_t> comms_;
};

}  // namespace test
