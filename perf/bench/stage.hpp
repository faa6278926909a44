// SPDX-License-Identifier: BSD-3-Clause
// A stage: the host or a device, as the suites see it: memory, time, and who competes there.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "contender.hpp"
#include "sampler.hpp"
#include "typed_case.hpp"

namespace perf {

class stage {
 public:
  virtual ~stage() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// What the results' header says of it.
  [[nodiscard]] virtual nlohmann::ordered_json facts() const = 0;
  [[nodiscard]] virtual std::size_t cache_bytes() const = 0;
  /// The most threads a contender may be given; 0 where that means nothing.
  [[nodiscard]] virtual int threads() const = 0;
  [[nodiscard]] virtual perf::place place(int threads) const = 0;

  /// Memory aligned to 256 bytes.
  [[nodiscard]] virtual std::shared_ptr<void> allocate(std::size_t bytes) const = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes) const = 0;

  /// Makes call(k) as often as it is told to, k counting on from call to call, and times them. `in_graph`: captured and launched as
  /// one graph; devices alone.
  [[nodiscard]] virtual sample sampled(std::function<void(std::size_t)> call, bool in_graph) const = 0;
  [[nodiscard]] virtual bool has_graphs() const = 0;

  [[nodiscard]] virtual const std::vector<typed_case>& typed_cases() const = 0;
  template <class T>
  [[nodiscard]] const std::vector<contender<T>>& contenders() const {
    return threads() > 0 ? host_contenders<T>() : device_contenders<T>();
  }
};

/// The host, and the devices' stage where the build has one. Throws if it has one and there is no device.
std::unique_ptr<stage> make_host_stage();
std::unique_ptr<stage> make_device_stage();

}  // namespace perf
