// SPDX-License-Identifier: BSD-3-Clause
// The host as a stage.
#include <omp.h>
#include <strings.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "machine.hpp"
#include "stage.hpp"
#include "typed_cases.hpp"

namespace perf {

namespace {

/// OpenMP's idle threads, unless told otherwise.
bool idle_threads_spin() {
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  return policy == nullptr || strcasecmp(policy, "passive") != 0;
}

class host_stage final : public stage {
 public:
  [[nodiscard]] std::string name() const override { return "host"; }
  [[nodiscard]] nlohmann::ordered_json facts() const override { return nlohmann::ordered_json::object(); }
  [[nodiscard]] std::size_t cache_bytes() const override { return last_level_cache_bytes(); }
  [[nodiscard]] int threads() const override { return omp_get_num_procs(); }
  [[nodiscard]] perf::place place(int threads) const override { return {.threads = threads}; }

  [[nodiscard]] std::shared_ptr<void> allocate(std::size_t bytes) const override {
    void* p = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (p == nullptr) throw std::bad_alloc();
    return {p, std::free};
  }
  /// In parallel, so that each part of the memory is first touched by a thread that may use it.
  void copy(void* to, const void* from, std::size_t bytes) const override {
    constexpr std::size_t piece = std::size_t{1} << 20;
#pragma omp parallel for schedule(static)
    for (std::size_t begin = 0; begin < bytes; begin += piece) {
      std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, std::min(piece, bytes - begin));
    }
  }

  /// Calls that are not timed come first, until one's own threads are awake and those of the contender before no longer spin.
  [[nodiscard]] sample sampled(std::function<void(std::size_t)> call, bool) const override {
    return [call = std::move(call), k = std::size_t{0}](std::size_t calls) mutable {
      const auto seconds_since = [](auto begin) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      };
      const double others_spin_s = idle_threads_spin() ? 20e-3 : 0;
      const auto awake = std::chrono::steady_clock::now();
      do {
        call(k++);
      } while (seconds_since(awake) < others_spin_s);
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t c = 0; c < calls; ++c) call(k++);
      return seconds_since(begin) / static_cast<double>(calls);
    };
  }
  [[nodiscard]] bool has_graphs() const override { return false; }
  [[nodiscard]] const std::vector<typed_case>& typed_cases() const override {
    static const auto all = make_typed_cases<accrue::default_host_space>();
    return all;
  }
};

}  // namespace

std::unique_ptr<stage> make_host_stage() { return std::make_unique<host_stage>(); }

}  // namespace perf
