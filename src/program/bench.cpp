// SPDX-License-Identifier: BSD-3-Clause
// accrue bench: starts the benchmark program with the arguments that follow.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"

namespace accrue::program {

namespace {

namespace fs = std::filesystem;

/// Beside this program where both are installed, or in its place in the folder of the build.
fs::path benchmark_program() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& p : {folder / "accrue_bench", folder / "../../perf/accrue_bench"}) {
    if (fs::exists(p)) return fs::canonical(p);
  }
  throw std::runtime_error(
      "accrue_bench is not beside this program: configure accrue with -DACCRUE_BUILD_PERF=ON and build accrue_bench");
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand("bench", "Run the benchmarks: accrue bench --help");
  command->set_help_flag();
  command->prefix_command();
  command->callback([command] {
    const std::string path = benchmark_program();
    std::vector<std::string> arguments = command->remaining();
    arguments.insert(arguments.begin(), path);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    execv(path.c_str(), argv.data());
    throw std::runtime_error("cannot start " + path + ": " + std::strerror(errno));
  });
}

}  // namespace accrue::program
