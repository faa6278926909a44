// SPDX-License-Identifier: BSD-3-Clause
// A library that uses accrue for itself.
#include <accrue/accrue.hpp>
#include <vector>

extern "C" [[gnu::visibility("default")]] double plugin_total() {
  return accrue::sum(accrue::default_host_space{}, std::vector<double>{1e100, 1, -1e100});
}
extern "C" [[gnu::visibility("default")]] const char* plugin_version() { return accrue::library_version(); }
