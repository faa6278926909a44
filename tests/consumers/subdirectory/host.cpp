// SPDX-License-Identifier: BSD-3-Clause
// A program with an accrue of its own, which loads a library with another: host PLUGIN
#include <accrue/accrue.hpp>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <vector>

int main(int argc, char** argv) {
  void* const plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (plugin == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  auto* const total = reinterpret_cast<double (*)()>(dlsym(plugin, "plugin_total"));
  auto* const version = reinterpret_cast<const char* (*)()>(dlsym(plugin, "plugin_version"));
  const double own = accrue::sum(accrue::default_host_space{}, std::vector<double>{1, 2});
  std::printf("accrue %s: %g; its plugin's accrue %s: %g\n", accrue::library_version(), own, version(), total());
  const bool own_library = std::strcmp(accrue::library_version(), ACCRUE_VERSION) == 0;
  return own == 3 && total() == 1 && own_library && std::strcmp(version(), ACCRUE_VERSION) != 0 ? 0 : 1;
}
