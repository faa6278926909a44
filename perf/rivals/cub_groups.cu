// SPDX-License-Identifier: BSD-3-Clause
// CUB's sums of segments, by offsets.
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include "device_memory.hpp"
#include "grouped_case.hpp"

namespace perf {

namespace {

growing_memory temporary;

template <class T>
void add(const char* type) {
  auto& all = device_grouped_cases();
  for (const grouped_case& accrue : all) {
    if (accrue.what != "sum" || accrue.by != "accrue fast" || accrue.type != type) continue;
    grouped_case c = accrue;
    c.by = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
           std::to_string(CUB_SUBMINOR_VERSION);
    c.takes = [](const grouped_data& d) { return d.kind != grouping_kind::columns; };
    c.run = [](const place& at, const grouped_data& d, void* results) {
      const auto call = [&](void* memory, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::Sum(memory, bytes, static_cast<const T*>(d.x), static_cast<T*>(results),
                                               static_cast<std::int64_t>(d.groups), d.offsets, d.offsets + 1,
                                               static_cast<cudaStream_t>(at.stream));
      };
      std::size_t bytes = 0;
      check(call(nullptr, bytes), "CUB");
      check(call(temporary.get(bytes, "CUB"), bytes), "CUB");
    };
    all.push_back(c);
    return;
  }
}

const bool added = (add<double>("f64"), add<float>("f32"), true);

}  // namespace

}  // namespace perf
