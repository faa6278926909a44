// SPDX-License-Identifier: BSD-3-Clause
// Plain C++: no device compiler, no runtime's header. Without a device the error says so.
#include <accrue/accrue.hpp>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> x(100001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1) * (i % 3 == 0 ? -1e10 : 1e-10);
  try {
    const accrue::default_space space;
    auto* p = static_cast<double*>(space.allocate(x.size() * sizeof(double)));
    space.copy(p, x.data(), x.size() * sizeof(double));
    const bool same = accrue::sum(space, p, x.size()) == accrue::sum(accrue::serial{}, x) &&
                      accrue::argmin(space, p, x.size()).index == accrue::argmin(accrue::serial{}, x).index;
    space.deallocate(p);
    std::puts(same ? "device and serial: the same bits" : "WRONG");
    return same ? 0 : 1;
  } catch (const accrue::error& e) {
    std::puts(e.what());
    return e.code() == accrue::errc::no_device ? 0 : 1;
  }
}
